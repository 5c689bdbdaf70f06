"""Training and scoring a million rows against scikit-learn: numbers, categories, and correlated numbers.

    python bench/million_rows.py

Numbers: 20 columns in two classes, standard normal, against GaussianNB. Categories: ten columns of 5 to 500 levels,
against OrdinalEncoder + CategoricalNB. Correlated numbers: 250,000 rows of ten in three classes, against linear and
quadratic discriminant analysis. scikit-learn gets its preferred layout, a C-ordered matrix, of numbers or of Python
strings; tallybayes gets Arrow columns or, where it says so, the same matrix. Last, the CPU time to count a cell of
several families, for several shares of missing cells, which should not make it slower. Seed 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tallybayes import Categorical, Correlated, Gaussian, Histogram, Model, Schema
from tallybayes.families import Family
from timing import CPU, best_of, report

ROWS = 1_000_000
LEVELS = (5, 10, 20, 30, 50, 80, 120, 200, 300, 500)
MISSING = (0.0, 0.01, 0.5, 0.99)
THREADS = {"1 thread": 1, "2 threads": 2}


def beside(title: str, peer: Any, matrix: Any, rows: Any, schema: Schema, labels: Any, **equal: Any) -> None:
    """Training and scoring the rows, and the largest difference in probability at `equal` settings."""
    peer.fit(matrix, labels)
    model = Model.train(schema, rows, labels)
    training, asking = {"scikit-learn": lambda: peer.fit(matrix, labels)}, {}
    asking["scikit-learn"] = lambda: peer.predict_proba(matrix)
    for name, threads in THREADS.items():
        training[name] = lambda threads=threads: Model.train(schema, rows, labels, threads=threads)
        asking[name] = lambda threads=threads: model.posterior(rows, threads=threads)
    report(f"train, {title}", training, "scikit-learn")
    report("posterior of these rows", asking, "scikit-learn")
    difference = np.abs(model.believing(**equal).posterior(rows) - peer.predict_proba(matrix)).max()
    print(f"largest difference in probability at equal settings: {difference:.1e}")


def numbers(rng: np.random.Generator) -> None:
    matrix, labels = rng.normal(size=(ROWS, 20)), rng.integers(0, 2, ROWS)
    table = pa.table({str(i): np.ascontiguousarray(column) for i, column in enumerate(matrix.T)})
    schema = Schema(dict.fromkeys(table.column_names, Gaussian()))
    for what, rows in {"Arrow columns": table, "a C-ordered matrix": matrix}.items():
        title = f"{ROWS:,} × 20 numbers, {what}"
        beside(title, GaussianNB(var_smoothing=0), matrix, rows, schema, labels, m=0.0, plugin=True)


def correlated(rng: np.random.Generator) -> None:
    matrix, labels = rng.normal(size=(ROWS // 4, 10)), rng.integers(0, 3, ROWS // 4)
    names = tuple(str(i) for i in range(10))
    peers = {"shared": LinearDiscriminantAnalysis(solver="lsqr"), "own": QuadraticDiscriminantAnalysis()}
    for covariance, peer in peers.items():
        schema = Schema({names: Correlated(covariance=covariance, m=0, plugin=True)})
        beside(f"{len(matrix):,} × 10 numbers, {type(peer).__name__}", peer, matrix, matrix, schema, labels)


def strings(rng: np.random.Generator, rows: int = ROWS) -> dict[str, Any]:
    """Columns of levels."""
    return {f"of {k}": np.array([f"level {i} of {k}" for i in range(k)])[rng.integers(0, k, rows)] for k in LEVELS}


def categories(rng: np.random.Generator) -> None:
    columns, labels = strings(rng), rng.integers(0, 2, ROWS)
    matrix = np.stack([values.astype(object) for values in columns.values()], axis=1)
    peer, schema = make_pipeline(OrdinalEncoder(), CategoricalNB()), Schema(dict.fromkeys(columns, Categorical()))
    beside(f"{ROWS:,} × {len(LEVELS)} strings", peer, matrix, pa.table(columns), schema, labels)


def by_share_missing(rng: np.random.Generator) -> None:
    labels, small = rng.integers(0, 2, ROWS), rng.integers(0, 5, ROWS)
    columns: dict[str, tuple[Family, Any]] = {
        "3 levels": (Categorical(), np.array(["free", "small", "large"])[small % 3]),
        "300 levels": (Categorical(), np.array([f"level {i}" for i in range(300)])[rng.integers(0, 300, ROWS)]),
        "Histogram": (Histogram(), rng.normal(size=ROWS).round(2)),
        "Histogram of 0 to 4": (Histogram(), small.astype(float)),
        "Gaussian": (Gaussian(), rng.normal(size=ROWS)),
    }
    print(f"\nns to count a cell{'':8}" + "".join(f"{share:>8.0%} missing" for share in MISSING))
    for name, (family, values) in columns.items():
        tables = {str(share): pa.table({"x": pa.array(values, mask=rng.random(ROWS) < share)}) for share in MISSING}
        works = {k: lambda t=t, f=family: Model.train({"x": f}, t, labels, threads=1) for k, t in tables.items()}
        costs = best_of(works, 9, CPU).values()
        print(f"  {name:24}" + "".join(f"{cost / ROWS * 1e9:16.1f}" for cost in costs), flush=True)


if __name__ == "__main__":
    for measure in (numbers, correlated, categories, by_share_missing):
        measure(np.random.default_rng(0))
