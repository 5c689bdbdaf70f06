"""The tally of texts as sequences: how often every run of words occurred, and the lengths of texts.

A text is a start mark and its words. A run of words is stored as one string with spaces between them, a run of
characters without; so the length of a run can be read off, and no word may contain a space or the mark.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Exact, Mask
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.text.counting import by_word_and_class, listed
from tallybayes.families.text.tokens import not_utf8
from tallybayes.families.text.word_tally import TextTally, distinct_lengths

START = "\x02"  # before the first word of every text


class RunTally(TextTally):
    """The lengths of texts, and runs of words."""

    def __init__(self, runs: SparseTally, lengths: Tally) -> None:
        super().__init__({"lengths": lengths, "runs": runs})

    @classmethod
    def empty(cls) -> RunTally:
        return cls(SparseTally.empty(("n",)), Tally.empty(("n",)))

    @property
    def runs(self) -> SparseTally:
        return self.parts["runs"]


def count(family: Any, documents: kernels.Documents, rows: Rows) -> RunTally:
    """The tally of a `WordSequence` for unweighted texts."""
    index = kernels.StringIndex()
    try:
        reading = family.cutter.reading(documents, False, -1)
        runs, classes, n, sizes = kernels.count_runs(documents, reading, index, rows.codes, len(rows.classes))
    except kernels.NotUtf8Error as error:
        raise not_utf8(error) from None
    tally = SparseTally(rows.classes, index, runs, classes, {"n": Exact(n[:, None])})
    return RunTally(tally, _lengths(words_of(sizes, family.order), rows))


def count_weighted(family: Any, documents: kernels.Documents, missing: Mask, rows: Rows) -> RunTally:
    """The same for weighted rows."""
    found = listed(family, documents, missing)
    kept = rows.codes[found.row] >= 0
    runs, columns, summed = by_word_and_class(rows, found.row[kept], found.words[kept])
    n = summed(found.counts[kept].astype(np.float64))
    tally = SparseTally(rows.classes, found.vocabulary, runs, columns, {"n": n})
    return RunTally(tally, _lengths(words_of(np.where(missing, -1, found.lengths), family.order), rows))


def words_of(sizes: Counts, order: int) -> Counts:
    """The number of words of texts, from their numbers of n-grams; −1 for a text that was not counted."""
    longest = order + 1
    short = np.cumsum(np.arange(longest + 1))  # the number of runs of short texts, by their tokens with the start mark
    tokens = np.where(
        sizes < short[-1], np.searchsorted(short, sizes), (sizes + longest * (longest - 1) // 2) // longest
    )
    return np.where(sizes < 0, -1, tokens - 1).astype(np.int64)


def _lengths(words: Counts, rows: Rows) -> Tally:
    met, codes = distinct_lengths(words)
    return Tally(rows.classes, met.tolist(), {"n": rows.count(codes, len(met))})
