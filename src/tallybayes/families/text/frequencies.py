"""How many words are in how many documents of each class: all that Bernoulli needs to know about words that a text
lacks.

There are far fewer such numbers than words, and learning a document changes only a few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Codes, Floats
from tallybayes.families.belief import by_class


class Frequencies(NamedTuple):
    """For one class: document frequencies, sorted, and the number of words with each."""

    documents: Floats
    words: Floats

    def changed(self, documents: Floats, words: Floats) -> Frequencies:
        """The same after adding words (or with negative numbers, removing them) with these document frequencies."""
        moved, by = _added_up(documents, words)
        at = np.searchsorted(self.documents, moved)
        met = np.append(self.documents, np.inf)[at] == moved
        known = np.concatenate([self.documents, moved[~met]])
        counts = np.concatenate([self.words, by[~met]])
        counts[at[met]] += by[met]
        left = np.flatnonzero(counts)
        left = left[np.argsort(known[left], kind="stable")]
        return Frequencies(known[left], counts[left])


def _added_up(documents: Floats, words: Floats) -> tuple[Floats, Floats]:
    """The different document frequencies, sorted, and the number of words with each."""
    whole = documents.astype(np.int64) if documents.max(initial=0.0) <= len(documents) else None
    if whole is not None and np.array_equal(whole, documents) and whole.min(initial=0) >= 0:
        by = np.bincount(whole, words).astype(np.float64)
        met = np.flatnonzero(by)
        return met.astype(np.float64), by[met]
    moved, at = np.unique(documents, return_inverse=True)
    return moved, np.bincount(at.reshape(-1), words, len(moved)).astype(np.float64)


NONE = Frequencies(np.zeros(0), np.zeros(0))


def frequencies(classes: Codes, documents: Floats, width: int) -> list[Frequencies]:
    """From cells, each a word in a class: the frequencies of each class."""
    return changed_frequencies([], classes, documents, np.ones(len(classes)), width)


def changed_frequencies(
    before: Sequence[Frequencies], classes: Codes, documents: Floats, words: Floats, width: int
) -> list[Frequencies]:
    """The same after cells of each class were added or removed; classes without any are shared."""
    found = [*before, *[NONE] * (width - len(before))]
    for at, own in by_class(classes):
        found[at] = found[at].changed(documents[own], words[own])
    return found
