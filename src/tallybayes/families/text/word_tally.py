"""The tally of documents: how often each word occurred, in how many documents, and the lengths of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from tallybayes.counts.exact import Codes, Counts, Exact
from tallybayes.counts.lookup import by_class, never_met
from tallybayes.counts.packing import Arrays, PackError
from tallybayes.counts.rows import places_of
from tallybayes.counts.slots import Texts
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Tally
from tallybayes.kernels.strings import index_words

FIELDS = ("n", "documents", "share")
EXACT_BITS = 8  # significant binary digits of lengths: below 256 they are exact


class TextTally(Tallies):
    """Two tallies: the lengths of texts in words, and what is counted in them."""

    @property
    def lengths(self) -> Tally:
        return self.parts["lengths"]

    @property
    def slots(self) -> list[str]:
        """What is counted in texts: words, or runs of them."""
        return list(self.slots_in_turn())

    def slots_in_turn(self) -> Texts:
        _, counted = self.parts.values()
        return counted.slots_in_turn()

    def texts(self, classes: list[Key]) -> Exact:
        """The number of texts of each of these classes."""
        return self.lengths.aligned(self.lengths.slots, classes).sums["n"].sum(axis=0)

    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> Self:
        found = super().unpacked(prefix, about, keys, arrays)
        return found._with({**found.parts, "lengths": checked_lengths(found.lengths)})


class WordTally(TextTally):
    """The lengths of documents, and words.

    Of each word: `n`, its occurrences; `documents`, how many have it; `share`, the sum over documents of its share of
    their words, each rounded to 2⁻⁶⁴ and then added exactly.
    """

    def __init__(self, words: SparseTally, lengths: Tally) -> None:
        super().__init__({"lengths": lengths, "words": words})

    @classmethod
    def empty(cls) -> WordTally:
        return cls(SparseTally.empty(FIELDS), Tally.empty(("n",)))

    @property
    def words(self) -> SparseTally:
        return self.parts["words"]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def sums(self) -> dict[str, Exact]:
        return self.words.cells().sums

    def __getitem__(self, word: str) -> Any:
        """The counts of a word, by sum and class."""
        code = int(index_words(self.words.index, [word], grow=False)[0])
        words, columns, sums = self.words.cells()
        held = np.flatnonzero(words == code)
        if code < 0 or not held.size:
            never_met(word, self.slots)
        at = places_of(self.words.classes, self.classes)[columns[held]]
        table = {name: Exact.zeros((len(self.classes),)) for name in sums}
        for name, array in sums.items():
            table[name].add_at(at, array[held])
        return by_class(table, self.classes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.slots)


def checked_lengths(read: Tally) -> Tally:
    """The lengths that occur in a file, without the positions in between."""
    found = read.canonical()
    met = np.array(found.slots or [0])
    if met.dtype != np.int64 or not np.array_equal(rounded_lengths(met), met) or met.min() < 0:
        raise PackError("its document lengths are invalid")
    return found


def distinct_lengths(lengths: Counts) -> tuple[Counts, Codes]:
    """The distinct rounded lengths, and the index of each text's own; −1 for texts of length −1, which are missing."""
    there = lengths >= 0
    met, at = np.unique(rounded_lengths(lengths[there]), return_inverse=True)
    codes = np.full(len(lengths), -1, np.int32)
    codes[there] = at.reshape(-1)
    return met, codes


def rounded_lengths(lengths: Counts) -> Counts:
    """Lengths truncated to `EXACT_BITS` significant bits."""
    spare = np.maximum(np.frexp(lengths.astype(np.float64))[1] - EXACT_BITS, 0)
    return np.where(lengths > 0, lengths >> spare << spare, lengths)
