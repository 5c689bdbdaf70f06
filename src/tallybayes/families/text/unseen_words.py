"""How many words texts have, and how improbable those are that were never seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.families.belief import Unseen


def unseen_words(
    documents: kernels.Documents, reading: kernels.Reading, known: Any, rows: int, met: Floats, once: bool = False
) -> Unseen:
    """The numbers of words in these rows. An unseen word is as improbable as those seen once were: `known` is the index
    of all words, and `met` says how often they were seen. With `once`, every word counts once in a text."""
    totals = []
    for index, grow in ((kernels.StringIndex(), True), (known, False)):
        starts, _, counts = kernels.list_words(documents, reading, index, grow)
        counts = np.ones_like(counts) if once else counts
        totals.append(np.bincount(np.repeat(np.arange(rows), np.diff(starts)), counts, rows))
    words, seen = (total.astype(np.float64) for total in totals)
    log_new = np.log(((met == 1.0).sum() + 1.0) / (met.sum() + 2.0))
    return Unseen(words, (words - seen) * log_new)
