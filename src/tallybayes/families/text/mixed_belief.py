"""The evidence of words when several readings of the same counts are mixed: `Words(reading="auto")`.

Nine pieces for each length of runs are folded into two numbers per word and class: the evidence of one occurrence, and
its growth with repetition.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.cells import ranges
from tallybayes.counts.exact import Codes, Counts, Floats, Indices
from tallybayes.families.belief import NotLinearError, Terms
from tallybayes.families.portable import ByWords
from tallybayes.families.text.drawn_texts import draw_texts
from tallybayes.families.text.mix import BASES, POWERS, Mix, blocks_of, mix_of
from tallybayes.families.text.mix_formulas import Base, bases, cell_evidence, parts_of, word_information
from tallybayes.families.text.word_belief import WordBelief, cutting_of
from tallybayes.families.text.word_statistics import WordStatistics
from tallybayes.families.text.word_table import DENSE

FEW_CLASSES = 8  # up to this many, the table is dense; with more, most cells are empty
OCCURRENCES = BASES.index("n")


class MixedTable:
    """`add` sums the evidence of documents' words; `rows` has that of single occurrences."""

    def __init__(self, family: Any, seen: WordStatistics, mix: Mix) -> None:
        self.seen = seen
        self.mix = mix
        self.width = seen.width
        self.once, self.again = _folded(family, seen, mix)
        self._scorer = self._make_scorer()

    def add(self, documents: kernels.Documents, reading: kernels.Reading, scores: Floats) -> Counts:
        """Adds the evidence of words to scores[class, row]; returns the number of different words of each document, −1
        if missing."""
        return self._scorer.add(documents, reading, scores)

    def rows(self, words: Codes) -> Floats:
        """The evidence of one occurrence of these words, in a text of average length: [word, class]."""
        return self.rows_once(words) * self.length_factor(self._usual_length)

    def rows_once(self, words: Codes) -> Floats:
        """The same in a text of the `mix`'s length."""
        return self._rows(words, self.once)

    def rows_again(self, words: Codes) -> Floats:
        """What is added to that log2(1 + occurrences) times."""
        return self._rows(words, self.again)

    def length_factor(self, lengths: Counts | Floats) -> Floats:
        """The factor of a document's evidence, by its number of different words."""
        return self.mix.factor(lengths)

    @cached_property
    def _usual_length(self) -> Floats:
        """The mean number of different words in a text."""
        return np.asarray(self.seen.whole.documents.sum() / max(float(self.seen.texts.sum()), 1e-300))

    def _rows(self, words: Codes, values: Floats) -> Floats:
        row, at = ranges(self.seen.starts[words], self.seen.starts[words + 1])
        rows = np.zeros((len(words), self.width))
        rows[row, self.seen.classes[at]] = values[at]
        return rows

    def _make_scorer(self) -> kernels.MixedScorer:
        seen, mix = self.seen, self.mix
        if self.width <= FEW_CLASSES and 2 * seen.size * self.width <= DENSE:
            table = np.zeros((seen.size, 2, self.width))
            table[seen.words, 0, seen.classes] = self.once
            table[seen.words, 1, seen.classes] = self.again
            return kernels.MixedScorer(seen.index, table.reshape(seen.size, 2 * self.width), mix.gamma, mix.length)
        cells = np.stack([self.once, self.again], axis=1)
        classes = np.ascontiguousarray(seen.classes, np.int32)
        return kernels.MixedScorer(seen.index, seen.starts, classes, cells, self.width, mix.gamma, mix.length)


def _folded(family: Any, seen: WordStatistics, mix: Mix) -> tuple[Floats, Floats]:
    """For every cell the evidence of one occurrence, and what is added log2(1 + occurrences) times."""
    once, again = np.zeros(len(seen.words)), np.zeros(len(seen.words))
    blocks = blocks_of(family, seen.index)
    theta = np.array(mix.theta).reshape(-1, len(BASES), len(POWERS))
    for number, base in enumerate(bases(family, seen, blocks)):
        if not theta[:, number].any():
            continue
        evidence, information = _pieces(seen, blocks, base, mix.a)
        powers = np.stack([information**power for power in POWERS], axis=1)
        worth = (theta[blocks, number] * powers).sum(axis=1)  # of every word
        once += evidence * worth[seen.words]
        if number == OCCURRENCES:
            again += evidence * worth[seen.words]
    return once, again


def _pieces(seen: WordStatistics, blocks: Any, base: Base, a: float) -> tuple[Floats, Floats]:
    """The evidence of every cell, and every word's information."""
    part = parts_of(base.totals)[blocks[seen.words], seen.classes]
    evidence, added = cell_evidence(base.counts, base.overall[seen.words], part, a, seen.classes_met <= 2)
    rest = 1.0 - seen.by_word(part)
    return evidence, word_information(seen.by_word(added), base.overall, rest, a)


class MixedBelief(WordBelief):
    """Log-odds, not likelihoods: words that repeat each other are not counted twice."""

    likelihood = False

    @cached_property
    def table(self) -> Any:
        return MixedTable(self.family, self.seen, mix_of(self.family, self.seen.classes_met))

    def _add(self, documents: kernels.Documents, rows: int, scores: Floats) -> None:
        self.table.add(documents, self._read(documents), scores)

    def _evidence_of(self, words: Codes, counts: Codes, starts: Counts) -> Floats:
        table, lengths = self.table, np.diff(starts)
        doublings = np.log2((1.0 + counts) / 2.0)[:, None]
        evidence = table.rows_once(words) + doublings * table.rows_again(words)
        return evidence * np.repeat(table.length_factor(lengths), lengths)[:, None]

    def probabilities(self) -> Floats:
        """Not probabilities: the evidence of one occurrence of every word, in a text of average length."""
        return self._all_rows()

    def portable(self) -> ByWords:
        cutting, table, (words, order) = cutting_of(self.family), self.table, self.in_order()
        again = table.rows_again(order)
        document, mix = np.zeros(table.width), table.mix
        return ByWords(
            cutting=cutting,
            words=words,
            table=table.rows_once(order),
            repeats=False,
            document=document,
            again=again if again.any() else None,
            gamma=mix.gamma,
            length=mix.length,
        )

    def linear(self) -> Terms:
        raise NotLinearError(
            "reading='auto' is not linear: a word's evidence depends on the length of the text and on how often it "
            "occurs. Use the multinomial or binary reading."
        )

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """Drawn under the multinomial reading: a score has no distribution of its own."""
        return draw_texts(self._multinomial, random, classes)

    @cached_property
    def _multinomial(self) -> WordBelief:
        return WordBelief(replace(self.family, reading="multinomial", mix=None), self.corpus)
