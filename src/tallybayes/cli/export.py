"""`tallybayes export`: a model for programs that have no tallybayes."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import AnswerFile, ModelFile, keep_apart
from tallybayes.cli.terminal import KEPT, is_terminal
from tallybayes.report.characters import clean


class Target(StrEnum):
    """What a model is exported to."""

    sql = "sql"
    onnx = "onnx"


class Dialect(StrEnum):
    """Whose SQL it is."""

    duckdb = "duckdb"
    postgres = "postgres"
    sqlite = "sqlite"
    bigquery = "bigquery"
    snowflake = "snowflake"
    spark = "spark"


def export(
    model: ModelFile,
    to: Annotated[Target, typer.Option("--to", help="What the model is written as.")],
    dialect: Annotated[Dialect | None, typer.Option(help="Of SQL; duckdb by default.", show_default=False)] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="For SQL: the table to answer about, perhaps schema.name.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="For SQL: a column of the table beside the answers; by default those of the model. Repeat it.",
        ),
    ] = None,
    view: Annotated[
        str | None, typer.Option(metavar="NAME", help="For SQL: the view that has the answers; by default NAME_scored.")
    ] = None,
    output: AnswerFile = None,
) -> None:
    """Write a model as SQL or ONNX, for programs that have no tallybayes.

    The answers are those of predict. As SQL, they are a view of a table in a database: run what is written there. A
    column that cannot be written so is an error that names it.

    \b
    tallybayes export late.tally --to sql --dialect postgres --table orders --keep id | psql shop
    tallybayes export late.tally --to onnx -o late.onnx
    """
    keep_apart(output, model)
    found = load_of_classes(model)
    if to is Target.onnx:
        for option, given in {"--dialect": dialect, "--table": table, "--keep": keep, "--view": view}.items():
            if given is not None:
                raise ValueError(f"{option} goes with --to sql.")
        if output is None and is_terminal(sys.stdout):
            raise ValueError("ONNX is not for the terminal: give --output, or send it to a file or a pipe.")
        _write(tallybayes.export_onnx(found), output)
        return
    if table is None:
        raise ValueError("--to sql needs --table: the table of the database whose rows are answered about.")
    chosen = (dialect or Dialect.duckdb).value
    _write(tallybayes.export_sql(found, dialect=chosen, table=table.split("."), keep=keep, view=view), output)


def _write(made: bytes | str, output: str | None) -> None:
    data = made.encode() if isinstance(made, str) else made
    if output is not None and output != "-":
        from tallybayes.files.replacing import replacing

        with replacing(output) as file:
            file.write(data)
    elif isinstance(made, str) and is_terminal(sys.stdout):
        print(clean(made, KEPT), end="")
    else:
        sys.stdout.buffer.write(data)
