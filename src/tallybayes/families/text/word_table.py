"""The evidence of every word for every class: a dense table if that is small, otherwise sparse."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import ranges
from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.families.text.readings import WordEvidence
from tallybayes.families.text.word_statistics import WordStatistics, starts_of

DENSE = 1 << 24  # words × classes: up to here the table is dense


class WordTable:
    """`add` sums the evidence of documents' words; `rows` has that of single words."""

    def __init__(self, seen: WordStatistics, evidence: WordEvidence) -> None:
        self.seen = seen
        self.evidence = evidence
        self.width = seen.width
        self.blank = np.flatnonzero(evidence.blank)
        self._dense = evidence.table is not None or seen.whole.size * self.width <= DENSE
        self._scorer = self._make_scorer()
        self._certain = self._make_certain()

    def add(self, documents: kernels.Documents, reading: kernels.Reading, scores: Floats) -> Counts:
        """Adds the evidence of words to scores[class, row]; returns the number of words of each document, −1 if
        missing."""
        before = scores[self.blank] if self.blank.size else scores
        lengths = self._scorer.add(documents, reading, scores)
        rows = len(lengths)
        if self.blank.size:  # without counts or prior, all words are equally likely
            each = np.maximum(lengths, 1) * self.evidence.each[self.blank][:, None]  # which may be −∞
            before[:, :rows] += np.where(lengths > 0, each, 0.0)
            scores[self.blank] = before
        if self._certain is not None:
            scorer, wanted = self._certain
            met = np.zeros_like(scores)
            scorer.add(documents, reading, met)
            scores[:, :rows][(met[:, :rows] < wanted[:, None]) & (lengths >= 0)] = -np.inf
        return lengths

    @property
    def alone(self) -> kernels.WordScorer | None:
        """The scorer, if it does all that `add` does."""
        return self._scorer if self._certain is None and not self.blank.size else None

    def rows(self, words: Codes) -> Floats:
        """The evidence of these words for every class, one row for each."""
        if self._dense:
            return self._table[words]
        evidence, starts = self.evidence, self.seen.starts
        otherwise = evidence.otherwise[words]
        rows = otherwise[:, None] + evidence.each
        row, at = ranges(starts[words], starts[words + 1])
        classes = self.seen.classes[at]
        base = np.where(np.isfinite(otherwise), otherwise, 0.0)[row]
        rows[row, classes] = base + evidence.cells[at] + evidence.each[classes]
        rows[:, self.blank] = evidence.each[self.blank]
        return rows

    @cached_property
    def _table(self) -> Floats:
        return dense_table(self.seen, self.evidence)

    def _make_scorer(self) -> kernels.WordScorer:
        urn = self.evidence.concentration is not None
        if self._dense:
            return kernels.WordScorer(self.seen.index, self._table, urn)
        seen, evidence = self.seen, self.evidence
        given = seen.starts, np.ascontiguousarray(seen.classes, np.int32), evidence.cells
        return kernels.WordScorer(seen.index, *given, evidence.otherwise, evidence.each, urn)

    def _make_certain(self) -> tuple[kernels.WordScorer, Floats] | None:
        """For each class the number of words that every document has, and a scorer that counts those in a document."""
        if self.evidence.certain is None:
            return None
        words, classes = self.evidence.certain
        ones, zeros = np.ones(len(words)), np.zeros(self.seen.size)
        given = starts_of(words, self.seen.size), np.ascontiguousarray(classes, np.int32), ones
        scorer = kernels.WordScorer(self.seen.index, *given, zeros, np.zeros(self.width))
        return scorer, np.bincount(classes, minlength=self.width).astype(np.float64)


def dense_table(seen: WordStatistics, evidence: WordEvidence) -> Floats:
    """The evidence of every word for every class."""
    if evidence.table is not None:
        return np.ascontiguousarray(evidence.table)
    table = evidence.otherwise[:, None] + evidence.each
    base = np.where(np.isfinite(evidence.otherwise), evidence.otherwise, 0.0)[seen.words]
    at = seen.words.astype(np.int64) * seen.width + seen.classes
    table.reshape(-1)[at] = base + evidence.cells + evidence.each[seen.classes]
    if evidence.blank.any():
        table[:, evidence.blank] = evidence.each[evidence.blank]
    return table
