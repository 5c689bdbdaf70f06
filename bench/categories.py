"""Training on a million rows of ten string columns with 5 to 500 levels, against OrdinalEncoder + CategoricalNB.

    python bench/categories.py

scikit-learn gets a matrix of Python strings, tallybayes the same strings as Arrow columns. Seed 0.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tallybayes import Categorical, Model, Schema
from timing import report

ROWS = 1_000_000
LEVELS = (5, 10, 20, 30, 50, 80, 120, 200, 300, 500)


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
