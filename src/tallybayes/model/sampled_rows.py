"""Rows that were sampled: thinned, dealt into folds, and as batches to count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.fingerprints import Marks
from tallybayes.model.batches import Batch

Indices = NDArray[np.intp]


class Addends(NamedTuple):
    """Weights that add up to what is left out with each row, where their sum is rounded: counts hold it exactly."""

    row: Indices
    weights: Floats

    def of(self, at: Indices, rows: int) -> Addends:
        """Those of some of so many rows."""
        places = np.full(rows, -1)
        places[at] = np.arange(len(at))
        found = places[self.row]
        return Addends(found[found >= 0], self.weights[found >= 0])


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows in the order of their fingerprints. `weights` are relative, one on average; `own` is what is left out with
    each row: its weight, and that of its copies. If any of these is rounded, `addends` are not."""

    cells: pa.RecordBatch
    marks: Marks
    keys: list[Key]
    labels: Codes
    weights: Floats
    own: Floats
    label_type: pa.DataType
    addends: Addends | None = None

    def __len__(self) -> int:
        return len(self.marks)

    def rows(self) -> Rows:
        """Their classes and weights."""
        return self._weighed(self.weights)

    def counted(self) -> Rows:
        """The same with the weights that were counted, of each row with its copies."""
        return self._weighed(self.own)

    def _weighed(self, weights: Floats) -> Rows:
        return Rows(self.keys, self.labels, None if np.all(weights == 1.0) else weights)

    def at_most(self, most: int) -> SampledRows:
        """All of the rows or, if there are more, this many at equal distances."""
        if len(self) <= most:
            return self
        at = spread(len(self), most).astype(np.intp)
        numbers = {name: getattr(self, name)[at] for name in ("marks", "labels", "weights", "own")}
        addends = None if self.addends is None else self.addends.of(at, len(self))
        return replace(self, cells=self.cells.take(pa.array(at)), **numbers, addends=addends)

    def batch(self, at: Indices) -> Batch:
        """Some of the rows, as a batch to count: exactly as they were counted."""
        if self.addends is None:
            cells = self.cells if len(at) == len(self) else self.cells.take(pa.array(at))
            return Batch(cells, self.label_type, self.counted().take(at), 0)
        row, weights = self.addends.of(at, len(self))
        rows = Rows(self.keys, np.ascontiguousarray(self.labels[at[row]]), weights)
        return Batch(self.cells.take(pa.array(at[row])), self.label_type, rows, 0)

    def folds(self, k: int, together: bool) -> list[Indices]:
        """The rows of each fold, dealt in turn by class. If equal rows are copies of each other and not independent
        cases, they stay `together` in one fold."""
        fold = np.empty(len(self), np.intp)
        for number in range(len(self.keys)):
            mine = np.flatnonzero(self.labels == number)
            turn = np.cumsum(np.diff(self.marks[mine], prepend=self.marks[mine[:1]]) != 0)
            fold[mine] = ((turn if together else np.arange(len(mine))) + number) % k
        return [at for at in (np.flatnonzero(fold == i) for i in range(k)) if at.size]


def spread(count: int, most: int) -> Floats:
    """As many points at equal distances from 0 to `count`."""
    return np.asarray((np.arange(most) + 0.5) * (count / most), np.float64)
