"""Columns of numbers of many shapes, each class by itself: are they inferred well?

    python bench/number_columns.py [set …]

`NaiveBayes()` as it is, with intervals alone (`Histogram(method="fitted")`), with `Density()` and with `Gaussian()` in
every column, beside scikit-learn's GaussianNB: error % / log-loss on the rows that were not trained on. The first sets
are drawn, so that the best shape is known; the others are scikit-learn's real ones. A third of the rows is held out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn import datasets
from sklearn.naive_bayes import GaussianNB

from sets import dealt
from tallybayes import Density, Gaussian, Histogram, NaiveBayes

LEAST = np.finfo(np.float64).eps
N, COLUMNS = 3000, 10
REAL = ("iris", "wine", "breast_cancer", "digits")
Drawing = Callable[[np.random.Generator, np.ndarray], np.ndarray]
DRAWN: dict[str, Drawing] = {
    "normal, two means": lambda random, y: random.normal(0.4 * y, 1.0),
    "normal, two widths": lambda random, y: random.normal(0.0, 1.0 + 0.5 * y),
    "log-normal": lambda random, y: np.exp(random.normal(0.3 * y, 1.0)),
    "gamma": lambda random, y: random.gamma(1.0 + y, 1.5 - 0.5 * y),
    "Student's t, 2": lambda random, y: random.standard_t(2, y.shape) + 0.4 * y,
    "Poisson": lambda random, y: random.poisson(3.0 + y).astype(float),
    "half zeros": lambda random, y: np.where(
        random.random(y.shape) < 0.6 - 0.1 * y, 0.0, random.exponential(1 + 0.4 * y)
    ),
    "two peaks": lambda random, y: (
        random.choice([-1.0, 1.0], y.shape) * (1 + 0.5 * y) + random.normal(0.0, 0.5, y.shape)
    ),
    "uniform": lambda random, y: random.random(y.shape) * (1.0 + 0.2 * y),
}


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, draw in DRAWN.items():
        random = np.random.default_rng(0)
        y = random.integers(0, 2, N)
        yield name, draw(random, np.repeat(y[:, None], COLUMNS, axis=1)), y
    for n in (1_000, 12_000):
        X, y = datasets.make_hastie_10_2(n, random_state=0)
        yield f"hastie 10.2, {n}", X, y
    X, y = datasets.make_gaussian_quantiles(n_samples=5_000, n_features=8, n_classes=3, random_state=0)
    yield "Gaussian quantiles", X, y
    for name in REAL:
        yield name.replace("_", " "), *getattr(datasets, f"load_{name}")(return_X_y=True)


def main(chosen: list[str]) -> None:
    warnings.simplefilter("ignore")
    contenders = {
        "default": lambda: NaiveBayes(),
        "intervals": lambda: NaiveBayes(Histogram(method="fitted", alpha="fitted", bits=8)),
        "Density": lambda: NaiveBayes(Density(bits=8)),
        "Gaussian": lambda: NaiveBayes(Gaussian()),
        "GaussianNB": GaussianNB,
    }
    print(f"error % / log-loss\n{'':24}", *(f"{name:>14}" for name in contenders))
    for name, X, y in sets():
        if chosen and name not in chosen:
            continue
        held = dealt(y, 3) == 0
        shown = []
        for make in contenders.values():
            model = make().fit(X[~held], y[~held])
            p = model.predict_proba(X[held])
            truth = model.classes_.searchsorted(y[held])
            loss = -np.log(np.maximum(p[np.arange(len(truth)), truth], LEAST)).mean()
            shown.append(f"{100 * np.mean(p.argmax(axis=1) != truth):5.1f} / {loss:.3f}")
        print(f"{name:24}", *(f"{each:>14}" for each in shown), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
