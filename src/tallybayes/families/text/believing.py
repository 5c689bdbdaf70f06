"""From the counts of words to a belief, updated from the last one where possible; and the belief of the
Dirichlet-multinomial."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.counts.tally import Key
from tallybayes.families.belief import Belief, NotLinearError, Terms
from tallybayes.families.portable import ByWords, NotPortableError
from tallybayes.families.text.corpus import Corpus
from tallybayes.families.text.mix import AUTO, reads_runs
from tallybayes.families.text.mixed_belief import MixedBelief
from tallybayes.families.text.word_belief import WordBelief
from tallybayes.families.text.word_tally import FIELDS, WordTally
from tallybayes.kernels import special

SHORT = 1024  # words: up to here the evidence of a document's length is in a table …
MOST_ENTRIES = 1 << 16  # … of at most this many entries over all classes
ASK_SHARES = ("averaged", AUTO)  # readings that need shares


class DirichletMultinomialBelief(WordBelief):
    """Burstiness: a word that has occurred is more likely to occur again. The kernel scores repeated words; this adds
    the evidence of a document's length."""

    def _add_rest(self, lengths: Counts, scores: Floats) -> None:
        if self.seen.part:  # a table is not worth it
            scores[:, : len(lengths)] -= self._drawn(np.maximum(lengths, 0))
            return
        short = self._short
        if len(lengths) == 1 and 0 <= lengths[0] < short.shape[1]:  # a single text
            scores[:, 0] -= short[:, lengths[0]]
            return
        evidence = short[:, np.clip(lengths, 0, short.shape[1] - 1)]  # nothing for a missing document
        long = np.flatnonzero(lengths >= short.shape[1])
        if long.size:
            evidence[:, long] = self._drawn(lengths[long])
        scores[:, : len(lengths)] -= evidence

    @cached_property
    def _short(self) -> Floats:
        """The evidence of the number of words, for every class and the lengths of most documents."""
        return self._drawn(np.arange(max(min(SHORT, MOST_ENTRIES // self.table.width), 1)))

    def _drawn(self, lengths: Counts) -> Floats:
        """log Γ(s + length) − log Γ(s)."""
        return np.asarray(special.log_rising(np.exp(self._common)[:, None], lengths))

    def portable(self) -> ByWords:
        raise NotPortableError(
            "with reading='dirichlet-multinomial', a word's evidence is not proportional to its count."
        )

    def linear(self) -> Terms:
        raise NotLinearError(
            "reading='dirichlet-multinomial' is not linear: a word's second occurrence is weaker evidence."
        )

    def _evidence_of(self, words: Codes, counts: Codes, starts: Counts) -> Floats:
        rows, times = self.rows(words), counts[:, None]
        urn = np.isfinite(rows) & ~self.evidence.blank  # without counts or prior, repetition is no evidence
        with np.errstate(invalid="ignore"):
            return np.where(urn, special.log_rising(np.exp(rows), times), rows * times) - times * self._common

    @property
    def _common(self) -> Floats:
        """The concentration."""
        assert self.evidence.concentration is not None
        return np.log(self.evidence.concentration)


KINDS: dict[str, type[WordBelief]] = {"dirichlet-multinomial": DirichletMultinomialBelief, AUTO: MixedBelief}


def believe_words(family: Any, tally: WordTally, classes: list[Key], before: Belief | None = None) -> WordBelief:
    """The belief of a tally; given an earlier belief, only what changed since is computed."""
    known = before.corpus if isinstance(before, WordBelief) and before.family is family else None
    names = FIELDS if family.reading in ASK_SHARES else FIELDS[:2]
    return KINDS.get(family.reading, WordBelief)(
        family, Corpus.of(tally, classes, names, known, by_run=reads_runs(family))
    )
