"""The arguments and options that verbs share, each described once; how data is read is in `reading`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import typer

held_out_option = partial(typer.Option, rich_help_panel="Held-out rows")

AnswerFormat = Literal["csv", "jsonl", "parquet", "table"]
ReportFormat = Literal["text", "json", "html"]

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The model file.", show_default=False)]
StoreFolder = Annotated[str, typer.Argument(metavar="STORE", help="The folder of the store.", show_default=False)]
Label = Annotated[
    str | None, typer.Option("--label", "-l", metavar="COLUMN", help="The column that holds the classes.")
]


def model_file(output: str | None) -> str | None:
    """The file to save a model in; an error for `-`, which would become a file of that name."""
    if output == "-":
        raise typer.BadParameter("a model is saved in a file. Give its name, or /dev/stdout for a pipe.")
    return output


NewModel = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", callback=model_file, help="Where to save the model.")
]
AnswerFile = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write answers; by default standard output."),
]
AnswersAs = Annotated[AnswerFormat, typer.Option("--format", "-f", help="The format of the answers.")]
ReportAs = Annotated[ReportFormat, typer.Option("--format", "-f", help="The format of the report.")]
Formulas = Annotated[
    bool, typer.Option("--keep-formulas", help="Do not escape CSV cells that a spreadsheet would take for a formula.")
]
Text = Annotated[str | None, typer.Option("--text", "-t", metavar="TEXT", help="One text, instead of data.")]
Cells = Annotated[
    list[str] | None,
    typer.Option("--cell", "-c", metavar="COLUMN=VALUE", help="A cell of one row, instead of data. Can be repeated."),
]
Costs = Annotated[
    list[str] | None,
    typer.Option(
        "--costs",
        metavar="TRUTH:DECISION=COST",
        help="The cost of this decision when that class is true; other errors cost 1. Can be repeated.",
    ),
]
Reject = Annotated[
    float | None,
    typer.Option("--reject", metavar="COST", help="Leave a row undecided if every decision is expected to cost more."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=FAMILY",
        help=(
            "The family of a column, like age=Gaussian, 'city=Categorical(alpha=0.5)' or 'id=left out'; or of a block "
            "of columns, like height,weight=Correlated. Can be repeated."
        ),
    ),
]
SchemaFile = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="Which family counts which column: a file like the one `tallybayes schema` writes.",
    ),
]
ClassPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help="The prior of the classes: frequencies, uniform, a pseudo-count for every class, or one for each: "
        "\"{'ham': 2, 'spam': 5}\".",
    ),
]
Dependence = Annotated[
    Literal["none", "auto", "trees", "pairs"],
    typer.Option(
        "--dependence",
        help="How to count columns together that may depend on each other: trees of questions, pairs of columns, "
        "or both (auto). Their evidence is weighed.",
    ),
]
LabelAsText = Annotated[
    bool, typer.Option("--label-as-text", help="Read labels as text even if they look like numbers.")
]
Groups = Annotated[
    str | None, held_out_option("--groups", metavar="COLUMN", help="Rows with the same value here stay in one fold.")
]
Seed = Annotated[int, held_out_option("--seed", metavar="N", min=0, help="The seed of the split into folds.")]
Absent = Annotated[
    Literal["error", "missing"],
    typer.Option("--absent", help="A column that a file lacks is an error, or missing in all its rows."),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="The number of threads; by default one per processor."),
]


def refuse(options: Mapping[str, Any], reason: str) -> None:
    """Raises an error that begins with an option, if any of these is given."""
    for name, value in options.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')}{reason}")


def keep_apart(output: str | None, *read: str | None) -> None:
    """Raises an error if the output would overwrite the input."""
    files = [path for path in read if path is not None]
    if output is None or not files or not os.path.isfile(output):
        return
    from tallybayes.sources.paths import STANDARD_INPUT, expand

    for path in expand(files):
        if path != STANDARD_INPUT and os.path.samefile(path, output):
            raise ValueError(
                f"--output {output}: this is an input file, which would be overwritten. Give another name."
            )
