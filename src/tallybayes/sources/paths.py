"""Expands file names, and shows names and cells in messages without control characters."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from tallybayes.data.errors import quoted as quoted
from tallybayes.sources.base import SourceError

STANDARD_INPUT = "-"
PACKED_SUFFIXES = (".gz", ".zst", ".bz2", ".xz")

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def expand(paths: Path | Sequence[Path]) -> list[str]:
    """The files, patterns replaced by what they match, in order."""
    given: list[Any] = list(paths) if isinstance(paths, (list, tuple)) else [paths]
    for one in given:
        if not isinstance(one, (str, bytes, os.PathLike)):
            kind = type(one).__name__
            raise TypeError(f"Files are given by name, not as {kind}. Give a string, a path, or a list of these.")
    if not given:
        raise SourceError("No file is given. Give one or more, or '-' for standard input.")
    found = [path for one in given for path in _matches(os.fsdecode(one))]
    if found.count(STANDARD_INPUT) > 1:
        raise SourceError("Standard input ('-') is given more than once; it can be read only once.")
    return found


def _matches(path: str) -> list[str]:
    if path == STANDARD_INPUT or os.path.lexists(path):
        return [path]
    if glob.has_magic(path):
        if found := sorted(glob.glob(path, recursive=True)):
            return _innermost(found) or found if "**" in path else found
        raise SourceError(f"No file matches {shown(path)}.")
    raise SourceError(f"There is no file {shown(path)}.")


def _innermost(found: list[str]) -> list[str]:
    """Without folders that are empty or around others of these, which would be read twice."""
    around = {str(above) for each in found for above in PurePath(each).parents}
    return [
        each
        for each in found
        if not os.path.isdir(each)
        or (str(PurePath(each)) not in around and glob.glob(os.path.join(glob.escape(each), "*")))
    ]


def unpacked(path: str) -> str:
    """A name without the suffix of its compression."""
    root, end = os.path.splitext(path)
    return root if end.lower() in PACKED_SUFFIXES else path


def suffix(path: str) -> str:
    """The suffix of a name that tells the format, in lower case."""
    return os.path.splitext(unpacked(path))[1].lower()


def shown(path: str) -> str:
    """A file's name, safe to print."""
    return printable(path_text(path))


def path_text(path: str) -> str:
    r"""A file's name as text: bytes that are not UTF-8 are written as \xff."""
    return "standard input" if path == STANDARD_INPUT else os.fsencode(path).decode("utf-8", "backslashreplace")


def printable(what: object) -> str:
    """A text, or the first line of an error's."""
    text = str(what)
    if isinstance(what, Exception):
        text = next(iter(text.splitlines()), type(what).__name__).rstrip(".")
    return text if text.isprintable() else repr(text)[1:-1]
