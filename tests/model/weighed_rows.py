"""Rows for tests of weighing."""

import numpy as np

from tallybayes import Categorical, Gaussian, Schema

TENNIS = {
    "outlook": ["sunny", "sunny", "rain", "rain", None, "overcast", "rain", "sunny"],
    "temp": [29.5, 28.0, 18.0, 16.5, 21.0, 24.0, None, 30.0],
}
PLAY = ["no", "no", "yes", "yes", "yes", "yes", "no", "no"]
SCHEMA = Schema({"outlook": Categorical(), "temp": Gaussian()})


def copies(rows=600, columns=6, seed=0):
    """One informative column, repeated, and another informative one."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, rows)
    one = np.where(random.random(rows) < 0.8, labels, 1 - labels)
    other = np.where(random.random(rows) < 0.7, labels, 1 - labels)
    frame = {f"copy {i}": one.astype(str) for i in range(columns)}
    return {**frame, "other": other.astype(str)}, labels.astype(str)
