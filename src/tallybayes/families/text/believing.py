"""From the counts of words to a belief, updated from the last one where possible."""

from __future__ import annotations

from typing import Any

from tallybayes.counts.tally import Key
from tallybayes.families.base import Belief
from tallybayes.families.text.corpus import Corpus
from tallybayes.families.text.dirichlet_multinomial_belief import DirichletMultinomialBelief
from tallybayes.families.text.mix import AUTO, reads_runs
from tallybayes.families.text.mixed_belief import MixedBelief
from tallybayes.families.text.word_belief import WordBelief
from tallybayes.families.text.word_tally import FIELDS, WordTally

KINDS: dict[str, type[WordBelief]] = {"dirichlet-multinomial": DirichletMultinomialBelief, AUTO: MixedBelief}
ASK_SHARES = ("averaged", AUTO)  # readings that need shares


def believe_words(family: Any, tally: WordTally, classes: list[Key], before: Belief | None = None) -> WordBelief:
    """The belief of a tally; given an earlier belief, only what changed since is computed."""
    known = before.corpus if isinstance(before, WordBelief) and before.family is family else None
    names = FIELDS if family.reading in ASK_SHARES else FIELDS[:2]
    return KINDS.get(family.reading, WordBelief)(
        family, Corpus.of(tally, classes, names, known, by_run=reads_runs(family))
    )
