"""Coverage of 90 % credible intervals on data drawn from the model.

    python bench/coverage.py [--trials 400]

Each trial draws parameters from the prior, rows from these parameters, and trains a model; then new rows are queried.
These come from other parameters, since a row from the same ones would carry information about them, which matters with
ten training rows. The true P(class | row) follows from the parameters, and the table shows how often the interval
contains it. The last column is the mean width: wide with few rows, narrow with many.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import Categorical, Gaussian, Model, Poisson, Schema, Words

MASS, ASKED, DRAWS = 0.9, 5, 300
PRIOR = 10.0  # per class: both nearly always have rows
WORDS = [f"word{i}" for i in range(12)]
Truth = tuple[Callable[[np.random.Generator, Any], Any], Callable[[Any], Any]]  # draws cells; log P(cells | class)


def levels(random: np.random.Generator) -> Truth:
    p = random.dirichlet(np.ones(4), 2)
    letters = np.array(list("abcd"))
    return (
        lambda some, y: [letters[some.choice(4, p=p[k])] for k in y],
        lambda cells: np.log(p[:, [int(np.flatnonzero(letters == cell)[0]) for cell in cells]]),
    )


def numbers(random: np.random.Generator) -> Truth:
    variance = 1.0 / random.gamma(2.0, 1.0 / 2.0, 2)  # m = 4 values of variance 1 around 0
    mean = random.normal(0.0, np.sqrt(variance / 4.0))
    return (
        lambda some, y: some.normal(mean[y], np.sqrt(variance[y])),
        lambda x: -0.5 * (np.log(variance)[:, None] + (np.asarray(x) - mean[:, None]) ** 2 / variance[:, None]),
    )


def counts(random: np.random.Generator) -> Truth:
    rate = random.gamma(2.0, 1.0 / 0.5, 2)
    return (
        lambda some, y: some.poisson(rate[y]),
        lambda x: np.asarray(x) * np.log(rate)[:, None] - rate[:, None],
    )


def words(random: np.random.Generator) -> Truth:
    p = random.dirichlet(np.ones(len(WORDS)), 2)
    return (
        lambda some, y: [" ".join(some.choice(WORDS, 6, p=p[k])) for k in y],
        lambda cells: np.array([[sum(np.log(q[WORDS.index(w)]) for w in text.split()) for text in cells] for q in p]),
    )


COLUMNS = {
    "levels": (Categorical(levels=tuple("abcd")), levels),
    "numbers": (Gaussian(m=4.0, mean=0.0, variance=1.0), numbers),
    "counts": (Poisson(shape=2.0, rate=0.5), counts),
    "words": (Words(vocabulary=tuple(WORDS)), words),
}


def trial(names: list[str], n: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng(seed)
    share = random.dirichlet([PRIOR, PRIOR])
    truths = {name: COLUMNS[name][1](random) for name in names}
    y, new = random.choice(2, n, p=share), random.choice(2, ASKED, p=share)
    others = {name: COLUMNS[name][1](random) for name in names}
    rows = {name: draw(random, y) for name, (draw, _) in truths.items()}
    asked = {name: draw(random, new) for name, (draw, _) in others.items()}
    schema = Schema({name: COLUMNS[name][0] for name in names}, prior=PRIOR)
    model = Model.train(schema, pa.table(rows), y.tolist())
    joint = np.log(share)[:, None] + sum(score(asked[name]) for name, (_, score) in truths.items())
    true = np.exp(joint[1] - np.logaddexp.reduce(joint, axis=0))
    if len(model.classes) < 2:
        return np.nan, np.nan
    found = model.credible(pa.table(asked), MASS, draws=DRAWS, seed=1_000_000 + seed)
    low, high = found.low[:, 1], found.high[:, 1]
    return float(((low <= true) & (true <= high)).mean()), float((high - low).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    trials = parser.parse_args().trials
    for names in (*([name] for name in COLUMNS), list(COLUMNS)):
        for n in (10, 100, 1000):
            found = np.array([trial(names, n, seed) for seed in range(trials)])
            print(
                f"{'+'.join(names):28} {n:5} rows: {100 * np.nanmean(found[:, 0]):.1f} % of the true probabilities "
                f"within {100 * MASS:.0f} % intervals, {np.nanmean(found[:, 1]):.3f} wide",
                flush=True,
            )


if __name__ == "__main__":
    main()
