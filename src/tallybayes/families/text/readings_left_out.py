"""The seven readings of `readings` with each document left out: from `LeftWords` to the evidence of every document,
[document, class].

For Bernoulli, the evidence of a document without any words is computed from the document frequencies of all words; then
its own words are corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats, Mask
from tallybayes.counts.tally import Rows
from tallybayes.families.fitted import witten_bell
from tallybayes.families.left_out import equal_rows
from tallybayes.families.smoothing import FITTED, Alpha, MEstimate, pseudocounts
from tallybayes.families.text.counted_words import LeftWords
from tallybayes.families.text.multinomial_coefficient import has_orders, log_orders
from tallybayes.families.text.readings import LEAST_ALPHA, mean_lengths, words_per_share
from tallybayes.kernels import special

STEP = 1 << 20  # numbers computed at a time


def bernoulli(left: LeftWords, alpha: Any) -> Floats:
    """`alpha` is a number, one for each document, an m-estimate, or numbers by word."""
    if isinstance(alpha, Mapping) or (isinstance(alpha, MEstimate) and alpha.p != "uniform"):
        return _by_word(left, alpha)
    a = np.broadcast_to(alpha.m / 2.0 if isinstance(alpha, MEstimate) else alpha, left.rows)[:, None]
    total = left.texts + 2.0 * a
    none, lacking = _of_no_words(left, a)
    row = left.forgotten.row
    absent = (left.texts[row] - left.counted.dense("documents", left.forgotten.words)) + a[row]
    none -= left.added(_log(absent), row)
    lacking -= left.added((absent <= 0).astype(np.float64), row)
    with np.errstate(divide="ignore", invalid="ignore"):
        had = left.added(np.log(left.sums["documents"] + a[left.row]))
        evidence = none + had - left.size[:, None] * np.log(total)
    evidence = np.where(lacking > 0.5, -np.inf, evidence)  # a word that every document of the class has is missing
    return np.where(left.texts + a <= 0, 0.0, evidence)


def _log(x: Floats) -> Floats:
    """The logarithm of positive numbers, 0 for others."""
    return np.log(np.where(x > 0, x, 1.0))


def _of_no_words(left: LeftWords, a: Floats) -> tuple[Floats, Floats]:
    """Σ over all words of log (documents without it + α), and the number of words for which that is log 0."""
    counted = left.counted
    total, lacking = (np.zeros((left.rows, counted.width)) for _ in range(2))
    for c in range(counted.width):
        held = counted.rounded["documents"][counted.kept & (counted.classes == c)]
        documents, words = np.unique(held, return_counts=True)
        documents, words = np.append(documents, 0.0), np.append(words, counted.vocabulary.size - len(held))
        step = max(STEP // len(words), 1)
        for start in range(0, left.rows, step):
            part = slice(start, start + step)
            absent = (left.texts[part, c, None] - documents) + a[part]
            total[part, c] = _log(absent) @ words
            lacking[part, c] = (absent <= 0) @ words
    return total, lacking


class Parts(NamedTuple):
    """The evidence of a word's presence and absence, if words have different priors."""

    had: Floats  # [word, class]
    without: Floats
    certain: Mask  # where every document of the class has the word

    @classmethod
    def of(cls, documents: Floats, texts: Floats, believed: tuple[Floats, Floats]) -> Parts:
        present = documents + believed[0][:, None]
        absent = np.maximum(texts - documents, 0.0) + believed[1][:, None]
        some = absent > 0
        total = np.log(np.where(some, present + absent, 1.0))
        with np.errstate(divide="ignore"):
            had = np.where(some, np.log(present) - total, 0.0)
        return cls(had, np.where(some, _log(absent) - total, 0.0), ~some & (present > 0))


def _by_word(left: LeftWords, alpha: Any) -> Floats:
    """Goes through all words for every combination of class and weight."""
    counted, texts = left.counted, left.texts
    met, unmet = (_believed(alpha, names) for names in counted.vocabulary.names())
    chosen = np.flatnonzero(counted.vocabulary.chosen)
    firsts, kinds = equal_rows(left.missing.astype(np.int32), Rows(range(counted.width), left.classes, left.weights))
    documents = np.concatenate(
        [counted.dense("documents", chosen), np.zeros((counted.vocabulary.unmet, counted.width))]
    )
    all_met = None if met is None or unmet is None else np.append(met[chosen], unmet)
    none, lacking = (np.empty((len(firsts), counted.width)) for _ in range(2))
    for kind, first in enumerate(firsts.tolist()):
        whole = texts[first : first + 1]
        parts = Parts.of(documents, whole, _split(alpha, all_met, documents, whole))
        none[kind], lacking[kind] = np.sort(parts.without, axis=0).sum(axis=0), parts.certain.sum(axis=0)
    row, words = left.forgotten.row, left.forgotten.words
    held = counted.dense("documents", words)
    before = Parts.of(held, texts[row], _split(alpha, None if met is None else met[words], held, texts[row]))
    held = left.sums["documents"]
    own = None if met is None else met[left.words]
    after = Parts.of(held, texts[left.row], _split(alpha, own, held, texts[left.row]))
    evidence = none[kinds] - left.added(before.without, row) + left.added(after.had)
    return np.where(lacking[kinds] - left.added(before.certain.astype(np.float64), row) > 0.5, -np.inf, evidence)


def _believed(alpha: Any, names: list[str]) -> Floats | None:
    """For each word the pseudo-documents that have it, or their share; None if that depends on the counts."""
    if isinstance(alpha, MEstimate) and isinstance(alpha.p, str):
        return None
    return pseudocounts(MEstimate(1.0, alpha.p) if isinstance(alpha, MEstimate) else alpha, names, np.zeros(len(names)))


def _split(alpha: Any, believed: Floats | None, documents: Floats, texts: Floats) -> tuple[Floats, Floats]:
    """The pseudo-documents that have each word, and those that do not."""
    if not isinstance(alpha, MEstimate):
        assert believed is not None
        return believed, believed
    overall = documents.sum(axis=1) / np.maximum(texts.sum(axis=1), 1e-300)
    share = overall if believed is None else believed
    return alpha.m * share, alpha.m * (1.0 - share)


def evidence_of(family: Any, left: LeftWords) -> Floats:
    """The evidence of each document under the family's reading; 0 if it is missing."""
    evidence = READINGS[family.reading](left, family.alpha)
    if has_orders(family):
        evidence = evidence + log_orders(left.row, left.times, left.rows)[:, None]
    return np.where(left.missing[:, None], 0.0, evidence)


def resolved_alpha(left: LeftWords, alpha: Alpha) -> Any:
    """The smoothing, with "fitted" resolved to a number for each document."""
    return witten_bell(left.met, left.size) if alpha == FITTED else alpha


def _same(left: LeftWords, alpha: Any) -> Floats | None:
    """For each document, the pseudo-count that all words share, if they do."""
    if isinstance(alpha, MEstimate):
        return alpha.m / np.maximum(left.size, 1.0) if alpha.p == "uniform" else None
    return np.broadcast_to(alpha, left.rows) if isinstance(alpha, (int, float, np.ndarray)) else None


def _pseudo(left: LeftWords, alpha: Any, counts: Floats, totals: Floats, least: float = 0.0) -> tuple[Floats, Floats]:
    """The pseudo-count of each word, at least `least`; and for each document their sum over all words."""
    same = _same(left, alpha)
    if same is not None:
        return np.maximum(same, least)[left.row], np.maximum(same, least) * left.size
    if getattr(alpha, "p", None) == "overall":
        total = totals.sum(axis=1)
        overall, uniform = counts.sum(axis=1), 1.0 / np.maximum(left.size, 1.0)
        share = np.where(total > 0, 0.0, uniform)[left.row] + overall / np.where(total > 0, total, np.inf)[left.row]
        unmet = left.counted.vocabulary.unmet + np.bincount(left.row, overall <= 0, left.rows)
        return np.maximum(alpha.m * share, least), np.where(left.size > 0, alpha.m, 0.0) + least * unmet
    each, rest = (np.maximum(_named(alpha, names), least) for names in left.counted.vocabulary.names())
    assumed = np.sort(np.append(each[left.counted.vocabulary.chosen], rest)).sum() - left.lost(each)
    return each[left.words], assumed


def _named(alpha: Any, names: list[str]) -> Floats:
    return pseudocounts(alpha, names, np.zeros(len(names)))


class Shares(NamedTuple):
    """log of (count + α) / Σ(count + α). Without counts or prior all words are equally likely."""

    words: Floats  # log (count + α): [word, class]
    each: Floats  # −log Σ(count + α): [document, class]
    blank: Mask  # without counts or prior: there `each` is all the evidence of a word
    assumed: Floats  # Σα of each document

    @classmethod
    def of(cls, left: LeftWords, alpha: Alpha, counts: Floats, totals: Floats) -> Shares:
        pseudo, assumed = _pseudo(left, resolved_alpha(left, alpha), counts, totals)
        whole = totals + assumed[:, None]
        blank = whole <= 0
        with np.errstate(divide="ignore"):
            base = np.log(np.where(pseudo > 0, pseudo, 1.0))[:, None]
            words = np.where(blank[left.row], 0.0, base + (np.log(counts + pseudo[:, None]) - base))
            alike = -np.log(np.maximum(left.size, 1.0))[:, None]
            return cls(words, np.where(blank, alike, -np.log(np.where(blank, 1.0, whole))), blank, assumed)

    def rows(self, left: LeftWords, more: Floats | float = 0.0) -> Floats:
        """The evidence of each word, plus `more` for its document; rounded as in the table of all words."""
        return self.words + (self.each + more)[left.row]


def _evidence(left: LeftWords, rows: Floats) -> Floats:
    """Σ occurrences · evidence, over the words of a document."""
    return left.added(left.times[:, None] * rows)


def multinomial(left: LeftWords, alpha: Alpha) -> Floats:
    return _evidence(left, Shares.of(left, alpha, left.sums["n"], left.whole["n"]).rows(left))


def binary(left: LeftWords, alpha: Alpha) -> Floats:
    return _evidence(left, Shares.of(left, alpha, left.sums["documents"], left.whole["documents"]).rows(left))


def averaged(left: LeftWords, alpha: Alpha) -> Floats:
    shares = left.whole["share"]
    scale = words_per_share(left.whole["n"], shares)
    return _evidence(left, Shares.of(left, alpha, left.sums["share"] * scale[left.row], shares * scale).rows(left))


def poisson(left: LeftWords, alpha: Alpha) -> Floats:
    words = left.whole["n"]
    found = Shares.of(left, alpha, left.sums["n"], words)
    mean = mean_lengths(words, left.texts, (found.assumed > 0).astype(np.float64)[:, None])
    with np.errstate(divide="ignore"):
        evidence = _evidence(left, found.rows(left, np.log(mean))) - mean
    return evidence - special.gammaln(left.lengths + 1.0)[:, None]


def complement(left: LeftWords, alpha: Alpha) -> Floats:
    n, words = left.sums["n"], left.whole["n"]
    pseudo, assumed = (values[:, None] for values in _pseudo(left, resolved_alpha(left, alpha), n, words, LEAST_ALPHA))
    overall = n.sum(axis=1, keepdims=True)
    otherwise = -np.log(overall + pseudo)
    rows = otherwise + (-np.log(np.maximum(overall - n, 0.0) + pseudo) - otherwise)
    total = np.maximum(words.sum(axis=1, keepdims=True) - words, 0.0) + assumed
    return _evidence(left, rows + np.log(np.maximum(total, LEAST_ALPHA))[left.row])


def dirichlet_multinomial(left: LeftWords, alpha: Alpha) -> Floats:
    s = left.concentration
    assert s is not None
    found = Shares.of(left, alpha, left.sums["documents"], left.whole["documents"])
    rows = found.rows(left, np.log(s))  # log α
    times = left.times[:, None]
    urn = np.isfinite(rows) & ~found.blank[left.row]  # without counts or prior, repetition is no evidence
    evidence = np.where(urn, special.log_rising(np.exp(np.where(urn, rows, 0.0)), times), rows * times)
    return left.added(evidence) - special.log_rising(s, left.lengths[:, None])


READINGS: dict[str, Callable[[LeftWords, Alpha], Floats]] = {
    "multinomial": multinomial,
    "binary": binary,
    "averaged": averaged,
    "bernoulli": lambda left, alpha: bernoulli(left, resolved_alpha(left, alpha)),
    "poisson": poisson,
    "complement": complement,
    "dirichlet-multinomial": dirichlet_multinomial,
}

NEEDS = {  # the sums that each reading needs; the first, n if needed, tells whether anything is left of a word
    "multinomial": ("n",),
    "binary": ("documents",),
    "averaged": ("n", "share"),
    "bernoulli": ("documents",),
    "poisson": ("n",),
    "complement": ("n",),
    "dirichlet-multinomial": ("documents",),
    "auto": ("n", "documents", "share"),
}
