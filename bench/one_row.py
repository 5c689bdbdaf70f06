"""Latency of a single row of twenty columns, or a single text, in every input form: `posterior`, and learning.

    python bench/one_row.py

Eight columns are continuous, four are counts, six are texts and two are booleans; in a numpy matrix all are numbers.
The text has ten words, two of them known. "Weighed" is the same model with a weight for every column. The peer is
scikit-learn's GaussianNB on one row of twenty numbers, from a DataFrame and from a matrix. Seed 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.naive_bayes import GaussianNB

from tallybayes import Bernoulli, Categorical, Gaussian, LogNormal, Model, Poisson, Schema, Words
from timing import best_of, each

ROWS, COLUMNS, TIMES, ROUNDS = 2_000, 20, 25, 200


def mixed(rng: np.random.Generator) -> dict[str, np.ndarray]:
    columns = {f"x{i}": rng.normal(size=ROWS) for i in range(6)}
    columns |= {f"price{i}": rng.lognormal(size=ROWS) for i in range(2)}
    columns |= {f"calls{i}": rng.poisson(3.0, ROWS) for i in range(4)}
    columns |= {f"city{i}": rng.choice(["Paris", "Rome", "Oslo", "Lima"], ROWS) for i in range(6)}
    return columns | {f"paid{i}": rng.random(ROWS) < 0.5 for i in range(2)}


SCHEMA = Schema(
    {f"x{i}": Gaussian() for i in range(6)}
    | {f"price{i}": LogNormal() for i in range(2)}
    | {f"calls{i}": Poisson() for i in range(4)}
    | {f"city{i}": Categorical() for i in range(6)}
    | {f"paid{i}": Bernoulli() for i in range(2)}
)


def main() -> None:
    rng = np.random.default_rng(0)
    columns, labels = mixed(rng), rng.integers(0, 2, ROWS)
    matrix = rng.normal(size=(ROWS, COLUMNS))
    model = Model.train(SCHEMA, columns, labels)
    numbers = Model.train(Schema({str(i): Gaussian() for i in range(COLUMNS)}), matrix, labels)
    row = {name: values[0].item() for name, values in columns.items()}
    frame = pd.DataFrame({name: [value] for name, value in row.items()})
    cities = [name for name in columns if name.startswith("city")]
    peer_frame = pd.DataFrame(matrix, columns=[f"x{i}" for i in range(COLUMNS)])
    peer, named = GaussianNB().fit(matrix, labels), GaussianNB().fit(peer_frame, labels)
    frames = {
        "pandas DataFrame": frame,
        "pandas DataFrame, texts as object": frame.astype(dict.fromkeys(cities, object)),
        "pandas DataFrame, texts as category": frame.astype(dict.fromkeys(cities, "category")),
        "pandas DataFrame, a row of a larger one": pd.DataFrame(columns)[7:8],
        "polars DataFrame": pl.DataFrame([row]),
        "pyarrow Table": pa.table({name: [value] for name, value in row.items()}),
        "pyarrow RecordBatch": pa.record_batch({name: [value] for name, value in row.items()}),
        "dictionary of single values": row,
    }
    works = {name: functools.partial(model.posterior, data) for name, data in frames.items()}
    weighed = model.believing(weights=dict.fromkeys(columns, 0.5))
    works |= {
        f"{name}, weighed": functools.partial(weighed.posterior, frames[name])
        for name in ("pandas DataFrame", "dictionary of single values")
    }
    works["numpy array, 1 × 20, all Gaussian"] = lambda: numbers.posterior(matrix[:1])
    works["scikit-learn GaussianNB, DataFrame of 20 numbers"] = lambda: named.predict_proba(peer_frame[:1])
    works["scikit-learn GaussianNB, numpy array"] = lambda: peer.predict_proba(matrix[:1])
    show(f"posterior of one row of {COLUMNS} columns", works)
    learning(model, row)
    one_text()


def learning(model: Model, row: dict[str, object]) -> None:
    """Learning a row, and scoring it with a model that does not change."""
    live = model.copy()

    def learn() -> None:
        nonlocal live
        live += Model.train(SCHEMA, row, [1])

    works = {"score": functools.partial(model.posterior, row), "learn": learn}
    times = show(f"one row of {COLUMNS} columns, a dictionary", works)
    print(f"  learn / score {times['learn'] / times['score']:.2f}")


def one_text() -> None:
    model = Model.train(Schema({"body": Words()}), {"body": ["hello free world", "win money"]}, ["ham", "spam"])
    text = "hello there world, this is a text of some words"
    shapes = {"str": text, "dictionary": {"body": text}, "list": [text], "dictionary of a list": {"body": [text]}}
    show("posterior of one text", {name: functools.partial(model.posterior, data) for name, data in shapes.items()})


def show(title: str, works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    times = best_of({name: each(work, TIMES) for name, work in works.items()}, ROUNDS)
    print(f"{title} (best of {ROUNDS} times {TIMES})")
    for name, seconds in times.items():
        print(f"  {name:50}  {seconds / TIMES * 1e6:7.1f} µs")
    return times


if __name__ == "__main__":
    main()
