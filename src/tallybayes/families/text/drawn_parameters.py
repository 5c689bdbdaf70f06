"""Probabilities of words, drawn from their posterior."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.text.readings import WordEvidence

MOST = 1 << 26  # numbers in a table; larger ones keep their estimates


def drawn_words(belief: Any, random: np.random.Generator) -> WordEvidence | None:
    """The evidence of words at drawn probabilities: Dirichlet if these add up to one, Beta for the presence of each
    word. None if a reading has no such posterior, or the table is too large."""
    seen, reading = belief.seen, belief.family.reading
    if reading not in ("multinomial", "binary", "bernoulli") or seen.part or seen.size * seen.width > MOST:
        return None
    counts = np.zeros((seen.size, seen.width))
    counts[seen.words, seen.classes] = seen.n if reading == "multinomial" else seen.documents
    pseudo = seen.pseudo(belief.alpha, counts[seen.words, seen.classes])[:, None]
    order = np.argsort(
        np.array(seen.vocabulary, object)
    )  # indices depend on the order of learning, which must not show
    if reading == "bernoulli":
        misses = np.maximum(seen.texts - counts, 0.0) + pseudo
        hits = _in_order(random.standard_gamma, counts + pseudo, order)
        none = _in_order(random.standard_gamma, misses, order)
        return _presence(hits / np.maximum(hits + none, np.finfo(float).tiny))
    shares = _in_order(random.standard_gamma, counts + pseudo, order)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log(shares / shares.sum(axis=0))
    table[:, ~np.isfinite(shares.sum(axis=0)) | (shares.sum(axis=0) <= 0)] = -np.log(max(seen.size, 1))
    return _evidence(table, np.zeros(seen.width))


def _in_order(draw: Any, shape: Floats, order: Any) -> Floats:
    found = np.empty_like(shape)
    found[order] = draw(shape[order])
    return found


def _presence(p: Floats) -> WordEvidence:
    p = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    without = np.log1p(-p)
    return _evidence(np.log(p) - without, without.sum(axis=0))


def _evidence(table: Floats, document: Floats) -> WordEvidence:
    none = np.zeros(0)
    return WordEvidence(none, none, none, document, np.zeros(table.shape[1], bool), table=np.ascontiguousarray(table))
