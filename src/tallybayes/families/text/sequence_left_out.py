"""Leave-one-out of sequences: each text scored by the runs of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.left_out import LeftOut, one_by_one, weights_of
from tallybayes.families.text.run_tally import RunTally
from tallybayes.families.text.sequence_belief import chain_of


def sequence_left_out(family: Any, tally: RunTally, classes: list[Key]) -> LeftOut | None:
    """A function that scores left-out texts; None if counts are fractional."""
    n = tally.runs.cells().sums["n"].round()
    if np.any(n != np.floor(n)):
        return None
    chain = chain_of(family, tally, classes, counts=True)

    def score(cells: Any, rows: Rows) -> Floats:
        weights = weights_of(rows)
        if np.any(weights != np.floor(weights)):
            return one_by_one(family, tally, classes)(cells, rows)
        documents = family.word_cutter.documents(cells)
        evidence = np.zeros((len(rows), len(classes)))
        reading = family.word_cutter.reading(documents, False, -1)
        chain.left_out(documents, reading, rows.codes, weights, evidence)
        return evidence

    return score
