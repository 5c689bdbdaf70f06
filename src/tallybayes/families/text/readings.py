"""The event models of text: seven readings of the same counts, each a short function from `WordStatistics` to
`WordEvidence`.

Every reading has the same form. A word has evidence for each class that has it (`cells`), other evidence for all
classes that do not (`otherwise`), a constant per word (`each`) and one per document (`document`). So a model of many
classes costs only its non-empty cells, and scoring is one loop for all readings.

`LOG_PRIORS` has the log prior density of words' probabilities, which EM adds to the log-likelihood: (count + α) / Σ is
the posterior mode under Dirichlet(α + 1), whose log density is Σ α·log p up to a constant; for Bernoulli, presence and
absence have such a term each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Codes, Floats, Mask
from tallybayes.families.belief import Free
from tallybayes.families.smoothing import Alpha, MEstimate, log_dirichlet, pseudocounts
from tallybayes.families.text.corpus import NONE, Frequencies
from tallybayes.families.text.word_statistics import WordStatistics
from tallybayes.kernels import special

LEAST_ALPHA = 1e-10  # of complement scores: infinite ones could not be compared
MOST_TABLE = 1 << 27  # numbers: a gigabyte
ONCE = ("binary", "bernoulli")  # readings that ignore repetition


class WordEvidence(NamedTuple):
    """The evidence of words for classes. If `otherwise` is −∞, a cell holds the whole evidence for its class, else the
    difference from `otherwise`."""

    cells: Floats
    otherwise: Floats
    each: Floats
    document: Floats
    blank: Mask  # classes without counts or prior: there `each` is all the evidence
    table: Floats | None = None  # instead of cells, otherwise and each: [word, class]
    certain: tuple[Codes, Codes] | None = None  # words and classes such that every document of the class has the word
    concentration: Floats | None = None  # of each class, for the Dirichlet-multinomial
    rate: bool = False  # whether the number of words is part of the evidence
    assumed: float = 0.0  # pseudo-documents in the mean number of words


def smoothed_shares(seen: WordStatistics, counts: Floats, totals: Floats, alpha: Alpha) -> WordEvidence:
    """(count + α) / Σ(count + α)."""
    pseudo, assumed, a = _pseudo(seen, alpha, counts)
    total = totals + assumed
    with np.errstate(divide="ignore"):
        cells = np.log(counts + a) - np.where(a > 0, np.log(a), 0.0)
        # Without counts or prior all words are equally likely.
        each = np.where(total > 0, -np.log(total), -np.log(max(seen.whole.size, 1)))
        otherwise = np.full(seen.size, np.log(a)) if np.ndim(a) == 0 else np.log(pseudo)
    return WordEvidence(cells, otherwise, each, np.zeros_like(total), total <= 0)


def _pseudo(seen: WordStatistics, alpha: Alpha, counts: Floats) -> tuple[Floats, float, Any]:
    """The pseudo-count of every word, their sum over all words, and that of every cell, or one for all cells."""
    pseudo, same = seen.pseudo(alpha, counts), seen.same(alpha)
    if same is not None:
        return pseudo, same * seen.whole.size, same
    return pseudo, float(np.sort(pseudo).sum()), pseudo[seen.words]


def multinomial(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """All documents of a class as one long text."""
    return smoothed_shares(seen, seen.n, seen.whole.n, alpha)


def binary(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """The same with each word counted once per document: a second occurrence tells little more than the first."""
    return smoothed_shares(seen, seen.documents, seen.whole.documents, alpha)


def averaged(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """Each document's own frequencies, averaged: long documents weigh no more than short ones. The shares are scaled up
    to the number of words, so that α means the same as in the multinomial."""
    scale = words_per_share(seen.whole.n, seen.whole.share)
    return smoothed_shares(seen, seen.share * scale[seen.classes], seen.whole.share * scale, alpha)


def words_per_share(words: Floats, shares: Floats) -> Floats:
    return np.divide(words, shares, out=np.zeros_like(words), where=shares > 0)


def poisson(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """The count of each word in a document is Poisson, with the multinomial frequency times the mean length as its
    rate. With any smoothing, the mean includes one pseudo-document of the mean length over all classes."""
    evidence, assumed = multinomial(seen, alpha), float(_pseudo(seen, alpha, seen.n)[1] > 0)
    mean = mean_lengths(seen.whole.n, seen.texts, assumed)
    with np.errstate(divide="ignore"):
        return evidence._replace(each=evidence.each + np.log(mean), document=-mean, rate=True, assumed=assumed)


def mean_lengths(words: Floats, texts: Floats, assumed: Floats | float) -> Floats:
    """The mean number of words in a text of each class, the last axis, with so many pseudo-documents."""
    overall = words.sum(axis=-1, keepdims=True) / np.maximum(texts.sum(axis=-1, keepdims=True), 1e-300)
    overall = np.where(overall > 0, overall, assumed)  # 1 if there are no words at all
    texts = texts + assumed
    return np.divide(words + assumed * overall, texts, out=np.zeros_like(words) + overall, where=texts > 0)


def complement(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """How badly a word fits all the other classes together: a score, not a log-likelihood."""
    same = seen.same(alpha)
    pseudo = np.maximum(seen.pseudo(alpha, seen.n), LEAST_ALPHA)
    assumed = np.sort(pseudo).sum() if same is None else max(same, LEAST_ALPHA) * seen.whole.size
    overall = seen.by_word(seen.n)
    others = np.maximum(overall[seen.words] - seen.n, 0.0)
    words = seen.whole.n
    total = np.maximum(words.sum() - words, 0.0) + assumed
    otherwise = -np.log(overall + pseudo)
    cells = -np.log(others + pseudo[seen.words]) - otherwise[seen.words]
    each = np.log(np.maximum(total, LEAST_ALPHA))
    return WordEvidence(cells, otherwise, each, np.zeros_like(total), np.zeros(len(total), bool))


def bernoulli(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """Each word is present or absent: (documents with it + α) / (documents + 2·α), and absence is evidence too."""
    a = _of_presence(alpha)
    if not isinstance(a, float) or seen.gaps is not None:
        return _bernoulli_table(seen, alpha)
    texts, d = seen.texts, seen.documents
    absent = np.maximum(texts[seen.classes] - d, 0.0) + a
    certain = absent <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.where(certain, 0.0, np.log(d + a) - np.log(absent))
        each = np.where(texts + a > 0, -np.log(texts + a), 0.0)
        cells = odds - each[seen.classes] - (np.log(a) if a > 0 else 0.0)
    size = seen.whole.size if seen.part else seen.size
    document = _of_none(seen.frequencies, texts, a, size)
    otherwise = np.full(seen.size, np.log(a) if a > 0 else -np.inf)
    pairs = (seen.words[certain], seen.classes[certain]) if certain.any() else None
    return WordEvidence(cells, otherwise, each, document, texts + a <= 0, certain=pairs)


def _of_presence(alpha: Alpha) -> Alpha:
    """Half of a uniform m-estimate is presence."""
    return alpha.m / 2.0 if isinstance(alpha, MEstimate) and alpha.p == "uniform" else alpha


def _of_none(known: Sequence[Frequencies], texts: Floats, a: float, size: int) -> Floats:
    """The evidence of a document without any words, except for words that every document of the class has."""
    of = np.repeat(np.arange(len(known)), [len(each.documents) for each in known])
    documents, words = (np.concatenate(arrays) for arrays in zip(NONE, *known, strict=True))
    absent, total = np.maximum(texts[of] - documents, 0.0) + a, texts + 2.0 * a
    evidence = words * np.log(absent / total[of], out=np.zeros_like(absent), where=absent > 0)
    unmet = size - np.bincount(of, words, len(known))  # words of other classes
    share = np.divide(texts + a, total, out=np.ones_like(total), where=total > 0)
    return np.asarray(np.bincount(of, evidence, len(known)) + unmet * np.log(share), np.float64)


def _bernoulli_table(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """The same if words have different pseudo-counts: then it takes a dense table."""
    width = seen.width
    if seen.size * width > MOST_TABLE:
        raise ValueError(
            f"reading='bernoulli' with alpha={alpha!r} needs a table of {seen.size} words × {width} classes; "
            "give alpha as a number, or limit the words."
        )
    present, absent, _, _ = presence(seen, alpha)
    certain = (absent <= 0) & (present > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(absent > 0, np.log(absent) - np.log(present + absent), 0.0)
        odds = np.where(absent > 0, np.log(present) - np.log(absent), 0.0)
    none = np.zeros(0)
    words, classes = np.nonzero(certain)
    pairs = (words.astype(np.int32), classes.astype(np.int32)) if words.size else None
    document = np.sort(without, axis=0).sum(axis=0)
    return WordEvidence(none, none, none, document, np.zeros(width, bool), table=odds, certain=pairs)


def presence(seen: WordStatistics, alpha: Alpha) -> tuple[Floats, Floats, Floats, Floats]:
    """How many documents of every class have each word and how many do not, [word, class], with pseudo-documents; and
    the pseudo-documents of each word."""
    alpha, overall = _of_presence(alpha), seen.by_word(seen.documents)
    texts = seen.texts[None, :] if seen.gaps is None else seen.texts - seen.gaps
    if isinstance(alpha, MEstimate):
        levels = seen.vocabulary if isinstance(alpha.p, Mapping) else []
        share = overall / np.maximum(texts.sum(axis=1), 1e-300)
        p = share if alpha.p == "overall" else pseudocounts(MEstimate(1.0, alpha.p), levels, overall)
        hits, misses = alpha.m * p, alpha.m * (1.0 - p)
    else:
        hits = misses = seen.pseudo(alpha, seen.documents)
    counts = np.zeros((seen.size, seen.width))
    counts[seen.words, seen.classes] = seen.documents
    return counts + hits[:, None], np.maximum(texts - counts, 0.0) + misses[:, None], hits, misses


def dirichlet_multinomial(seen: WordStatistics, alpha: Alpha) -> WordEvidence:
    """Dirichlet-compound multinomial: a word that occurs in a document is likely to occur again. Parameters after Elkan
    (2006): proportional to the document frequency of each word in the class, with the concentration that explains the
    number of different words per document."""
    evidence, s = binary(seen, alpha), seen.corpus.concentration
    return evidence._replace(each=evidence.each + np.log(s), concentration=s)


def probabilities(reading: str, evidence: WordEvidence, rows: Floats) -> Floats:
    """What the evidence of words, [word, class], says about them: for Bernoulli the probability of presence, for
    complement P(word | other classes)."""
    if reading != "bernoulli":
        return np.exp(-rows if reading == "complement" else rows)
    values = special.expit(rows)
    if evidence.certain is not None:
        values[evidence.certain] = 1.0
    return values


def free_of_words(reading: str, words: int) -> Free:
    """One parameter per word, minus one if they add up to one. Only presence has outcomes that can be listed: every set
    of words."""
    if reading == "bernoulli":
        return Free(words, outcomes=1 << words)
    return Free(words if reading in ("poisson", "dirichlet-multinomial", "auto") else max(words - 1, 0))


READINGS: dict[str, Callable[[WordStatistics, Alpha], WordEvidence]] = {
    "multinomial": multinomial,
    "binary": binary,
    "averaged": averaged,
    "bernoulli": bernoulli,
    "poisson": poisson,
    "complement": complement,
    "dirichlet-multinomial": dirichlet_multinomial,
}


def log_prior_of_shares(belief: Any) -> float:
    """For words whose probabilities add up to one."""
    counts = belief.seen.documents if belief.family.reading == "binary" else belief.seen.n
    pseudo, evidence = belief.seen.pseudo(belief.alpha, counts), belief.evidence
    held = pseudo > 0
    if belief.seen.part or evidence.table is not None or not held.any():
        return 0.0
    each = evidence.each - np.log(_mean_words(belief)) if evidence.rate else evidence.each
    unmet = float((pseudo[held] * evidence.otherwise[held]).sum() * belief.seen.width + pseudo.sum() * each.sum())
    return unmet + float((pseudo[belief.seen.words] * np.where(held[belief.seen.words], evidence.cells, 0.0)).sum())


def log_prior_of_lengths(belief: Any) -> float:
    """The same, plus that of the mean number of words: one pseudo-document, if there is any smoothing."""
    if not belief.evidence.assumed:
        return log_prior_of_shares(belief)
    mean = _mean_words(belief)
    overall = belief.seen.whole.n.sum() / max(belief.seen.texts.sum(), 1e-300) or 1.0
    return log_prior_of_shares(belief) + belief.evidence.assumed * float((overall * np.log(mean) - mean).sum())


def log_prior_of_presence(belief: Any) -> float:
    """For words that are present or absent."""
    seen, a = belief.seen, _of_presence(belief.alpha)
    if belief.evidence.table is not None:
        present, absent, hits, misses = presence(seen, a)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(present / (present + absent)), np.log(absent / (present + absent))
        return log_dirichlet(hits[:, None], logs[0]) + log_dirichlet(misses[:, None], logs[1])
    if not isinstance(a, float) or a == 0:
        return 0.0
    texts, d = seen.texts, seen.documents
    unmet = np.log(a) + np.log(texts + a)  # of every class
    met = np.log(d + a) + np.log(np.maximum(texts[seen.classes] - d, 0.0) + a) - unmet[seen.classes]
    return float(a * (seen.size * (unmet - 2.0 * np.log(texts + 2.0 * a)).sum() + met.sum()))


def _mean_words(belief: Any) -> Floats:
    return -np.asarray(belief.evidence.document)


LOG_PRIORS: dict[str, Callable[[Any], float]] = {  # for readings that are likelihoods
    "multinomial": log_prior_of_shares,
    "binary": log_prior_of_shares,
    "poisson": log_prior_of_lengths,
    "bernoulli": log_prior_of_presence,
}
