"""Adds answers to a DataFrame. The model is sent with the task and loaded once per process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import DoubleType, StructField, StructType

from tallybayes.data.matching import ERROR, MISSING, check_absent
from tallybayes.files import to_bytes
from tallybayes.model.model import Model
from tallybayes.spark.columns import check_there, label_kind
from tallybayes.spark.errors import marking
from tallybayes.spark.packing import Batches, Packing
from tallybayes.spark.training import ADVICE
from tallybayes.spark.worker import loaded


def predict(
    model: Model, df: DataFrame, probability: bool = True, *, keep: Sequence[str] | None = None, absent: str = ERROR
) -> DataFrame:
    """The DataFrame with the class of every row, "predicted", and its "probability"; with `probability` also "P(…)" of
    every class. Evaluation is lazy. Rows are sent to Python and back: if only some columns are needed next to the
    answers, `keep` these, and the others are not sent."""
    shares = [f"P({label})" for label in model.classes] if probability else []
    return answered(model, df, ["predicted", "probability", *shares], keep=keep, absent=absent)


def answered(
    model: Model, df: DataFrame, names: list[str], *, keep: Sequence[str] | None = None, absent: str = ERROR
) -> DataFrame:
    """The same with these column names: of the class, its probability and, if given, the probability of each class."""
    check_absent(absent)
    if absent != MISSING:
        check_there(df, list(model.schema.by_column), ADVICE)
    kept = list(df.columns if keep is None else dict.fromkeys(keep))
    check_there(df, kept, "Keep existing columns.")
    model.beliefs()  # raises errors here, not in a task
    kind, as_label = label_kind(model.label_type)
    taken = {name.lower() for name in kept} & {name.lower() for name in names}
    if taken:
        raise ValueError(f"The DataFrame already has columns {sorted(taken)}, the names of answers. Rename them.")
    new = [StructField(names[0], kind), *(StructField(name, DoubleType()) for name in names[1:])]
    labels = [as_label(label) for label in model.classes]
    used = [name for name in model.schema.by_column if name in df.columns]
    packing = Packing.of(df, dict.fromkeys([*kept, *used]))
    answering = _answering(to_bytes(model), packing, len(kept), labels, names, absent)
    fields = [df.schema[name] for name in kept]
    return packing.packed(df).mapInArrow(marking(answering), StructType([*fields, *new]))


def _answering(
    data: bytes, packing: Packing, kept: int, labels: list[object], names: list[str], absent: str
) -> Callable[[Batches], Batches]:
    """The work of a task on these columns, of which it keeps the first."""
    digest = hashlib.sha256(data).hexdigest()

    def answers(batches: Batches) -> Batches:
        model = loaded(digest, data)
        classes = pa.array(labels)
        for batch in packing.unpacked(batches):
            shares = model.posterior(batch, threads=1, absent=absent)
            best = shares.argmax(axis=1)
            new = [classes.take(pa.array(best)), pa.array(shares[np.arange(len(best)), best])]
            new += [pa.array(np.ascontiguousarray(share)) for share in shares.T] if len(names) > 2 else []
            yield pa.RecordBatch.from_arrays([*batch.columns[:kept], *new], names=[*packing.names[:kept], *names])

    return answers
