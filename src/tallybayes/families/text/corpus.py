"""A snapshot of all counts of a text column.

A `Corpus` is immutable: learning makes a new one, which shares everything that did not change. So it is thread-safe,
and learning a document takes time proportional to its size. `Frequencies` is all that Bernoulli needs to know about the
words that a text lacks: how many words are in how many documents of each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import Cells, Changes
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Codes, Counts, Floats, Mask
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Tally
from tallybayes.families.belief import by_class
from tallybayes.families.text.concentration import concentration
from tallybayes.families.text.word_tally import WordTally

FEW = 4  # if more than a quarter of the cells changed, all are recomputed


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
        by = np.bincount(whole, words)
        filled = np.flatnonzero(by)
        return filled.astype(np.float64), np.asarray(by[filled], np.float64)
    moved, at = np.unique(documents, return_inverse=True)
    return moved, np.asarray(np.bincount(at.reshape(-1), words, len(moved)), np.float64)


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


@dataclass(frozen=True)
class Corpus:
    """Words and documents. The index is shared with the tally, which may add words: these have no cells here."""

    index: kernels.StringIndex
    words: int  # in the index at that time
    cells: kernels.WordCells
    place: Codes  # the index of each class code in the cells; −1 if the class is gone
    totals: Mapping[str, Floats]  # every sum over all words, by class
    lengths: Tally  # of documents
    keys: list[Key]  # of the classes
    changes: Changes  # of the tally, since this was made
    by_run: Mapping[str, Floats] | None = None  # the totals of words, pairs and so on: [run, class], if needed

    @classmethod
    def of(
        cls, tally: WordTally, keys: list[Key], names: tuple[str, ...], before: Corpus | None, by_run: bool = False
    ) -> Corpus:
        """A snapshot of these sums; given the last one, only what changed is computed."""
        words = tally.words
        same = before is not None and before.index is words.index and before.changes is words.changes
        changed = before.changes.all() if before is not None and same else None
        cells = kernels.WordCells() if before is None or changed is None else before.cells
        if changed is None or len(changed):
            cells = cells.changed(*_rounded(words.cells(), names, changed))
        place = places_of(words.classes, keys)
        totals = {name: words.sum_of(name, keys).round() for name in names}
        runs = {name: words.sum_by_run(name, keys).round() for name in names} if by_run else None
        words.changes = Changes(len(cells) // FEW)  # only the latest snapshot is kept informed
        found = cls(words.index, len(words), cells, place, totals, tally.lengths.copy(), keys, words.changes, runs)
        if before is not None and changed is not None and "_frequencies" in vars(before):
            held, columns, _ = words.cells()
            touched = np.zeros(len(place), bool)
            touched[columns[changed]] = True
            known = _refreshed(before._frequencies, np.unique(held[changed]), touched, before.cells, cells)
            vars(found)["_frequencies"] = known
        return found

    @cached_property
    def met(self) -> Floats:
        """The number of different words in each class."""
        met = np.zeros(len(self.keys))
        for column, count in enumerate(self.cells.met().tolist()):
            if self.place[column] >= 0:
                met[self.place[column]] = count
        return met

    @property
    def frequencies(self) -> list[Frequencies]:
        """For each class, how many words are in how many of its documents."""
        found = [NONE] * len(self.keys)
        for column, known in enumerate(self._frequencies):
            if self.place[column] >= 0:
                found[self.place[column]] = known
        return found

    @cached_property
    def _frequencies(self) -> list[Frequencies]:
        """The same by the class codes of cells; kept up to date once it has been used."""
        words, classes = np.arange(self.words, dtype=np.int32), np.ones(len(self.place), bool)
        return _refreshed([], words, classes, kernels.WordCells(), self.cells)

    @cached_property
    def texts(self) -> Floats:
        """The number of documents of each class."""
        return self.lengths.aligned(self.lengths.slots, self.keys).sums["n"].sum(axis=0).round()

    @cached_property
    def spread(self) -> tuple[Floats, Floats]:
        """The lengths of documents, and how many documents of each class have each."""
        known = self.lengths.canonical()
        return np.array(known.slots, np.float64), known.aligned(known.slots, self.keys).sums["n"].round()

    @cached_property
    def concentration(self) -> Floats:
        """The concentration of every class: how likely words are to repeat within a document."""
        return concentration(*self.spread, self.totals["documents"])


def _refreshed(
    before: Sequence[Frequencies],
    words: Codes,
    classes: Mask,
    old: kernels.WordCells,
    new: kernels.WordCells,
) -> list[Frequencies]:
    """The frequencies after the cells of these words changed in these classes."""
    (_, gone, held), (_, come, holding) = old.of(words), new.of(words)
    was, now = np.flatnonzero(classes[gone]), np.flatnonzero(classes[come])
    columns, signs = np.concatenate([gone[was], come[now]]), np.repeat([-1.0, 1.0], [len(was), len(now)])
    documents = np.concatenate([held[1][was], holding[1][now]])
    return changed_frequencies(before, columns, documents, signs, len(classes))


def _rounded(cells: Cells, names: tuple[str, ...], numbers: Counts | None) -> tuple[Codes, Codes, Floats]:
    """The cells with these numbers, or all: words, classes, and the sums rounded to doubles, a row for each. Zeros for
    cells that are gone."""
    words, columns, sums = cells
    if numbers is not None:
        words, columns = words[numbers], columns[numbers]
        sums = {name: array[numbers] for name, array in sums.items()}
    return words, columns, np.where(holding(sums), np.stack([sums[name].round() for name in names]), 0.0)
