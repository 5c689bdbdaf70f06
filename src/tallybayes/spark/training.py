"""Trains on a DataFrame: every partition is counted on its executor, and the counts are merged on executors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.storagelevel import StorageLevel

from tallybayes.data.errors import NoLabelError, warn
from tallybayes.data.matching import ERROR, MISSING, check_absent
from tallybayes.families import Family
from tallybayes.model.model import Model, merge
from tallybayes.model.prepare import prepare
from tallybayes.schema.schema import Schema
from tallybayes.spark.columns import check_there, first_rows
from tallybayes.spark.errors import library_errors, marking
from tallybayes.spark.packing import Batches, Packing
from tallybayes.spark.sending import COUNTED, IN_PIECES, in_pieces, received, sent, whole

LOOKED_AT = 20_000  # rows from which a schema is inferred or prepared
FEW = 16  # models that the driver merges itself
SMALL = 1 << 26  # total bytes up to which the driver collects models
AT_ONCE = 1 << 22  # bytes of the first task's model up to which it is collected before the total is known
PIECE = 1 << 22  # bytes of a large model that are sent to the driver as one row
ADVICE = "Rename the column, or treat it as missing with absent='missing'."


def train(
    schema: Schema | Mapping[Any, Family] | None,
    df: DataFrame,
    label: str | None = None,
    weight: str | None = None,
    *,
    absent: str = ERROR,
) -> Model:
    """Trains a model on a DataFrame. It is byte for byte the model that `Model.train` makes of the same rows, however
    they are partitioned and whichever tasks are retried.

    Without a schema, one is inferred from the first rows, with a warning. Intervals and questions that must be chosen
    before counting are chosen from these rows too."""
    check_absent(absent)
    prepared = _prepared(schema, df, label, weight)
    label = label or prepared.label
    if label is None:
        raise ValueError("Which column holds the classes? Give label='…', or a schema with a label.")
    check_there(df, [label, *([] if weight is None else [weight])], "Give existing columns.")
    wanted = [name for name in prepared.by_column if absent != MISSING or name in df.columns]
    check_there(df, wanted, ADVICE)
    packing = Packing.of(df, dict.fromkeys([*wanted, label, *([] if weight is None else [weight])]))
    counting = _counting(prepared, packing, label, weight, absent)
    counted = packing.packed(df).mapInArrow(marking(counting), COUNTED)
    with library_errors():
        return _merged(counted, prepared)


def _prepared(
    schema: Schema | Mapping[Any, Family] | None, df: DataFrame, label: str | None, weight: str | None
) -> Schema:
    """The schema with everything that must be the same in all partitions."""
    given = schema if isinstance(schema, Schema) or schema is None else Schema(schema)
    if given is not None and given.is_prepared:
        return given
    first = first_rows(df, LOOKED_AT, without=weight)
    if given is None:
        given = Schema.infer(first, label)
        warn(
            f"No schema was given; it was inferred from {len(first):,} rows, which may differ from run to run. Pass "
            "Schema.infer(rows) to have the same one every time."
        )
    return prepare(given, first, label)


def _counting(
    schema: Schema, packing: Packing, label: str, weight: str | None, absent: str
) -> Callable[[Batches], Batches]:
    def counted(batches: Batches) -> Batches:
        rows = packing.unpacked(batches)
        try:
            model = Model.train(schema, rows, label, weights=weight, threads=1, absent=absent)
        except NoLabelError:  # EM, which the error would advise, needs all rows on one machine
            raise ValueError(
                f"Column {label!r}: a row has no label. Drop such rows, as df.dropna(subset=[{label!r}]) does."
            ) from None
        if model.keys():
            yield sent(model, _at_once())

    return counted


def _merge_partition(batches: Batches) -> Batches:
    if (model := _total(batches)) is not None:
        yield sent(model, _at_once())


def _cutting(most: int) -> Callable[[Batches], Batches]:
    def cut(batches: Batches) -> Batches:
        if (model := _total(batches)) is not None:
            yield from in_pieces(model, most)

    return cut


def _total(batches: Batches) -> Model | None:
    models = received(batches)
    first = next(models, None)
    return None if first is None else merge(chain([first], models))


def _at_once() -> int:
    """The size up to which this task's model may be collected with all others, by now of an unknown number: if the
    limit of task i is 1/i of the first one's, a million tasks send no more than 14 times as much as the first."""
    task = TaskContext.get()
    return AT_ONCE // (1 + task.partitionId()) if task else 0


def _merged(counted: DataFrame, schema: Schema) -> Model:
    """Merges n models in rounds, about √n at a time. The last few are merged on the driver if they are small;
    otherwise on an executor, and the driver fetches their sum in pieces."""
    rounds = [counted.persist(StorageLevel.DISK_ONLY)]
    try:
        left, size, models = _measured(rounds[-1])
        while left > FEW and size > SMALL:
            together = rounds[-1].repartition(math.ceil(math.sqrt(left)))
            rounds.append(together.mapInArrow(marking(_merge_partition), COUNTED).persist(StorageLevel.DISK_ONLY))
            left, size, models = _measured(rounds[-1])
        if not left:
            return Model(schema)
        if size <= SMALL:
            return merge(received((models or rounds[-1].toArrow()).to_batches()))
        cut = rounds[-1].repartition(1).mapInArrow(marking(_cutting(PIECE)), IN_PIECES)
        return whole(cut.repartition(math.ceil(size / PIECE), "start").toLocalIterator)
    finally:
        for each in rounds:
            each.unpersist()


def _measured(counted: DataFrame) -> tuple[int, int, pa.Table | None]:
    """The number of models and their total size in bytes; and the models, if all can be collected at once."""
    small = f.when(f.col("at_once"), f.col("model")).alias("model")
    found = counted.select(small, f.length("model").alias("bytes")).toArrow()
    models = None if found["model"].null_count else found
    return len(found), pc.sum(found["bytes"]).as_py() or 0, models
