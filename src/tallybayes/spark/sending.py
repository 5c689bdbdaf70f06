"""Models between tasks, and from tasks to the driver: as pickles, one a row, or a large one in pieces."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.sparse import SparseTally
from tallybayes.model.model import Model
from tallybayes.spark.packing import Batches

COUNTED = "model binary, at_once boolean"  # the columns of such rows
IN_PIECES = "attempt binary, size long, start long, piece binary"
ALIGNED = 64  # bytes: arrays start at multiples
ATTEMPTS = 4  # as many as Spark grants a task by default


class _Pickler(pickle.Pickler):
    """Leaves words in the order in which they were met: nobody sees it, and sorting them takes longer than the rest."""

    def reducer_override(self, thing: object) -> Any:
        return thing.as_it_is() if isinstance(thing, SparseTally) else NotImplemented


def sent(model: Model, most: int = 0) -> pa.RecordBatch:
    """A model as a row, which may be collected at once if it has no more than `most` bytes."""
    data = BytesIO()
    _Pickler(data, pickle.HIGHEST_PROTOCOL).dump(model)
    cells = [pa.array([data.getbuffer()], pa.binary()), pa.array([data.tell() <= most])]
    return pa.record_batch(cells, ["model", "at_once"])


def received(batches: Iterable[pa.RecordBatch]) -> Iterator[Model]:
    """The models one by one."""
    for batch in batches:
        for cell in batch.column(0):
            yield pickle.loads(cell.as_buffer())


def in_pieces(model: Model, most: int) -> Batches:
    """A model as rows of up to `most` bytes: a large row takes several times its size of the memory of Spark's JVMs.

    Its arrays are beside the pickle, so that they need not be copied out of it. All rows carry the name of this
    attempt: if Spark repeats a task, words are in another order, and pieces of two attempts do not fit together."""
    beside: list[pickle.PickleBuffer] = []
    head = BytesIO()
    _Pickler(head, pickle.HIGHEST_PROTOCOL, buffer_callback=beside.append).dump(model)
    parts = [memoryview(head.getbuffer()), *(part.raw() for part in beside)]
    sizes = np.array([len(parts), *(part.nbytes for part in parts)], np.int64)
    parts.insert(0, memoryview(sizes.tobytes()))
    starts = np.cumsum([0, *map(_aligned, (part.nbytes for part in parts))]).tolist()
    attempt = secrets.token_bytes(16)
    for part, start in zip(parts, starts, strict=False):
        for at in range(0, part.nbytes, most):
            row = {"attempt": attempt, "size": starts[-1], "start": start + at, "piece": bytes(part[at : at + most])}
            yield pa.record_batch({name: pa.array([cell]) for name, cell in row.items()})


def whole(fetch: Callable[[], Iterable[Any]]) -> Model:
    """The model that was sent in pieces, which come in any order. Its arrays stay where the pieces were put."""
    for _ in range(ATTEMPTS):
        data, attempts = bytearray(), set()
        for row in fetch():
            attempts.add(bytes(row.attempt))
            if len(attempts) > 1:  # an executor was lost, and Spark merged again
                break
            data = data or bytearray(row.size)
            data[row.start : row.start + len(row.piece)] = row.piece
        else:
            return _restored(memoryview(data))
    raise RuntimeError("Executors were lost again and again while the model was fetched. Try again.")


def _restored(data: memoryview) -> Model:
    (count,) = np.frombuffer(data[:8], np.int64).tolist()
    sizes = np.frombuffer(data[8 : 8 * (count + 1)], np.int64).tolist()
    starts = np.cumsum([_aligned(8 * (count + 1)), *map(_aligned, sizes)]).tolist()
    head, *beside = (data[start : start + size] for start, size in zip(starts, sizes, strict=False))
    model: Model = pickle.loads(head, buffers=beside)
    return model


def _aligned(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
