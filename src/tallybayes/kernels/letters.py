"""Unicode character tables: word characters, white space, punctuation, and lower case.

The tables for the kernels are made from Python's own `str` and `re`, so that a word in C++ is a word in Python, of the
same version of Unicode. One character has a lower case of two characters: İ (U+0130) becomes i and a dot above, and
since that dot belongs to no word, it ends one. Σ (U+03A3) becomes ς at the end of a word and σ elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

WORD, SPACE, CASED, IGNORABLE, DOTTED, SIGMA, PUNCTUATION = (
    np.uint32(1 << bit) for bit in (31, 30, 29, 28, 27, 26, 25)
)
DOTTED_I = 0x130
CAPITAL_SIGMA = 0x3A3
FINAL_SIGMA = 0x3C2
PAGES = 0x1100

Characters = NDArray[np.uint32]


@cache
def tables(lower: bool, punctuation: bool) -> tuple[NDArray[np.uint16], Characters]:
    """For every page of 256 characters its index, and the entries of those pages: flags, and the XOR of a character
    with its lower case. Punctuation is flagged if wanted."""
    everything = np.arange(PAGES * 256, dtype=np.uint32)
    # No character beyond is a letter in any version of Unicode so far.
    asked = np.concatenate([everything[:0xD800], everything[0xE000:0x40000], everything[0xE0000:0xE1000]])
    becomes = _lowered(asked) if lower else asked
    marks = np.where(_matching(r"\w+", becomes), WORD, 0) | np.where(_matching(r"\s+", asked), SPACE, 0)
    entries = np.zeros(len(everything), np.uint32)
    entries[asked] = (becomes ^ asked) | marks.astype(np.uint32)
    if lower:
        entries[asked] |= _context(asked)
        entries[DOTTED_I] |= DOTTED
        entries[CAPITAL_SIGMA] |= SIGMA
    if punctuation:
        entries[asked] |= np.where(_is_punctuation(asked), PUNCTUATION, np.uint32(0))
    numbers: dict[bytes, int] = {}
    pages = [numbers.setdefault(page.tobytes(), len(numbers)) for page in entries.reshape(PAGES, 256)]
    return np.array(pages, np.uint16), np.frombuffer(b"".join(numbers), np.uint32)


def _text(characters: Characters) -> str:
    return characters.astype("<u4").tobytes().decode("utf-32-le")


def _characters(text: str) -> Characters:
    return np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint32)


def _lowered(characters: Characters) -> Characters:
    """Each character's lower case; İ, which becomes two characters, is handled elsewhere."""
    apart = np.stack(
        [np.where(characters == DOTTED_I, ord("i"), characters), np.full_like(characters, ord(" "))], axis=1
    )
    return _characters(_text(apart.reshape(-1)).lower()).reshape(-1, 2)[:, 0]


def _matching(pattern: str, characters: Characters) -> NDArray[np.bool_]:
    found = np.zeros(len(characters), bool)
    for match in re.finditer(pattern, _text(characters)):
        found[match.start() : match.end()] = True
    return found


def _is_punctuation(characters: Characters) -> NDArray[np.bool_]:
    """Unicode's punctuation and symbols, categories P and S: in ASCII everything printable but letters and digits."""
    return np.array([unicodedata.category(character)[0] in "PS" for character in _text(characters)], bool)


def _context(characters: Characters) -> Characters:
    """Whether a character before a capital sigma counts as cased, or is ignored. Python does not expose this, but its
    choice of sigma reveals it."""
    cased = _sigma_is_final("", characters)
    either = _sigma_is_final("A", characters)
    return np.where(cased, CASED, np.where(either, IGNORABLE, 0)).astype(np.uint32)


def _sigma_is_final(before: str, characters: Characters) -> NDArray[np.bool_]:
    quiet = np.where(characters == DOTTED_I, ord("I"), characters)  # equivalent here, and one character
    parts = [np.full_like(quiet, ord(c)) for c in before] + [quiet]
    parts += [np.full_like(quiet, CAPITAL_SIGMA), np.full_like(quiet, ord("\n"))]
    lowered = _characters(_text(np.stack(parts, axis=1).reshape(-1)).lower()).reshape(-1, len(parts))
    return np.asarray(lowered[:, -2] == FINAL_SIGMA)
