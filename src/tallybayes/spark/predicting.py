"""Answers beside the rows of a DataFrame. The model travels with the task, and is read once in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import DoubleType, StructField, StructType

from tallybayes.data.matching import ERROR, MISSING, check_absent
from tallybayes.files import from_bytes, to_bytes
from tallybayes.model.model import Model
from tallybayes.spark.columns import check_there, label_kind, numbered
from tallybayes.spark.errors import marking
from tallybayes.spark.training import ADVICE

Batches = Iterator[pa.RecordBatch]

_MODELS: dict[str, Model] = {}  # of this process: one, which many tasks have


def predict(model: Model, df: DataFrame, probability: bool = True, *, absent: str = ERROR) -> DataFrame:
    """The DataFrame with the class of every row, "predicted", and its "probability"; with `probability` also "P(…)" of
    every class. Nothing is computed before somebody asks for rows."""
    check_absent(absent)
    if absent != MISSING:
        check_there(df, list(model.schema.by_column), ADVICE)
    model.beliefs()  # what it cannot answer is said here, and not by a task
    kind, as_label = label_kind(model.label_type)
    shares = [f"P({label})" for label in model.classes] if probability else []
    new = [StructField("predicted", kind), *(StructField(name, DoubleType()) for name in ("probability", *shares))]
    taken = {name.lower() for name in df.columns} & {field.name.lower() for field in new}
    if taken:
        raise ValueError(f"The DataFrame has columns {sorted(taken)} already, which answers are called. Rename them.")
    labels = [as_label(label) for label in model.classes]
    answering = _answering(to_bytes(model), df.columns, labels, bool(shares), absent)
    return numbered(df, df.columns).mapInArrow(marking(answering), StructType([*df.schema.fields, *new]))


def _answering(
    data: bytes, columns: list[str], labels: list[object], with_shares: bool, absent: str
) -> Callable[[Batches], Batches]:
    name = hashlib.sha256(data).hexdigest()

    def answered(batches: Batches) -> Batches:
        model = _loaded(name, data)
        classes = pa.array(labels)
        answers = ["predicted", "probability", *(f"P({label})" for label in model.classes if with_shares)]
        for batch in batches:
            shares = model.posterior(batch.rename_columns(columns), threads=1, absent=absent)
            best = shares.argmax(axis=1)
            new = [classes.take(pa.array(best)), pa.array(shares[np.arange(len(best)), best])]
            new += [pa.array(np.ascontiguousarray(share)) for share in shares.T] if with_shares else []
            yield pa.RecordBatch.from_arrays([*batch.columns, *new], names=[*columns, *answers])

    return answered


def _loaded(name: str, data: bytes) -> Model:
    if name not in _MODELS:
        _MODELS.clear()
        _MODELS[name] = from_bytes(data)
    return _MODELS[name]
