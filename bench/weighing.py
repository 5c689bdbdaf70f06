"""The cost of weighing in a fit, on a million rows; needs no data.

    python bench/weighing.py

`NaiveBayes().fit` and `NaiveBayes(weigh=False).fit` on 20 columns of numbers, counted as histograms, on 10 columns of
10 levels each, and on both; two classes, the best of five runs in turn. Finding the rows to leave out takes time in
proportion to all rows; leaving them out and fitting the weights does not. Then the same with a tenth of the rows. Last,
60 rows of 3,000 columns, for which nearly all of the time goes into leaving out ten folds of every column.

Times are wall-clock: with other work on the machine, the ratio of a short run may double.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from tallybayes import NaiveBayes
from timing import best_of

ROWS = 1_000_000
LEVELS = np.array([f"level {i}" for i in range(10)])


def made_up(rows: int) -> tuple[dict[str, pa.Table], np.ndarray]:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    numbers = {f"x{i}": random.normal(size=rows) + 0.2 * labels for i in range(20)}
    levels = {f"c{i}": LEVELS[np.clip(random.integers(0, 10, rows) - labels, 0, 9)] for i in range(10)}
    tables = {"20 of numbers": numbers, "10 of levels": levels, "all 30": numbers | levels}
    return {name: pa.table(columns) for name, columns in tables.items()}, labels


def wide(rows: int, columns: int) -> tuple[dict[str, pa.Table], np.ndarray]:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    numbers = {f"x{i}": random.normal(size=rows) + 0.2 * labels for i in range(columns)}
    levels = {f"c{i}": LEVELS[random.integers(0, 5, rows)] for i in range(columns)}
    return {"of numbers": pa.table(numbers), "of levels": pa.table(levels)}, labels


def fit(table: pa.Table, labels: np.ndarray, weigh: bool) -> None:
    NaiveBayes(weigh=weigh).fit(table, labels)


def compared(title: str, tables: dict[str, pa.Table], labels: np.ndarray) -> None:
    print(f"\n{title:24} {'fit':>8} {'weighed':>9} {'added':>7}")
    for name, table in tables.items():
        times = best_of({weigh: partial(fit, table, labels, weigh) for weigh in (False, True)})
        plain, weighed = times[False], times[True]
        print(f"  {name:22} {plain:6.2f} s {weighed:7.2f} s {weighed / plain - 1:7.0%}", flush=True)


def main() -> None:
    for rows in (ROWS, ROWS // 10):
        compared(f"{rows:,} rows", *made_up(rows))
    compared("60 rows, 3,000 columns", *wide(60, 3000))


if __name__ == "__main__":
    main()
