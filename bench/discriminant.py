"""Linear and quadratic discriminant analysis, 250,000 rows of ten numbers in three classes, against scikit-learn.

    python bench/discriminant.py

Both get the same C-ordered matrix. Data: standard normal, seed 0.
"""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from tallybayes import Correlated, Model, Schema
from timing import report

ROWS, COLUMNS, CLASSES = 250_000, 10, 3
PEERS = {"shared": LinearDiscriminantAnalysis(solver="lsqr"), "own": QuadraticDiscriminantAnalysis()}


def main() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(ROWS, COLUMNS))
    labels = rng.integers(0, CLASSES, ROWS)
    names = tuple(str(i) for i in range(COLUMNS))
    for covariance, peer in PEERS.items():
        schema = Schema({names: Correlated(covariance=covariance, m=0, plugin=True)})
        model, theirs = Model.train(schema, matrix, labels), f"scikit-learn {type(peer).__name__}"
        peer.fit(matrix, labels)
        report(
            f"train, {ROWS:,} × {COLUMNS} float64, {CLASSES} classes, {covariance} covariance",
            {
                theirs: lambda peer=peer: peer.fit(matrix, labels),
                "tallybayes, 1 thread": lambda schema=schema: Model.train(schema, matrix, labels, threads=1),
                "tallybayes, 2 threads": lambda schema=schema: Model.train(schema, matrix, labels, threads=2),
            },
            theirs,
        )
        report(
            "posterior of these rows",
            {
                theirs: lambda peer=peer: peer.predict_proba(matrix),
                "tallybayes, 1 thread": lambda model=model: model.posterior(matrix, threads=1),
                "tallybayes, 2 threads": lambda model=model: model.posterior(matrix, threads=2),
            },
            theirs,
        )
        difference = np.abs(model.posterior(matrix) - peer.predict_proba(matrix)).max()
        print(f"\nlargest difference in probability: {difference:.1e}")


if __name__ == "__main__":
    main()
