"""Rows drawn from a model: a class from the prior, then every column's cell from its distribution in that class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import check_whole
from tallybayes.families.base import Belief
from tallybayes.families.events import UNKNOWN
from tallybayes.schema.entries import Name, apart, in_order, members


class Sample(NamedTuple):
    """Rows and their classes, to pass to `Model.train(schema, *sample)`."""

    rows: pa.RecordBatch
    labels: pa.Array


def sample(beliefs: Mapping[Name, Belief], log_prior: Floats, labels: pa.Array, n: Any, seed: Any) -> Sample:
    """`n` rows. The columns are drawn in the order of their names, so that equal models give equal rows."""
    check_whole("n", n, more=" (how many rows to draw)")
    check_whole("seed", seed, more=" (the same seed gives the same rows)")
    random = np.random.Generator(np.random.PCG64(int(seed)))
    prior = np.exp(log_prior)
    classes = random.choice(len(prior), int(n), p=prior / prior.sum())
    drawn_cells = {name: belief.draw(random, classes) for name, belief in in_order(beliefs)}
    columns = {column: cells for name, found in drawn_cells.items() for column, cells in apart(name, found).items()}
    for name, cells in columns.items():
        if cells.null_count:
            first = cells.is_null().index(True).as_py()
            label = labels[int(classes[first])].as_py()
            raise ValueError(f"Column {name!r}: there is nothing to draw from in class {label!r}. It {UNKNOWN}")
    drawn = labels.take(pa.array(classes))
    names = [column for name in beliefs for column in members(name)]
    rows = pa.record_batch({"": drawn, **columns}).select(names)  # there may be no columns, only rows
    return Sample(rows, drawn)
