"""Several files with tables as one input: the format of each is detected, and each has its own columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import islice

from tallybayes.sources.base import Chunk, ColumnTypes, Reader, SourceError
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columns import check_wanted
from tallybayes.sources.paths import STANDARD_INPUT, suffix
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import PIECE, places
from tallybayes.sources.text import FORMATS

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".txt": "lines",
}
READERS = {  # modules and classes; CSV and TSV have the same
    "parquet": ("parquet", "Parquet"),
    "arrow": ("arrow", "Arrow"),
    "jsonl": ("json_lines", "JsonLines"),
    "lines": ("lines", "Lines"),
}
ARROW_STREAM = b"\xff\xff\xff\xff"
MODEL = b'{"__metadata__":{"tallybayes"'
OTHERS = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"7z\xbc\xaf": "an archive",
    b"\xd0\xcf\x11\xe0": "a document of an old office program",
    b"\x7fELF": "a program",
    b"FEA1": "Feather of version 1",
    b"Obj\x01": "Avro",
    b"\x89HDF": "HDF5",
}


class Tables(Reader):
    """All files as one input; the columns are those of the first."""

    def __init__(self, paths: Sequence[str], reading: ReadOptions) -> None:
        self._reading = reading
        self._later = list(paths[1:])
        self._wanted: ColumnTypes | None = None
        self._optional: Collection[str] = ()
        self._current = _open(paths[0], reading)
        self.describe_as(self._current)
        self.file, self.total = self._current.file, _total(paths)

    def want(self, types: ColumnTypes | None, optional: Collection[str] = ()) -> None:
        self._wanted, self._optional = types, optional
        check_wanted(self._current.file, self._current.names, types, optional)
        self._current.want(types, optional)

    def sampled(self) -> Iterator[Chunk]:
        yield from self._current.sampled()
        small = replace(self._reading, block_bytes=PIECE)
        files = [path for path in self._later if os.path.isfile(path)]  # a pipe can be read only once
        for place in places(1, len(files) + 1):
            with suppress(SourceError):
                yield from islice(_open(files[place - 1], small).chunks(), 1)

    def chunks(self) -> Iterator[Chunk]:
        yield from self._current.chunks()
        while self._later:
            self._current = _open(self._later.pop(0), self._reading)
            self.want(self._wanted, self._optional)
            yield from self._current.chunks()


def _total(paths: Sequence[str]) -> int | None:
    try:
        return sum(os.path.getsize(path) for path in paths) if all(map(os.path.isfile, paths)) else None
    except OSError:
        return None


def _open(path: str, reading: ReadOptions) -> Reader:
    """A reader for the given format, or else the detected one."""
    source = Input(path, reading)
    refuse_others(source.name, source.stream.look())
    kind = reading.format or find_format(source)
    module, name = READERS.get(kind, ("csv_files", "Separated"))
    made = getattr(import_module(f"tallybayes.sources.{module}"), name)  # each needs another part of pyarrow
    reader: Reader = made(source, reading) if kind in READERS else made(source, reading, kind)
    return reader


def find_format(source: Input) -> str:
    """The format by the first bytes, or else by the name; otherwise CSV."""
    head = source.stream.look()
    if not head:
        raise SourceError(f"{source.name} is empty.")
    if head.startswith((b"PAR1", b"PARE")):
        return "parquet"
    if head.startswith((b"ARROW1", ARROW_STREAM)):
        return "arrow"
    if source.path == STANDARD_INPUT:
        _refuse_mail(head)
    kind = SUFFIXES.get(suffix(source.path))
    if kind is None and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    return kind or "csv"


def _refuse_mail(head: bytes) -> None:
    from tallybayes.sources.contents import looks_like_mail

    if looks_like_mail(head):
        raise SourceError("Standard input looks like mail. Give --input mail, or --input mbox for several.")


def refuse_others(file: str, head: bytes) -> None:
    if head[8 : 8 + len(MODEL)] == MODEL:
        raise SourceError(f"{file} is a model, not data.")
    if head.startswith(b"SQLite format 3") or head[8:12] == b"DUCK":
        raise SourceError(f"{file} is a database. Give the rows to read: --database {file} --query 'SELECT …'.")
    for magic, what in OTHERS.items():
        if head.startswith(magic):
            raise SourceError(f"{file} is {what}, not a table. {FORMATS}.")
