"""Options for reading an input."""

from __future__ import annotations

import codecs
from collections.abc import Collection
from dataclasses import dataclass

from tallybayes.data.errors import check_whole
from tallybayes.data.marks import MISSING, MISSING_NUMBERS

TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow", "lines")
DOCUMENTS = ("mail", "mbox", "text")
DOCUMENT_SUFFIXES = (".mbox", ".eml")
BLOCK_BYTES = 1 << 23


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading an input; whatever is not given is detected from its content and its name.

    >>> ReadOptions(format="excel")
    Traceback (most recent call last):
    ValueError: format='excel': give one of csv, tsv, jsonl, parquet, arrow, lines, mail, mbox, text.
    """

    format: str | None = None
    missing: tuple[str, ...] = MISSING  # cells of CSV and TSV that mark missing values, quoted or not
    missing_numbers: tuple[str, ...] = MISSING_NUMBERS  # others that do so in numeric columns
    delimiter: str | None = None  # by default as a line "sep=;" says; tab for TSV; else the most frequent of , ; tab |
    decimal: str = "."
    quotes: bool = True  # whether cells of CSV and TSV may be quoted; if not, quotes are ordinary characters
    encoding: str = "utf-8"  # a byte order mark takes precedence
    names: tuple[str, ...] | None = None  # of the columns, for a file that has no header
    header: bool = True  # whether the first row has the names; if not, and none are given, they are "column 1", …
    skip_bad_rows: bool = False  # leave out rows that cannot be read or counted; `Source.skipped` says how many
    live: bool = False  # pass on rows of standard input and pipes as soon as they arrive
    block_bytes: int = BLOCK_BYTES  # text read at a time

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in TABLES + DOCUMENTS:
            raise ValueError(f"format={self.format!r}: give one of {', '.join(TABLES + DOCUMENTS)}.")
        given = self.delimiter
        if given is not None and (len(given) != 1 or not given.isascii() or given in '"\r\n\0'):
            raise ValueError(
                f"delimiter={self.delimiter!r}: give one ASCII character other than a quote or a line end."
            )
        if len(self.decimal) != 1 or self.decimal in '0123456789+-eE"\r\n' or not self.decimal.isascii():
            raise ValueError(
                f"decimal={self.decimal!r}: give the character between a number's whole part and its fraction."
            )
        _check_texts("missing", self.missing, ("NA",))
        _check_texts("missing_numbers", self.missing_numbers, ("-",))
        if self.names is not None:
            _check_texts("names", self.names, ("age", "city"))
            if len(set(self.names)) < len(self.names):
                raise ValueError(f"names={self.names!r}: every column needs a different name.")
        check_whole("block_bytes", self.block_bytes, 1)
        try:
            b" ".decode(self.encoding, "ignore")
        except (LookupError, UnicodeError):
            raise ValueError(
                f"encoding={self.encoding!r} is not an encoding of text; give one such as utf-8 or latin-1."
            ) from None

    @property
    def batch_bytes(self) -> int:
        """Bytes read at a time from typed columns: in memory they take more than text does."""
        return 2 * self.block_bytes

    @property
    def plain(self) -> bool:
        """Whether texts are UTF-8 already."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")


def _check_texts(name: str, given: Collection[str], example: tuple[str, ...]) -> None:
    """Refuses a single string, which would be read as a list of characters."""
    alone = isinstance(given, str) or not isinstance(given, Collection)
    if alone or not all(isinstance(text, str) for text in given):
        raise ValueError(f"{name}={given!r}: give a tuple of strings, such as {example!r}.")
