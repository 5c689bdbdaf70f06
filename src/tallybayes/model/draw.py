"""Rows made up by a model: a class as the prior has it, then every column's cell as that class has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief


class Sample(NamedTuple):
    """Rows and their classes: what `Model.train(schema, *sample)` takes."""

    rows: pa.RecordBatch
    labels: pa.Array


def sample(beliefs: Mapping[str, Belief], log_prior: Floats, labels: pa.Array, n: Any, seed: Any) -> Sample:
    """`n` rows. The columns are drawn in the order of their names, so that equal models give equal rows."""
    check_whole("n", n, "how many rows to draw")
    check_whole("seed", seed, "the same one gives the same rows again")
    random = np.random.Generator(np.random.PCG64(int(seed)))
    prior = np.exp(log_prior)
    classes = random.choice(len(prior), int(n), p=prior / prior.sum())
    columns = {name: belief.draw(random, classes) for name, belief in sorted(beliefs.items())}
    for name, cells in columns.items():
        if cells.null_count:
            first = cells.is_null().index(True).as_py()
            raise ValueError(
                f"Column {name!r}: nothing is counted in class {labels[int(classes[first])].as_py()!r} and nothing is "
                "assumed, so there is nothing to draw from. Give the family a prior (alpha, m, shape or rate above 0), "
                "or leave the column out of the schema."
            )
    drawn = labels.take(pa.array(classes))
    rows = pa.record_batch({"": drawn, **columns}).select(list(beliefs))  # a model of no columns has rows, too
    return Sample(rows, drawn)


def check_whole(name: str, value: Any, meaning: str) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name}={value!r}: give a whole number of at least 0 ({meaning}).")
