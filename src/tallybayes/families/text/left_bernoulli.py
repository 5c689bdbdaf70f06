"""The Bernoulli reading with each document left out.

The evidence of a document without any words is computed for every document from the document frequencies of all words;
then its own words are corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import equal_rows
from tallybayes.families.smoothing import MEstimate, pseudocounts
from tallybayes.families.text.left_words import LeftWords

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
    certain: NDArray[np.bool_]  # where every document of the class has the word

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
