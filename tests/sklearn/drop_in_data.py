"""Rows for the drop-ins and their originals: numbers, counts and categories of three classes."""

import numpy as np

RANDOM = np.random.default_rng(7)
SIZE, COLUMNS = 200, 6
LABELS = RANDOM.choice(["a", "b", "c"], SIZE, p=[0.5, 0.3, 0.2])
SHIFT = np.searchsorted(["a", "b", "c"], LABELS)[:, None]
NUMBERS = RANDOM.normal(SHIFT * np.arange(COLUMNS), 1.0 + SHIFT)
COUNTS = RANDOM.poisson(1.0 + SHIFT * np.arange(1, COLUMNS + 1) / 3.0).astype(float)
CATEGORIES = (RANDOM.integers(0, 4, (SIZE, COLUMNS)) + SHIFT) % 5
WEIGHTS = {
    "none": None,
    "whole": RANDOM.integers(1, 4, SIZE).astype(float),
    "fractional": RANDOM.random(SIZE),
}
DATA = {
    "GaussianNB": NUMBERS,
    "MultinomialNB": COUNTS,
    "ComplementNB": COUNTS,
    "BernoulliNB": COUNTS,
    "CategoricalNB": CATEGORIES,
}
