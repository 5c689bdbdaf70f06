"""Models between tasks, and from tasks to the driver: as pickles, one a row, or large ones in pieces."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

import pyarrow as pa

from tallybayes.counts.sparse import SparseTally
from tallybayes.model.model import Model
from tallybayes.spark.packing import Batches

COUNTED = "model binary"  # the columns of such rows
IN_PIECES = "piece binary, last boolean"


class _Pickler(pickle.Pickler):
    """Leaves words in the order in which they were met: nobody sees it, and sorting them takes longer than the rest."""

    def reducer_override(self, thing: object) -> Any:
        return thing.as_it_is() if isinstance(thing, SparseTally) else NotImplemented


def sent(model: Model) -> pa.RecordBatch:
    data = BytesIO()
    _Pickler(data, pickle.HIGHEST_PROTOCOL).dump(model)
    return pa.record_batch([pa.array([data.getbuffer()], pa.binary())], ["model"])


def received(batches: Iterable[pa.RecordBatch]) -> Iterator[Model]:
    """The models one by one."""
    for batch in batches:
        for cell in batch.column(0):
            yield pickle.loads(cell.as_buffer())


def cutting(size: int) -> Callable[[Batches], Batches]:
    """Models in pieces: a large row needs several times its size of the memory of Spark, on executors and driver."""

    def cut(batches: Batches) -> Batches:
        for batch in batches:
            for cell in batch.column(0):
                data = cell.as_buffer()
                for start in range(0, data.size, size):
                    left = data.size - start
                    piece = data.slice(start, min(size, left)).to_pybytes()
                    yield pa.record_batch([pa.array([piece], pa.binary()), pa.array([left <= size])], ["piece", "last"])

    return cut


def joined(rows: Iterable[Any]) -> Iterator[Model]:
    """Models from rows of their pieces. Spark keeps the order within a partition, and a model is in one partition."""
    data = BytesIO()
    for row in rows:
        data.write(row.piece)
        if row.last:
            model, data = pickle.loads(data.getbuffer()), BytesIO()
            yield model
