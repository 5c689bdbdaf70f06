"""The cost of weighing in a fit, on a million rows; needs no data.

    python bench/weighing.py

`NaiveBayes().fit` and `NaiveBayes(weigh=False).fit` on 20 columns of numbers, counted as histograms, on 10 columns of
10 levels each, and on both; two classes, the best of five runs in turn. Finding the rows to leave out takes time in
proportion to all rows; leaving them out and fitting the weights does not. Then the same with a tenth of the rows. Last,
60 rows of 3,000 columns, for which nearly all of the time goes into leaving out ten folds of every column.

With other work on the machine, the ratio of wall-clock times may double; that of CPU times, of all threads, changes
less.
"""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa

from tallybayes import NaiveBayes

ROWS, ROUNDS = 1_000_000, 5
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
    heads = f"{'fit':>8} {'weighed':>9} {'added':>7}"
    print(f"\n{title:24} {heads}    CPU: {heads}")
    for name, table in tables.items():
        wall, processor = best = [[np.inf, np.inf], [np.inf, np.inf]]
        for _ in range(ROUNDS):
            for weigh in (False, True):
                start = time.perf_counter(), time.process_time()
                fit(table, labels, weigh)
                took = time.perf_counter() - start[0], time.process_time() - start[1]
                for times, seconds in zip(best, took, strict=True):
                    times[weigh] = min(times[weigh], seconds)
        shown = [f"{plain:6.2f} s {both:7.2f} s {both / plain - 1:7.0%}" for plain, both in (wall, processor)]
        print(f"  {name:22} {shown[0]}         {shown[1]}", flush=True)


def main() -> None:
    for rows in (ROWS, ROWS // 10):
        compared(f"{rows:,} rows", *made_up(rows))
    compared("60 rows, 3,000 columns", *wide(60, 3000))


if __name__ == "__main__":
    main()
