"""Exact counts of words, and documents subtracted from them: leave-one-out of texts, and of vectors scored like texts.

Leaving a document out changes only the counts of its own words and of its class, and the number of words if no other
document has one of them. `LeftWords` is what is left: the input of `readings_left_out`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tallybayes.counts.cells import ranges
from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Counts, Exact, Floats, Indices, Mask
from tallybayes.counts.sums import added_up
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import distinct, taken, totals_without, weights_of


class Listed(NamedTuple):
    """The words of some documents, in the order of the documents."""

    row: Indices  # the document of each word
    words: Counts  # its number
    times: Floats  # its occurrences in the document
    own: Mapping[str, Exact]  # what it added to the sums

    def where(self, kept: Mask) -> Listed:
        own = {name: array[kept] for name, array in self.own.items()}
        return Listed(self.row[kept], self.words[kept], self.times[kept], own)


@dataclass(frozen=True)
class LeftWords:
    """For each of some documents, the counts without it: of its words, and of all words that are not ignored."""

    row: Indices  # the document of each word that is still known without it
    words: Counts  # its number
    times: Floats  # its occurrences in the document
    sums: Mapping[str, Floats]  # its sums without the document: [word, class]
    whole: Mapping[str, Floats]  # the sums of all words: [document, class]
    size: Floats  # of the vocabulary, for each document
    met: Floats  # different words of each class: [document, class]
    texts: Floats  # numbers of documents: [document, class]
    forgotten: Listed  # all words of the documents, still known or not
    counted: CountedWords  # that they are left out of
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

    def added(self, evidence: Floats, row: Indices | None = None) -> Floats:
        """The evidence of words, summed by document: [document, class]."""
        total = np.zeros((self.rows, evidence.shape[1]))
        rows, starts = np.unique(self.row if row is None else row, return_index=True)
        if rows.size:
            total[rows] = np.add.reduceat(evidence, starts, axis=0)
        return total


class Vocabulary(NamedTuple):
    """Which words there are."""

    chosen: Mask  # of the words in the index, those that are not ignored
    always: Mask  # those that exist even if no document has them
    unmet: int  # how many of these are in no document
    names: Callable[[], tuple[list[str], list[str]]]  # of the words by number, and of the unmet ones

    @property
    def size(self) -> int:
        return int(self.chosen.sum()) + self.unmet


class CountedWords:
    """Exact sums by word and class, of non-empty cells, sorted by word and class."""

    def __init__(
        self, words: Counts, classes: Codes, sums: Mapping[str, Exact], texts: Exact, vocabulary: Vocabulary
    ) -> None:
        self.width, self.texts, self.vocabulary = len(texts), texts, vocabulary
        key = words.astype(np.int64) * self.width + classes
        order = np.argsort(key)
        self.key, self.classes = key[order], classes[order]
        self.sums = {name: array[order] for name, array in sums.items()}
        self.rounded = {name: array.round() for name, array in self.sums.items()}
        self.starts = np.searchsorted(self.key, np.arange(len(vocabulary.chosen) + 1) * self.width)
        self.kept = vocabulary.chosen[self.key // self.width]
        own = self.classes[self.kept]
        self.totals = {name: added_up(array[self.kept], own, self.width) for name, array in self.sums.items()}
        self.met = np.bincount(own, minlength=self.width).astype(np.float64)

    def without(self, listed: Listed, rows: Rows, missing: Mask, once: bool) -> LeftWords:
        """The counts without each of these documents."""
        codes, count, known = rows.codes, len(rows), self.vocabulary
        listed = listed if known.chosen.all() else listed.where(known.chosen[listed.words])
        at = np.searchsorted(self.key, listed.words * self.width + codes[listed.row])
        left, gone = self._left(listed, np.minimum(at, len(self.key) - 1))  # a document of weight 0 has no cells
        alone = gone & (np.diff(self.starts)[listed.words] == 1) & ~known.always[listed.words]
        met = np.tile(self.met, (count, 1))
        met[np.arange(count), codes] -= np.bincount(listed.row, gone, count)
        there = np.flatnonzero(~missing)
        return LeftWords(
            row=listed.row[~alone],
            words=listed.words[~alone],
            times=np.ones(int(np.sum(~alone))) if once else listed.times[~alone],
            sums={name: self._dense_without(name, listed, values, codes)[~alone] for name, values in left.items()},
            whole={
                name: totals_without(sums, listed.own[name], listed.row, codes) for name, sums in self.totals.items()
            },
            size=known.size - np.bincount(listed.row, alone, count).astype(np.float64),
            met=met,
            texts=totals_without(self.texts, Exact.of(weights_of(rows)[there]), there, codes),
            forgotten=listed,
            counted=self,
            classes=codes,
            weights=weights_of(rows),
            missing=missing,
        )

    def _left(self, listed: Listed, at: Counts) -> tuple[dict[str, Floats], Mask]:
        """The cells with these numbers without the words of each document, and which of them are empty then."""
        left = {name: taken(array, at, listed.own[name]) for name, array in self.sums.items()}
        first = next(iter(left))
        tidy = without_traces({**left, "n": left[first]}, {**listed.own, "n": listed.own[first]})
        mine = {name: tidy[name].round() for name in left}
        return mine, mine[first] <= 0

    def dense(self, name: str, words: Counts) -> Floats:
        """One of the sums of these words over all documents: [word, class]."""
        firsts, back = distinct(words)
        different = words[firsts]
        row, cells = ranges(self.starts[different], self.starts[different + 1])
        table = np.zeros((len(different), self.width))
        table[row, self.classes[cells]] = self.rounded[name][cells]
        return table[back]

    def _dense_without(self, name: str, listed: Listed, left: Floats, codes: Codes) -> Floats:
        found = self.dense(name, listed.words)
        found[np.arange(len(left)), codes[listed.row]] = left
        return found
