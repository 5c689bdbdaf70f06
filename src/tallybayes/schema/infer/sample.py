"""A sample of rows from all over a table: tables are often sorted, so the first rows may not be representative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.errors import CellError

SAMPLE_ROWS = 100_000


def sampled(data: Any) -> tuple[pa.RecordBatch, bool]:
    """Rows at equal distances, at least half as many as the sample may have, with the first odd row of each text column
    that is mostly numbers; and whether these are all rows."""
    some, whole = _sliced(data)
    kept: list[pa.RecordBatch] = []
    odd: dict[str, tuple[int, pa.RecordBatch]] = {}
    step, offset, rows = 1, 0, 0
    for batch in frames.batches(some):
        kept.append(_every(batch, step, -offset % step))
        rows += len(kept[-1])
        if rows > SAMPLE_ROWS and step == 1:  # up to here all rows were kept
            _note_odd(odd, kept, 0)
        elif step > 1:
            _note_odd(odd, [batch], offset)
        offset += len(batch)
        if rows > SAMPLE_ROWS:
            fewer = 1 << (-(-rows // SAMPLE_ROWS) - 1).bit_length()
            step *= fewer
            kept = _thinned(kept, fewer)
            rows = sum(map(len, kept))
    kept += dict(row for row in odd.values() if row[0] % step).values()
    if not whole and kept:
        kept += _odd_elsewhere(data, kept)
    if not kept:
        raise ValueError("There are no rows to infer a schema from.")
    if len(kept) == 1:
        return kept[0], whole and step == 1
    sample = pa.Table.from_batches(kept).combine_chunks().to_batches()[0] if rows else kept[0]
    return sample, whole and step == 1


def by_weight(data: Any, weights: Any) -> Any:
    """The rows of a frame, each as often as its weight says, since weight two is twice; unless there are many rows
    anyway. Of weights that are not all whole numbers, it matters only whether they are positive."""
    weights = _checked(weights)
    if len(weights) >= SAMPLE_ROWS:
        return data
    batches = list(frames.batches(data))
    if sum(map(len, batches)) != len(weights):
        raise ValueError(f"There are {len(weights)} weights for {sum(map(len, batches))} rows.")
    if not batches:
        return data
    table = pa.Table.from_batches(batches)
    times = weights if np.array_equal(weights, np.floor(weights)) else weights > 0
    times = np.ceil(times / max((times / SAMPLE_ROWS).sum(), 1.0)).astype(np.int64)
    return table if np.all(times == 1) else table.take(pa.array(np.repeat(np.arange(len(times)), times)))


def _checked(weights: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        found = np.zeros(())
    if found.ndim != 1:
        raise ValueError("Give the weights as numbers, one for each row.")
    bad = np.flatnonzero(~((found >= 0) & np.isfinite(found)))
    if len(bad):
        raise ValueError(f"The weight in row {bad[0]} is {found[bad[0]]}; give a finite number of at least 0.")
    return found


def _sliced(data: Any) -> tuple[Any, bool]:
    """Some rows of a large matrix of numbers or pandas or polars DataFrame, so that not all of them need be converted
    to Arrow."""
    matrix = isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "biuf"
    if matrix or (hasattr(data, "__len__") and (hasattr(data, "iloc") or hasattr(data, "gather_every"))):
        step = -(-len(data) // SAMPLE_ROWS)
        if step > 1:
            if hasattr(data, "gather_every"):
                return data.gather_every(step), False
            return (data if matrix else data.iloc)[::step], False
    return data, True


def _odd_elsewhere(data: Any, kept: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The odd rows of a DataFrame of which only some were converted: of text columns that are numbers in those."""
    odd: dict[str, tuple[int, pa.RecordBatch]] = {}
    _note_odd(odd, kept, 0)
    texts = [field.name for field in kept[0].schema if frames.is_text(field.type) and field.name not in odd]
    for name in data.columns if texts else ():
        if str(name) in texts:
            found: dict[str, tuple[int, pa.RecordBatch]] = {}
            _note_odd(found, frames.batches(data[[name]]), 0)
            for row, _ in found.values():
                yield from frames.batches(data.iloc[row : row + 1] if hasattr(data, "iloc") else data[row : row + 1])


def _note_odd(odd: dict[str, tuple[int, pa.RecordBatch]], batches: Iterable[pa.RecordBatch], start: int) -> None:
    """For every text column, the first row whose text is not a number, and its row number."""
    for batch in batches:
        for name, kind in zip(batch.schema.names, batch.schema.types, strict=True):
            if name in odd or not frames.is_text(kind) or batch.schema.names.count(name) > 1:
                continue
            try:
                frames.numbers(batch.column(name))
            except CellError as error:
                if error.row is not None:
                    odd[name] = start + error.row, batch.slice(error.row, 1)
        start += len(batch)


def _every(batch: pa.RecordBatch, step: int, first: int) -> pa.RecordBatch:
    return batch if step == 1 else batch.take(pa.array(np.arange(first, len(batch), step)))


def _thinned(batches: list[pa.RecordBatch], step: int) -> list[pa.RecordBatch]:
    """Rows at equal distances of those kept so far."""
    fewer, offset = [], 0
    for batch in batches:
        fewer.append(_every(batch, step, -offset % step))
        offset += len(batch)
    return fewer
