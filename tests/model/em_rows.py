"""Rows of which some have no label."""

import numpy as np
import pandas as pd
import pyarrow as pa

from tallybayes import EM, Bernoulli, Categorical, Gaussian, open_source
from tallybayes.sources import ReadOptions

WEATHER = [
    ("sunny", 85.0, 85.0, False, "no"),
    ("sunny", 80.0, 90.0, True, "no"),
    ("rainy", 65.0, 70.0, True, "no"),
    ("sunny", 72.0, 95.0, False, "no"),
    ("rainy", 71.0, 91.0, True, "no"),
    ("overcast", 83.0, 86.0, False, "yes"),
    ("rainy", 70.0, 96.0, False, "yes"),
    ("overcast", 72.0, 90.0, True, "yes"),
    ("overcast", 81.0, 75.0, False, "yes"),
    ("rainy", 68.0, 80.0, False, None),
    ("overcast", 64.0, 65.0, True, None),
    ("sunny", 69.0, 70.0, False, None),
    ("rainy", 75.0, 80.0, False, None),
    ("sunny", 75.0, 70.0, True, None),
]
NAMES = ("outlook", "temperature", "humidity", "windy")
FRAME = pa.table({name: [row[i] for row in WEATHER] for i, name in enumerate(NAMES)})
PLAY = [row[-1] for row in WEATHER]
LIKELY = Gaussian(m=0.0, plugin=True)
SCHEMA = {"outlook": Categorical(), "temperature": LIKELY, "humidity": LIKELY, "windy": Bernoulli()}
EXACT = EM(tolerance=1e-14, iterations=5000)


def mixed_rows(n, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    words = [f"w{i}" for i in range(12)]
    odds = np.linspace(1, 5, 12) / 36
    frame = {
        "level": [None if random.random() < 0.1 else "abcd"[min(random.poisson(y), 3)] for y in truth],
        "number": np.where(random.random(n) < 0.1, np.nan, random.normal(2.0 * truth, 1.0)),
        "text": [" ".join(random.choice(words, 6, p=np.roll(odds, 4 * y))) for y in truth],
        "count": random.poisson(1 + 2 * truth),
    }
    return pa.table(frame), [int(y) if i < n // 10 else None for i, y in enumerate(truth)], truth


def written(path, table, labels, padding="", block_bytes=1 << 20):
    columns = {"level": table["level"], "number": table["number"].to_pandas(), "y": pd.Series(labels, dtype=object)}
    pd.DataFrame(columns).assign(padding=padding).to_csv(path, index=False)
    return open_source(path, ReadOptions(block_bytes=block_bytes))
