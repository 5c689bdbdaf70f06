"""What each piece of a mix says about documents that are left out: by the counts less their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.text.left_out_documents import Documents, Lookup, chunks
from tallybayes.families.text.mix import BASES, PIECES, POWERS, Mix, block_count, blocks_of
from tallybayes.families.text.mix_formulas import bases, parts_of, said, unmet
from tallybayes.families.text.word_statistics import WordStatistics

NONE = 1e-9  # what is left of a sum of weights that is taken away again


class Pieces(NamedTuple):
    """Of documents that are left out."""

    said: Floats  # [document, class, block × piece]
    lengths: Floats  # different words of each that other documents have, too
    prior: Floats  # log of the classes' parts of all other documents
    held: Floats  # [document, class]: what each counts for

    def scores(self, mix: Mix) -> Floats:
        """What the mix says of every class."""
        factor = (np.maximum(self.lengths, 1.0) / mix.length) ** -mix.gamma
        return np.asarray(mix.p * self.prior + factor[:, None] * (self.said @ np.ravel(mix.theta)))

    def loss(self, mix: Mix) -> float:
        """The mean of −log P(class)."""
        scores = self.scores(mix)
        top = scores.max(axis=1, keepdims=True)
        log_p = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        return float(-(self.held * log_p).sum() / self.held.sum())


class PieceMaker:
    """The pieces of any documents, from the counts of all. How occurrences and shares are scaled is not left out."""

    def __init__(self, family: Any, seen: WordStatistics, lookup: Lookup) -> None:
        self.seen, self.lookup = seen, lookup
        self.blocks, self.count = blocks_of(family, seen.index), block_count(family)
        self.bases = list(bases(seen, self.blocks, self.count))

    def __call__(self, documents: Documents, a: float) -> Pieces:
        width = self.seen.width
        found = np.zeros((len(documents), width, self.count * PIECES))
        lengths = np.zeros(len(documents))
        for span, part in chunks(documents, self.lookup):
            found[span], lengths[span] = self._pieces(part, a)
        others = self.seen.texts - documents.held + 1.0
        prior = np.log(others / others.sum(axis=1, keepdims=True))
        return Pieces(found, lengths, prior, documents.held)

    def _pieces(self, documents: Documents, a: float) -> tuple[Floats, Floats]:
        seen, weight = self.seen, documents.weight
        document, word, block = documents.document, documents.word, self.blocks[documents.word]
        cells = self.lookup(word)
        left = seen.documents[cells.at] - documents.held[document[cells.token], seen.classes[cells.at]] > NONE
        at, token = cells.at[left], cells.token[left]
        row, class_ = document[token], seen.classes[at]
        place = (block[token] * len(documents) + row) * seen.width + class_
        found = np.empty((self.count, len(BASES), len(POWERS), len(documents), seen.width))
        own = (np.ones(len(word)), documents.times, documents.share)
        grows = np.log2(1.0 + documents.times)
        for number, (base, mine) in enumerate(zip(self.bases, own, strict=True)):
            mine = mine * base.scale[block]
            taken = np.bincount(document * self.count + block, mine, len(documents) * self.count)
            totals = base.totals - taken.reshape(-1, self.count, 1) * documents.held[:, None, :]
            part = np.maximum(parts_of(np.maximum(totals, 0.0)), 1e-12)[row, block[token], class_]
            counts = np.maximum(base.counts[at] - mine[token] * documents.held[row, class_], 1e-12)
            overall = np.maximum(base.overall[word] - mine * weight[document], 0.0)
            evidence, added = said(counts, np.maximum(overall[token], counts), part, a, seen.classes_met <= 2)
            rest = unmet(overall, np.asarray(1.0 - np.bincount(token, part, len(word)), np.float64), a)
            information = np.maximum(np.bincount(token, added, len(word)) + rest, 0.0)
            evidence = evidence * grows[token] if BASES[number] == "n" else evidence
            for i, power in enumerate(POWERS):
                worth = evidence * (information**power)[token]
                sums = np.bincount(place, worth, self.count * len(documents) * seen.width)
                found[:, number, i] = sums.reshape(self.count, len(documents), seen.width)
        known = np.bincount(token, minlength=len(word)) > 0
        lengths = np.bincount(document, known, len(documents)).astype(np.float64)
        return found.reshape(-1, len(documents), seen.width).transpose(1, 2, 0), lengths
