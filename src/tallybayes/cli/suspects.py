"""`tallybayes suspects`: training rows whose labels may be wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import Absent, AnswerFile, AnswersAs, Formulas, Label, ModelFile, keep_apart
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input

TOP = 20


def suspects(
    model: ModelFile,
    how: Input,
    label: Label = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many rows to list.")] = TOP,
    output: AnswerFile = None,
    format: AnswersAs = "csv",
    keep_formulas: Formulas = False,
    absent: Absent = "error",
) -> None:
    """List training rows whose labels may be wrong.

    DATA are rows that the model has counted. Each is left out of the counts in turn; rows whose own label is then least
    probable come first. Rows are numbered from 1.

    \b
    tallybayes suspects spam.tally mails.csv --top 50
    """
    import pyarrow as pa

    from tallybayes.cli.answers import answers
    from tallybayes.report.plain import to_text

    keep_apart(output, model, *how.files())
    found = load_of_classes(model)
    source = how.open()
    name = label or found.schema.label or source.label
    if name is None:
        raise ValueError(
            f"Which column holds the classes? Give --label; there are {', '.join(map(repr, source.names))}."
        )
    with watching(source, "reading"):
        named = found.suspects(source, name, top=top, absent=absent)
    if not source.rows:
        raise ValueError("The data has no rows. Give rows that the model was trained on.")
    table = {
        "row": pa.array([each.row + 1 for each in named], pa.int64()),
        "label": pa.array([to_text(each.label) for each in named], pa.string()),
        "probability": pa.array([each.probability for each in named], pa.float64()),
        "likely": pa.array([to_text(each.likely) for each in named], pa.string()),
    }
    with answers(output, format, keep_formulas) as write:
        write(pa.record_batch(table))
