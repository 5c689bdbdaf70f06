"""The tally of documents: how often each word occurred, in how many documents, and the lengths of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tallybayes.counts.exact import Counts, Exact
from tallybayes.counts.lookup import by_class, never_met
from tallybayes.counts.packing import Arrays, PackError
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Tally
from tallybayes.kernels.strings import index_words

FIELDS = ("n", "documents", "share")
EXACT_BITS = 8  # significant binary digits of lengths: below 256 they are exact


class WordTally(Tallies):
    """Two tallies: the lengths of documents, and words.

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

    @property
    def lengths(self) -> Tally:
        return self.parts["lengths"]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def slots(self) -> list[str]:
        return self.words.slots

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
        number = {key: i for i, key in enumerate(self.classes)}
        at = np.array([number[self.words.classes[column]] for column in columns[held].tolist()], np.intp)
        table = {name: Exact.zeros((len(number),)) for name in sums}
        for name, array in sums.items():
            table[name].add_at(at, array[held])
        return by_class(table, self.classes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.slots)

    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> WordTally:
        found = super().unpacked(prefix, about, keys, arrays)
        return found._with({**found.parts, "lengths": lengths_met(found.lengths)})

    def documents(self, classes: list[Key]) -> Exact:
        """The number of documents of each of these classes."""
        return self.lengths.aligned(self.lengths.slots, classes).sums["n"].sum(axis=0)


def lengths_met(read: Tally) -> Tally:
    """The lengths that occur in a file, without the positions in between."""
    found = read.canonical()
    met = np.array(found.slots or [0])
    if met.dtype != np.int64 or not np.array_equal(rounded_lengths(met), met) or met.min() < 0:
        raise PackError("its document lengths are invalid")
    return found


def rounded_lengths(lengths: Counts) -> Counts:
    """Lengths truncated to `EXACT_BITS` significant bits."""
    spare = np.maximum(np.frexp(lengths.astype(np.float64))[1] - EXACT_BITS, 0)
    return np.where(lengths > 0, lengths >> spare << spare, lengths)
