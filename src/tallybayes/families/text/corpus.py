"""All that was counted of a column of texts, as it was at one moment.

Nobody changes a `Corpus`: what is learned afterwards makes another, which shares with it all that was not touched. So
any number of threads may ask one while others learn, and a change costs what it touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import Cells
from tallybayes.counts.changes import Changes
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.counts.tally import Key, Tally
from tallybayes.families.text.concentration import concentration
from tallybayes.families.text.word_tally import WordTally

FEW = 4  # a change of more than one in so many cells is looked at as a whole


@dataclass(frozen=True)
class Corpus:
    """Words and documents. The index is the tally's own, to which more words may come: they have no cells here."""

    index: kernels.StringIndex
    words: int  # that it had
    cells: kernels.WordCells
    place: Codes  # the number of each class that cells have, or −1 if it is gone
    totals: Mapping[str, Floats]  # every sum over all words, by class
    lengths: Tally  # of documents
    keys: list[Key]  # of the classes
    changes: Changes  # of the tally, since this was made

    @classmethod
    def of(cls, tally: WordTally, keys: list[Key], names: tuple[str, ...], before: Corpus | None) -> Corpus:
        """These sums as the tally has them now; where it was looked at before, only what was changed is looked at."""
        words = tally.words
        same = before is not None and before.index is words.index and before.changes is words.changes
        changed = before.changes.all() if before is not None and same else None
        cells = kernels.WordCells() if before is None or changed is None else before.cells
        if changed is None or len(changed):
            cells = cells.changed(*_rounded(words.cells(), names, changed))
        number = {key: i for i, key in enumerate(keys)}
        place = np.array([number.get(key, -1) for key in words.classes] or [-1], np.int32)
        totals = {name: words.sum_of(name, keys).round() for name in names}
        words.changes = Changes(len(cells) // FEW)  # only who looked last is told
        return cls(words.index, len(words), cells, place, totals, tally.lengths.copy(), keys, words.changes)

    @cached_property
    def met(self) -> Floats:
        """How many different words each class has met."""
        met = np.zeros(len(self.keys))
        for column, count in enumerate(self.cells.met().tolist()):
            if self.place[column] >= 0:
                met[self.place[column]] = count
        return met

    @cached_property
    def texts(self) -> Floats:
        """How many documents each class has."""
        return self.lengths.aligned(self.lengths.slots, self.keys).sums["n"].sum(axis=0).round()

    @cached_property
    def spread(self) -> tuple[Floats, Floats]:
        """How long documents are, and how many of each class are so long."""
        known = self.lengths.canonical()
        return np.array(known.slots, np.float64), known.aligned(known.slots, self.keys).sums["n"].round()

    @cached_property
    def concentration(self) -> Floats:
        """Of every class: how likely a document's words are to come again in it."""
        return concentration(*self.spread, self.totals["documents"])


def _rounded(cells: Cells, names: tuple[str, ...], numbers: Counts | None) -> tuple[Codes, Codes, Floats]:
    """The cells of these numbers, or all: words, classes, and the doubles nearest to these sums, a row for each. Where
    nothing is held any more, zeros."""
    words, columns, sums = cells
    if numbers is not None:
        words, columns = words[numbers], columns[numbers]
        sums = {name: array[numbers] for name, array in sums.items()}
    return words, columns, np.where(holding(sums), np.stack([sums[name].round() for name in names]), 0.0)
