"""The counts of words with each document left out: the input of `left_readings`."""

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
    """The words of some documents, in the order of the documents."""

    row: Places  # the document of each word
    words: Counts  # its number
    times: Floats  # its occurrences in the document
    own: Mapping[str, Exact]  # what it added to the sums

    def where(self, kept: Mask) -> Listed:
        own = {name: array[kept] for name, array in self.own.items()}
        return Listed(self.row[kept], self.words[kept], self.times[kept], own)


@dataclass(frozen=True)
class LeftWords:
    """For each of some documents, the counts without it: of its words, and of all words that are not ignored."""

    row: Places  # the document of each word that is still known without it
    words: Counts  # its number
    times: Floats  # its occurrences in the document
    sums: Mapping[str, Floats]  # its sums without the document: [word, class]
    whole: Mapping[str, Floats]  # the sums of all words: [document, class]
    size: Floats  # of the vocabulary, for each document
    met: Floats  # different words of each class: [document, class]
    texts: Floats  # numbers of documents: [document, class]
    forgotten: Listed  # all words of the documents, still known or not
    counted: Any  # the `CountedWords` they are left out of
    classes: Codes  # of each document
    weights: Floats
    missing: Mask
    concentration: Floats | None = None  # [document, class]

    @property
    def rows(self) -> int:
        return len(self.size)

    @cached_property
    def lengths(self) -> Floats:
        """The number of known words in each document."""
        return np.bincount(self.row, self.times, self.rows).astype(np.float64)

    def lost(self, each: Floats) -> Floats:
        """The sum of these numbers over the words that are not known without the document."""
        before = np.bincount(self.forgotten.row, each[self.forgotten.words], self.rows)
        return np.asarray(before - np.bincount(self.row, each[self.words], self.rows), np.float64)

    def added(self, evidence: Floats, row: Places | None = None) -> Floats:
        """The evidence of words, summed by document: [document, class]."""
        total = np.zeros((self.rows, evidence.shape[1]))
        rows, starts = np.unique(self.row if row is None else row, return_index=True)
        if rows.size:
            total[rows] = np.add.reduceat(evidence, starts, axis=0)
        return total
