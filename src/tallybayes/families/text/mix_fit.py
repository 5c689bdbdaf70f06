"""Fits the weights of a mix to minimise the log-loss of left-out documents.

The pieces of these documents are computed by the counts minus their own. The loss is convex in θ and p; γ is fitted
with them. The fit starts at the default mix and is penalised towards it, so that few documents change it little; the
result is never worse than the default on the documents that decide.

Weights of either sign may cancel what is known of words, and tell the class by what subtracting a document has changed,
which says nothing about new documents. So θ is at least 0, unless θ of either sign, fitted on two thirds of the
documents, predict the others better by more than the standard error.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.processors import each_of
from tallybayes.families.lbfgs import lbfgs
from tallybayes.families.text.corpus import Corpus
from tallybayes.families.text.left_out_documents import Documents, left_out_documents, worth_fitting
from tallybayes.families.text.mix import USUAL_A, Mix, blocks_of, mix_of, reads_runs, usual_mix
from tallybayes.families.text.mix_formulas import bases
from tallybayes.families.text.word_statistics import WordStatistics, seen_words
from tallybayes.families.text.word_tally import FIELDS, WordTally

PARTS = 8  # of many documents, which threads share
NO_THETA = np.zeros(0)  # pieces one by one
FEWEST = 20  # documents, to fit anything at all
SMOOTHINGS = (0.1, 1.0, 4.0)
SOME_CELLS = 500_000  # the smoothing is chosen on as many documents as have these
RIVALS = 32  # classes that a document is fitted against: the default mix's favourites
SIZE_RIDGE = 3.0  # θ along the default, relative to its length
P_RIDGE = 2.0
GAMMA_RIDGE = 10.0
LITTLE = 1e-6  # evidence of a piece, in nats: there is nothing to weigh
MOST_P = 2.0
SIGNED, ADDING = -np.inf, 0.0  # the least weight of a piece
FOLDS = 3
DIGITS = 4
STEPS = 200


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
        return np.asarray(mix.factor(self.lengths)[:, None] * (self.values @ np.ravel(mix.theta)))

    def losses(self, mix: Mix) -> Floats:
        """−log P(class) of each document, times its weight."""
        scores = self.scores(mix)
        top = scores.max(axis=1, keepdims=True)
        log_p = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        return np.asarray(-(self.held * log_p).sum(axis=1))

    def loss(self, mix: Mix) -> float:
        """The mean of −log P(class)."""
        return float(self.losses(mix).sum() / self.held.sum())


class PieceMaker:
    """Makes the pieces of any documents from the counts of all. The scale of occurrences and shares is kept."""

    def __init__(self, family: Any, seen: WordStatistics) -> None:
        self.family, self.seen = family, seen
        blocks = blocks_of(family, seen.index)
        self._blocks = blocks.astype(np.int32)
        self._classes = np.ascontiguousarray(seen.classes, np.int32)
        found = list(bases(family, seen, blocks))
        self._counts, self._overall = (np.stack([base[i] for base in found], axis=1) for i in (0, 1))
        self._totals, self._scale = (np.stack([base[i] for base in found]) for i in (2, 3))
        self._texts = seen.texts

    def __call__(self, documents: Documents, a: float) -> Pieces:
        found, lengths = self._left(documents, a, NO_THETA)
        others = self._texts - documents.own + 1.0
        prior = np.log(others / others.sum(axis=1, keepdims=True))
        return Pieces(found, lengths, prior, documents.held)

    def _left(self, documents: Documents, a: float, theta: Floats) -> tuple[Floats, Floats]:
        """The pieces, or their sum weighted by θ, and the number of different words that other documents have too."""
        return kernels.left_pieces(
            self.seen.starts,
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
            theta,
        )

    def without(self, documents: Documents) -> PieceMaker:
        """The same, by the counts without these documents and their copies."""
        seen, width, of = self.seen, self.seen.width, documents.document
        times, labels = documents.held.sum(axis=1), documents.held.argmax(axis=1)
        blocks, cells = (
            self._blocks[documents.word].astype(np.int64),
            seen.words.astype(np.int64) * width + seen.classes,
        )
        counts = np.stack([np.ones(len(of)), documents.times, documents.share])
        taken = counts * times[of] * self._scale[:, blocks]
        rest, shape = copy(self), self._totals.shape
        at = cells.searchsorted(documents.word * np.int64(width) + labels[of])
        rest._counts = np.stack(_less(self._counts.T, at, taken), axis=1)
        rest._overall = np.stack(_less(self._overall.T, documents.word, taken), axis=1)
        totals = self._totals.reshape(len(taken), -1)
        rest._totals = np.stack(_less(totals, blocks * width + labels[of], taken)).reshape(shape)
        (rest._texts,) = _less([self._texts], labels, [times])
        return rest

    def evidence(self, documents: Documents, mix: Mix) -> Floats:
        """The mix's evidence, [document, class]."""
        theta, step = np.ravel(mix.theta).astype(np.float64), max(-(-len(documents) // PARTS), 1)

        def left(part: Documents) -> Floats:
            found, lengths = self._left(part, mix.a, theta)
            return found[:, :, 0] * mix.factor(lengths)[:, None]

        parts = [documents.part(at, at + step) for at in range(0, len(documents), step)]
        found = each_of(left, parts, len(documents.word) * self.seen.width)
        return np.concatenate([np.zeros((0, self.seen.width)), *found])


def _less(sums: Iterable[Floats], places: Any, taken: Iterable[Floats]) -> list[Floats]:
    """The sums of each base less what is taken from some places."""
    each = zip(sums, taken, strict=True)
    return [np.maximum(total - np.bincount(places, some, len(total)), 0.0) for total, some in each]


# Penalties on the distance from the defaults, relative to the sum of losses:
RIDGE, FEW = 1.0, 2000.0  # θ of standardised pieces orthogonal to the default; more for fewer documents than FEW


def fit_words(family: Any, tally: WordTally, cells: Any, rows: Rows, classes: list[Key]) -> tuple[Any, Floats]:
    """The family with the mix fitted on these documents, which the tally has counted; and the evidence of each, left
    out: [row, class]."""
    corpus = Corpus.of(tally, classes, FIELDS, None, by_run=reads_runs(family))
    family = replace(family, mix=None)
    seen = seen_words(family, corpus)
    evidence = np.zeros((len(rows), len(classes)))
    if not seen.size or np.count_nonzero(corpus.texts) < 2:
        return family, evidence
    documents, of_row = left_out_documents(family, cells, rows, classes, seen)
    pieces_of, few = PieceMaker(family, seen), worth_fitting(documents, seen)
    if len(few) >= FEWEST:
        length = np.sort(seen.whole.documents).sum() / max(seen.texts.sum(), 1e-300)  # different words of a document
        family = replace(family, mix=_best_mix(pieces_of, few, max(float(length), 1e-9)))
    found = pieces_of.evidence(documents, mix_of(family, seen.classes_met))
    evidence[of_row >= 0] = found[of_row[of_row >= 0]]
    return family, evidence


def _best_mix(pieces_of: PieceMaker, documents: Documents, length: float) -> Mix:
    """Some of the documents choose `a`, whether weights may be negative, and whether the default mix is as good; all of
    them fit the rest."""
    some = documents.part(0, documents.worth(SOME_CELLS, pieces_of.seen.starts))
    work = len(some.word) * pieces_of.seen.width
    pieces = dict(zip(SMOOTHINGS, each_of(lambda a: pieces_of(some, a), SMOOTHINGS, work), strict=True))
    usual = usual_mix(pieces_of.family, USUAL_A, pieces_of.seen.classes_met)
    least = _least(pieces_of, some, usual, length)
    tried = each_of(lambda a: fit_mix(pieces[a], replace(usual, a=a), length, least), SMOOTHINGS, work)
    mix = min(tried, key=lambda mix: pieces[mix.a].loss(mix))
    if len(some) < len(documents):
        mix = fit_mix(pieces_of(documents, mix.a), replace(usual, a=mix.a), length, least)
    return mix if pieces[mix.a].loss(mix) < pieces[USUAL_A].loss(usual) else usual


def _least(pieces_of: PieceMaker, documents: Documents, usual: Mix, length: float) -> float:
    """The bound of θ: none if a fold that is neither counted nor in the fit is predicted better so, by more than the
    standard error."""
    fold = np.empty(len(documents), np.intp)
    fold[np.argsort(documents.held.argmax(axis=1), kind="stable")] = np.arange(len(documents)) % FOLDS

    def gain_in(number: int) -> Floats:
        out, others = documents.those(fold == number), documents.those(fold != number)
        rest = pieces_of.without(out)
        learned, asked = rest(others, usual.a), rest(replace(out, own=np.zeros_like(out.own)), usual.a)
        adding, signed = (asked.losses(fit_mix(learned, usual, length, least)) for least in (ADDING, SIGNED))
        return adding - signed

    gain = np.concatenate(each_of(gain_in, range(FOLDS), len(documents.word) * pieces_of.seen.width))
    return SIGNED if gain.sum() > np.sqrt(gain @ gain) else ADDING


@dataclass(frozen=True)
class Problem:
    """The objective: standardised pieces of some documents, as a function of θ, p and γ."""

    values: Floats  # [document × class, piece], at the usual γ
    prior: Floats  # [document, class]
    held: Floats
    lengths: Floats  # log(different words / mean), of each document
    usual: Floats  # θ
    gamma: float  # the usual one

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """The penalised loss, and its gradient."""
        theta, p, gamma = x[:-2], x[-2], x[-1]
        shape, weight = self.held.shape, self.held.sum(axis=1)
        factor = np.exp(-(gamma - self.gamma) * self.lengths)[:, None]
        words = factor * (self.values @ theta).reshape(shape)
        scores = words + p * self.prior
        top = scores.max(axis=1, keepdims=True)
        exp = np.exp(scores - top)
        total = exp.sum(axis=1, keepdims=True)
        loss = (weight * (np.log(total) + top)[:, 0]).sum() - (self.held * scores).sum()
        slope = exp / total * weight[:, None] - self.held
        by_theta = self.values.T @ (slope * factor).ravel()
        by_gamma = -(slope * words * self.lengths[:, None]).sum()
        penalty, slopes = self._penalty(theta, p, gamma)
        by_x = np.concatenate([by_theta, [(slope * self.prior).sum(), by_gamma]]) + slopes
        return float((loss + penalty) / weight.sum()), by_x / weight.sum()

    def _penalty(self, theta: Floats, p: float, gamma: float) -> tuple[float, Floats]:
        square = max(float(self.usual @ self.usual), 1e-300)
        size = self.usual @ theta / square  # 1: as long as the default
        across, ridge = theta - size * self.usual, RIDGE * (1.0 + FEW / len(self.held))
        off = np.array([p - 1.0, gamma - self.gamma])
        ridges = np.array([P_RIDGE, GAMMA_RIDGE])
        penalty = ridge * (across @ across) + SIZE_RIDGE * (size - 1.0) ** 2 + (ridges * off**2).sum()
        by_theta = 2.0 * ridge * across + 2.0 * SIZE_RIDGE * (size - 1.0) / square * self.usual
        return float(penalty), np.concatenate([by_theta, 2.0 * ridges * off])


def fit_mix(pieces: Pieces, usual: Mix, length: float, least: float) -> Mix:
    """θ, p and γ by L-BFGS, starting from the default mix, whose `a` is kept; `length` is the mean number of different
    words, and `least` bounds θ."""
    rivals = _rivals(pieces.scores(usual), pieces.held)
    lengths = np.log(np.maximum(pieces.lengths, 1.0) / length)
    values = np.take_along_axis(pieces.values, rivals[:, :, None], axis=1)
    values *= np.exp(-usual.gamma * lengths)[:, None, None]
    values -= values.mean(axis=1, keepdims=True)
    met = np.maximum(np.count_nonzero(values.any(axis=1), axis=0), 1)  # documents that a piece says anything about
    deviations = np.sqrt((values**2).sum(axis=0).mean(axis=0) / met)
    deviations[deviations < LITTLE] = 1.0
    start = np.ravel(usual.theta) * length**-usual.gamma * deviations
    problem = Problem(
        (values / deviations).reshape(-1, values.shape[2]),
        np.take_along_axis(pieces.prior, rivals, axis=1),
        np.take_along_axis(pieces.held, rivals, axis=1),
        lengths,
        start,
        usual.gamma,
    )
    low = np.append(np.full(len(start), least), [0.0, 0.0])
    high = np.append(np.full(len(start), np.inf), [MOST_P, 1.0])
    x = lbfgs(problem, np.append(start, [1.0, usual.gamma]), low, high, steps=STEPS, slope=1e-6)
    theta = (x[:-2] / deviations).reshape(len(usual.theta), -1)
    gamma, p = float(_rounded(x[-1])), float(_rounded(x[-2]))
    return Mix(tuple(map(tuple, _rounded(theta).tolist())), gamma, usual.a, p, float(_rounded(length)))


def _rivals(scores: Floats, held: Floats) -> Any:
    """For each document its own classes, and those that the default mix ranks highest; ties go to the first."""
    order = np.argsort(-np.where(held > 0, np.inf, scores), axis=1, kind="stable")
    return order[:, : max(RIVALS, int((held > 0).sum(axis=1).max()))]


def _rounded(values: Any) -> Any:
    """Rounded to a few digits, so that the order of summation does not show."""
    values = np.asarray(values, np.float64)
    size = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    unit = 10.0 ** (DIGITS - 1 - size)
    return np.round(values * unit) / unit
