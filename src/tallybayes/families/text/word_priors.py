"""The log prior density of words' probabilities, which EM adds to the log-likelihood.

(count + α) / Σ is the posterior mode under Dirichlet(α + 1), whose log density is Σ α·log p up to a constant; for
Bernoulli, presence and absence have such a term each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.smoothing import MEstimate


def of_shares(belief: Any) -> float:
    """For words whose probabilities add up to one."""
    counts = belief.seen.documents if belief.family.reading == "binary" else belief.seen.n
    pseudo, evidence = belief.seen.pseudo(belief.alpha, counts), belief.evidence
    if belief.seen.part or evidence.table is not None:
        return 0.0
    held = pseudo > 0
    each = evidence.each - np.log(_mean_words(belief)) if evidence.rate else evidence.each
    unmet = float((pseudo[held] * evidence.otherwise[held]).sum() * belief.seen.width + pseudo.sum() * each.sum())
    return unmet + float((pseudo[belief.seen.words] * np.where(held[belief.seen.words], evidence.cells, 0.0)).sum())


def of_lengths(belief: Any) -> float:
    """The same, plus that of the mean number of words: one pseudo-document."""
    mean = _mean_words(belief)
    overall = belief.seen.whole.n.sum() / max(belief.seen.texts.sum(), 1e-300) or 1.0
    return of_shares(belief) + belief.evidence.assumed * float((overall * np.log(mean) - mean).sum())


def of_presence(belief: Any) -> float:
    """For words that are present or absent; 0 if words have different pseudo-counts."""
    alpha, seen = belief.alpha, belief.seen
    a = alpha.m / 2.0 if isinstance(alpha, MEstimate) and alpha.p == "uniform" else alpha
    if not isinstance(a, (int, float)) or a == 0 or seen.gaps is not None:
        return 0.0
    texts, d = seen.texts, seen.documents
    unmet = np.log(a) + np.log(texts + a)  # of every class
    met = np.log(d + a) + np.log(np.maximum(texts[seen.classes] - d, 0.0) + a) - unmet[seen.classes]
    return float(a * (seen.size * (unmet - 2.0 * np.log(texts + 2.0 * a)).sum() + met.sum()))


def _mean_words(belief: Any) -> Floats:
    return -np.asarray(belief.evidence.document)


LOG_PRIORS: dict[str, Callable[[Any], float]] = {  # for readings that are likelihoods
    "multinomial": of_shares,
    "binary": of_shares,
    "poisson": of_lengths,
    "bernoulli": of_presence,
}
