"""A table with a column of every kind and missing cells, in several frame types."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tallybayes import Bernoulli, Categorical, Gaussian, Poisson, Schema, Words

SCHEMA = Schema(
    {"age": Gaussian(), "calls": Poisson(), "city": Categorical(), "member": Bernoulli(), "note": Words()},
    prior="frequencies",
)
NOTES = ["late again today", "thanks a lot", "late and cold", "very good thanks", "cold food", "never again"]


def table(n, seed=0):
    """A dictionary of columns, and labels."""
    random = np.random.default_rng(seed)
    labels = random.choice(["leaves", "moves", "stays"], n, p=[0.3, 0.1, 0.6])
    shift = np.array([{"leaves": 0, "moves": 1, "stays": 2}[label] for label in labels])
    columns = {
        "age": np.where(random.random(n) < 0.1, np.nan, random.normal(30 + 8 * shift, 5)),
        "calls": random.poisson(1 + 2 * shift),
        "city": [["bonn", "köln", None][i] for i in random.integers(0, 3, n)],
        "member": random.random(n) < 0.2 + 0.3 * shift,
        "note": [NOTES[(i + s) % 6] for i, s in zip(random.integers(0, 3, n), shift, strict=True)],
    }
    return columns, labels


def rows(columns, start, stop):
    return {name: cells[start:stop] for name, cells in columns.items()}


MAKES = {
    "a dictionary": dict,
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, nan_to_null=True),
    "an Arrow table": pa.table,
    "an Arrow batch": lambda columns: pa.table(columns).to_batches()[0],
}
