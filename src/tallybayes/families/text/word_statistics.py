"""What was counted of the words that are not ignored: what every reading of the counts starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Codes, Exact, Floats
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Key
from tallybayes.families.shrinkage import witten_bell
from tallybayes.families.smoothing import FITTED, Alpha, MEstimate, named_levels, pseudocounts
from tallybayes.families.text.word_tally import WordTally
from tallybayes.kernels.strings import index_strings, index_words


@dataclass
class Seen:
    """What was counted of the words that are not ignored, and of their documents. Sums are rounded when asked for."""

    words: Codes  # of each cell the word …
    classes: Codes  # … and the class
    sums: dict[str, Exact]
    texts: Floats  # documents of each class
    lengths: Floats  # how long documents are …
    spread: Floats  # … and how many of each class are so long
    index: kernels.StringIndex
    everything: SparseTally  # ignored words too
    keys: list[Key]  # of the classes
    gaps: Floats | None = None  # documents of which it is not known whether they have the word: [word, class]

    @property
    def size(self) -> int:
        """How many words there are."""
        return len(self.index)

    @cached_property
    def vocabulary(self) -> list[str]:
        return index_strings(self.index).to_pylist()

    @cached_property
    def n(self) -> Floats:
        """How often each word occurred in each class, of those that did."""
        return self.sums["n"].round()

    @cached_property
    def documents(self) -> Floats:
        """How many documents have it."""
        return self.sums["documents"].round()

    @cached_property
    def share(self) -> Floats:
        """Σ over documents of the part of their words that it is."""
        return self.sums["share"].round()

    @cached_property
    def different(self) -> Floats:
        """Σ over documents of how many different words they have, ignored ones too, by class."""
        return self.everything.sum_of("documents", self.keys).round()

    @cached_property
    def kept(self) -> Floats:
        """The part of each class's words that is not ignored."""
        words, overall = self.by_class(self.n), self.everything.sum_of("n", self.keys).round()
        return np.clip(np.divide(words, overall, out=np.ones(len(words)), where=overall > 0), 0.0, 1.0)

    def counts_of(self, index: int) -> Floats:
        """How often each word occurred in one class."""
        counts = np.zeros(self.size)
        mine = self.classes == index
        counts[self.words[mine]] = self.n[mine]
        return counts

    def by_class(self, values: Floats) -> Floats:
        """Sums over the cells of each class."""
        return _summed(values, self.classes, len(self.texts))

    def by_word(self, values: Floats) -> Floats:
        return _summed(values, self.words, self.size)

    def settled(self, alpha: Alpha) -> Alpha:
        """Smoothing that is to be fitted, as the number it comes to."""
        if alpha != FITTED:
            return alpha
        return witten_bell(self.by_class((self.n > 0).astype(np.float64)), max(self.size, 1))

    def pseudo(self, alpha: Alpha, values: Floats) -> Floats:
        """The pseudo-count of every word."""
        if isinstance(alpha, (int, float)):
            return np.full(self.size, float(alpha))
        named = isinstance(alpha, Mapping) or (isinstance(alpha, MEstimate) and isinstance(alpha.p, Mapping))
        return pseudocounts(alpha, self.vocabulary if named else [""] * self.size, self.by_word(values))


def kept_words(family: Any, tally: WordTally, classes: Sequence[Key]) -> Seen:
    """The words that are not ignored, in an index of their own, and what was counted of them."""
    counted = tally.words.canonical() if family.limit is not None else tally.words
    words, columns, sums = counted.cells()
    number = {key: i for i, key in enumerate(classes)}
    place = np.array([number.get(key, -1) for key in counted.classes] or [-1], np.int32)
    kept = holding(sums) & (place[columns] >= 0) if len(words) else np.zeros(0, bool)
    met = np.bincount(words[kept], minlength=len(counted)) > 0
    if family.limit is None and not family.min_count:
        chosen = met
    else:
        chosen = _chosen(family, met, _summed(sums["n"].round()[kept], words[kept], len(counted)))
        kept &= chosen[words]
    held: Any = slice(None) if kept.all() else kept
    codes = np.flatnonzero(chosen).astype(np.int32)
    index = counted.index.copy() if chosen.all() else counted.index.subset(codes)
    named = sorted({*family.cutter.known(), *named_levels(family.alpha)})
    if named and not family.min_count:
        _add_unmet(index, counted.index.subset(np.flatnonzero(met).astype(np.int32)), named, family.limit)
    new = np.full(len(counted), -1, np.int32)
    new[codes] = np.arange(len(codes), dtype=np.int32)
    known = tally.lengths.canonical()
    spread = known.aligned(known.slots, classes).sums["n"].round()
    return Seen(
        words=new[words[held]],
        classes=place[columns[held]],
        sums={name: Exact(array.limbs[held].copy(), array.low) for name, array in sums.items()},
        texts=tally.documents(list(classes)).round(),
        lengths=np.array(known.slots, np.float64),
        spread=spread,
        index=index,
        everything=counted,
        keys=list(classes),
    )


def _chosen(family: Any, met: NDArray[np.bool_], overall: Floats) -> NDArray[np.bool_]:
    """The words that are frequent enough; of equally frequent ones, the first in the alphabet."""
    chosen = met & (overall >= family.min_count)
    if family.limit is None or chosen.sum() <= family.limit:
        return chosen
    best = np.lexsort((np.arange(len(overall)), -np.where(chosen, overall, -1.0)))[: family.limit]
    return np.isin(np.arange(len(overall)), best)


def _add_unmet(index: kernels.StringIndex, met: kernels.StringIndex, names: list[str], limit: int | None) -> None:
    """Words that there are whether or not any document has them, as far as there is room."""
    named = kernels.StringIndex()
    index_words(named, names)
    unmet = np.flatnonzero(met.find_all(named) < 0).astype(np.int32)
    room = len(unmet) if limit is None else max(limit - len(index), 0)
    index.merge(named.subset(unmet[:room]))


def _summed(values: Floats, codes: Codes, size: int) -> Floats:
    """Sums by code. The order in which cells were met must not show, not even in the last digit: whole numbers add up
    exactly, others are added in the order of their sizes."""
    if not np.array_equal(values, np.floor(values)):
        order = np.lexsort((values, codes))
        values, codes = values[order], codes[order]
    return np.bincount(codes, values, size).astype(np.float64)
