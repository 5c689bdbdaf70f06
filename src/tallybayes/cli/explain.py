"""`tallybayes explain`: the evidence of each column and each word."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

import tallybayes
from tallybayes.cli.loading import check_of_classes
from tallybayes.cli.option_values import class_of, row_of
from tallybayes.cli.options import Absent, Cells, ModelFile, ReportAs, ReportFormat, Text
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_report

if TYPE_CHECKING:
    import pyarrow as pa

    from tallybayes import Model

ROWS = 3  # rows explained by default
TOP = 15


def explain(
    model: ModelFile,
    how: Input,
    text: Text = None,
    cell: Cells = None,
    class_: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Explain this class; by default the most probable.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Compare with this class; by default the next most probable.")
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="How many rows of the data to explain.")] = ROWS,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many words and columns to show.")] = TOP,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="Instead, rank the missing cells by how informative they are expected to be; without data, all.",
        ),
    ] = False,
    format: ReportAs = "text",
    absent: Absent = "error",
) -> None:
    """Show the evidence of each column and word.

    Each favours one of two classes, and the factors multiply: a word that is 8 times as frequent in spam as in ham
    multiplies the odds of spam by 8.

    \b
    tallybayes explain spam.tally --text "claim your free prize"
    tallybayes explain tennis.tally --cell outlook=sunny --cell wind=strong
    tallybayes explain tennis.tally --cell outlook=sunny --ask
    """
    from tallybayes.model.mixture import over_classes

    loaded = tallybayes.load(model)
    found = over_classes(loaded)
    wanted = None if class_ is None else class_of(found, class_)
    rival = None if against is None else class_of(found, against)
    given = text is not None or bool(cell)
    if given and how.given:
        raise ValueError("--text and --cell describe one row: give no data.")
    nothing = ask and not how.given  # then nothing is known yet
    batch = row_of(found.schema, text, cell) if given or nothing else _first(loaded, how, rows, absent)
    if ask:
        check_of_classes(loaded, f"--ask: {model}")
        _ask(loaded, batch, top, format)
        return
    evidence = found.evidence(batch)
    report = tallybayes.report_on(
        evidence, label=wanted, against=rival, cells=batch.to_pydict(), rows=len(evidence), top=top
    )
    if format == "json":  # one object per line, like rows elsewhere
        for row in report.to_json()["rows"]:
            print(json.dumps(row))
    else:
        print_report(report, format)


def _ask(model: Model, rows: pa.RecordBatch, top: int, format: ReportFormat) -> None:
    """The missing cells of each row, the most informative first."""
    from tallybayes.report.characters import clean
    from tallybayes.schema.entries import title

    for at in range(len(rows)):
        ranked = [(title(column), gain) for column, gain in model.ask_next(rows.slice(at, 1))[:top]]
        if format == "json":
            print(json.dumps({"ask": [{"column": column, "nats": gain} for column, gain in ranked]}))
            continue
        wide = max((len(clean(column)) for column, _ in ranked), default=0)
        lines = [f"{clean(column):{wide}}  {gain:.4f} nats" for column, gain in ranked]
        print("\n".join([*([f"Row {at + 1}"] * (len(rows) > 1)), *(lines or ["No cell is missing."])]))


def _first(model: Model, how: Input, rows: int, absent: str) -> pa.RecordBatch:
    import pyarrow as pa

    from tallybayes.data.frames import one_batch
    from tallybayes.data.matching import completed, matched
    from tallybayes.model.tallying import check_cells

    def known(batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = completed(batch, model.schema.by_column, absent)
        check_cells(model.schema, rows)
        return pa.record_batch(matched(rows, model.schema.by_column))

    source, found, wanted = how.open(or_row=True), list[pa.RecordBatch](), rows
    for batch in source.each(source.column_types(model.schema.reads(), absent=absent), known, rows):
        found.append(batch.slice(0, wanted))
        wanted -= len(found[-1])
        if not wanted:
            break
    if not found:
        raise ValueError("There are no rows to explain.")
    return one_batch(found)
