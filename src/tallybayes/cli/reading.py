"""How data is read: from files, folders and pipes, or from a database.

A verb that reads data has a parameter of the class `Input`; `spread` shows typer its fields as options of the verb.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

import tallybayes
from tallybayes.cli.option_values import names_in

if TYPE_CHECKING:
    from tallybayes.sources import Source

InputFormat = Literal["csv", "tsv", "jsonl", "parquet", "arrow", "lines", "text", "mail", "mbox"]

option = functools.partial(typer.Option, rich_help_panel="Reading data")


@dataclass(frozen=True)
class Input:
    """The data, and how it is read."""

    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA...",
            help="Files, globs, folders (one per class, Maildir, mbox), or - for standard input; or --query instead.",
            show_default=False,
        ),
    ] = None
    input: Annotated[
        InputFormat | None, option("--input", help="The format of the data; by default guessed from name and content.")
    ] = None
    missing: Annotated[
        list[str] | None,
        option(
            "--missing",
            metavar="TEXT",
            help="A cell of CSV or TSV that marks a missing value, besides the defaults: empty ones, ?, NA, N/A, "
            "n/a, #N/A, <NA>, NULL, null, NaN, nan and \\N, and in numeric columns also -, --, ., None and none. "
            "Can be repeated.",
        ),
    ] = None
    no_default_missing: Annotated[
        bool, option("--no-default-missing", help="Only cells given by --missing mark missing values.")
    ] = False
    delimiter: Annotated[
        str | None,
        option(
            metavar="CHARACTER",
            help="The separator of cells; by default the one of , ; tab | that is most frequent in the header.",
        ),
    ] = None
    decimal: Annotated[str, option(metavar="CHARACTER", help="The decimal point of numbers.")] = "."
    encoding: Annotated[str, option(metavar="NAME", help="The encoding of text files.")] = "utf-8"
    no_quotes: Annotated[bool, option("--no-quotes", help="Treat quotes in CSV or TSV as ordinary characters.")] = False
    names: Annotated[
        str | None, option(metavar="A,B,…", help="The columns of a CSV or TSV file that has no header.")
    ] = None
    no_header: Annotated[
        bool,
        option(
            "--no-header",
            help="A CSV or TSV file has no header; without --names its columns are 'column 1', 'column 2', …",
        ),
    ] = False
    skip_bad_rows: Annotated[
        bool, option("--skip-bad-rows", help="Skip rows that cannot be read, and report them.")
    ] = False

    database: Annotated[
        str | None,
        option(
            metavar="URI",
            help="The database for --query: a SQLite or DuckDB file, or a URI like postgresql://host/name.",
        ),
    ] = None
    query: Annotated[
        str | None,
        option(
            "--query",
            "--sql",
            metavar="SELECT",
            help="Read the rows of this SQL query instead of DATA: from --database, or else by DuckDB from files: "
            "\"SELECT … FROM 'data/*.parquet'\".",
        ),
    ] = None

    @property
    def given(self) -> bool:
        return bool(self.data) or self.query is not None

    def open(self, *, live: bool = False, or_row: bool = False) -> Source:
        """The source of the rows. A verb that takes one row instead is called with `or_row`."""
        if self.database is not None and self.query is None:
            raise ValueError(
                "--database goes with --query: say which rows to read, like --query 'SELECT * FROM mails'."
            )
        if not self.given:
            others = "--query, --text or --cell" if or_row else "or --query"
            raise ValueError(f"There is no data: give files, folders, - for standard input, {others}.")
        if self.data and self.query is not None:
            raise ValueError(f"--query gives all rows, and {self.data[0]} is given as well. Give one of them.")
        from tallybayes.data.marks import MISSING, MISSING_NUMBERS

        reading = tallybayes.ReadOptions(
            format=self.input,
            missing=tuple(dict.fromkeys([*(() if self.no_default_missing else MISSING), *(self.missing or ())])),
            missing_numbers=() if self.no_default_missing else MISSING_NUMBERS,
            delimiter={"\\t": "\t", "tab": "\t"}.get(self.delimiter or "", self.delimiter),
            decimal=self.decimal,
            encoding=self.encoding,
            quotes=not self.no_quotes,
            names=tuple(map(str.strip, names_in(self.names))) if self.names else None,
            header=not self.no_header,
            skip_bad_rows=self.skip_bad_rows,
            live=live,
        )
        return tallybayes.open_source(self.data or (), reading, database=self.database, query=self.query)

    def open_again(self) -> Source:
        """The source of one of several passes; an error if rows cannot be read again in the same order."""
        source = self.open()
        self.check_read_again(source)
        return source

    def files(self) -> list[str]:
        """The inputs that must not be overwritten: the data, and the database if it is a file."""
        database = (self.database or "").removeprefix("sqlite:").removeprefix("duckdb:")
        return [*(self.data or []), *([database] if os.path.isfile(database) else [])]

    @property
    def is_piped(self) -> bool:
        from tallybayes.sources.paths import STANDARD_INPUT

        return STANDARD_INPUT in (self.data or ())

    def can_be_read_again(self, source: Source) -> bool:
        return source.total is not None and not self.is_piped

    def check_read_again(self, source: Source | None = None) -> None:
        """Raises an error if rows cannot be read a second time in the same order."""
        if self.is_piped or not (source is None or self.can_be_read_again(source)):
            name = "standard input" if self.is_piped else (self.data or ["the answer to a query"])[0]
            raise ValueError(
                f"Rows are read twice, once to count them and once to score them, and {name} can be read only once. "
                "Save it in a file first."
            )


def spread(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The same verb with the fields of its `Input` as separate parameters."""
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
