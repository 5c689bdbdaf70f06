"""Some rows of a table, from all over it: a table is often sorted, and its first rows are not like the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data import frames

SAMPLE_ROWS = 100_000


def sampled(data: Any) -> tuple[pa.RecordBatch, bool]:
    """Rows at equal distances, at least half as many as may be looked at; and whether these are all rows."""
    some, whole = _sliced(data)
    kept: list[pa.RecordBatch] = []
    step, offset, rows = 1, 0, 0
    for batch in frames.batches(some):
        kept.append(_every(batch, step, -offset % step))
        offset, rows = offset + len(batch), rows + len(kept[-1])
        while rows > SAMPLE_ROWS:
            step *= 2
            kept = _halved(kept)
            rows = sum(map(len, kept))
    if not kept:
        raise ValueError("There are no rows to infer a schema from.")
    if len(kept) == 1:
        return kept[0], whole and step == 1
    sample = pa.Table.from_batches(kept).combine_chunks().to_batches()[0] if rows else kept[0]
    return sample, whole and step == 1


def _sliced(data: Any) -> tuple[Any, bool]:
    """Of a large DataFrame of pandas or polars so many rows that not all of them need become Arrow."""
    if hasattr(data, "__len__") and (hasattr(data, "iloc") or hasattr(data, "gather_every")):
        step = -(-len(data) // SAMPLE_ROWS)
        if step > 1:
            return (data.iloc[::step] if hasattr(data, "iloc") else data.gather_every(step)), False
    return data, True


def _every(batch: pa.RecordBatch, step: int, first: int) -> pa.RecordBatch:
    return batch if step == 1 else batch.take(pa.array(np.arange(first, len(batch), step)))


def _halved(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Every other row of those that were kept."""
    halves, offset = [], 0
    for batch in batches:
        halves.append(_every(batch, 2, offset % 2))
        offset += len(batch)
    return halves
