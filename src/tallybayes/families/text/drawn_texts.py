"""Texts made up as a reading of the counts has them come about: a length, then the words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.class_totals import SPELLED
from tallybayes.counts.exact import Floats
from tallybayes.families.base import by_class
from tallybayes.families.text.tokens import WORDS


def draw_texts(belief: Any, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
    """One text for each of the classes; missing where a class has nothing to draw from."""
    family = belief.family
    if family.ngrams[0] > 1:
        raise TypeError(f"Words(ngrams={family.ngrams!r}) counts runs that overlap, and no text is made of them.")
    if not belief.likelihood:
        raise TypeError("Words(reading='complement') gives scores, and no distribution to draw texts from.")
    if (family.presence or family.reading == "binary") and family.reading != "bernoulli":
        given = "presence=True" if family.presence else "reading='binary'"
        raise TypeError(f"Words({given}) has each word once a text; texts are drawn word by word, as from Words().")
    names = np.array(belief.words(), object)
    order = np.argsort(names)  # the order in which words were met must not show
    order = order[_is_single(family, names)[order]]
    space = " " if family.unit == WORDS else ""
    result: list[str | None] = [None] * len(classes)
    for number, rows in by_class(classes):
        for row, words in zip(rows, _numbers(belief, random, number, len(rows), order), strict=False):
            result[row] = space.join(names[order[words]])
    return pa.array(result, pa.large_string())


def _numbers(
    belief: Any, random: np.random.Generator, number: int, count: int, order: NDArray[np.intp]
) -> list[NDArray[Any]]:
    """So many documents of a class as places of words in that order; none if there is nothing to draw from."""
    if belief.family.reading == "bernoulli":
        p = belief.probabilities()[order, number]
        known = not belief.said.blank[number]
        return [np.flatnonzero(random.random(len(p)) < p) for _ in range(count * known)]
    said = belief.rows(order.astype(np.int32))[:, number]
    lengths = _lengths(belief, random, number, count, order)
    p = np.exp(said - said.max()) if said.size else said
    if lengths is None or (lengths.any() and not (p.sum() > 0)):
        return []
    edges = np.cumsum(p / p.sum()) if p.size else p
    if belief.family.reading == "dirichlet-multinomial":
        concentration = float(belief.said.concentration[number])
        return [_urn(random, edges, int(length), concentration) for length in lengths]
    drawn = np.minimum(np.searchsorted(edges, random.random(int(lengths.sum())), side="right"), len(edges) - 1)
    return np.split(drawn, np.cumsum(lengths)[:-1])


def _lengths(
    belief: Any, random: np.random.Generator, number: int, count: int, single: NDArray[np.intp]
) -> NDArray[np.int64] | None:
    """As many words as the class's documents have, or if it has none, as all documents have."""
    if belief.said.rate:
        return random.poisson(-belief.said.document[number], count)
    lengths, documents = belief.seen.corpus.spread
    spread = documents[:, number]
    spread = spread if spread.sum() > 0 else documents.sum(axis=1)
    if not spread.sum() > 0:
        return None
    if belief.family.characters is not None:  # of which nobody knows how many are a document's
        counts = belief.seen.counts_of(number)
        words = np.rint(lengths * (counts[single].sum() / max(counts.sum(), 1.0))).astype(np.int64)
    else:
        words = _single_words(lengths, belief.family.ngrams[1])
    drawn = random.choice(words, count, p=spread / spread.sum())
    return random.binomial(drawn, belief.seen.kept[number])  # words that are ignored are not drawn


def _is_single(family: Any, names: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these are single words or characters, and no runs of them."""
    if family.ngrams == (1, 1) and family.characters is None:
        return np.ones(len(names), bool)
    if family.unit != WORDS:
        return np.array([len(name) == 1 for name in names], bool)
    return np.array([" " not in name and not name.startswith(SPELLED) for name in names], bool)


def _single_words(lengths: Floats, longest: int) -> NDArray[np.int64]:
    """How many words a document has that has so many runs: n of one, n − 1 of two, up to the longest."""
    some = np.arange(longest)
    runs = np.concatenate([(some * (some + 1)) // 2, [np.inf]])  # documents too short for the longest
    many = np.rint((lengths + longest * (longest - 1) / 2) / longest).astype(np.int64)
    few = np.searchsorted(runs, lengths)
    return np.where(lengths <= runs[-2], few, many)


def _urn(random: np.random.Generator, edges: Floats, length: int, concentration: float) -> NDArray[Any]:
    """Each word is a new one, or one of the document's own again: the more likely, the more there are."""
    words = np.searchsorted(edges, random.random(length), side="right").clip(0, len(edges) - 1)
    for i in range(1, length):
        if random.random() * (concentration + i) >= concentration:
            words[i] = words[random.integers(i)]
    return words
