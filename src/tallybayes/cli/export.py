"""`tallybayes export`: a model for programs without tallybayes."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import AnswerFile, ModelFile, keep_apart, refuse
from tallybayes.cli.terminal import is_terminal, print_text

Dialect = Literal["duckdb", "postgres", "sqlite", "bigquery", "snowflake", "spark"]


def export(
    model: ModelFile,
    to: Annotated[Literal["sql", "onnx"], typer.Option("--to", help="The format to write.")],
    dialect: Annotated[
        Dialect | None, typer.Option(help="The dialect of SQL; duckdb by default.", show_default=False)
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="For SQL: the table with the rows to classify, perhaps schema.name."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="For SQL: a column of the table to keep next to the answers; by default those of the model. "
            "Can be repeated.",
        ),
    ] = None,
    view: Annotated[
        str | None, typer.Option(metavar="NAME", help="For SQL: the view with the answers; by default NAME_scored.")
    ] = None,
    output: AnswerFile = None,
) -> None:
    """Write a model as SQL or ONNX, for programs without tallybayes.

    The answers are those of predict. The SQL creates a view of a table: run it in the database. A column that cannot be
    exported is an error that names it.

    \b
    tallybayes export late.tally --to sql --dialect postgres --table orders --keep id | psql shop
    tallybayes export late.tally --to onnx -o late.onnx
    """
    keep_apart(output, model)
    found = load_of_classes(model)
    if to == "onnx":
        refuse({"dialect": dialect, "table": table, "keep": keep, "view": view}, " goes with --to sql.")
        if output is None and is_terminal(sys.stdout):
            raise ValueError("ONNX cannot be shown in a terminal: give --output, or redirect it to a file or a pipe.")
        _write(tallybayes.export_onnx(found), output)
        return
    if table is None:
        raise ValueError("--to sql needs --table: the table of the database whose rows are to be classified.")
    made = tallybayes.export_sql(found, dialect=dialect or "duckdb", table=table.split("."), keep=keep, view=view)
    _write(made, output)


def _write(made: bytes | str, output: str | None) -> None:
    if output is not None and output != "-":
        from tallybayes.files.replacing import replacing

        with replacing(output) as file:
            file.write(made.encode() if isinstance(made, str) else made)
    elif isinstance(made, str):
        print_text(made)
    else:
        sys.stdout.buffer.write(made)
