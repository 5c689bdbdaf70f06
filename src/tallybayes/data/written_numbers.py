"""Numbers as files without types write them: with marks for missing ones, and perhaps a decimal comma."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc


class Notation(Protocol):
    """How numbers are written."""

    @property
    def missing(self) -> Collection[str]: ...

    @property
    def missing_numbers(self) -> Collection[str]: ...

    @property
    def decimal(self) -> str: ...


def unmarked(texts: pa.Array, notation: Notation) -> pa.Array:
    """Texts without the blanks around them, and null where these mark a missing number."""
    trimmed = pc.utf8_trim_whitespace(texts)
    marks = [mark.strip() for mark in (*notation.missing, *notation.missing_numbers)]
    return pc.if_else(pc.is_in(trimmed, pa.array(marks, trimmed.type)), pa.scalar(None, trimmed.type), trimmed)


def written_numbers(texts: pa.Array, notation: Notation) -> pa.Array:
    """The numbers of texts; Arrow's error if one of them is neither a number nor the mark of a missing one."""
    known = unmarked(texts, notation)
    if notation.decimal != ".":
        known = pc.replace_substring(pc.replace_substring(known, ".", "no number"), notation.decimal, ".")
    return pc.cast(known, pa.float64())
