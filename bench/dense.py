"""Training and scoring a million rows of twenty numbers in two classes, against scikit-learn's GaussianNB.

    python bench/dense.py

scikit-learn gets its preferred layout, a C-ordered matrix; tallybayes gets Arrow columns and, for comparison, the same
matrix. Data: standard normal, seed 0.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from sklearn.naive_bayes import GaussianNB

from tallybayes import Gaussian, Model, Schema
from timing import report

ROWS, COLUMNS = 1_000_000, 20


def main() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(ROWS, COLUMNS))
    labels = rng.integers(0, 2, ROWS)
    names = [str(i) for i in range(COLUMNS)]
    table = pa.table({name: np.ascontiguousarray(matrix[:, i]) for i, name in enumerate(names)})
    schema = Schema({name: Gaussian() for name in names})
    model = Model.train(schema, table, labels)
    plugin = model.believing(plugin=True)
    peer = GaussianNB().fit(matrix, labels)
    report(
        "train, 1,000,000 × 20 float64, 2 classes",
        {
            "scikit-learn GaussianNB.fit": lambda: GaussianNB().fit(matrix, labels),
            "tallybayes, 1 thread": lambda: Model.train(schema, table, labels, threads=1),
            "tallybayes, 2 threads": lambda: Model.train(schema, table, labels, threads=2),
            "tallybayes, 1 thread, C-ordered matrix": lambda: Model.train(schema, matrix, labels, threads=1),
        },
        "scikit-learn GaussianNB.fit",
    )
    report(
        "posterior of these rows",
        {
            "scikit-learn predict_proba": lambda: peer.predict_proba(matrix),
            "tallybayes, 1 thread": lambda: model.posterior(table, threads=1),
            "tallybayes, 2 threads": lambda: model.posterior(table, threads=2),
            "tallybayes, 1 thread, plug-in": lambda: plugin.posterior(table, threads=1),
            "tallybayes, 1 thread, C-ordered matrix": lambda: model.posterior(matrix, threads=1),
        },
        "scikit-learn predict_proba",
    )
    same = Model.train(Schema({name: Gaussian(m=0.0, plugin=True) for name in names}), table, labels)
    exact = GaussianNB(var_smoothing=0).fit(matrix, labels).predict_proba(matrix)
    print(f"\nlargest difference in probability at equal settings: {np.abs(same.posterior(table) - exact).max():.1e}")


if __name__ == "__main__":
    main()
