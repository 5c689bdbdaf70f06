"""A warning if rounding hides differences between the numbers of a column: decided once, from rows of all batches,
since sorted rows are close together in each of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.cells import numbers
from tallybayes.data.errors import warn
from tallybayes.families import Family
from tallybayes.model.batches import Batch
from tallybayes.schema.entries import Name
from tallybayes.schema.schema import Schema

ENOUGH, SOME = 20, 1000  # rows of a batch that are worth a look; rows of all batches that are kept, or up to twice that


class Rounding:
    """Cells of the columns that are rounded before they are counted, at equal distances."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._kept: dict[Name, list[Floats]] = {}
        self._rows = 0  # seen so far
        self._step = 1  # of these, every so many is kept

    @cached_property
    def _columns(self) -> dict[Name, Family]:
        return {name: family for name, family in self._schema.columns.items() if family.rounds}

    def add(self, batch: Batch) -> None:
        """Adds rows that were counted, whose cells are therefore numbers."""
        rows = len(batch.rows)
        if rows < ENOUGH or not self._columns:
            return
        while (self._rows + rows) // self._step > 2 * SOME:
            self._step *= 2
            self._kept = {name: [np.concatenate(kept)[::2]] for name, kept in self._kept.items()}
        first = -self._rows % self._step
        self._rows += rows
        for i, name in enumerate(batch.cells.schema.names):
            if name in self._columns:
                self._kept.setdefault(name, []).append(_some(batch.cells.column(i), first, self._step))

    def warn(self) -> None:
        for name, kept in self._kept.items():
            hidden = self._columns[name].blurred(np.concatenate(kept))
            if hidden is not None:
                warn(f"Column {name!r}: {hidden}")


def _some(cells: pa.Array, first: int, step: int) -> Floats:
    """Every so many cells, copied: they must not hold the rest."""
    if pa.types.is_float64(cells.type) and not cells.null_count:
        return cells.to_numpy()[first::step].copy()
    return np.array(numbers(cells.take(pa.array(np.arange(first, len(cells), step)))))
