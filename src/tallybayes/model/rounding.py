"""What rounding hides in the numbers of a training: judged once, by rows from all batches, since sorted rows are close
together in every one of them."""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.model.batches import Batch
from tallybayes.schema.entries import Name
from tallybayes.schema.schema import Schema

ENOUGH, SOME = 20, 1000  # rows of a batch that are worth a look; rows of all batches that are kept, or up to twice that


class Rounding:
    """Cells of the columns that are rounded before they are counted, at equal distances."""

    def __init__(self, schema: Schema) -> None:
        self._all = schema
        self._kept: dict[Name, list[Floats]] = {}
        self._rows = 0  # seen so far
        self._step = 1  # of these, every so many is kept

    def add(self, batch: Batch, absent: str) -> None:
        rows = len(batch.rows)
        if rows < ENOUGH or not self._schema.columns:
            return
        while (self._rows + rows) // self._step > 2 * SOME:
            self._step *= 2
            self._kept = {name: [np.concatenate(kept)[::2]] for name, kept in self._kept.items()}
        every = pa.array(np.arange(-self._rows % self._step, rows, self._step))
        self._rows += rows
        at = [i for i, name in enumerate(batch.cells.schema.names) if name in self._schema.by_column]
        try:
            encoded = self._schema.encode(batch.cells.select(at).take(every), batch.start, absent)
        except ValueError:
            return  # counting finds the row at fault
        for name, cells in encoded.items():
            self._kept.setdefault(name, []).append(cells)

    @cached_property
    def _schema(self) -> Schema:
        return Schema({name: family for name, family in self._all.columns.items() if family.rounds})

    def warn(self) -> None:
        for name, kept in self._kept.items():
            hidden = self._schema.columns[name].blurred(np.concatenate(kept))
            if hidden is not None:
                warnings.warn(f"Column {name!r}: {hidden}", stacklevel=3)
