"""What rows that count more than once do to the weights of evidence: held-out log-loss of weighed fits.

    python bench/copies.py [TABLE ...]

Every table is fitted as it is, and with its training rows made to count more than once: all of them twice by
`sample_weight` (2), all three times by repetition (x3), by random weights from 1 to 5 (1-5), by a bootstrap sample
(boot), and with the rows of small classes repeated until all classes are equally large (even), as upsampling does. Test
rows are never repeated; for "even", they are weighed by class as the training rows are. Copies add no information, so
every figure but the last should be close to that of the plain rows; the bootstrap leaves out a third of them.

The tables after the line have few distinct rows, so equal rows are natural: their plain figures must not suffer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from sets import Part, Set, tables
from tallybayes import NaiveBayes, SemiNaiveBayes

MADE = {"2": "weight 2", "x3": "three times", "1-5": "weights 1-5", "boot": "bootstrap", "even": "even classes"}
SHARED = ["adult", "spambase", "credit-g", "heart-c", "vowel", "vote", "zoo"]
BUILT_IN = {"wine": datasets.load_wine, "breast": datasets.load_breast_cancer, "digits": datasets.load_digits}
MOST = 3000  # training rows
FEW = 1000  # rows: tables with more are tested on two of five folds, not on all
TITANIC = """1st male child 5 0, 1st male adult 57 118, 1st female child 1 0, 1st female adult 140 4,
2nd male child 11 0, 2nd male adult 14 154, 2nd female child 13 0, 2nd female adult 80 13,
3rd male child 13 35, 3rd male adult 75 387, 3rd female child 14 17, 3rd female adult 76 89,
crew male adult 192 670, crew female adult 20 3"""  # class, sex, age, survived, died


def titanic() -> pd.DataFrame:
    rows = [line.split() for line in TITANIC.split(",")]
    ends = [(*who, end) for *who, alive, dead in rows for end in ["yes"] * int(alive) + ["no"] * int(dead)]
    return pd.DataFrame(ends, columns=["class", "sex", "age", "survived"])


def few_levels(rows: int) -> pd.DataFrame:
    """The table of decision 68: three columns with four levels."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    columns = {name: np.clip(random.poisson(0.5 + labels, rows), 0, 3).astype(str) for name in "abc"}
    return pd.DataFrame(columns).assign(label=labels.astype(str))


def told(rows: int, times: int) -> pd.DataFrame:
    """One column, repeated."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    right = np.where(random.random(rows) < 0.8, labels, 1 - labels).astype(str)
    return pd.DataFrame({f"x{i}": right for i in range(times)}).assign(label=labels.astype(str))


def as_set(name: str, frame: pd.DataFrame) -> Set:
    rows = frame.copy()
    labels = rows.pop(rows.columns[-1]).astype(str).to_numpy(object)
    return Set(name, rows, labels, None, 5)


def large() -> Iterator[Set]:
    """Tables whose rows all, or nearly all, differ."""
    yield from tables(SHARED)
    for name, load in BUILT_IN.items():
        yield as_set(name, load(as_frame=True).frame)


def few() -> Iterator[Set]:
    """Tables of few distinct rows."""
    yield as_set("titanic", titanic())
    yield as_set("few levels", few_levels(20_000))
    yield as_set("told 3 times", told(600, 3))
    yield as_set("told 20 times", told(600, 20))
    for name, counts in {"tic-tac-toe": (3, 4, 5, 6), "car": (3, 4, 5), "adult": (3, 8), "mushroom": (4, 8)}.items():
        (every,) = tables([name])
        levels = every.rows.select_dtypes(["object", "string"])
        for count in counts:
            yield every._replace(name=f"{name}, {count} columns", rows=levels.iloc[:, -count:])


def parts(table: Set) -> Iterator[Part]:
    """The first folds, with no more than so many rows to train with."""
    for part, _ in zip(table.parts(), range(5 if len(table.labels) <= FEW else 2), strict=False):
        some = np.random.default_rng(0).permutation(len(part.labels))[:MOST]
        asked = np.random.default_rng(1).permutation(len(part.truth))[:MOST]
        yield Part(part.learned.iloc[some], part.labels[some], part.asked.iloc[asked], part.truth[asked])


def counted(made: str, labels: Any) -> Any:
    """How often each row counts."""
    random, n = np.random.default_rng(2), len(labels)
    if made == "1-5":
        return random.integers(1, 6, n)
    if made == "boot":
        return np.bincount(random.integers(0, n, n), minlength=n)
    if made == "even":
        times, sizes = np.ones(n, int), {label: np.sum(labels == label) for label in np.unique(labels)}
        for label, size in sizes.items():
            np.add.at(times, random.choice(np.flatnonzero(labels == label), max(sizes.values()) - size), 1)
        return times
    return np.full(n, int(made.strip("x") or 1))


def loss(make: Callable[[], Any], part: Part, made: str) -> float:
    """The log-loss of the test rows."""
    times = counted(made, part.labels)
    if made in ("2", "1-5"):
        model = make().fit(part.learned, part.labels, sample_weight=times)
    else:
        again = np.repeat(np.arange(len(times)), times)
        model = make().fit(part.learned.iloc[again].reset_index(drop=True), part.labels[again])
    chances = pd.DataFrame(model.predict_proba(part.asked), columns=model.classes_)
    found = [chances[label][row] if label in chances else 0.0 for row, label in enumerate(part.truth)]
    lost = -np.log(np.maximum(found, 1e-15))
    if made == "even":
        sizes = pd.Series(part.truth).value_counts()
        return float(np.average(lost, weights=1.0 / sizes[part.truth]))
    return float(lost.mean())


def main(chosen: list[str]) -> None:
    print(f"{'':26}{'':9}{'plain':>8}" + "".join(f"{made:>8}" for made in MADE))
    for tables_of in (large, few):
        for table in tables_of():
            if chosen and table.name not in chosen:
                continue
            for make in (NaiveBayes, SemiNaiveBayes):
                found = [np.mean([loss(make, part, made) for part in parts(table)]) for made in ("", *MADE)]
                print(f"{table.name:26}{make.__name__[:8]:9}" + "".join(f"{each:8.4f}" for each in found), flush=True)
        print("-" * 40)


if __name__ == "__main__":
    main(sys.argv[1:])
