"""Texts drawn under a reading of the counts: a length, then the words; and probabilities of words, drawn from their
posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.cells import SPELLED
from tallybayes.counts.exact import Floats, Indices, Mask
from tallybayes.families.belief import by_class
from tallybayes.families.text.readings import WordEvidence, presence
from tallybayes.families.text.tokens import WORDS

MOST = 1 << 26  # numbers in a table; larger ones keep their estimates


def draw_texts(belief: Any, random: np.random.Generator, classes: Indices) -> pa.Array:
    """One text for each of the classes; missing if a class has nothing to draw from."""
    family = belief.family
    if family.ngrams[0] > 1:
        raise TypeError(f"Words(ngrams={family.ngrams!r}) counts overlapping n-grams, so no text can be drawn.")
    if not belief.likelihood:
        raise TypeError("Words(reading='complement') gives scores, not a distribution to draw texts from.")
    if (family.presence or family.reading == "binary") and family.reading != "bernoulli":
        given = "presence=True" if family.presence else "reading='binary'"
        raise TypeError(f"Words({given}) counts each word once per text, so no text can be drawn; use Words().")
    names = np.array(belief.words(), object)
    order = np.argsort(names)  # the order of learning must not show
    order = order[_is_single(family, names)[order]]
    space = " " if family.unit == WORDS else ""
    result: list[str | None] = [None] * len(classes)
    for number, rows in by_class(classes):
        for row, words in zip(rows, _numbers(belief, random, number, len(rows), order), strict=False):
            result[row] = space.join(names[order[words]])
    return pa.array(result, pa.large_string())


def _numbers(belief: Any, random: np.random.Generator, number: int, count: int, order: Indices) -> list[NDArray[Any]]:
    """Documents of a class, as indices into `order`; None if there is nothing to draw from."""
    if belief.family.reading == "bernoulli":
        p = belief.probabilities()[order, number]
        known = not belief.evidence.blank[number]
        return [np.flatnonzero(random.random(len(p)) < p) for _ in range(count * known)]
    evidence = belief.rows(order.astype(np.int32))[:, number]
    lengths = _lengths(belief, random, number, count, order)
    highest = evidence.max(initial=-np.inf)
    p = np.exp(evidence - (highest if np.isfinite(highest) else 0.0))
    if lengths is None or (lengths.any() and not (p.sum() > 0)):
        return []
    edges = np.cumsum(p / (p.sum() or 1.0))
    if belief.family.reading == "dirichlet-multinomial":
        concentration = float(belief.evidence.concentration[number])
        return [_urn(random, edges, int(length), concentration) for length in lengths]
    drawn = np.minimum(np.searchsorted(edges, random.random(int(lengths.sum())), side="right"), len(edges) - 1)
    return np.split(drawn, np.cumsum(lengths)[:-1])


def _lengths(
    belief: Any, random: np.random.Generator, number: int, count: int, single: Indices
) -> NDArray[np.int64] | None:
    """Lengths drawn from the class's documents, or if it has none, from all documents."""
    if belief.evidence.rate:
        return random.poisson(-belief.evidence.document[number], count)
    lengths, documents = belief.seen.corpus.spread
    spread = documents[:, number]
    spread = spread if spread.sum() > 0 else documents.sum(axis=1)
    if not spread.sum() > 0:
        return None
    if belief.family.characters is not None:  # how many of them a document has is not counted
        counts = belief.seen.counts_of(number)
        words = np.rint(lengths * (counts[single].sum() / max(counts.sum(), 1.0))).astype(np.int64)
    else:
        words = _single_words(lengths, belief.family.ngrams[1])
    drawn = random.choice(words, count, p=spread / spread.sum())
    return random.binomial(drawn, belief.seen.kept[number])  # ignored words are not drawn


def _is_single(family: Any, names: NDArray[Any]) -> Mask:
    """Which of these are single words or characters, not runs."""
    if family.ngrams == (1, 1) and family.characters is None:
        return np.ones(len(names), bool)
    if family.unit != WORDS:
        return np.array([len(name) == 1 for name in names], bool)
    return np.array([" " not in name and not name.startswith(SPELLED) for name in names], bool)


def _single_words(lengths: Floats, longest: int) -> NDArray[np.int64]:
    """The number of words of a document, from its number of n-grams: n of one word, n − 1 of two, up to the longest."""
    some = np.arange(longest)
    runs = np.concatenate([(some * (some + 1)) // 2, [np.inf]])  # for documents too short for the longest run
    many = np.rint((lengths + longest * (longest - 1) / 2) / longest).astype(np.int64)
    few = np.searchsorted(runs, lengths)
    return np.where(lengths <= runs[-2], few, many)


def _urn(random: np.random.Generator, edges: Floats, length: int, concentration: float) -> NDArray[Any]:
    """A Pólya urn: each word is new or repeats one of the document, the more likely the longer it is."""
    words = np.searchsorted(edges, random.random(length), side="right").clip(0, len(edges) - 1)
    for i in range(1, length):
        if random.random() * (concentration + i) >= concentration:
            words[i] = words[random.integers(i)]
    return words


def drawn_words(belief: Any, random: np.random.Generator) -> WordEvidence | None:
    """The evidence of words at drawn probabilities: Dirichlet if these add up to one, Beta for the presence of each
    word. None if a reading has no such posterior, or the table is too large."""
    seen, reading = belief.seen, belief.family.reading
    if reading not in ("multinomial", "binary", "bernoulli") or seen.part or seen.size * seen.width > MOST:
        return None
    order = np.argsort(np.array(seen.vocabulary, object))  # the order of learning must not show
    if reading == "bernoulli":
        hits, none = (_in_order(random.standard_gamma, n, order) for n in presence(seen, belief.alpha)[:2])
        p = np.clip(hits / np.maximum(hits + none, np.finfo(float).tiny), 1e-300, 1.0 - 2.0**-53)
        return _evidence(np.log(p) - np.log1p(-p), np.log1p(-p).sum(axis=0))
    counts, n = np.zeros((seen.size, seen.width)), seen.n if reading == "multinomial" else seen.documents
    counts[seen.words, seen.classes] = n
    shares = _in_order(random.standard_gamma, counts + seen.pseudo(belief.alpha, n)[:, None], order)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log(shares / shares.sum(axis=0))
    table[:, ~np.isfinite(shares.sum(axis=0)) | (shares.sum(axis=0) <= 0)] = -np.log(max(seen.size, 1))
    return _evidence(table, np.zeros(seen.width))


def _in_order(draw: Any, shape: Floats, order: Any) -> Floats:
    found = np.empty_like(shape)
    found[order] = draw(shape[order])
    return found


def _evidence(table: Floats, document: Floats) -> WordEvidence:
    none = np.zeros(0)
    return WordEvidence(none, none, none, document, np.zeros(table.shape[1], bool), table=np.ascontiguousarray(table))
