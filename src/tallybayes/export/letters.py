"""Python's character classes for databases: as patterns, lists of letters, and a table of ranges.

Words in a database must be the same as in Python, but databases disagree on what letters are and how to lower-case
them. So character classes come from the tables that the kernels use.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.kernels import letters

MARK = "\ue000"  # a capital sigma that may be final; it belongs to no word, and is replaced in texts that have it
CAPITAL_SIGMA, SIGMA, FINAL_SIGMA = "Σ", "σ", "ς"
DOTTED_I, DOTTED_SMALL = "İ", "i\u0307"
SPECIAL = set("\\]^-[")
LOWERED = (1 << 25) - 1  # the bits in which a character differs from its lower case


class Range(NamedTuple):
    """Characters from `low` to where the next range begins, all of one kind."""

    low: int
    word: int
    punctuation: int
    cased: int  # whether a neighbouring capital sigma sees a cased letter …
    ignorable: int  # … or skips the character
    dotted: int
    sigma: int
    shift: int  # from one of them to its lower case


@cache
def _entries(lower: bool) -> NDArray[np.uint32]:
    pages, entries = letters.tables(lower, True)
    return entries.reshape(-1, 256)[pages].reshape(-1)


def _are(mark: np.uint32, lower: bool = True) -> NDArray[np.bool_]:
    return np.asarray((_entries(lower) & mark) > 0)


def _lowered() -> NDArray[np.int64]:
    characters = np.arange(len(_entries(True)))
    return (_entries(True) & LOWERED).astype(np.int64) ^ characters


def word_characters() -> str:
    """All characters of words, as a character class of a regular expression."""
    return _ranges(_are(letters.WORD, lower=False))


def punctuation() -> str:
    """The same for punctuation, which may be counted as words."""
    return _ranges(_punctuation())


def _punctuation() -> NDArray[np.bool_]:
    return _are(letters.PUNCTUATION) & ~_are(letters.WORD)


def sigma_patterns() -> tuple[str, str]:
    """A capital sigma that no letter comes after, and a `MARK` that no letter comes before."""
    ignorable = _ranges(_are(letters.IGNORABLE))
    neither = f"[^{ignorable}{_ranges(_are(letters.CASED))}]"
    return f"{CAPITAL_SIGMA}([{ignorable}]*)({neither}|$)", f"(^|{neither})([{ignorable}]*){MARK}"


def small_letters() -> tuple[str, str]:
    """All capital letters and their small letters. A sigma is not final unless it is marked."""
    lowered = _lowered()
    capitals = np.flatnonzero(lowered != np.arange(len(lowered)))
    pairs = {chr(c): chr(lowered[c]) for c in capitals.tolist()} | {CAPITAL_SIGMA: SIGMA, MARK: FINAL_SIGMA}
    del pairs[DOTTED_I]
    return "".join(pairs), "".join(pairs.values())


def ranges() -> list[Range]:
    """All characters, in ranges of one kind each."""
    marks = (letters.CASED, letters.IGNORABLE, letters.DOTTED, letters.SIGMA)
    kinds = [_are(letters.WORD), _punctuation(), *map(_are, marks), _lowered() - np.arange(len(_lowered()))]
    table = np.stack([np.asarray(kind, np.int64) for kind in kinds], axis=1)
    starts = np.flatnonzero(np.any(np.diff(table, axis=0, prepend=table[:1] - 1), axis=1))
    return [Range(int(low), *map(int, table[low])) for low in starts]


def _ranges(wanted: Any) -> str:
    edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0))
    return "".join(_range(first, last - 1) for first, last in edges.reshape(-1, 2).tolist())


def _range(first: int, last: int) -> str:
    ends = [f"\\{chr(c)}" if chr(c) in SPECIAL else chr(c) for c in (first, last)]
    return ends[0] if first == last else "-".join(ends)
