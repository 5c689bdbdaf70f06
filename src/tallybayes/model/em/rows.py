"""The rows that EM passes over, block by block: kept in memory in a canonical order, or read again at every step.

Scores are floating point and may differ in the last digit with the position of a row in its block. So rows in memory
are sorted by their fingerprints and cut into blocks of equal size: the blocks do not depend on the order of the rows or
the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data import frames
from tallybayes.data.errors import numbered_by
from tallybayes.data.fingerprints import fingerprints
from tallybayes.data.processors import processors
from tallybayes.families.left_out import weights_of
from tallybayes.model.batches import Batch, Given, each_batch, in_pieces, labelled, size_of
from tallybayes.model.tallying import check_cells
from tallybayes.schema.entries import Name
from tallybayes.schema.schema import Schema

BLOCK = 1 << 14  # rows
ALONE = 1 << 15  # bytes of cells: below this, starting threads takes longer than scoring

T = TypeVar("T")


class RowBlock(NamedTuple):
    """Rows that are all labelled, or all unlabelled."""

    cells: pa.RecordBatch
    encoded: dict[Name, Any]
    kept: dict[Name, Any]  # the same cells in the form that is counted
    codes: Codes  # the class index of each row; negative: none
    weights: Floats
    places: Counts  # the position of each row in the data

    @property
    def labelled(self) -> bool:
        return bool(len(self.codes)) and bool(self.codes[0] >= 0)

    def rows(self, keys: Sequence[Key]) -> Rows:
        """Classes and weights of labelled rows."""
        return Rows(list(keys), self.codes, None if np.all(self.weights == 1.0) else self.weights)


class AnyRows(Protocol):
    """Rows that can be passed over repeatedly."""

    keys: list[Key]  # the labels that occur, sorted; `codes` are indices into it
    label_type: pa.DataType

    def each(self, work: Callable[[RowBlock], T], threads: int | None) -> Iterator[T]:
        """The result of `work` on every block, in order."""


class FrameRows:
    """Rows of a frame."""

    def __init__(self, schema: Schema, batches: Iterable[Batch]) -> None:
        given = [batch for batch in batches if len(batch.rows)]
        if not given:
            raise ValueError("There are no rows to learn from.")
        self.keys, self.label_type, codes = _numbered(given)
        cells = frames.one_batch(batch.cells for batch in given)
        weights = np.concatenate([weights_of(batch.rows) for batch in given])
        self.size = len(codes)
        order = np.lexsort((weights, codes, fingerprints(cells, schema.by_column, numeric=schema.numeric)))
        self.blocks = _blocks(schema, cells, codes, weights, order)

    def each(self, work: Callable[[RowBlock], T], threads: int | None) -> Iterator[T]:
        yield from _each_block(self.blocks, work, threads)


class SourceRows:
    """Rows of a source, which is opened again for every pass; only one batch is in memory."""

    def __init__(self, schema: Schema, given: Given) -> None:
        self.schema, self._given, self._opened = schema, given, False
        kinds: dict[str, pa.DataType] = {}
        seen: set[Key] = set()
        for batch in self.batches(check=True):
            kinds.setdefault(str(batch.label_type), batch.label_type)
            seen.update(batch.rows.classes[code] for code in np.unique(batch.rows.codes).tolist() if code >= 0)
        if not kinds:
            raise ValueError("There are no rows to learn from.")
        self.keys, self.label_type = sorted(seen), next(iter(kinds.values()))

    def batches(self, check: bool = False) -> Iterator[Batch]:
        """Reads all rows again. The first time, with `check`, they are counted as one class, so that errors in cells
        name their line."""
        given = self._given
        check = check or given.data.skipped > 0  # skip the same rows as the first time
        again = given._replace(data=given.data.again()) if self._opened else given
        self._opened = True

        def read(cells: pa.RecordBatch, labels: Any) -> list[Batch]:
            rows = given._replace(data=cells, labels=labels, label_type=None)
            batches = list(labelled(rows, self.schema, unlabelled=True))
            for batch in batches if check else ():
                check_cells(self.schema, batch.cells)
            return batches

        for found in each_batch(again, self.schema, read):
            yield from found

    def each(self, work: Callable[[RowBlock], T], threads: int | None) -> Iterator[T]:
        start = 0
        for batch in self.batches():
            codes = batch.rows.codes_in(self.keys)
            order = np.arange(len(codes))
            blocks = _blocks(self.schema, batch.cells, codes, weights_of(batch.rows), order)
            yield from _each_block([each._replace(places=each.places + start) for each in blocks], work, threads)
            start += len(codes)


def _each_block(blocks: Sequence[RowBlock], work: Callable[[RowBlock], T], threads: int | None) -> Iterator[T]:
    def done(block: RowBlock) -> T:
        with numbered_by(block.places):
            return work(block)

    many = min(threads or processors(), len(blocks)) if sum(size_of(each.cells) for each in blocks) > ALONE else 1
    for part in in_pieces(len(blocks), max(many, 1), lambda a, b: [done(block) for block in blocks[a:b]]):
        yield from part


def _blocks(schema: Schema, cells: pa.RecordBatch, codes: Codes, weights: Floats, order: Counts) -> list[RowBlock]:
    """Rows in this order, those without labels first: they are mostly more."""
    return [
        _block(schema, cells, codes, weights, part[at : at + BLOCK])
        for part in (order[codes[order] < 0], order[codes[order] >= 0])
        for at in range(0, len(part), BLOCK)
    ]


def _block(schema: Schema, cells: pa.RecordBatch, codes: Codes, weights: Floats, at: Counts) -> RowBlock:
    taken = cells.take(pa.array(at))
    with numbered_by(at):
        encoded = schema.encode(taken)
    again = not len(at) or codes[at[0]] < 0
    kept = {name: family.kept(encoded[name]) for name, family in schema.columns.items()} if again else encoded
    return RowBlock(taken, encoded, kept, np.ascontiguousarray(codes[at]), weights[at], at)


def _numbered(batches: Sequence[Batch]) -> tuple[list[Key], pa.DataType, Codes]:
    """The labels of all batches, sorted, and the index of each row's label."""
    kinds = {str(batch.label_type): batch.label_type for batch in batches if not pa.types.is_null(batch.label_type)}
    if len(kinds) > 1:
        raise TypeError(f"The labels have several types: {', '.join(sorted(kinds))}. Give labels of one type.")
    seen = {batch.rows.classes[code] for batch in batches for code in np.unique(batch.rows.codes).tolist() if code >= 0}
    keys = sorted(seen)
    codes = np.concatenate([batch.rows.codes_in(keys) for batch in batches])
    return keys, next(iter(kinds.values()), pa.null()), codes
