"""Leave-one-out of vectors of counts, under the same readings as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Exact, Floats, Indices
from tallybayes.counts.sums import weighted_sums
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families.left_out import one_by_one, weights_of
from tallybayes.families.text.counted_words import CountedWords, Listed, Vocabulary
from tallybayes.families.text.readings_left_out import NEEDS, evidence_of
from tallybayes.families.vectors.bag_belief import SEEN_AS, held_in
from tallybayes.families.vectors.bag_shares import shares
from tallybayes.families.vectors.matrix_cells import Vectors

STEP = 1 << 20  # numbers × classes at a time


class BagLeftOut:
    """The counts of every position, and vectors subtracted from them. `sums` has a row for each position, and a last
    one for the vectors themselves."""

    def __init__(self, family: Any, tally: Tally, sums: Mapping[str, Exact], classes: Sequence[Key], met: int) -> None:
        self.family, self.alone = family, one_by_one(family, tally, classes)
        self.size = len(sums["n"]) - 1
        self.last = met - 1 if family.size is None and met == self.size else -1  # depends on which vector is left out
        words, columns = np.nonzero(~sums["n"][: self.size].is_zero())
        needed = {SEEN_AS[name]: array[words, columns] for name, array in sums.items()}
        needed = {name: needed[name] for name in NEEDS[family.reading]}
        every = np.ones(self.size, bool)
        vocabulary = Vocabulary(every, every, 0, lambda: ([str(i) for i in range(self.size)], []))
        self.counted = CountedWords(words, columns.astype(np.int32), needed, sums["n"][self.size], vocabulary)

    def __call__(self, cells: Vectors, rows: Rows) -> Floats:
        evidence = np.zeros((len(rows), len(rows.classes)))
        each = max(len(cells.values) * len(rows.classes) // max(len(rows), 1), 1)
        step = max(STEP // each, 1)
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            evidence[start:stop] = self._evidence(cells[start:stop], rows.slice(start, stop))
        return evidence

    def _evidence(self, cells: Vectors, rows: Rows) -> Floats:
        row, positions, values = held_in(cells, self.size)
        listed = Listed(row, positions.astype(np.int64), values, self._own(row, values, rows))
        left = self.counted.without(listed, rows, cells.missing, self.family.reading == "bernoulli")
        evidence = evidence_of(self.family, left)
        # Without a vector that alone has a number in the last position, there are fewer positions.
        first = next(iter(left.sums.values()))
        for at in np.unique(left.row[(left.words == self.last) & ~first.any(axis=1)]).tolist():
            evidence[at] = self.alone(cells[at : at + 1], rows.slice(at, at + 1))[0]
        return evidence

    def _own(self, row: Indices, values: Floats, rows: Rows) -> dict[str, Exact]:
        """What each number added to the sums."""
        weights, each = weights_of(rows)[row], np.arange(len(row), dtype=np.int32)
        found = {}
        for name in NEEDS[self.family.reading]:
            factors = {"n": [values], "documents": []}.get(name)
            factors = [shares(values, row.astype(np.int32), len(rows))] if factors is None else factors
            found[name] = weighted_sums([weights, *factors], each, len(each))
        return found
