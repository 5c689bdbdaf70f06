"""The evidence of words in new texts, from the counts under one of the readings."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes import kernels
from tallybayes.counts.cells import RUNS, run_of
from tallybayes.counts.exact import Codes, Counts, Floats, Indices
from tallybayes.families.belief import (
    MANY_PARTS,
    Belief,
    Free,
    Part,
    Terms,
    Unseen,
    WordWeight,
    heaviest,
    log_odds,
    with_rest,
)
from tallybayes.families.portable import ByWords, Cutting, NotPortableError
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.families.smoothing import Alpha
from tallybayes.families.text.character_parts import attributed_to_words, words_of
from tallybayes.families.text.corpus import Corpus
from tallybayes.families.text.drawn_texts import draw_texts, drawn_words
from tallybayes.families.text.mix import AUTO
from tallybayes.families.text.multinomial_coefficient import has_orders, log_orders
from tallybayes.families.text.readings import ONCE, READINGS, WordEvidence, free_of_words, probabilities
from tallybayes.families.text.tokens import CHARACTERS, UNKNOWN, not_utf8
from tallybayes.families.text.unseen_words import unseen_words
from tallybayes.families.text.word_statistics import WordStatistics, may_be_parted, seen_of, seen_words
from tallybayes.families.text.word_table import WordTable
from tallybayes.kernels import special
from tallybayes.kernels.strings import index_strings, index_words

COMPLEMENT = "complement"  # scores how badly a text fits the other classes
STEP = 1 << 22  # numbers at a time, when all words are needed
ASKING = 600  # cells that can be computed in the time of one small question


def _size(cells: Any) -> int:
    """The size of a text column, or of a single text, roughly in bytes."""
    return len(cells[0]) if type(cells) is list else cells.nbytes


class WordBelief(Belief):
    """The evidence of each word. The first few questions compute only the words they need, later ones use a table of
    all words: both give the same result, to the last bit."""

    has_parts = True
    bound = MANY_PARTS

    def __init__(self, family: Any, corpus: Corpus, seen: WordStatistics | None = None) -> None:
        self.family = family
        self.corpus = corpus
        self.likelihood = family.reading not in (COMPLEMENT, AUTO)
        self.adds_up = family.reading != COMPLEMENT
        self._once = family.presence or family.reading in ONCE
        self._orders = has_orders(family)
        self._parted = seen is None and may_be_parted(family)
        self._spent = 0  # work spent on partial answers so far, in cells of the whole table
        self._reading: kernels.Reading | None = None
        self._alone: tuple[kernels.WordScorer, kernels.Reading] | None = None  # if nothing else adds evidence
        if seen is not None:
            self.seen = seen

    @cached_property
    def seen(self) -> WordStatistics:
        return seen_words(self.family, self.corpus)

    @cached_property
    def alpha(self) -> Alpha:
        return self.seen.resolved_alpha(self.family.alpha)

    @cached_property
    def evidence(self) -> WordEvidence:
        return READINGS[self.family.reading](self.seen, self.alpha)

    @cached_property
    def table(self) -> WordTable:
        return WordTable(self.seen, self.evidence)

    def rows(self, words: Codes) -> Floats:
        """The evidence of these words for every class, one row for each."""
        return self.table.rows(words)

    def _about(self, documents: kernels.Documents, size: int) -> WordBelief:
        """A belief about the words of these documents only, unless a table of all words is worthwhile by now."""
        if not self._parted or "table" in self.__dict__:
            return self
        self._spent += size + ASKING
        if self._spent > len(self.corpus.cells):
            return self
        reading = self.family.cutter.reading(documents, self._once, -1)
        _, words, _ = kernels.list_words(documents, reading, self.corpus.index, False)
        seen = seen_of(self.corpus, np.unique(words))
        self._spent += len(seen.words)
        return type(self)(self.family, self.corpus, seen)

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        documents = self.family.cutter.documents(cells)
        try:
            if self._alone is not None:
                scorer, reading = self._alone
                scorer.add(documents, reading, scores)
            else:
                self._about(documents, _size(cells))._add(documents, len(cells), scores)
        except kernels.NotUtf8Error as error:
            raise not_utf8(error) from None

    def _add(self, documents: kernels.Documents, rows: int, scores: Floats) -> None:
        lengths = self.table.add(documents, self._read(documents), scores)
        if self._has_rest:
            self._add_rest(lengths, scores)
        if self._orders:
            scores[:, :rows] += self._log_orders(documents, rows)
        scorer, reading = self.table.alone, self._reading
        if scorer is not None and reading is not None and not self._has_rest and not self._orders:
            self._alone = scorer, reading

    @cached_property
    def _rest(self) -> Floats:
        return np.asarray(self.evidence.document)[:, None]

    @cached_property
    def _has_rest(self) -> bool:
        return bool(self._rest.any()) or self.evidence.rate or self.evidence.concentration is not None

    def _add_rest(self, lengths: Counts, scores: Floats) -> None:
        there = lengths >= 0
        rest = self._rest - special.gammaln(lengths + 1.0) if self.evidence.rate else self._rest
        scores[:, : len(lengths)] += np.where(there, rest, 0.0)

    def _log_orders(self, documents: kernels.Documents, rows: int) -> Floats:
        starts, _, counts = kernels.list_words(documents, self._read(documents), self.seen.index, False)
        counts = np.ones_like(counts) if self._once else counts
        return log_orders(np.repeat(np.arange(rows), np.diff(starts)), counts, rows)

    def _read(self, documents: kernels.Documents) -> kernels.Reading:
        if self._reading is not None:
            return self._reading
        unknown = int(index_words(self.seen.index, [UNKNOWN], grow=False)[0]) if self.family.unknown else -1
        reading = self.family.cutter.reading(documents, self._once, max(unknown, -1))
        if not isinstance(self.family.stems, str):
            self._reading = reading
        return reading

    def words(self) -> list[str]:
        """All words by number."""
        return self.seen.vocabulary

    def in_order(self) -> tuple[list[str], Codes]:
        """All words in alphabetical order, and their numbers, which depend on history."""
        words = self.words()
        order = sorted(range(len(words)), key=words.__getitem__)
        return [words[i] for i in order], np.array(order, np.int32)

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        """For every text, the evidence of each of its words, and last that of its length and of absent words."""
        documents = self.family.cutter.documents(cells)
        yield from self._about(documents, _size(cells))._taken_apart(documents, len(cells))

    def _taken_apart(self, documents: kernels.Documents, rows: int) -> Iterator[list[Part]]:
        starts, words, counts = kernels.list_words(documents, self._read(documents), self.seen.index, False)
        different, at = np.unique(words, return_inverse=True)  # only the words that occur
        names = pc.take(index_strings(self.seen.index.subset(different)), pa.array(at.reshape(-1))).to_pylist()
        evidence = self._evidence_of(words, counts, starts)
        spelled = [] if self.family.characters is None else words_of(self.family, documents)
        total = np.zeros((self.table.width, rows))
        self._add(documents, rows, total)
        for row in range(rows):
            span = range(starts[row], starts[row + 1])
            found = [Part(names[i], int(counts[i]), evidence[i]) for i in span]
            if spelled:
                found = attributed_to_words(found, spelled[row], self.family.characters)
            yield with_rest(found, total[:, row], evidence[starts[row] : starts[row + 1]])

    def _evidence_of(self, words: Codes, counts: Codes, starts: Counts) -> Floats:
        return self.rows(words) * (1 if self._once else counts[:, None])

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        odds = np.empty(self.seen.size)
        step = max(STEP // max(self.table.width, 1), 1)
        for start in range(0, self.seen.size, step):
            words = np.arange(start, min(start + step, self.seen.size), dtype=np.int32)
            odds[words] = log_odds(self.rows(words) - self._common, index, prior)
        whole = np.flatnonzero(run_of(self.seen.index) < RUNS - 1) if self.family.characters else slice(None)
        names = np.array(self.words(), object)[whole]
        return heaviest(names.tolist(), self.seen.counts_of(index)[whole], odds[whole], top)

    @property
    def _common(self) -> Any:
        """The evidence that all words share, which cancels when words are compared."""
        return 0.0

    def estimates(self) -> dict[str, Floats]:
        """P(word | class); for Bernoulli the probability that a document has it, for Poisson its expected count, for
        complement P(word | other classes), for the Dirichlet-multinomial its Dirichlet parameters."""
        words, order = self.in_order()
        return dict(zip(words, self.probabilities()[order], strict=True))

    def probabilities(self) -> Floats:
        return probabilities(self.family.reading, self.evidence, self._all_rows())

    def portable(self) -> ByWords:
        cutting = cutting_of(self.family)
        if self.evidence.certain is not None:
            raise NotPortableError("the absence of a word can make a text impossible. Give alpha above 0.")
        words, order = self.in_order()
        return ByWords(cutting, words, self.rows(order), not self._once, np.asarray(self.evidence.document))

    def _all_rows(self) -> Floats:
        return self.rows(np.arange(self.seen.size, dtype=np.int32))

    def linear(self) -> Terms:
        words, order = self.in_order()
        certain = self.evidence.certain
        if certain is not None:
            certain = np.argsort(order).astype(np.int32)[certain[0]], certain[1]
        return Terms(words, self.rows(order), np.asarray(self.evidence.document), certain)

    def free(self) -> Free:
        return free_of_words(self.family.reading, self.seen.size)

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        return draw_texts(self, random, classes)

    def drawn(self, random: np.random.Generator) -> Belief:
        evidence = drawn_words(self, random)
        if evidence is None:
            return self
        found = copy(self)
        found.__dict__.pop("table", None)
        found.__dict__.update(evidence=evidence, _parted=False, _alone=None)
        for kept in ("_rest", "_has_rest"):
            found.__dict__.pop(kept, None)
        return found

    def unseen(self, cells: Any) -> Unseen:
        documents = self.family.cutter.documents(cells)
        met = self.seen.by_word(self.seen.n)
        return unseen_words(documents, self._read(documents), self.seen.index, len(cells), met, self._once)

    def posterior(self, index: int) -> Posterior:
        if self.family.reading != "multinomial":
            raise TypeError(
                f"Words(reading={self.family.reading!r}) has no posterior of its parameters; 'multinomial' has."
            )
        alpha = self.seen.pseudo(self.alpha, self.seen.n) + self.seen.counts_of(index)
        words, order = self.in_order()
        return Dirichlet(dict(zip(words, alpha[order].tolist(), strict=True)))


def cutting_of(family: Any) -> Cutting:
    """How other programs can split a text into the same words; an error if they cannot."""
    for given, reason in (
        (family.tokeniser, "its tokeniser is a Python function, which cannot be exported."),
        (family.stems, "its stemmer cannot be exported."),
        (family.unit == CHARACTERS, "with unit='characters' there are no words to look up."),
        (family.unknown, "with unknown=True, words outside the table count too."),
    ):
        if given:
            raise NotPortableError(reason)
    return Cutting(**{name: getattr(family, name) for name in Cutting._fields})
