"""Rows with their labels and weights, from one frame, a stream of frames or a source: what a model is trained on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.decay import LEAST_WEIGHT
from tallybayes.counts.exact import Floats
from tallybayes.counts.rows import SharedRows
from tallybayes.counts.tally import Rows
from tallybayes.data import frames
from tallybayes.data.errors import CellError, check_whole
from tallybayes.data.inputs import is_stream
from tallybayes.data.labels import LabelColumn, label_array, label_column, label_values, single_label
from tallybayes.data.matching import ERROR, completed
from tallybayes.data.one_row import Row, single_row
from tallybayes.data.processors import processors
from tallybayes.data.row_source import RowSource
from tallybayes.data.soft_labels import SoftLabels
from tallybayes.schema import Schema
from tallybayes.schema.entries import check_apart

MOST_WEIGHT = 1e200  # of a row: keeps sums of weights within the range of a double
LEAST_ROWS = 1 << 16  # the least work that is worth a thread: rows …
LEAST_BYTES = 1 << 21  # … or bytes
LITTLE = 1 << 18  # bytes: below this an estimate of the size is enough

T = TypeVar("T")


class Given(NamedTuple):
    """Rows as they are given: a frame, a stream or a source, where its labels, weights and groups are, and how they are
    read."""

    data: Any
    labels: Any = None
    weights: Any = None
    groups: Any = None
    label_type: pa.DataType | None = None
    absent: str = ERROR


class Batch(NamedTuple):
    """Some rows of a frame, the first of them number `start`."""

    cells: Any  # a record batch, or a row by itself
    label_type: pa.DataType  # of the labels
    rows: Rows
    start: int

    def labels(self) -> pa.Array:
        """The label of every row."""
        labels = label_values(self.label_type, self.rows.classes)
        return pa.array(labels, self.label_type).take(pa.array(self.rows.codes))

    def slice(self, start: int, stop: int) -> Batch:
        if stop - start == len(self.rows):
            return self
        cells, rows = self.cells.slice(start, stop - start), self.rows.slice(start, stop)
        return Batch(cells, self.label_type, rows, self.start + start)


def labels_of(given: Given, schema: Schema) -> Any:
    """The labels, or by default the name of their column: that of the schema or of the source."""
    if given.labels is None and schema.label is None and isinstance(given.data, RowSource):
        return given.data.label
    return schema.label if given.labels is None else given.labels


def labelled(
    given: Given, schema: Schema, *, plain_row: bool = False, soft: bool = False, unlabelled: bool = False
) -> Iterator[Batch]:
    """Batches that have all columns of the schema, with their labels. For a stream, labels and weights are column
    names, or come with each frame: (frame, labels) or (frame, labels, weights). With `plain_row`, a single row of plain
    values is passed through unconverted. `soft` allows soft labels; `unlabelled` allows rows without a label, whose
    code is −1."""
    data, labels, weights = schema.frame(given.data), labels_of(given, schema), given.weights
    how = schema.by_column, plain_row, soft, unlabelled
    if not is_stream(data):
        return _one_frame(given._replace(data=data, labels=labels), *how)
    if not isinstance(labels, (str, pa.Scalar, SoftLabels, type(None))) or not isinstance(weights, (str, type(None))):
        raise ValueError(
            "With a stream of frames, give the name of the column that holds the labels, or a stream of "
            "(frame, labels) pairs."
        )
    each = ((*item, weights)[:3] if isinstance(item, tuple) else (item, labels, weights) for item in data)
    frames_given = (given._replace(data=data, labels=labels, weights=weights) for data, labels, weights in each)
    return chain.from_iterable(_one_frame(one, *how) for one in frames_given)


def labelled_alone(data: Any, labels: Any, columns: Collection[str]) -> tuple[Row, LabelColumn] | None:
    """A single row and its label, if both are plain values."""
    row = single_row(data, columns)
    if row is None:
        return None
    label = single_label([row[labels]] if type(labels) is str and labels in row else labels)
    return None if label is None else (row, label)


def in_pieces(
    rows: int,
    threads: int | None,
    work: Callable[[int, int], T],
    size: int = 0,
    table: int = 0,
) -> Iterator[T]:
    """Runs work(start, stop) on pieces of the rows, one per thread, and returns the results in order. Unless `threads`
    is given, their number depends on the processors, the rows, their size in bytes and the size of the table that each
    piece has to fill. An error or Ctrl-C stops them all at the next `heed_signals`, in Python or in a kernel."""
    worth = max(rows // LEAST_ROWS, size // LEAST_BYTES) if not table else size // max(table, LEAST_BYTES)
    count = max(min(threads or (min(processors(), worth) if worth > 1 else 1), rows), 1)
    if count == 1:
        yield work(0, rows)
        return
    flag = np.zeros(1, np.uint8)

    def do(start: int, stop: int) -> T:
        kernels.heed_flag(flag)
        return work(start, stop)

    edges = np.linspace(0, rows, count + 1).astype(int).tolist()
    with ThreadPoolExecutor(count) as pool:
        try:
            yield from pool.map(do, edges[:-1], edges[1:])
        finally:
            flag[0] = 1


def size_of(cells: pa.RecordBatch) -> int:
    """The size in bytes; for small batches that of their buffers, a fast upper bound."""
    held = cells.get_total_buffer_size()
    return held if held < LITTLE else frames.nbytes(cells)


def check_threads(threads: int | None) -> None:
    if threads is not None:
        check_whole("threads", threads, 1, ", or None for all processors")


def _one_frame(
    given: Given, columns: Collection[str], plain_row: bool, soft: bool, unlabelled: bool
) -> Iterator[Batch]:
    data, labels, weights, _, label_type, absent = given
    if labels is None:
        raise ValueError("No labels are given. Give one label per row, or the name of the column that holds them.")
    if isinstance(labels, SoftLabels):
        if not soft:
            raise TypeError("Soft labels are not supported here; give one label per row.")
        yield from _soft_frame(given, columns)
        return
    plain_row = plain_row and weights is None and label_type is None
    if plain_row and (alone := labelled_alone(data, labels, columns)):
        row, label = alone
        yield Batch(completed(row, columns, absent), label.label_type, Rows(label.keys, label.codes), 0)
        return
    single = None if label_type else single_label(labels)
    by_batch = isinstance(labels, (str, pa.Scalar))
    whole_labels = None if by_batch else labels if single else label_array(labels)
    whole_weights = None if weights is None or isinstance(weights, str) else label_array(weights, "weights")
    start = 0
    for cells in frames.batches(data):
        if not cells.num_rows:
            continue
        stop = start + cells.num_rows
        part = _labels_of(cells, labels) if whole_labels is None else whole_labels[start:stop]
        if len(part) != cells.num_rows:
            raise ValueError(f"There are {start + len(part)} labels for {stop} rows or more.")
        found = single or label_column(part if label_type is None else part.cast(label_type), start, unlabelled)
        rows = Rows(found.keys, found.codes, _weights_of(cells, weights, whole_weights, start))
        yield Batch(completed(cells, columns, absent), found.label_type, rows, start)
        start = stop
    lengths = {"labels": whole_labels, "weights": whole_weights}
    _check_lengths(start, {what: None if given is None else len(given) for what, given in lengths.items()})


def _check_lengths(rows: int, lengths: Mapping[str, int | None]) -> None:
    for what, count in lengths.items():
        if count is not None and count != rows:
            raise ValueError(f"There are {count} {what} for {rows} rows.")


def _soft_frame(given: Given, columns: Collection[str]) -> Iterator[Batch]:
    """The same for soft labels. A row's weight times its share is rounded once."""
    data, labels, weights, *_ = given
    whole_weights = None if weights is None or isinstance(weights, str) else label_array(weights, "weights")
    start = 0
    for cells in frames.batches(data):
        if not cells.num_rows:
            continue
        found = labels.of_batch(cells, start)
        own = _weights_of(cells, weights, whole_weights, start)
        shares = found.shares if own is None else found.shares * np.repeat(own, np.diff(found.starts))
        if np.any((shares < LEAST_WEIGHT) & (shares > 0)):
            raise ValueError(f"A weight times a share is less than {LEAST_WEIGHT:.1g}; give 0, or larger numbers.")
        rows = SharedRows(found.keys, found.codes, shares, found.starts)
        yield Batch(completed(cells, columns, given.absent), found.label_type, rows, start)
        start += cells.num_rows
    _check_lengths(
        start, {"soft labels": labels.rows, "weights": None if whole_weights is None else len(whole_weights)}
    )


def _weights_of(cells: pa.RecordBatch, weights: Any, whole: pa.Array | None, start: int) -> Floats | None:
    given = None if whole is None else whole[start : start + cells.num_rows]
    given = _named(cells, weights, "weights") if isinstance(weights, str) else given
    return _checked(given, cells.num_rows, start)


def _labels_of(cells: pa.RecordBatch, labels: str | pa.Scalar) -> pa.Array:
    return _named(cells, labels, "labels") if isinstance(labels, str) else pa.repeat(labels, cells.num_rows)


def _named(cells: pa.RecordBatch, name: str, what: str) -> pa.Array:
    return frames.column(cells, name, f"Give the name of the column that holds the {what}.")


def _checked(weights: pa.Array | None, rows: int, start: int) -> Floats | None:
    if weights is None:
        return None
    if len(weights) != rows:
        raise ValueError(f"There are {start + len(weights)} weights for {start + rows} rows or more.")
    try:
        found = np.ascontiguousarray(frames.numbers(weights))
    except CellError as error:
        where = "" if error.row is None else f" in row {start + error.row}"
        raise ValueError(f"The weight{where} is not a number.") from None
    bad = np.flatnonzero((found != 0) & ~((found >= LEAST_WEIGHT) & (found <= MOST_WEIGHT)))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"The weight in row {start + row} is {found[row]}; give 0, or a number from {LEAST_WEIGHT:.1g} to "
            f"{MOST_WEIGHT:g}."
        )
    return found


def each_labelled(
    given: Given, schema: Schema, work: Callable[[Batch], T], *, cast: bool = False, most: int = sys.maxsize
) -> Iterator[T]:
    """Applies `work` to every batch of a frame, a stream or a source. A row of a source that it refuses is an error
    that names its place, or is skipped. Labels in a source are read as the given type, others only if `cast`; batches
    of a source have at most so many rows."""
    check_apart(schema.by_column, label=given.labels, weight=given.weights)
    if not isinstance(given.data, RowSource):
        given = given if cast else given._replace(label_type=None)
        yield from map(work, labelled(given, schema))
        return

    def each(frame: pa.RecordBatch, labels: Any) -> list[T]:
        return [work(batch) for batch in labelled(given._replace(data=frame, labels=labels, label_type=None), schema)]

    for found in each_batch(given, schema, each, most):
        yield from found


def each_batch(
    given: Given, schema: Schema, work: Callable[[pa.RecordBatch, Any], T], most: int = sys.maxsize
) -> Iterator[T]:
    """Applies `work` to every batch of a source and its labels: the name of a column, or one label for all rows. The
    column of groups is read as it is stored."""
    source, _, weights, groups, label_type, absent = given
    labels = labels_of(given, schema)
    if labels is None:
        raise ValueError(f"Which column holds the classes? There are {', '.join(map(repr, source.names))}.")
    if not isinstance(labels, (str, pa.Scalar)) or not isinstance(weights, (str, type(None))):
        raise ValueError("With a source, give the names of the columns that hold the labels and the weights.")
    column = labels if isinstance(labels, str) else None
    types = source.column_types(schema.reads(), column, label_type, absent)
    types = source.as_stored([] if groups is None else [groups]) | types
    types |= {} if weights is None else {weights: pa.float64()}
    found: Iterator[T] = source.each(types, lambda batch: work(batch, labels), most)
    return found
