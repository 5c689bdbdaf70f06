"""Ten-fold cross-validation against scikit-learn's `cross_val_score`, which trains ten times on nine tenths of the
rows.

    python bench/folds.py

Numbers: 1,000,000 × 20 doubles, 2 classes, against GaussianNB; scikit-learn gets a matrix, tallybayes the same one and
the same numbers as Arrow columns. Categories: 200,000 × 10 strings with 5 to 500 levels, against OrdinalEncoder +
CategoricalNB; scikit-learn gets a matrix of Python strings, tallybayes Arrow columns. Stratified folds, seed 0.
`cross_val_score` returns ten accuracies; tallybayes the whole evaluation of every fold: log-loss, Brier score, ROC AUC
and calibration as well.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tallybayes import Categorical, Each, Gaussian, Model, Schema, cross_validate, folds
from timing import report

ROWS, COLUMNS = 1_000_000, 20
STRINGS = 200_000
LEVELS = (5, 10, 20, 30, 50, 80, 120, 200, 300, 500)
PEER = "scikit-learn cross_val_score"


def numbers() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, ROWS)
    matrix = random.normal(labels[:, None] * 0.3, 1.0, (ROWS, COLUMNS))
    table = pa.table({f"x{i}": matrix[:, i].copy() for i in range(COLUMNS)})
    columns = Schema({name: Gaussian() for name in table.column_names})
    vectors = Schema({"x": Each(Gaussian())})
    report(
        f"10 folds, {ROWS:,} × {COLUMNS} numbers, 2 classes",
        {
            PEER: lambda: cross_val_score(GaussianNB(), matrix, labels, cv=10),
            "tallybayes, matrix, 1 thread": lambda: cross_validate(vectors, matrix, labels, threads=1),
            "tallybayes, matrix": lambda: cross_validate(vectors, matrix, labels),
            "tallybayes, columns, 1 thread": lambda: cross_validate(columns, table, labels, threads=1),
            "tallybayes, columns": lambda: cross_validate(columns, table, labels),
            "  of which counting into folds": lambda: folds(columns, table, labels),
            "  (counting once, without folds)": lambda: Model.train(columns, table, labels),
        },
        PEER,
        rounds=3,
    )
    theirs = cross_val_score(GaussianNB(), matrix, labels, cv=10).mean()
    print(f"accuracy: {theirs:.5f} and {cross_validate(vectors, matrix, labels).accuracy:.5f}")


def categories() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, STRINGS)
    columns = {}
    for k in LEVELS:
        words = np.array([f"level {i} of {k}" for i in range(k)])
        one, other = random.integers(0, k, (2, STRINGS))
        columns[f"of {k}"] = words[np.where(labels & (other % 4 == 0), np.minimum(one, other), one)]
    table = pa.table(columns)
    strings = np.stack([values.astype(object) for values in columns.values()], axis=1)
    schema = Schema({name: Categorical() for name in columns})
    peer = make_pipeline(OrdinalEncoder(), CategoricalNB(min_categories=list(LEVELS)))
    report(
        f"10 folds, {STRINGS:,} × {len(LEVELS)} strings, 2 classes",
        {
            PEER: lambda: cross_val_score(peer, strings, labels, cv=10),
            "tallybayes, 1 thread": lambda: cross_validate(schema, table, labels, threads=1),
            "tallybayes": lambda: cross_validate(schema, table, labels),
        },
        PEER,
        rounds=3,
    )
    theirs = cross_val_score(peer, strings, labels, cv=10).mean()
    print(f"accuracy: {theirs:.5f} and {cross_validate(schema, table, labels).accuracy:.5f}")


if __name__ == "__main__":
    numbers()
    categories()
