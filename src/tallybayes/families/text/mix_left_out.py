"""The reading "auto" with each document left out: from `LeftWords` to the evidence of every document.

As in `mixed_belief`, but every document has counts of its own, so that of each word all classes are at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import added_up
from tallybayes.families.left_out import totals_without
from tallybayes.families.text.counted_words import CountedWords, LeftWords
from tallybayes.families.text.mix import BASES, POWERS, Mix, block_count, mix_of
from tallybayes.families.text.mix_formulas import cell_evidence, parts_of, word_information

OCCURRENCES = BASES.index("n")


class MixLeftOut:
    """The counts of all words by block; `blocks` has the block of each word."""

    def __init__(self, family: Any, counted: CountedWords, blocks: NDArray[np.intp]) -> None:
        self.family, self.blocks, self.width = family, blocks, counted.width
        at = blocks[counted.key[counted.kept] // counted.width]
        own = counted.classes[counted.kept]
        self.totals = {
            name: [
                added_up(counted.sums[name][counted.kept][at == b], own[at == b], self.width) for b in range(self.count)
            ]
            for name in BASES
        }

    @property
    def count(self) -> int:
        return block_count(self.family)

    def evidence(self, left: LeftWords) -> Floats:
        """[document, class]"""
        totals = {name: self._without(name, left) for name in BASES}
        met = np.count_nonzero(left.texts > 0, axis=1)
        found = np.zeros((left.rows, self.width))
        for classes in np.unique(met).tolist():  # more than one value only if a class has a single text
            mix = mix_of(self.family, classes)
            lengths = np.maximum(np.bincount(left.row, minlength=left.rows), 1)
            each = left.added(self._words(left, totals, mix, classes <= 2))
            found = np.where((met == classes)[:, None], each * ((lengths / mix.length) ** -mix.gamma)[:, None], found)
        return np.where(left.missing[:, None], 0.0, found)

    def _without(self, name: str, left: LeftWords) -> Floats:
        """The totals of each block without each document: [document, block, class]."""
        listed, block = left.forgotten, self.blocks[left.forgotten.words]
        found = np.empty((left.rows, self.count, self.width))
        for b, sums in enumerate(self.totals[name]):
            mine = block == b
            found[:, b] = totals_without(sums, listed.own[name][mine], listed.row[mine], left.classes)
        return found

    def _words(self, left: LeftWords, totals: dict[str, Floats], mix: Mix, two: bool) -> Floats:
        """The evidence of every word: [word, class]."""
        block, held = self.blocks[left.words], left.sums[BASES[0]] > 0
        theta = np.array(mix.theta).reshape(-1, len(BASES), len(POWERS))
        documents = totals[BASES[0]].sum(axis=2)
        doublings = np.log2((1.0 + left.times) / 2.0)[:, None]
        found = np.zeros(held.shape)
        for number, name in enumerate(BASES):
            if not theta[:, number].any():
                continue
            whole = totals[name].sum(axis=2)
            scale = np.divide(documents, whole, out=np.ones_like(whole), where=whole > 0)
            counts = np.where(held, left.sums[name], 0.0) * scale[left.row, block][:, None]
            part = parts_of(totals[name])[left.row, block]
            evidence, information = _pieces(counts, part, held, mix.a, two)
            worth = (theta[block, number] * np.stack([information**power for power in POWERS], axis=1)).sum(axis=1)
            found += evidence * worth[:, None] * (1.0 + doublings if number == OCCURRENCES else 1.0)
        return found


def _pieces(counts: Floats, part: Floats, held: NDArray[np.bool_], a: float, two: bool) -> tuple[Floats, Floats]:
    """The evidence of every word for every class, 0 if the class does not have it; and every word's information."""
    overall = counts.sum(axis=1)
    row, at = np.nonzero(held)
    evidence, added = np.zeros(counts.shape), np.zeros(counts.shape)
    evidence[row, at], added[row, at] = cell_evidence(counts[row, at], overall[row], part[row, at], a, two)
    rest = 1.0 - np.where(held, part, 0.0).sum(axis=1)
    return evidence, word_information(added.sum(axis=1), overall, rest, a)
