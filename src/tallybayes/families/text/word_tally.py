"""What is counted of documents: how often each word occurred, in how many documents, and how long documents are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.additive import Additive
from tallybayes.counts.exact import Counts, Exact
from tallybayes.counts.lookup import by_class, never_met
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Key, Tally
from tallybayes.kernels.strings import index_words

FIELDS = ("n", "documents", "share")
EXACT_BITS = 8  # lengths are counted to so many binary digits: those below 256 as they are


class WordTally(Additive):
    """Two tallies that go together: words, and the lengths of documents.

    Of each word: `n`, its occurrences; `documents`, how many have it; `share`, the sum over documents of the part of
    their words that it is, each rounded to 2⁻⁶⁴ and then added up exactly.
    """

    def __init__(self, words: SparseTally, lengths: Tally) -> None:
        self.words = words
        self.lengths = lengths

    @classmethod
    def empty(cls) -> WordTally:
        return cls(SparseTally.empty(FIELDS), Tally.empty(("n",)))

    @property
    def classes(self) -> list[Key]:
        return self.lengths.classes

    def __len__(self) -> int:
        return len(self.words)

    @property
    def slots(self) -> list[str]:
        return self.words.words().to_pylist()

    @property
    def sums(self) -> dict[str, Exact]:
        return self.words.cells().sums

    def __getitem__(self, word: str) -> Any:
        """What was counted of a word, by sum and class."""
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

    def filled(self) -> list[Key]:
        """The classes that hold anything, sorted: every word was counted with its document."""
        return self.lengths.filled()

    def copy(self) -> WordTally:
        return WordTally(self.words.copy(), self.lengths.copy())

    def renamed(self, classes: Iterable[Key]) -> WordTally:
        names = dict(zip(self.classes, classes, strict=True))
        return WordTally(
            self.words.renamed(names[key] for key in self.words.classes), self.lengths.renamed(names.values())
        )

    def merged(self, groups: Mapping[Key, Sequence[Key]]) -> WordTally:
        """The classes of every group added up, under the group's name."""
        return WordTally(self.words.merged(groups), self.lengths.merged(groups))

    def canonical(self) -> WordTally:
        return WordTally(self.words.canonical(), self.lengths.canonical())

    def __iadd__(self, other: WordTally) -> WordTally:
        self.words += other.words
        self.lengths += other.lengths
        return self

    def __isub__(self, other: WordTally) -> WordTally:
        self.words -= other.words
        self.lengths -= other.lengths
        return self

    def __neg__(self) -> WordTally:
        return WordTally(-self.words, -self.lengths)

    def __mul__(self, factor: float) -> WordTally:
        """Times a number. With the last of a class's documents, its words are gone."""
        words, lengths = self.words * factor, self.lengths * factor
        gone = set(self.lengths.filled()) - set(lengths.filled())
        return WordTally(words.only(set(words.classes) - gone) if gone else words, lengths)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordTally):
            return NotImplemented
        return self.words == other.words and self.lengths == other.lengths

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.words!r}\n{self.lengths!r}"

    def drop_traces(self, other: WordTally) -> None:
        """After the other was subtracted: what only rounding left of its cells goes."""
        self.words.drop_traces(other.words)
        self.lengths.drop_traces(other.lengths)

    def documents(self, classes: list[Key]) -> Exact:
        """How many documents each of these classes has."""
        return self.lengths.aligned(self.lengths.slots, classes).sums["n"].sum(axis=0)


def rounded_lengths(lengths: Counts) -> Counts:
    """Lengths to `EXACT_BITS` binary digits, the rest cut off."""
    spare = np.maximum(np.frexp(lengths.astype(np.float64))[1] - EXACT_BITS, 0)
    return np.where(lengths > 0, lengths >> spare << spare, lengths)
