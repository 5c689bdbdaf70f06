"""Assigns rows to folds as they stream by, from the seed, the class and the number of earlier rows of that class alone;
or from the row's group.

Rows of a class are dealt k at a time, one to each fold, in an order drawn from the seed (permuted blocks). So folds
have equal shares of every class to within one row, whatever the order and the batches. A group's fold is a hash of its
text: rows of a group stay together wherever they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes
from tallybayes.counts.tally import Key
from tallybayes.data import frames
from tallybayes.data.errors import CellError, RowError, check_whole
from tallybayes.data.inputs import is_stream
from tallybayes.data.labels import key_to_json, label_array
from tallybayes.data.row_source import RowSource
from tallybayes.model.batches import Batch, Given, each_labelled
from tallybayes.schema import Schema

MOST_FOLDS = 1 << 15
GOLDEN, FIRST, SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True)
class Deal:
    """The settings of a split into k folds."""

    k: int = 10
    stratify: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2)
        check_whole("seed", self.seed)
        if self.k > MOST_FOLDS:
            raise ValueError(
                f"k={self.k}: there can be no more than {MOST_FOLDS} folds; for leave-one-out use left_out, or "
                "--leave-one-out."
            )


class Dealer:
    """Assigns rows in order. `met` counts the rows of each class so far."""

    def __init__(self, deal: Deal) -> None:
        self.how = deal
        self.met: Counter[Key | None] = Counter()  # None: rows of any class
        self._starts: dict[Key | None, np.uint64] = {}

    def deal(self, batch: Batch, groups: pa.Array | None = None) -> Codes:
        """The fold of every row. Only rows that are confirmed by `take` afterwards count as dealt."""
        if groups is not None:
            return self._by_group(groups, batch.start)
        if not self.how.stratify:
            return self._dealt(None, len(batch.rows))
        codes, classes = batch.rows.codes, batch.rows.classes
        order = np.argsort(codes.astype(np.uint16) if len(classes) < 1 << 16 else codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(classes)))
        folds = np.empty(len(codes), np.int32)
        for key, rows in zip(classes, np.split(order, ends[:-1]), strict=True):
            if rows.size:
                folds[rows] = self._dealt(key, len(rows))
        return folds

    def take(self, batch: Batch) -> None:
        """Confirms that these rows were dealt."""
        if not self.how.stratify:
            self.met[None] += len(batch.rows)
            return
        counts = np.bincount(batch.rows.codes, minlength=len(batch.rows.classes)).tolist()
        self.met.update({key: n for key, n in zip(batch.rows.classes, counts, strict=True) if n})

    def _dealt(self, key: Key | None, rows: int) -> Codes:
        """The folds of the next rows of a class: of every k in succession, each fold gets one."""
        k = self.how.k
        first = self.met[key] // k
        last = -(-(self.met[key] + rows) // k)
        if key not in self._starts:
            self._starts[key] = np.uint64(self._hash(json.dumps(key_to_json(key)).encode()))
        drawn = _mixed(np.arange(first * k, last * k, dtype=np.uint64) + self._starts[key])
        folds = np.argsort(drawn.reshape(-1, k), axis=1, kind="stable").ravel()
        skipped = self.met[key] - first * k
        return folds[skipped : skipped + rows].astype(np.int32)

    def _by_group(self, groups: pa.Array, start: int) -> Codes:
        try:
            texts = frames.texts(groups)
        except CellError as error:
            raise ValueError(f"The groups cannot be read: {error.reason}") from None
        if texts.null_count:
            row = start + int(np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))[0])
            reason = "the row has no group. Drop it, or give it one."
            raise RowError(row, reason, f"Row {row} has no group. Drop it, or give it one.")
        coded = texts.dictionary_encode()
        words = coded.dictionary.cast(pa.large_binary()).to_pylist()
        folds = [0 if word is None else self._hash(word) % self.how.k for word in words]
        return np.array(folds, np.int32)[coded.indices.to_numpy()]

    def _hash(self, text: bytes) -> int:
        return int.from_bytes(blake2b(text, digest_size=8, key=str(self.how.seed).encode()[:64]).digest(), "little")


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Pseudo-random numbers, the same on every machine: splitmix64."""
    x = numbers * GOLDEN
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


def each_dealt(given: Given, schema: Schema, deal: Deal, work: Callable[[Batch, Codes], None]) -> None:
    """Applies `work` to every batch, with the fold of each row. Rows that it refuses are not dealt: a source may skip
    them and offer the rest of the batch again."""
    whole = None if isinstance(given.groups, (str, type(None))) else label_array(given.groups, "groups")
    if whole is not None and (isinstance(given.data, RowSource) or is_stream(given.data)):
        kind = "a source" if isinstance(given.data, RowSource) else "a stream of frames"
        raise ValueError(f"With {kind}, give the name of the column that holds the groups.")
    dealer = Dealer(deal)

    def dealt(batch: Batch) -> int:
        work(batch, dealer.deal(batch, _groups_of(batch, given.groups, whole)))
        dealer.take(batch)
        return batch.start + len(batch.rows)

    named = given if whole is None else given._replace(groups=None)
    rows = max(each_labelled(named, schema, dealt, cast=True), default=0)
    if whole is not None and len(whole) != rows:
        raise ValueError(f"There are {len(whole)} groups for {rows} rows.")


def _groups_of(batch: Batch, groups: Any, whole: pa.Array | None) -> pa.Array | None:
    """The group of each row: from a named column, or one value per row."""
    if isinstance(groups, str):
        return frames.column(batch.cells, groups, "Give the name of the column that holds the groups.")
    stop = batch.start + len(batch.rows)
    return None if whole is None or len(whole) < stop else whole[batch.start : stop]
