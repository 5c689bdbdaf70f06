"""Probabilities of words as they may be: drawn from what the counts leave open."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.text.readings import WordEvidence

MOST = 1 << 26  # numbers of a table; of larger ones, the parameters are taken as estimated


def drawn_words(belief: Any, random: np.random.Generator) -> WordEvidence | None:
    """What words say at drawn probabilities: Dirichlet, where these add up to one, and Beta for each word that is there
    or not. Nothing, where a reading has no such posterior, or is too large to be drawn."""
    seen, reading = belief.seen, belief.family.reading
    if reading not in ("multinomial", "binary", "bernoulli") or seen.part or seen.size * seen.width > MOST:
        return None
    counts = np.zeros((seen.size, seen.width))
    counts[seen.words, seen.classes] = seen.n if reading == "multinomial" else seen.documents
    pseudo = seen.pseudo(belief.alpha, counts[seen.words, seen.classes])[:, None]
    order = np.argsort(np.array(seen.vocabulary, object))  # numbers depend on what was met first, and must not show
    if reading == "bernoulli":
        misses = np.maximum(seen.texts - counts, 0.0) + pseudo
        hits = _in_order(random.standard_gamma, counts + pseudo, order)
        none = _in_order(random.standard_gamma, misses, order)
        return _presence(hits / np.maximum(hits + none, np.finfo(float).tiny))
    shares = _in_order(random.standard_gamma, counts + pseudo, order)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log(shares / shares.sum(axis=0))
    table[:, ~np.isfinite(shares.sum(axis=0)) | (shares.sum(axis=0) <= 0)] = -np.log(max(seen.size, 1))
    return _said(table, np.zeros(seen.width))


def _in_order(draw: Any, shape: Floats, order: Any) -> Floats:
    found = np.empty_like(shape)
    found[order] = draw(shape[order])
    return found


def _presence(p: Floats) -> WordEvidence:
    p = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    without = np.log1p(-p)
    return _said(np.log(p) - without, without.sum(axis=0))


def _said(table: Floats, document: Floats) -> WordEvidence:
    none = np.zeros(0)
    return WordEvidence(none, none, none, document, np.zeros(table.shape[1], bool), table=np.ascontiguousarray(table))
