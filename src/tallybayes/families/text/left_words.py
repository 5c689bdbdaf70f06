"""What is left of the counts of words without the document that is asked about: what `left_readings` start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Counts, Exact, Floats
from tallybayes.families.left_out import Places

Mask = NDArray[np.bool_]


class Listed(NamedTuple):
    """The words of some documents, one document after the other."""

    row: Places  # of each word the document
    words: Counts  # its number
    times: Floats  # how often the document has it
    own: Mapping[str, Exact]  # what it added to the sums

    def where(self, kept: Mask) -> Listed:
        own = {name: array[kept] for name, array in self.own.items()}
        return Listed(self.row[kept], self.words[kept], self.times[kept], own)


@dataclass(frozen=True)
class LeftWords:
    """Of some documents, each without itself: what is left of its words, and of all words that are not ignored."""

    row: Places  # of each word that is known without its document, that document
    words: Counts  # its number
    times: Floats  # how often the document has it
    sums: Mapping[str, Floats]  # what is left of it: [word, class]
    whole: Mapping[str, Floats]  # what is left of all words: [document, class]
    size: Floats  # how many words there are: of each document
    met: Floats  # how many different ones each class has: [document, class]
    texts: Floats  # how many documents: [document, class]
    forgotten: Listed  # all words that documents have, known without it or not
    counted: Any  # the `CountedWords` from which they were taken
    classes: Codes  # of each document
    weights: Floats
    missing: Mask
    concentration: Floats | None = None  # [document, class]

    @property
    def rows(self) -> int:
        return len(self.size)

    @cached_property
    def lengths(self) -> Floats:
        """How many words each document has, of those that are known."""
        return np.bincount(self.row, self.times, self.rows).astype(np.float64)

    def lost(self, each: Floats) -> Floats:
        """What numbers of the words add up to, over those that are not known without the document."""
        before = np.bincount(self.forgotten.row, each[self.forgotten.words], self.rows)
        return np.asarray(before - np.bincount(self.row, each[self.words], self.rows), np.float64)

    def added(self, said: Floats, row: Places | None = None) -> Floats:
        """What words say, added up by document: [document, class]."""
        total = np.zeros((self.rows, said.shape[1]))
        rows, starts = np.unique(self.row if row is None else row, return_index=True)
        if rows.size:
            total[rows] = np.add.reduceat(said, starts, axis=0)
        return total
