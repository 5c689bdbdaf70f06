"""Writes tables that no recipe was chosen on: rules, noise and mixtures, drawn with fixed seeds.

    python bench/more_tables.py FOLDER
    Rscript bench/more_tables.R FOLDER
    python bench/accuracy.py --tables FOLDER --only semi

The second command adds real tables from R's packages. CSV with a header; the class is the last column.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

SEGMENTS = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)


def grid(sizes: list[int]) -> np.ndarray:
    return np.array(list(product(*[range(1, size + 1) for size in sizes])))


def levels(codes: np.ndarray) -> np.ndarray:
    return np.char.add("v", codes.astype(str))


def monks(random: np.random.Generator) -> dict[str, Any]:
    """The three problems of MONK, all rows; the third with noise."""
    x = grid([3, 3, 2, 3, 4, 2])
    first = (x[:, 0] == x[:, 1]) | (x[:, 4] == 1)
    third = ((x[:, 4] == 3) & (x[:, 3] == 1)) | ((x[:, 4] != 4) & (x[:, 1] != 3))
    noise = random.random(len(x)) < 0.05
    targets = {"monk1": first, "monk2": (x == 1).sum(axis=1) == 2, "monk3": third ^ noise}
    return {name: (levels(x), y) for name, y in targets.items()}


def switches(random: np.random.Generator) -> dict[str, Any]:
    """Parity, a multiplexer, the segments of a display, and a balance."""
    bits = random.integers(0, 2, (800, 8))
    lines = random.integers(0, 2, (1000, 11))
    chosen = 3 + lines[:, 0] * 4 + lines[:, 1] * 2 + lines[:, 2]
    digit = random.integers(0, 10, 1000)
    shown = np.array([list(map(int, each)) for each in SEGMENTS])[digit] ^ (random.random((1000, 7)) < 0.1)
    arms = grid([5] * 4)
    return {
        "parity3": (levels(bits), bits[:, :3].sum(axis=1) % 2),
        "mux11": (levels(lines), lines[np.arange(1000), chosen]),
        "led17": (levels(np.hstack([shown, random.integers(0, 2, (1000, 10))])), digit),
        "balance": (levels(arms), np.sign(arms[:, 0] * arms[:, 1] - arms[:, 2] * arms[:, 3])),
    }


def hierarchy(seed: int, sizes: list[int], middle: int, classes: int, rows: int, noise: float = 0.0) -> Any:
    """Levels are aggregated in two groups, and these to the class, as in an expert's rules."""
    random = np.random.default_rng(seed)
    x = grid(sizes) - 1
    if rows < len(x):
        x = x[random.permutation(len(x))[:rows]]
    order = [random.permutation(size) for size in sizes]

    def aggregated(columns: np.ndarray, parts: int) -> np.ndarray:
        weights = random.random(columns.shape[1]) + 0.3
        score = (columns / np.maximum(columns.max(axis=0), 1)) @ weights + 0.25 * (columns.min(axis=1) > 0)
        found = np.searchsorted(np.quantile(score, np.linspace(0, 1, parts + 1)[1:-1]), score)
        return np.where(columns[:, 0] == 0, 0, found)

    half = len(sizes) // 2
    one, other = aggregated(x[:, :half], middle), aggregated(x[:, half:], middle)
    labels = aggregated(np.column_stack([other, one]), classes)
    labels = np.where(random.random(len(x)) < noise, random.integers(0, classes, len(x)), labels)
    names = np.array(list("qwertyuiop"))
    return np.column_stack([names[order[j][x[:, j]]] for j in range(len(sizes))]), labels


def disjunction(seed: int, rows: int, columns: int, size: int, terms: int, noise: float = 0.0) -> Any:
    """Whether any of some conjunctions of three levels holds."""
    random = np.random.default_rng(seed)
    x, labels = random.integers(0, size, (rows, columns)), np.zeros(rows, bool)
    for _ in range(terms):
        asked = random.choice(columns, 3, False)
        labels |= (x[:, asked] == random.integers(0, size, 3)).all(axis=1)
    return levels(x), labels ^ (random.random(rows) < noise)


def chances() -> dict[str, Any]:
    """A chain of dependent columns, how many dice differ, and a majority."""
    random = np.random.default_rng(5)
    labels, x = random.integers(0, 3, 1200), np.zeros((1200, 8), int)
    first, given = random.dirichlet([0.6] * 4, size=(8, 3)), random.dirichlet([0.3] * 4, size=(8, 3, 4))
    for row, label in enumerate(labels):
        x[row, 0] = random.choice(4, p=first[0, label])
        for j in range(1, 8):
            x[row, j] = random.choice(4, p=given[j, label, x[row, j - 1]])
    dice, votes = random.integers(0, 6, (1500, 4)), random.integers(0, 3, (900, 9))
    return {
        "tan": (levels(x), labels),
        "dice": (levels(dice), [len(set(each)) for each in dice.tolist()]),
        "majority": (levels(votes), (votes == 2).sum(axis=1) > (votes == 0).sum(axis=1)),
    }


def numbers() -> dict[str, Any]:
    """Tables and generators of scikit-learn."""
    mixed = {"n_informative": 6, "n_redundant": 4, "n_clusters_per_class": 3, "flip_y": 0.05}
    x, y = datasets.make_friedman1(1000, 10, noise=1, random_state=0)
    return {
        "wine": datasets.load_wine(return_X_y=True),
        "digits": datasets.load_digits(return_X_y=True),
        "madelon0": datasets.make_classification(1000, 20, n_classes=2, random_state=0, **mixed),
        "madelon1": datasets.make_classification(1000, 20, n_classes=3, random_state=1, **mixed),
        "quantiles": datasets.make_gaussian_quantiles(n_samples=800, n_features=6, n_classes=3, random_state=0),
        "friedman": (x, np.digitize(y, [11, 17])),
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    tables = {
        **monks(random),
        **switches(random),
        "rules1": hierarchy(1, [3, 5, 4, 4, 3, 2, 3], 4, 4, 2000),
        "rules2": hierarchy(2, [4, 4, 4, 4, 3, 3], 3, 3, 1500),
        "rules3": hierarchy(3, [2, 3, 2, 5, 3, 4, 3, 2], 5, 5, 1200),
        "rules4": hierarchy(4, [4, 3, 4, 3, 5], 4, 4, 720, 0.05),
        "dnf1": disjunction(1, 1500, 10, 3, 8),
        "dnf2": disjunction(2, 800, 12, 2, 6, 0.03),
        "dnf3": disjunction(3, 2000, 8, 4, 20),
        **chances(),
        **numbers(),
    }
    for name, (x, y) in tables.items():
        frame = pd.DataFrame(x.round(4) if x.dtype == np.float64 else x, columns=[f"a{j}" for j in range(x.shape[1])])
        frame.assign(**{"class": np.asarray(y).astype(str)}).to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
