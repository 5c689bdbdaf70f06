"""Rows to grow trees from, and trees grown from them."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Trees, prepare

BLOCK = ("a", "b", "c")
RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": RANDOM.choice(["u", "v", "w", None], 120),
        "b": np.where(RANDOM.random(120) < 0.1, np.nan, RANDOM.normal(size=120).round(1)),
        "c": RANDOM.choice(["x", "y"], 120),
    }
)
LABELS = np.where(
    RANDOM.random(120) < 0.8,
    np.where((FRAME["a"] == "u") ^ (FRAME["b"] > 0), "yes", "no"),
    RANDOM.choice(["no", "oh"], 120),
).tolist()
PREPARED = {
    questions: prepare({BLOCK: Trees(n=8, questions=questions)}, FRAME, LABELS) for questions in ("guided", "random")
}
GUIDED = PREPARED["guided"]
BOTH = pytest.mark.parametrize("schema", PREPARED.values(), ids=PREPARED)


def taken(at):
    return FRAME.iloc[at], [LABELS[i] for i in at]


def parity(rows=200):
    """What no column tells alone."""
    one, two = np.random.default_rng(1).integers(0, 2, (2, rows))
    return pd.DataFrame({"one": one, "two": two.astype(str)}), (one ^ two).tolist()
