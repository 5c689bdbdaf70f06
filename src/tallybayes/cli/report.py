"""`tallybayes report`: everything about a model, on one page with plots."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import Absent, Label, ModelFile, ReportAs, keep_apart
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_report, save_report


def report(
    model: ModelFile,
    how: Input,
    label: Label = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the report; by default standard output."),
    ] = None,
    format: ReportAs = "html",
    absent: Absent = "error",
) -> None:
    """Report everything about a model on one page.

    What was counted, how good the model is on DATA (if given), how well its probabilities are calibrated, how
    informative each column is, the strongest words and values, and the most confident mistakes. The page is
    self-contained: it needs no network and no scripts, adapts to light and dark mode, and can be printed.

    Plots need matplotlib (pip install 'tallybayes[plot]'); without it the page has none, and says so.

    \b
    tallybayes report spam.tally test.csv -o report.html
    """
    keep_apart(output, model, *how.files())
    found = load_of_classes(model)
    settings: dict[str, Any] = {"absent": absent, "title": os.path.basename(model)}
    settings["pictures"] = None if format == "html" else False  # None: if matplotlib is installed
    if how.given:
        source = how.open()
        with watching(source, "asking"):
            made = tallybayes.model_report(found, source, label, **settings)
    else:
        made = tallybayes.model_report(found, **settings)
    if output is None:
        print_report(made, format)
    else:
        save_report(made, format, output)
