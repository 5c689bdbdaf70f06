"""Rows that were sampled: thinned, dealt into folds, and as batches to count."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.fingerprints import Marks
from tallybayes.model.batches import Batch

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows in the order of their fingerprints. `weights` are relative, one on average; `own` is what is left out with
    each row: its weight, and that of its copies."""

    cells: pa.RecordBatch
    marks: Marks
    keys: list[Key]
    labels: Codes
    weights: Floats
    own: Floats
    label_type: pa.DataType

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
        return replace(self, cells=self.cells.take(pa.array(at)), **numbers)

    def batch(self, at: Indices) -> Batch:
        """Some of the rows, as a batch to count."""
        cells = self.cells if len(at) == len(self) else self.cells.take(pa.array(at))
        return Batch(cells, self.label_type, self.counted().take(at), 0)

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
