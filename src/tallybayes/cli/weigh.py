"""`tallybayes weigh`: the weight of each column's evidence, fitted on left-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import tallybayes
from tallybayes.cli.loading import check_of_classes
from tallybayes.cli.options import Absent, Label, ModelFile, keep_apart, model_file
from tallybayes.cli.progress import counting, watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import say, waiting_for
from tallybayes.report.blocks import how_many

if TYPE_CHECKING:
    from tallybayes.model.weigh import Weighing


def weigh(
    model: ModelFile,
    how: Input,
    label: Label = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=model_file,
            help="Where to save the weighed model; by default in place.",
        ),
    ] = None,
    absent: Absent = "error",
) -> None:
    """Fit the weight of each column's evidence.

    DATA are rows that the model has counted. Up to 20,000 of them, or 10,000 with texts, are left out of the counts,
    and the weights maximise the probability of their classes. The counts do not change. show prints the weights; learn,
    forget and merge keep them.

    \b
    tallybayes weigh spam.tally mails.csv
    """
    from tallybayes.files import load_version
    from tallybayes.model.weigh import reweighed, sampled_rows

    keep_apart(output, *how.files())
    loaded = load_version(model)
    check_of_classes(loaded.model, model)
    source = how.open()
    with watching(source, "reading"):
        rows = sampled_rows(loaded.model, source, label, absent=absent)
    with counting("weighing"):
        weighed, worth = reweighed(loaded.model, rows)
    if output is not None:
        tallybayes.save(weighed, output)
    else:
        with tallybayes.changing(model, waiting_for(model), loaded) as found:
            found.schema = weighed.schema
    say(f"{output or model}: {weighing_summary(worth)}")


def weighing_summary(worth: Weighing) -> str:
    """The gain from weighing, in a sentence."""
    rows = f"{how_many(worth.rows)} left out"
    if worth.weights is None:
        return f"not weighed, since no weights make {rows} more probable (log-loss {worth.naive:.4g})"
    return f"weighed by {rows}, log-loss {worth.naive:.4g} → {worth.weighed:.4g}"
