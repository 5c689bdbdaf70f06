"""`tallybayes sample`: rows made up by a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import AnswerFile, AnswerFormat, AnswersAs, Formulas, ModelFile, keep_apart
from tallybayes.cli.terminal import say

if TYPE_CHECKING:
    from tallybayes import Model


def sample(
    model: ModelFile,
    rows: Annotated[int, typer.Argument(metavar="ROWS", min=0, help="How many rows.")] = 10,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same rows.")] = 0,
    output: AnswerFile = None,
    format: AnswersAs = AnswerFormat.csv,
    keep_formulas: Formulas = False,
) -> None:
    """Make up rows with their classes.

    They come about as the model has it: first a class, then each column's cell as that class has them. Texts are drawn
    word by word.

    \b
    tallybayes sample spam.tally 10
    """
    import pyarrow as pa

    from tallybayes.cli.answers import answers
    from tallybayes.report.answered import unused

    keep_apart(output, model)
    found = _drawable(load_of_classes(model))
    drawn = found.sample(rows, seed=seed)
    label = unused(found.schema.label or "class", drawn.rows.schema.names)
    batch = pa.RecordBatch.from_arrays([*drawn.rows.columns, drawn.labels], names=[*drawn.rows.schema.names, label])
    with answers(output, format, keep_formulas) as write:
        write(batch)


def _drawable(model: Model) -> Model:
    """The same counts, with texts in which each word counts once read as words that come as often as they came."""
    once = {
        name: family.changed({"reading": "multinomial"})
        for name, family in model.schema.columns.items()
        if family.is_text and family.settings().get("reading") == "binary"
    }
    if once:
        names = ", ".join(map(repr, once))
        say(f"Note: the model asks of {names} only whether a word is there; texts are drawn by how often it was.")
    return model.believing(once)
