"""What counts of words mean: seven readings of the same counts, each a short function from `Seen` to `Said`.

Every reading comes down to the same form. A word says something about each class that met it (`cells`), something else
about all classes that did not (`otherwise`), every word adds the same to a class (`each`), and so does every document
(`document`). So a model of many classes costs what was met, and scoring is one loop for all readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats
from tallybayes.families.base import Free
from tallybayes.families.smoothing import Alpha, MEstimate, pseudocounts
from tallybayes.families.text.word_statistics import Seen
from tallybayes.kernels import special

LEAST_ALPHA = 1e-10  # of complement scores, which cannot be compared when they are infinite
MOST_TABLE = 1 << 27  # so many numbers are a gigabyte
MOST_CONCENTRATED = 1e9
ONCE = ("once", "bernoulli")  # readings to which a word repeated is a word


class Said(NamedTuple):
    """What words say about classes, in logarithms. Where `otherwise` is −∞, a cell holds all that is said of its class;
    elsewhere, what is said beyond `otherwise`."""

    cells: Floats
    otherwise: Floats
    each: Floats
    document: Floats
    blank: NDArray[np.bool_]  # classes of which nothing is known: there, `each` is all that a word says
    table: Floats | None = None  # instead of cells, otherwise and each: [word, class]
    certain: tuple[Codes, Codes] | None = None  # words and classes, where every document of the class has the word
    concentration: Floats | None = None  # of each class, of the compound
    rate: bool = False  # whether the number of words is part of what is said
    assumed: float = 0.0  # documents that such a number counts beside those there are


def multinomial(seen: Seen, counts: Floats, pseudo: Floats) -> Said:
    """(count + α) / Σ(count + α)."""
    alike = len(pseudo) > 0 and bool(np.all(pseudo == pseudo[0]))  # mostly, and then few numbers are worked out
    total = seen.by_class(counts) + (pseudo if alike else np.sort(pseudo)).sum()
    at: Any = slice(1) if alike else seen.words
    a = pseudo[at]
    with np.errstate(divide="ignore"):
        otherwise = np.full_like(pseudo, np.log(pseudo[0])) if alike else np.log(pseudo)
        cells = np.log(counts + a) - np.where(a > 0, otherwise[at], 0.0)
        # Where nothing is counted or believed, all words are as likely as each other.
        each = np.where(total > 0, -np.log(total), -np.log(max(seen.size, 1)))
    return Said(cells, otherwise, each, np.zeros_like(total), total <= 0)


def pooled(seen: Seen, alpha: Alpha) -> Said:
    """All documents of a class as one long text."""
    return multinomial(seen, seen.n, seen.pseudo(alpha, seen.n))


def once(seen: Seen, alpha: Alpha) -> Said:
    """The same with each word once a document, however often it comes there: the second time tells little that the
    first has not."""
    return multinomial(seen, seen.documents, seen.pseudo(alpha, seen.documents))


def averaged(seen: Seen, alpha: Alpha) -> Said:
    """Each document's own frequencies, averaged. Long documents weigh no more than short ones; α stands for as many
    words as in the pooled reading, because the shares are scaled up to the number of words there are."""
    shares, words = seen.by_class(seen.share), seen.by_class(seen.n)
    scale = np.divide(words, shares, out=np.zeros_like(words), where=shares > 0)
    counts = seen.share * scale[seen.classes]
    return multinomial(seen, counts, seen.pseudo(alpha, counts))


def poisson(seen: Seen, alpha: Alpha) -> Said:
    """Each word's number in a document is Poisson, at the pooled frequency times the mean number of words; with any
    smoothing, that mean counts one document more, as long as those of all classes."""
    said = pooled(seen, alpha)
    words, assumed = seen.by_class(seen.n), float(np.isfinite(said.otherwise).any())
    overall = words.sum() / max(seen.texts.sum(), 1e-300) or assumed  # without any word to go by: one
    texts = seen.texts + assumed
    mean = np.divide(words + assumed * overall, texts, out=np.full_like(words, overall), where=texts > 0)
    with np.errstate(divide="ignore"):
        return said._replace(each=said.each + np.log(mean), document=-mean, rate=True, assumed=assumed)


def complement(seen: Seen, alpha: Alpha) -> Said:
    """How badly a word fits all the other classes together: a score, not a likelihood."""
    pseudo = np.maximum(seen.pseudo(alpha, seen.n), LEAST_ALPHA)
    overall = seen.by_word(seen.n)
    others = np.maximum(overall[seen.words] - seen.n, 0.0)
    words = seen.by_class(seen.n)
    total = np.maximum(words.sum() - words, 0.0) + np.sort(pseudo).sum()
    otherwise = -np.log(overall + pseudo)
    cells = -np.log(others + pseudo[seen.words]) - otherwise[seen.words]
    each = np.log(np.maximum(total, LEAST_ALPHA))
    return Said(cells, otherwise, each, np.zeros_like(total), np.zeros(len(total), bool))


def bernoulli(seen: Seen, alpha: Alpha) -> Said:
    """Each word is in a document or not: (documents with it + α) / (documents + 2·α), and those that are not say so."""
    if isinstance(alpha, Mapping) or (isinstance(alpha, MEstimate) and alpha.p != "uniform"):
        return _bernoulli_table(seen, alpha)
    a = alpha.m / 2.0 if isinstance(alpha, MEstimate) else float(alpha)
    if seen.gaps is not None:
        return _bernoulli_table(seen, a)
    texts, d = seen.texts, seen.documents
    absent = np.maximum(texts[seen.classes] - d, 0.0) + a
    certain = absent <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.log(texts + 2.0 * a)
        none = np.log(texts + a) - total
        without = np.where(certain, 0.0, np.log(absent) - total[seen.classes])
        odds = np.where(certain, 0.0, np.log(d + a) - np.log(absent))
        each = np.where(texts + a > 0, -np.log(texts + a), 0.0)
        cells = odds - each[seen.classes] - (np.log(a) if a > 0 else 0.0)
    met = np.bincount(seen.classes, minlength=len(texts))
    unmet = np.where(seen.size > met, (seen.size - met) * np.where(texts + a > 0, none, 0.0), 0.0)
    document = unmet + seen.by_class(without)
    otherwise = np.full(seen.size, np.log(a) if a > 0 else -np.inf)
    pairs = (seen.words[certain], seen.classes[certain]) if certain.any() else None
    return Said(cells, otherwise, each, document, texts + a <= 0, certain=pairs)


def _bernoulli_table(seen: Seen, alpha: Alpha) -> Said:
    """The same where words differ in what is believed of them, which leaves nothing that classes have in common."""
    width = len(seen.texts)
    if seen.size * width > MOST_TABLE:
        raise ValueError(
            f"reading='bernoulli' with alpha={alpha!r} needs a table of {seen.size} words × {width} classes; "
            "give alpha as a number, or limit the words."
        )
    overall = seen.by_word(seen.documents)
    texts = seen.texts[None, :] if seen.gaps is None else seen.texts - seen.gaps
    if isinstance(alpha, MEstimate):
        levels = seen.vocabulary if isinstance(alpha.p, Mapping) else []
        share = overall / np.maximum(texts.sum(axis=1), 1e-300)
        p = share if alpha.p == "overall" else pseudocounts(MEstimate(1.0, alpha.p), levels, overall)
        hits, misses = alpha.m * p, alpha.m * (1.0 - p)
    else:
        hits = misses = seen.pseudo(alpha, seen.documents)
    counts = np.zeros((seen.size, width))
    counts[seen.words, seen.classes] = seen.documents
    present = counts + hits[:, None]
    absent = np.maximum(texts - counts, 0.0) + misses[:, None]
    certain = (absent <= 0) & (present > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(absent > 0, np.log(absent) - np.log(present + absent), 0.0)
        odds = np.where(absent > 0, np.log(present) - np.log(absent), 0.0)
    none = np.zeros(0)
    words, classes = np.nonzero(certain)
    pairs = (words.astype(np.int32), classes.astype(np.int32)) if words.size else None
    document = np.sort(without, axis=0).sum(axis=0)
    return Said(none, none, none, document, np.zeros(width, bool), table=odds, certain=pairs)


def compound(seen: Seen, alpha: Alpha) -> Said:
    """Dirichlet-compound multinomial: a word met once in a document is likely to come again. Its parameters are Elkan's
    (2006): a class's words in proportion to the documents that have them, times the concentration under which
    documents have as many different words as they do."""
    said = multinomial(seen, seen.documents, seen.pseudo(alpha, seen.documents))
    s = concentration(seen.lengths, seen.spread, seen.different)
    return said._replace(each=said.each + np.log(s), concentration=s)


def concentration(lengths: Floats, spread: Floats, different: Floats) -> Floats:
    """Of every class s with Σ over documents of s·(ψ(s + length) − ψ(s)) = the number of different words they have,
    added up. Where no word ever comes twice, so large that no word's coming makes it more likely."""
    rows, classes = np.nonzero((spread > 0) & (lengths > 0)[:, None])
    n, length, width = spread[rows, classes], lengths[rows], len(different)
    never_twice = different >= np.bincount(classes, n * length, width) * (1.0 - 1e-9)
    high = np.full(width, np.log(MOST_CONCENTRATED))
    low = np.where(never_twice, high, np.log(1e-6))
    at = (low + high) / 2.0  # logarithms; by Newton's steps, or half-way where these lead astray
    for _ in range(100):
        s = np.exp(at)
        drawn, bent = (
            np.bincount(classes, n * (of(s[classes] + length) - of(s)[classes]), width)
            for of in (special.digamma, special.trigamma)
        )
        excess = s * drawn - different
        low, high = np.where(excess < 0, at, low), np.where(excess < 0, high, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = at - excess / (s * (drawn + s * bent))
        before, at = at, np.where((newton > low) & (newton < high), newton, (low + high) / 2.0)
        if np.abs(at - before).max(initial=0.0) < 1e-13:
            break
    return np.exp(at)


def free_of_words(reading: str, words: int) -> Free:
    """A number for each word; but for the last where they add up to one, as probabilities of words do. Presence alone
    has outcomes that could be listed: every set of words."""
    if reading == "bernoulli":
        return Free(words, outcomes=1 << words)
    return Free(words if reading in ("poisson", "compound") else max(words - 1, 0))


READINGS: dict[str, Callable[[Seen, Alpha], Said]] = {
    "pooled": pooled,
    "once": once,
    "averaged": averaged,
    "bernoulli": bernoulli,
    "poisson": poisson,
    "complement": complement,
    "compound": compound,
}
