"""The arguments and options that verbs share, each described once.

A verb that reads data has a parameter of the class `Input`; `spread` shows typer its fields as options of the verb.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import tallybayes

if TYPE_CHECKING:
    from tallybayes.sources import Source

READING = "How the data is read"
HELD_OUT = "What is held out"


class InputFormat(StrEnum):
    """What the data is, where its name and its first bytes do not tell."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"
    lines = "lines"
    text = "text"
    mail = "mail"
    mbox = "mbox"


class AnswerFormat(StrEnum):
    """What answers are written as."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"
    table = "table"


class AbsentColumn(StrEnum):
    """What a column is that the model has and the data has not."""

    error = "error"
    missing = "missing"


class ReportFormat(StrEnum):
    """What a report is written as."""

    text = "text"
    json = "json"
    html = "html"


DATA = "Files, globs, folders (one per class, Maildir, mbox), or - for standard input."

Data = Annotated[list[str], typer.Argument(metavar="DATA", help=DATA, show_default=False)]
MaybeData = Annotated[list[str] | None, typer.Argument(metavar="DATA", help=DATA, show_default=False)]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The file of the model.", show_default=False)]
StoreFolder = Annotated[str, typer.Argument(metavar="STORE", help="The folder of the store.", show_default=False)]
Label = Annotated[
    str | None, typer.Option("--label", "-l", metavar="COLUMN", help="The column that holds the classes.")
]
NewModel = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to save the model in.")]
AnswerFile = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Where answers go; standard output by default.")
]
AnswersAs = Annotated[AnswerFormat, typer.Option("--format", "-f", help="What the answers are written as.")]
ReportAs = Annotated[ReportFormat, typer.Option("--format", "-f", help="What the report is written as.")]
Formulas = Annotated[
    bool,
    typer.Option("--keep-formulas", help="Leave cells of CSV that a spreadsheet would take for a formula as they are."),
]
Text = Annotated[str | None, typer.Option("--text", "-t", metavar="TEXT", help="One text, instead of data.")]
Cells = Annotated[
    list[str] | None,
    typer.Option("--cell", "-c", metavar="COLUMN=VALUE", help="A cell of one row, instead of data. Repeat it."),
]
Costs = Annotated[
    list[str] | None,
    typer.Option(
        "--costs",
        metavar="TRUTH:DECISION=COST",
        help="What it costs to decide so when this is true; other errors cost 1. Repeat it.",
    ),
]
Reject = Annotated[
    float | None,
    typer.Option("--reject", metavar="COST", help="Leave a row undecided where any decision is expected to cost more."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=FAMILY",
        help=(
            "The family of a column, as age=Gaussian or 'city=Categorical(alpha=0.5)', or 'id=left out'; or of a block "
            "of columns, as height,weight=Correlated. Repeat it."
        ),
    ),
]
SchemaFile = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="Which family counts which column, as `tallybayes schema` says."),
]
ClassPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help="Of the classes: frequencies, uniform, a number to add, or one for each: \"{'ham': 2, 'spam': 5}\".",
    ),
]


class DependenceKind(StrEnum):
    none = "none"
    auto = "auto"
    trees = "trees"
    pairs = "pairs"


Dependence = Annotated[
    DependenceKind,
    typer.Option(
        "--dependence",
        help="What is counted of columns together, since they may depend on each other: trees of questions, pairs of "
        "columns, or both (auto). Their evidence is weighed.",
    ),
]
LabelAsText = Annotated[
    bool, typer.Option("--label-as-text", help="Take labels for texts also where they look like numbers.")
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups", metavar="COLUMN", help="Rows with the same value here stay in one fold.", rich_help_panel=HELD_OUT
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Deals rows to folds.", rich_help_panel=HELD_OUT)]
Absent = Annotated[
    AbsentColumn,
    typer.Option("--absent", help="What a column is that the data has not: an error, or missing in every row."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="Threads to count with; all processors by default.")
]


@dataclass(frozen=True)
class Input:
    """How data is read."""

    input: Annotated[
        InputFormat | None,
        typer.Option("--input", help="What the data is, where name and content do not tell.", rich_help_panel=READING),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing",
            metavar="TEXT",
            help="A cell of CSV or TSV that means nothing is known, beside those that do by default: empty ones, ?, "
            "NA, N/A, n/a, #N/A, <NA>, NULL, null, NaN, nan and \\N, and in columns that are counted as numbers also "
            "-, --, ., None and none. Repeat it.",
            rich_help_panel=READING,
        ),
    ] = None
    no_default_missing: Annotated[
        bool,
        typer.Option(
            "--no-default-missing", help="Only cells of --missing mean that nothing is known.", rich_help_panel=READING
        ),
    ] = False
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="Between cells; by default the one of , ; tab | that the header has most of.",
            rich_help_panel=READING,
        ),
    ] = None
    decimal: Annotated[
        str, typer.Option(metavar="CHARACTER", help="The decimal point of numbers.", rich_help_panel=READING)
    ] = "."
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="The encoding of text files.", rich_help_panel=READING)
    ] = "utf-8"
    no_quotes: Annotated[
        bool,
        typer.Option("--no-quotes", help="Take quotes in CSV or TSV as ordinary characters.", rich_help_panel=READING),
    ] = False
    names: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…", help="The columns of a CSV or TSV file that has no header.", rich_help_panel=READING
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header",
            help="A CSV or TSV file has no header; without --names its columns are 'column 1', 'column 2', …",
            rich_help_panel=READING,
        ),
    ] = False
    skip_bad_rows: Annotated[
        bool,
        typer.Option(
            "--skip-bad-rows", help="Skip rows that cannot be read, and say how many.", rich_help_panel=READING
        ),
    ] = False

    def open(self, data: list[str] | None, *, live: bool = False) -> Source:
        if not data:
            raise ValueError("There is no data: give files, folders, - for standard input, --text or --cell.")
        from tallybayes.sources.read_options import MISSING, MISSING_NUMBERS

        reading = tallybayes.ReadOptions(
            format=self.input.value if self.input else None,
            missing=tuple(dict.fromkeys([*(() if self.no_default_missing else MISSING), *(self.missing or ())])),
            missing_numbers=() if self.no_default_missing else MISSING_NUMBERS,
            delimiter={"\\t": "\t", "tab": "\t"}.get(self.delimiter or "", self.delimiter),
            decimal=self.decimal,
            encoding=self.encoding,
            quotes=not self.no_quotes,
            names=tuple(self.names.split(",")) if self.names else None,
            header=not self.no_header,
            skip_bad_rows=self.skip_bad_rows,
            live=live,
        )
        return tallybayes.open_source(data, reading)


def keep_apart(output: str | None, *read: str | None) -> None:
    """An error if what is written would take the place of what is read."""
    if output is None or not os.path.isfile(output):
        return
    from tallybayes.sources.paths import STANDARD_INPUT, expand

    for path in expand([path for path in read if path is not None]):
        if path != STANDARD_INPUT and os.path.samefile(path, output):
            raise ValueError(f"--output {output}: this file is read, and would be lost. Give the name of another.")


def spread(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The same verb, which takes the fields of its `Input` one by one."""
    signature, hints = inspect.signature(verb), get_type_hints(verb, include_extras=True)
    whole = next((name for name, hint in hints.items() if hint is Input), None)
    if whole is None:
        return verb
    kinds = get_type_hints(Input, include_extras=True)
    parts = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[field.name]
        )
        for field in fields(Input)
    ]
    others = [
        parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        if name != whole
    ]

    @functools.wraps(verb)
    def run(**given: Any) -> Any:
        how = Input(**{part.name: given.pop(part.name) for part in parts})
        return verb(**given, **{whole: how})

    run.__signature__ = signature.replace(parameters=others + parts)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in others + parts}
    return run
