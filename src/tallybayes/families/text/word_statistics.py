"""The counts of all words that are not ignored, or of some of them: the input of every reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Floats, Mask
from tallybayes.counts.rows import UNIT
from tallybayes.families.fitted import witten_bell
from tallybayes.families.smoothing import FITTED, Alpha, MEstimate, named_levels, pseudocounts
from tallybayes.families.text.corpus import Corpus, Frequencies, frequencies
from tallybayes.families.text.mix import AUTO
from tallybayes.kernels.strings import index_strings, index_words


class Whole(NamedTuple):
    """Totals over all words that are not ignored: how many words, and the sums by class."""

    size: int
    n: Floats
    documents: Floats
    share: Floats
    met: Floats  # different words
    by_run: Mapping[str, Floats] | None = None  # the sums of words, pairs and so on: [run, class], if known


@dataclass
class WordStatistics:
    """The counts of words, and their totals. The evidence of a word depends only on its own counts and the totals, so a
    few words can be computed at a time. Cells are sorted by word, and those of a word by class: sums over them do not
    depend on the order of learning, not even in the last digit."""

    words: Codes  # the word of each cell …
    classes: Codes  # … and the class
    n: Floats  # how often the word occurred in the class
    documents: Floats  # how many documents have it
    share: Floats  # Σ over documents of its share of their words
    index: kernels.StringIndex
    whole: Whole
    corpus: Any  # the `Corpus`, or what vectors have in its place
    part: bool = False  # whether these are not all words
    gaps: Floats | None = None  # documents where it is unknown whether they have the word: [word, class]

    @property
    def size(self) -> int:
        """How many words are here."""
        return len(self.index)

    @property
    def width(self) -> int:
        return len(self.corpus.keys)

    @property
    def texts(self) -> Floats:
        """Documents of each class."""
        return self.corpus.texts

    @property
    def classes_met(self) -> int:
        """How many classes have documents."""
        return int(np.count_nonzero(self.texts > 0))

    @cached_property
    def starts(self) -> Counts:
        """Where the cells of each word start, and last where they end."""
        return starts_of(self.words, self.size)

    @cached_property
    def frequencies(self) -> list[Frequencies]:
        """For each class, how many words are in how many of its documents."""
        return self.corpus.frequencies if self.part else frequencies(self.classes, self.documents, self.width)

    @cached_property
    def vocabulary(self) -> list[str]:
        return index_strings(self.index).to_pylist()

    @cached_property
    def kept(self) -> Floats:
        """The share of each class's words that is not ignored."""
        overall = self.corpus.totals["n"]
        return np.clip(np.divide(self.whole.n, overall, out=np.ones(len(overall)), where=overall > 0), 0.0, 1.0)

    def counts_of(self, index: int) -> Floats:
        """How often each word occurred in one class."""
        counts = np.zeros(self.size)
        mine = self.classes == index
        counts[self.words[mine]] = self.n[mine]
        return counts

    def by_class(self, values: Floats) -> Floats:
        """Sums over the cells of each class."""
        return summed(values, self.classes, self.width)

    def by_word(self, values: Floats) -> Floats:
        return np.bincount(self.words, values, self.size).astype(np.float64)

    def added_up(self) -> Whole:
        """The totals, if these are all words."""
        met = np.array(self.n > 0, np.float64)
        n, documents, share, words = map(self.by_class, (self.n, self.documents, self.share, met))
        return Whole(self.size, n, documents, share, words)

    def resolved_alpha(self, alpha: Alpha) -> Alpha:
        """The smoothing, with "fitted" resolved to a number."""
        return float(witten_bell(self.whole.met, self.whole.size)) if alpha == FITTED else alpha

    def same(self, alpha: Alpha) -> float | None:
        """The pseudo-count that all words share, if they do."""
        if isinstance(alpha, MEstimate) and alpha.p == "uniform":
            return alpha.m / max(self.whole.size, 1)
        return float(alpha) if isinstance(alpha, (int, float)) else None

    def pseudo(self, alpha: Alpha, values: Floats) -> Floats:
        """The pseudo-count of every word."""
        same = self.same(alpha)
        if same is not None:
            return np.full(self.size, same)
        named = isinstance(alpha, Mapping) or (isinstance(alpha, MEstimate) and isinstance(alpha.p, Mapping))
        return pseudocounts(alpha, self.vocabulary if named else [""] * self.size, self.by_word(values))


def starts_of(words: Codes, size: int) -> Counts:
    """Where each word starts among sorted words, and last where they end."""
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(words, minlength=size), out=starts[1:])
    return starts


def may_be_parted(family: Any) -> bool:
    """Whether the evidence of a word depends on nothing but its own counts and the totals."""
    same = family.alpha == FITTED or isinstance(family.alpha, float) or getattr(family.alpha, "p", "") == "uniform"
    if family.reading == "bernoulli" and family.alpha != FITTED and getattr(family.alpha, "m", family.alpha) == 0:
        return False  # a missing word may rule a text out
    return same and not (family.min_count or family.limit or _named(family))


def seen_words(family: Any, corpus: Corpus) -> WordStatistics:
    """All words that are not ignored, in an index of their own."""
    codes = np.arange(corpus.words, dtype=np.int32)
    starts, columns, sums = corpus.cells.of(codes)
    met = np.diff(starts) > 0
    chosen = chosen_words(family, corpus.index, met, np.repeat(codes, np.diff(starts)), sums[0])
    codes = codes[chosen]
    seen = _seen(corpus, codes, *((starts, columns, sums) if chosen.all() else corpus.cells.of(codes)))
    if not np.array_equal(chosen, met):
        seen.whole = seen.added_up()
    named = _named(family)
    if named and not family.min_count:
        seen.index.merge(named_words(family, corpus.index, met, chosen).unmet)
        seen.whole = seen.whole._replace(size=seen.size)
    return seen


def seen_of(corpus: Corpus, codes: Codes) -> WordStatistics:
    """The counts of these words, without those that no document has."""
    starts, columns, sums = corpus.cells.of(codes)
    met = np.diff(starts) > 0
    seen = _seen(corpus, codes[met], np.append(starts[:-1][met], starts[-1]), columns, sums)
    seen.part = True
    return seen


def _seen(corpus: Corpus, codes: Codes, starts: Any, columns: Codes, sums: Floats) -> WordStatistics:
    words, classes = np.repeat(np.arange(len(codes), dtype=np.int32), np.diff(starts)), corpus.place[columns]
    if len(classes) and classes.min() < 0:
        words, classes, sums = words[classes >= 0], classes[classes >= 0], sums[:, classes >= 0]
    if not np.all((classes[1:] > classes[:-1]) | (words[1:] > words[:-1])):
        order = np.lexsort((classes, words))
        words, classes, sums = words[order], classes[order], sums[:, order]
    share = corpus.totals.get("share", np.zeros(len(corpus.keys)))
    whole = Whole(
        corpus.cells.words(), corpus.totals["n"], corpus.totals["documents"], share, corpus.met, corpus.by_run
    )
    n, documents, shares = sums
    return WordStatistics(words, classes, n, documents, shares, _indexed(corpus, codes), whole, corpus)


def _indexed(corpus: Corpus, codes: Codes) -> kernels.StringIndex:
    """An index of these words; a copy if they are all words of the index."""
    index = corpus.index.copy() if len(codes) == corpus.words else None
    return index if index is not None and len(index) == corpus.words else corpus.index.subset(codes)


def _named(family: Any) -> list[str]:
    """Words that exist even if no document has them; in "auto" they are no evidence."""
    return [] if family.reading == AUTO else sorted({*family.cutter.known(), *named_levels(family.alpha)})


def chosen_words(family: Any, index: kernels.StringIndex, met: Mask, words: Codes, n: Floats) -> Mask:
    """The words that are frequent enough; ties go to the alphabetically first."""
    if family.limit is None and not family.min_count:
        return met
    overall = summed(n, words, len(met))
    chosen = met & (overall >= family.min_count)
    if family.limit is None or chosen.sum() <= family.limit:
        return chosen
    among = np.flatnonzero(chosen).astype(np.int32)
    among = among[index.subset(among).sorted()]
    chosen[among[np.argsort(-overall[among], kind="stable")[family.limit :]]] = False
    return chosen


class NamedWords(NamedTuple):
    """Words that exist even if no document has them."""

    met: Codes  # the indices of those that some document has
    unmet: kernels.StringIndex  # the others, within the limit


def named_words(family: Any, index: kernels.StringIndex, met: Mask, chosen: Mask) -> NamedWords:
    """The named words, given which indexed words were counted and which of these are chosen."""
    named = kernels.StringIndex()
    index_words(named, _named(family))
    at = np.asarray(index.find_all(named))
    known = (at >= 0) & np.append(met, False)[np.clip(at, -1, len(met))]  # the index may have grown since
    unmet = np.flatnonzero(~known).astype(np.int32)
    room = len(unmet) if family.limit is None else max(family.limit - int(chosen.sum()), 0)
    return NamedWords(at[known], named.subset(unmet[:room]))


def summed(values: Floats, codes: Codes, size: int) -> Floats:
    """Sums by code that do not depend on the order of learning, not even in the last digit: whole numbers and those on
    EM's grid add up exactly; others are sorted first."""
    if not _adds_up_exactly(values):
        order = np.lexsort((values, codes))
        values, codes = values[order], codes[order]
    return np.bincount(codes, values, size).astype(np.float64)


def _adds_up_exactly(values: Floats) -> bool:
    if np.array_equal(values, np.floor(values)):
        return True
    fine = values / UNIT
    return bool(fine.sum() < 2.0**53 and np.array_equal(fine, np.floor(fine)))
