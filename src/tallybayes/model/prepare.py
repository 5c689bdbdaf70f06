"""Chooses what must be fixed before anything is counted, from some of the rows: intervals, levels, questions of trees.

The choice depends on the rows alone, so a frame in another order gives the same schema. For a source, the rows are
those of its sample; none is consumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.tally import Key, Rows
from tallybayes.data.errors import CellError
from tallybayes.data.inputs import is_stream
from tallybayes.data.matching import ERROR, MISSING
from tallybayes.data.row_source import RowSource
from tallybayes.families import Family
from tallybayes.model.batches import Batch, Given, labelled, labels_of
from tallybayes.model.sample import RowSample
from tallybayes.schema import Schema

ROWS = 30_000  # at most


def prepare(
    schema: Schema | Mapping[Any, Family],
    data: Any,
    labels: Any = None,
    *,
    weights: Any = None,
    label_type: Any = None,
    absent: str = ERROR,
) -> Schema:
    """The schema with everything fixed that counting needs: intervals and levels of columns that are counted together,
    the questions of trees. Prepare a schema once and train all models that are to be merged with it. Rows without a
    label are ignored, and so are infinities, which are errors when they are counted.

    >>> from tallybayes import Pairs
    >>> days = {"sky": ["sun", "rain"] * 10, "wind": ["weak", "weak", "strong", "strong"] * 5}
    >>> schema = prepare({("sky", "wind"): Pairs()}, days, ["no", "yes"] * 10)
    >>> schema.columns["sky", "wind"].codes
    (('rain', 'sun'), ('strong', 'weak'))
    """
    return prepared_on(Given(data, labels, weights, None, label_type, absent), schema)


def prepared_on(given: Given, schema: Schema | Mapping[Any, Family]) -> Schema:
    """The same, for rows that are given in one piece."""
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    if schema.is_prepared:
        return schema
    if isinstance(given.data, RowSource):
        some = given.data.sample(schema.by_column if given.absent == MISSING else ())
        given = given._replace(data=some, labels=labels_of(given, schema))
    elif is_stream(given.data):
        raise ValueError(
            "Intervals, levels or questions must be chosen before rows are counted, and a stream can be read only "
            "once. Choose them on some rows with prepare(schema, rows, labels)."
        )
    sample = RowSample(schema.by_column, ROWS, numeric=schema.numeric)
    seen = any(family.looks_at_labels for family in schema.columns.values())
    classes: set[Key] = set()
    for batch in labelled(given, schema, unlabelled=True):
        classes.update(batch.rows.classes)
        sample.add(batch if seen else _without_classes(batch))
    if not classes:
        raise ValueError("There are no labelled rows to choose intervals, levels or questions from.")
    found = sample.rows()
    rows = found.rows() if seen else Rows(sorted(classes), found.labels, found.rows().weights)
    try:
        return schema.prepared(_finite(found.cells), rows)
    except CellError as error:  # of a row of the sample, whose number says nothing
        raise ValueError(f"Column {error.column!r}: {error.reason}") from None


def _finite(cells: pa.RecordBatch) -> pa.RecordBatch:
    for at, kind in enumerate(cells.schema.types):
        if pa.types.is_floating(kind):
            column = cells.column(at)
            kept = pc.if_else(pc.is_inf(column), pa.scalar(None, kind), column)
            cells = cells.set_column(at, cells.schema.field(at).name, kept)
    return cells


def _without_classes(batch: Batch) -> Batch:
    """Rows as if all labels were the same: which of them are copies must not depend on labels that nothing looks at."""
    return batch._replace(rows=Rows([""], np.minimum(batch.rows.codes, 0), batch.rows.weights))
