"""Queries against the enumerated joint distribution, in fractions.

    python bench/joint.py

weather-nominal, car, and the first seven columns of vote (all sixteen would be 86 million combinations) of
../shared/data/tabular; naive Bayes, and the tree that the counts suggest. Every marginal of up to three columns, and
every conditional probability of one given the others: the largest difference, and the time per query. If pyAgrum is
installed (pip install pyagrum), the marginal of every column against its exact inference.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module, util
from pathlib import Path
from typing import Any

import pandas as pd

from sets import TABLES
from tallybayes import Model, Pairs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
reference = import_module("joint_reference")
SETS = {"weather-nominal": None, "car": None, "vote": 7}


def model_of(rows: pd.DataFrame, labels: list[str], structure: str) -> Model:
    return Model.train({tuple(rows.columns): Pairs(structure=structure)}, rows, labels)


def worst(model: Model, rows: pd.DataFrame, labels: list[str]) -> tuple[float, int, float]:
    """The largest difference over all queries, their number, and the seconds per query."""
    columns = sorted(rows.columns)
    belief: Any = model.belief(tuple(columns))
    parents = [columns.index(belief.parents[c]) if c in belief.parents else None for c in columns]
    cells = [tuple(None if pd.isna(cell) else cell for cell in row) for row in rows[columns].itertuples(index=False)]
    sums = reference.marginals(reference.joint_of(cells, labels, parents), [*columns, "class"])
    largest, asked, seconds = 0.0, 0, 0.0
    for conditions, p in sums.items():
        known = dict(conditions[1:])
        start = time.perf_counter()
        marginal = model.probability(dict(conditions))
        found = model.probability(dict(conditions[:1]), given=known) if known else marginal
        seconds += time.perf_counter() - start
        expected = p / sums[conditions[1:]] if known else p
        largest = max(largest, abs(marginal - float(p)), abs(found - float(expected)))
        asked += 1 + bool(known)
    return largest, asked, seconds / asked


def beside_agrum(model: Model, rows: pd.DataFrame) -> float:
    """The largest difference from its exact inference."""
    agrum: Any = import_module("pyagrum")
    path = Path("/tmp") / f"tallybayes-{id(model)}.bif"
    path.write_text(model.to_bif())
    network = agrum.loadBN(str(path))
    path.unlink()
    largest = 0.0
    for column in rows.columns:
        name = column.replace("-", "_")
        labels = network.variable(name).labels()
        states = {
            label: state for label in labels for state in (label, label.lstrip("_")) if label.strip("_") != "missing"
        }
        inference = agrum.LazyPropagation(network)
        for i, label in enumerate(labels):
            if label in states:
                found = inference.posterior(name)[i]
                largest = max(largest, abs(found - model.probability({column: states[label]})))
    return largest


def main() -> None:
    for name, most in SETS.items():
        table = pd.read_csv(TABLES / f"{name}.csv", keep_default_na=False, na_values=[""], dtype=str)
        labels = table.pop(table.columns[-1]).tolist()
        rows = table.iloc[:, :most]
        for structure in ("naive", "tree"):
            model = model_of(rows, labels, structure)
            largest, asked, each = worst(model, rows, labels)
            told = f"{asked:6,} queries, largest difference {largest:.1e}, {each * 1e6:6.0f} µs each"
            if util.find_spec("pyagrum"):
                told += f"; from pyAgrum {beside_agrum(model, rows):.1e} (in single precision)"
            print(f"  {name:16} {structure:6} {told}", flush=True)


if __name__ == "__main__":
    main()
