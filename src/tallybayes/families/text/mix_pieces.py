"""The pieces of a mix for left-out documents: by the counts minus their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.data.processors import each_of
from tallybayes.families.text.left_out_documents import Documents, Lookup
from tallybayes.families.text.mix import PIECES, Mix, block_count, blocks_of
from tallybayes.families.text.mix_formulas import bases
from tallybayes.families.text.word_statistics import WordStatistics

CHUNK = 1 << 22  # numbers at a time


class Pieces(NamedTuple):
    """The pieces of left-out documents."""

    values: Floats  # [document, class, block × piece]
    lengths: Floats  # different words of each that other documents have too
    prior: Floats  # log of the classes' shares of all other documents
    held: Floats  # [document, class]: weights

    def scores(self, mix: Mix) -> Floats:
        """The mix's score of every class, including the prior."""
        return np.asarray(mix.p * self.prior + self.evidence(mix))

    def evidence(self, mix: Mix) -> Floats:
        """The evidence of the words for every class."""
        factor = (np.maximum(self.lengths, 1.0) / mix.length) ** -mix.gamma
        return np.asarray(factor[:, None] * (self.values @ np.ravel(mix.theta)))

    def loss(self, mix: Mix) -> float:
        """The mean of −log P(class)."""
        scores = self.scores(mix)
        top = scores.max(axis=1, keepdims=True)
        log_p = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        return float(-(self.held * log_p).sum() / self.held.sum())


class PieceMaker:
    """Makes the pieces of any documents from the counts of all. The scale of occurrences and shares is kept."""

    def __init__(self, family: Any, seen: WordStatistics, lookup: Lookup) -> None:
        self.family, self.seen, self.lookup = family, seen, lookup
        self.count = block_count(family)
        blocks = blocks_of(family, seen.index)
        self._blocks = blocks.astype(np.int32)
        self._classes = np.ascontiguousarray(seen.classes[lookup.order], np.int32)
        found = list(bases(family, seen, blocks))
        self._counts = np.stack([base.counts[lookup.order] for base in found])
        self._overall, self._totals, self._scale = (np.stack([base[i] for base in found]) for i in (1, 2, 3))

    def __call__(self, documents: Documents, a: float) -> Pieces:
        found, lengths = kernels.left_pieces(
            self.lookup.starts,
            self._classes,
            self._blocks,
            self._counts,
            self._overall,
            self._totals,
            self._scale,
            np.searchsorted(documents.document, np.arange(len(documents) + 1)).astype(np.int64),
            np.ascontiguousarray(documents.word, np.int32),
            np.ascontiguousarray(documents.times),
            np.ascontiguousarray(documents.share),
            np.ascontiguousarray(documents.own),
            a,
            self.seen.classes_met <= 2,
        )
        others = self.seen.texts - documents.own + 1.0
        prior = np.log(others / others.sum(axis=1, keepdims=True))
        return Pieces(found, lengths, prior, documents.held)

    def evidence(self, documents: Documents, mix: Mix) -> Floats:
        """The mix's evidence, [document, class], computed a few documents at a time."""
        step = max(CHUNK // (self.seen.width * self.count * PIECES), 1)
        parts = [documents.part(at, min(at + step, len(documents))) for at in range(0, len(documents), step)]
        found = each_of(lambda part: self(part, mix.a).evidence(mix), parts, len(documents.word) * self.seen.width)
        return np.concatenate([np.zeros((0, self.seen.width)), *found])
