"""The cost of weighing in a fit, and of weighed evidence in answers, on a million rows; needs no data.

    python bench/weighing.py

`NaiveBayes().fit` and `NaiveBayes(weigh=False).fit` on 20 columns of numbers, counted as histograms, on 10 columns of
10 levels each, and on both; two classes, the best of five runs in turn. Finding the rows to leave out takes time in
proportion to all rows; leaving them out and fitting the weights does not. Then the same with a tenth of the rows. Last,
60 rows of 3,000 columns, for which nearly all of the time goes into leaving out ten folds of every column.

Before that, answers, weighed against unweighed: `predict_proba` of a million rows of ten columns and three classes, of
one row in a pandas frame, and learning a row and asking one; for several families, and with cells missing, whose
absence is evidence of its own. The models are fitted on a tenth of the rows.

With other work on the machine, the ratio of wall-clock times may double; that of CPU times, of all threads, changes
less.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa

from tallybayes import Categorical, Gaussian, Histogram, LogNormal, Model, NaiveBayes, Poisson, Schema
from tallybayes.families import Family
from timing import CLOCK, CPU, best_of, each

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
    heads = f"{'fit':>8} {'weighed':>9} {'added':>7}"
    print(f"\n{title:24} {heads}    CPU: {heads}")
    for name, table in tables.items():
        works = {str(weigh): lambda t=table, weigh=weigh: fit(t, labels, weigh) for weigh in (False, True)}
        best = (best_of(works, clock=clock).values() for clock in (CLOCK, CPU))
        shown = [f"{plain:6.2f} s {both:7.2f} s {both / plain - 1:7.0%}" for plain, both in best]
        print(f"  {name:22} {shown[0]}         {shown[1]}", flush=True)


def columns_of_families() -> tuple[dict[str, tuple[Family, dict[str, pa.Array]]], np.ndarray]:
    """Ten columns of each family, and of some with missing cells."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, ROWS)
    numbers = random.normal(size=(10, ROWS)) + 0.2 * labels
    lacking = random.random((10, ROWS)) < 0.1 + 0.05 * labels
    levels = LEVELS[np.clip(random.integers(0, 10, (10, ROWS)) - labels, 0, 9)]

    def named(columns: np.ndarray, missing: np.ndarray | None = None) -> dict[str, pa.Array]:
        masks = [None] * 10 if missing is None else missing
        cells = (pa.array(x, mask=mask) for x, mask in zip(columns, masks, strict=True))
        return {f"x{i}": x.dictionary_encode() if columns is levels else x for i, x in enumerate(cells)}

    return {
        "Gaussian": (Gaussian(), named(numbers)),
        "LogNormal": (LogNormal(), named(np.exp(numbers))),
        "Poisson": (Poisson(), named(random.poisson(3.0 + labels, (10, ROWS)).astype(float))),
        "Histogram": (Histogram(), named(numbers)),
        "Categorical": (Categorical(), named(levels)),
        "Gaussian, some missing": (Gaussian(), named(numbers, lacking)),
        "Histogram, some missing": (Histogram(), named(numbers, lacking)),
        "Categorical, some missing": (Categorical(), named(levels, lacking)),
    }, labels


def learning(model: Model, row: pd.DataFrame) -> Callable[[], object]:
    """Learns a row and asks it."""
    live, schema = model.copy(), model.schema.believing({"weights": None})

    def work() -> None:
        nonlocal live
        live += Model.train(schema, row, [1])
        live.posterior(row)

    return work


def asking() -> None:
    found, labels = columns_of_families()
    heads = f"{'plain':>8} {'weighed':>9} {'ratio':>6}"
    print(f"\n{'asking, CPU time':26} {f'{ROWS:,} rows':>24}   {'one row':>26}   {'learn a row, ask one':>26}")
    print(f"{'':26} {heads}   {heads}   {heads}")
    for name, (family, columns) in found.items():
        table, part = pa.table(columns), ROWS // 10
        schema = Schema(dict.fromkeys(columns, family))
        models = [NaiveBayes(schema, weigh=weigh).fit(table[:part], labels[:part]) for weigh in (False, True)]
        one = table[7:8].to_pandas()
        shown = []
        for works, times, unit in (
            ([lambda m=m, t=table: m.predict_proba(t) for m in models], 1e3, "ms"),
            ([each(lambda m=m, o=one: m.predict_proba(o), 100) for m in models], 1e4, "µs"),
            ([each(learning(m.model_, one), 100) for m in models], 1e4, "µs"),
        ):
            plain, both = best_of(dict(enumerate(works)), clock=CPU).values()
            shown.append(f"{plain * times:5.0f} {unit} {both * times:6.0f} {unit} {both / plain:6.2f}")
        print(f"{name:26} {'   '.join(shown)}", flush=True)


def main() -> None:
    asking()
    for rows in (ROWS, ROWS // 10):
        compared(f"{rows:,} rows", *made_up(rows))
    compared("60 rows, 3,000 columns", *wide(60, 3000))


if __name__ == "__main__":
    main()
