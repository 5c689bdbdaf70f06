"""Training on a million rows of ten string columns with 5 to 500 levels, against OrdinalEncoder + CategoricalNB.

    python bench/categories.py

scikit-learn gets a matrix of Python strings, tallybayes the same strings as Arrow columns. Seed 0. Then the CPU time to
count a cell of several families, for several shares of missing cells, which should not make it slower.
"""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema
from tallybayes.families import Family
from timing import report

ROWS = 1_000_000
LEVELS = (5, 10, 20, 30, 50, 80, 120, 200, 300, 500)
MISSING = (0.0, 0.01, 0.5, 0.99)


def by_share_missing() -> None:
    rng = np.random.default_rng(0)
    labels, small = rng.integers(0, 2, ROWS), rng.integers(0, 5, ROWS)
    columns: dict[str, tuple[Family, np.ndarray]] = {
        "3 levels": (Categorical(), np.array(["free", "small", "large"])[small % 3]),
        "300 levels": (Categorical(), np.array([f"level {i}" for i in range(300)])[rng.integers(0, 300, ROWS)]),
        "Histogram": (Histogram(), rng.normal(size=ROWS).round(2)),
        "Histogram of 0 to 4": (Histogram(), small.astype(float)),
        "Gaussian": (Gaussian(), rng.normal(size=ROWS)),
    }
    print(f"\nns to count a cell{'':8}" + "".join(f"{share:>8.0%} missing" for share in MISSING))
    for name, (family, values) in columns.items():
        tables = [pa.table({"x": pa.array(values, mask=rng.random(ROWS) < share)}) for share in MISSING]
        costs = [nanoseconds(family, table, labels) for table in tables]
        print(f"  {name:24}" + "".join(f"{cost:16.1f}" for cost in costs), flush=True)


def nanoseconds(family: Family, table: pa.Table, labels: np.ndarray) -> float:
    best = np.inf
    for _ in range(9):
        start = time.process_time()
        Model.train({"x": family}, table, labels, threads=1)
        best = min(best, time.process_time() - start)
    return best / ROWS * 1e9


def main() -> None:
    rng = np.random.default_rng(0)
    columns = {}
    for k in LEVELS:
        words = np.array([f"level {i} of {k}" for i in range(k)])
        columns[f"of {k}"] = words[rng.integers(0, k, ROWS)]
    labels = rng.integers(0, 2, ROWS)
    table = pa.table(columns)
    strings = np.stack([values.astype(object) for values in columns.values()], axis=1)
    schema = Schema({name: Categorical() for name in columns})
    model = Model.train(schema, table, labels)
    peer = make_pipeline(OrdinalEncoder(), CategoricalNB()).fit(strings, labels)
    report(
        "train, 1,000,000 × 10 strings, 2 classes",
        {
            "scikit-learn OrdinalEncoder + CategoricalNB": lambda: make_pipeline(OrdinalEncoder(), CategoricalNB()).fit(
                strings, labels
            ),
            "tallybayes, 1 thread": lambda: Model.train(schema, table, labels, threads=1),
            "tallybayes, 2 threads": lambda: Model.train(schema, table, labels, threads=2),
        },
        "scikit-learn OrdinalEncoder + CategoricalNB",
    )
    report(
        "posterior of these rows",
        {
            "scikit-learn": lambda: peer.predict_proba(strings),
            "tallybayes, 1 thread": lambda: model.posterior(table, threads=1),
            "tallybayes, 2 threads": lambda: model.posterior(table, threads=2),
        },
        "scikit-learn",
    )
    gap = np.abs(model.posterior(table) - peer.predict_proba(strings)).max()
    print(f"\nlargest difference in probability: {gap:.1e}")


if __name__ == "__main__":
    main()
    by_share_missing()
