"""The rows that laws draw, each a value, a class and a weight; as a frame, a tally and a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Rows
from tallybayes.families import Family
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name, checked_name, joined

Row = tuple[Any, str, float]  # value (None is missing), class, weight


def tally(family: Family, rows: Sequence[Row]) -> AnyTally:
    """Counts rows with their weights."""
    classes = ["a", "b", "c"]
    codes = np.array([classes.index(label) for _, label, _ in rows], np.int32)
    weights = np.array([weight for _, _, weight in rows], np.float64)
    frame, _ = frame_of(family, rows)
    cells = family.encode(joined(name_of(family), dict(zip(frame.schema.names, frame.columns, strict=True))))
    return family.tally(cells, Rows(classes, codes, None if np.all(weights == 1.0) else weights))


def train(family: Family, rows: Sequence[Row]) -> Model:
    return Model.train(schema_of(family), *frame_of(family, rows))


def name_of(family: Any) -> Name:
    """The name of the schema entry with this family."""
    return checked_name(family.columns if family.takes_blocks else ("x",))


def schema_of(family: Family) -> Schema:
    return Schema({name_of(family): family})


def frame_of(family: Family, rows: Sequence[Row]) -> tuple[pa.RecordBatch, list[str]]:
    name = name_of(family)
    if isinstance(name, str):
        cells = {name: pa.array([value for value, _, _ in rows])}
    else:
        values = [(None,) * len(name) if value is None else value for value, _, _ in rows]
        cells = {column: pa.array([value[i] for value in values]) for i, column in enumerate(name)}
    return pa.record_batch(cells), [label for _, label, _ in rows]


def close(a: Floats, b: Any) -> bool:
    """Equal up to rounding in the last digits."""
    return bool(np.allclose(a, b, rtol=1e-11, atol=1e-11))
