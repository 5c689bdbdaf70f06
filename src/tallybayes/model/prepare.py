"""Chooses what must be fixed before anything is counted, from some of the rows: intervals, levels, questions of trees.

The choice depends on the rows alone, so a frame in another order gives the same schema. For a source, the rows are
those of its sample; none is consumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.rows import Rows
from tallybayes.data.errors import CellError
from tallybayes.data.inputs import is_stream
from tallybayes.data.row_source import RowSource
from tallybayes.families import Family
from tallybayes.model.batches import Batch, labelled
from tallybayes.model.sample import Sample
from tallybayes.schema import Schema

ROWS = 30_000  # at most


def prepare(
    schema: Schema | Mapping[Any, Family], data: Any, labels: Any = None, *, weights: Any = None, label_type: Any = None
) -> Schema:
    """The schema with everything fixed that counting needs: intervals and levels of columns that are counted together,
    the questions of trees. Prepare a schema once and train all models that are to be merged with it. Rows without a
    label are ignored."""
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    if schema.is_prepared:
        return schema
    labels = schema.label if labels is None else labels
    if isinstance(data, RowSource):
        labels = data.label if labels is None else labels
        data = data.sample()
    elif is_stream(data):
        raise ValueError(
            "Intervals, levels or questions must be chosen before rows are counted, and a stream can be read only "
            "once. Choose them on some rows with prepare(schema, rows, labels)."
        )
    sample = Sample(schema.by_column, ROWS)
    for batch in labelled(schema.frame(data), labels, weights, label_type=label_type, unlabelled=True):
        sample.add(_with_labels(batch))
    if not sample.seen:
        raise ValueError("There are no labelled rows to choose intervals, levels or questions from.")
    rows = sample.rows()
    try:
        return schema.prepared(rows.cells, rows.rows())
    except CellError as error:  # of a row of the sample, whose number says nothing
        raise ValueError(f"Column {error.column!r}: {error.reason}") from None


def _with_labels(batch: Batch) -> Batch:
    rows = batch.rows
    at = np.flatnonzero(rows.codes >= 0)
    if len(at) == len(rows):
        return batch
    known = Rows(rows.classes, rows.codes[at], None if rows.weights is None else rows.weights[at])
    return Batch(batch.cells.take(pa.array(at)), batch.label_type, known, batch.start)
