"""The evidence of words when several readings of the same counts are mixed: `Words(reading="auto")`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.families.base import NotLinearError, Terms
from tallybayes.families.portable import ByWords
from tallybayes.families.text.drawn_texts import draw_texts
from tallybayes.families.text.mix import mix_of
from tallybayes.families.text.mixed_table import MixedTable
from tallybayes.families.text.word_belief import WordBelief, cutting_of


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

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """Drawn under the multinomial reading: a score has no distribution of its own."""
        return draw_texts(self._multinomial, random, classes)

    @cached_property
    def _multinomial(self) -> WordBelief:
        return WordBelief(replace(self.family, reading="multinomial", mix=None), self.corpus)
