"""Writes larger tables whose columns all have few levels, to see what questions about two columns gain there.

    python bench/large_tables.py FOLDER
    python bench/accuracy.py --tables FOLDER --only semi

Hands of five cards, named as in poker; four pairs of columns that make up a grade, with 5 % of chance; and at most
16,000 rows and ten categorical columns of three sets of ../shared/data. Drawn with fixed seeds; the class is the last
column.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from sets import tables

ROWS = 16_000
CARDS, SUITS = 5, 13
COLUMNS, LEVELS = 10, 60


def hand(suits: np.ndarray, ranks: np.ndarray) -> str:
    most, next_most, *_ = sorted(np.bincount(ranks), reverse=True)
    flush, ordered = len(set(suits)) == 1, sorted(ranks)
    straight = most == 1 and (ordered[-1] - ordered[0] == CARDS - 1 or ordered == [1, 10, 11, 12, 13])
    same = {(4, 1): "four", (3, 2): "full house", (3, 1): "three", (2, 2): "two pairs", (2, 1): "pair"}
    if flush or straight:
        return " ".join(name for name, is_so in (("straight", straight), ("flush", flush)) if is_so)
    return same.get((most, next_most), "nothing")


def poker(rng: np.random.Generator) -> pd.DataFrame:
    cards = np.array([rng.permutation(52)[:CARDS] for _ in range(ROWS)])
    suits, ranks = cards // SUITS + 1, cards % SUITS + 1
    columns = {f"suit{k}": suits[:, k] for k in range(CARDS)} | {f"rank{k}": ranks[:, k] for k in range(CARDS)}
    return pd.DataFrame({**columns, "class": [hand(*each) for each in zip(suits, ranks, strict=True)]})


def grades(rng: np.random.Generator) -> pd.DataFrame:
    x = rng.integers(0, 4, (ROWS, 8))
    parts = (x[:, 0] + x[:, 1]) // 2, np.maximum(x[:, 2], x[:, 3]), x[:, 4] * x[:, 5] % 4, np.minimum(x[:, 6], x[:, 7])
    grade = (2 * parts[0] + parts[1] + 2 * parts[2] + parts[3]) // 4
    grade = np.where(rng.random(ROWS) < 0.05, rng.integers(0, 4, ROWS), grade)
    frame = pd.DataFrame(np.char.add("v", x.astype(str)), columns=[f"x{j}" for j in range(8)])
    return frame.assign(**{"class": grade})


def categorical(rows: pd.DataFrame, labels: np.ndarray) -> pd.DataFrame:
    names = [name for name in rows if not pd.api.types.is_numeric_dtype(rows[name]) and rows[name].nunique() < LEVELS]
    some = np.random.default_rng(0).permutation(len(rows))[:ROWS]
    return rows[names[:COLUMNS]].assign(**{"class": labels}).iloc[some]


def main(folder: Path) -> None:
    rng = np.random.default_rng(5)
    found = {"poker": poker(rng), "grades": grades(rng)}
    for data in tables(["adult", "bank-marketing", "mushroom"]):
        found[f"{data.name}-levels"] = categorical(data.rows, data.labels)
    for name, frame in found.items():
        frame.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
