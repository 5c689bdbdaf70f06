"""`tallybayes sample`: rows drawn from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import AnswerFile, AnswersAs, Formulas, ModelFile, keep_apart
from tallybayes.cli.terminal import say

if TYPE_CHECKING:
    from tallybayes import Model


def sample(
    model: ModelFile,
    rows: Annotated[int, typer.Argument(metavar="ROWS", min=0, help="The number of rows.")] = 10,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same rows.")] = 0,
    output: AnswerFile = None,
    format: AnswersAs = "csv",
    keep_formulas: Formulas = False,
) -> None:
    """Draw rows with their classes from a model.

    First a class is drawn from the prior, then the cell of each column from its distribution in that class. Texts are
    drawn word by word.

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
    """The same counts, with texts of the binary reading turned into multinomial ones, which can be drawn."""
    once = {
        name: family.changed({"reading": "multinomial"})
        for name, family in model.schema.columns.items()
        if family.is_text and family.settings().get("reading") == "binary"
    }
    if once:
        names = ", ".join(map(repr, once))
        say(f"Note: the model only uses whether a word is in {names}; texts are drawn from the word counts instead.")
    return model.believing(once)
