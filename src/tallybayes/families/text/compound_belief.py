"""What the words of new texts say where a word's coming makes it likelier to come again: the compound reading."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.families.base import NotLinearError, Terms
from tallybayes.families.portable import ByWords, NotPortableError
from tallybayes.families.text.word_belief import WordBelief
from tallybayes.kernels import special

SHORT = 1024  # words of a document, up to which what their number says is in a table …
MOST_ENTRIES = 1 << 16  # … of so many entries, all classes together


class CompoundBelief(WordBelief):
    """Where a word's coming makes it likelier to come again. What it says beyond that of its coming once is the
    kernel's business; here is what the number of words says."""

    def _add_rest(self, lengths: Counts, scores: Floats) -> None:
        if self.seen.part:  # a table is not worth it
            scores[:, : len(lengths)] -= self._drawn(np.maximum(lengths, 0))
            return
        short = self._short
        if len(lengths) == 1 and 0 <= lengths[0] < short.shape[1]:  # as of a text by itself
            scores[:, 0] -= short[:, lengths[0]]
            return
        said = short[:, np.clip(lengths, 0, short.shape[1] - 1)]  # of a missing document nothing
        long = np.flatnonzero(lengths >= short.shape[1])
        if long.size:
            said[:, long] = self._drawn(lengths[long])
        scores[:, : len(lengths)] -= said

    @cached_property
    def _short(self) -> Floats:
        """What the number of words says, for every class and as many words as most documents have."""
        return self._drawn(np.arange(max(min(SHORT, MOST_ENTRIES // self.table.width), 1)))

    def _drawn(self, lengths: Counts) -> Floats:
        """log Γ(s + length) − log Γ(s)."""
        return np.asarray(special.log_rising(np.exp(self._common)[:, None], lengths))

    def portable(self) -> ByWords:
        raise NotPortableError("with reading='dirichlet-multinomial', what a word says is no product with how often.")

    def linear(self) -> Terms:
        raise NotLinearError(
            "reading='dirichlet-multinomial' is not linear: a word's second coming says less than its first."
        )

    def _said_by(self, words: Codes, counts: Codes, starts: Counts) -> Floats:
        rows, times = self.rows(words), counts[:, None]
        urn = np.isfinite(rows) & ~self.said.blank  # where nothing is known, words are alike however often they come
        with np.errstate(invalid="ignore"):
            return np.where(urn, special.log_rising(np.exp(rows), times), rows * times) - times * self._common

    @property
    def _common(self) -> Floats:
        """The concentration."""
        assert self.said.concentration is not None
        return np.log(self.said.concentration)
