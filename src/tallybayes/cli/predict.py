"""`tallybayes predict`: rows in, their classes out."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

import tallybayes
from tallybayes.cli.exit_codes import FINE, NO
from tallybayes.cli.loading import check_of_classes
from tallybayes.cli.option_values import class_of, costs_of, row_of
from tallybayes.cli.options import (
    Absent,
    AnswerFile,
    AnswersAs,
    Cells,
    Costs,
    Formulas,
    ModelFile,
    Reject,
    Text,
    Threads,
    keep_apart,
)
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from tallybayes.report.answered import Deciding


def predict(
    model: ModelFile,
    how: Input,
    text: Text = None,
    cell: Cells = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval", metavar="MASS", help="Add a credible interval of this mass for the probability, like 0.9."
        ),
    ] = None,
    costs: Costs = None,
    reject: Reject = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMN", help="A column to keep next to the answer. Can be repeated."),
    ] = None,
    find: Annotated[
        str | None, typer.Option("--find", metavar="CLASS", help="Exit with 1 if no row is of this class.")
    ] = None,
    output: AnswerFile = None,
    format: AnswersAs = "csv",
    keep_formulas: Formulas = False,
    absent: Absent = "error",
    threads: Threads = None,
) -> int:
    """Print the class of every row, and its probability.

    Rows from a pipe are answered as they arrive. A row that is left undecided has no class.

    \b
    tallybayes predict spam.tally new.csv > answers.csv
    tallybayes predict spam.tally --input mail --find spam - && echo this is spam
    """
    from tallybayes.cli.answers import answers
    from tallybayes.model.mixture import over_classes
    from tallybayes.report.answered import Deciding

    keep_apart(output, model, *how.files())
    loaded = tallybayes.load(model)
    found = over_classes(loaded)
    wanted = None if find is None else class_of(found, find)
    if interval is not None:
        check_of_classes(loaded, f"--interval {interval}: {model}")
    credible = None if interval is None else partial(loaded.credible, interval=interval, absent=absent)
    deciding = Deciding(
        found.beliefs(), found.label_type, costs_of(found, costs), reject, proba, threads, absent, credible
    )
    with answers(output, format, keep_formulas) as write:
        if text is not None or cell:
            if how.given or keep:
                raise ValueError("--text and --cell describe one row: give no data and nothing to keep.")
            write(deciding.answer(row_of(found.schema, text, cell)))
        else:
            for batch in _answered(deciding, how, keep or []):
                write(batch)
    return NO if wanted is not None and wanted not in deciding.met else FINE


def _answered(deciding: Deciding, how: Input, keep: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    from tallybayes.sources.columns import empty_batch

    source = how.open(live=True, or_row=True)
    kept = [*([] if source.place is None else [source.place]), *keep]
    types = source.column_types(deciding.schema.reads(), absent=deciding.absent) | source.as_stored(kept)
    # Answers on a terminal and a progress bar would overwrite each other.
    with watching(source, "answering", shown=not is_terminal(sys.stdout)):
        answer = partial(deciding.answer, kept=kept, source=source)
        batches = source.each(types, answer, deciding.most)
        yield next(batches, answer(empty_batch(pa.schema(types))))  # for the header
        yield from batches
