"""The evidence of a word in the reading "auto": formulas shared by believing and leaving out.

Counts B are scaled to the number of (word, document) pairs, so that one `a` suits documents, occurrences and shares.
With π the class's share of all counts of a block, the shares of a word's counts are smoothed to q = (B_wc + a·π_c) /
(B_w + a). Its evidence for a class is log(q / π), and with more than two classes that have texts minus log((1 − q) / (1
− π)); shifted so that it is 0 for a class that never had the word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats, Indices
from tallybayes.families.text.mix import BASES, block_count, block_of_run
from tallybayes.families.text.word_statistics import WordStatistics, summed

ROUNDING = 1e-14  # of sums of shares


class Base(NamedTuple):
    """One of the three counts of words: documents, occurrences or shares."""

    counts: Floats  # of every cell
    overall: Floats  # of every word, in all classes
    totals: Floats  # [block, class]
    scale: Floats  # the factor that each block's counts were multiplied by


def bases(family: Any, seen: WordStatistics, blocks: Indices) -> Iterator[Base]:
    """All three, scaled to the document counts."""
    documents = _totals(family, seen, blocks, BASES[0]).sum(axis=1)
    for name in BASES:
        totals = _totals(family, seen, blocks, name)
        sums = totals.sum(axis=1)
        scale = np.divide(documents, sums, out=np.ones(len(sums)), where=sums > 0)
        values = getattr(seen, name) * scale[blocks[seen.words]]
        yield Base(values, seen.by_word(values), totals * scale[:, None], scale)


def _totals(family: Any, seen: WordStatistics, blocks: Indices, name: str) -> Floats:
    count, runs = block_count(family), seen.whole.by_run
    if count == 1:  # known even if only some words are here
        return np.array(getattr(seen.whole, name))[None, :]
    if runs is not None:  # likewise
        totals = np.zeros((count, seen.width))
        np.add.at(totals, block_of_run(family, np.arange(len(runs[name]))), runs[name])
        return totals
    cells = blocks[seen.words] * seen.width + seen.classes
    return summed(getattr(seen, name), cells, count * seen.width).reshape(count, seen.width)


def parts_of(totals: Floats) -> Floats:
    """π: each class's share of all counts."""
    overall = totals.sum(axis=-1, keepdims=True)
    return np.divide(totals, overall, out=np.zeros_like(totals), where=overall > 0)


class CellEvidence(NamedTuple):
    """The evidence of words for the classes that have them, and each class's contribution to a word's information."""

    evidence: Floats
    information: Floats


def cell_evidence(counts: Floats, overall: Floats, part: Floats, a: float, two: bool) -> CellEvidence:
    """From B_wc, B_w and π_c of non-empty cells."""
    likely = a + counts / part  # (B_w + a) · q / π
    log_ratio = np.log(likely) - np.log(a + overall)
    evidence = log_ratio - np.log(a / (a + overall))
    if not two:
        others, rest = np.maximum(overall - counts, 0.0), 1.0 - part
        held = np.divide(others, rest, out=np.zeros_like(others), where=(others > 0) & (rest > 0))
        evidence -= np.log(a + held) - np.log(a + overall)
    q = part * likely / (a + overall)
    return CellEvidence(evidence, q * log_ratio)


def word_information(met: Floats, overall: Floats, rest: Floats, a: float) -> Floats:
    """A word's information Σq·log(q / π): what the classes that had it add, `met`, and the others, whose Σπ is `rest`.
    Rounding is not information; the root of it would be far larger."""
    share = a / (a + overall)
    found = met + rest * share * np.log(share)
    return np.where(found > ROUNDING, found, 0.0)
