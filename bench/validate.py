"""Cross-validation and leave-one-out by subtraction, against training again.

    python bench/validate.py

Ten folds of a million rows of 20 numbers against GaussianNB, and of 200,000 rows of ten columns of strings against
OrdinalEncoder + CategoricalNB, both by scikit-learn's `cross_val_score`, which returns ten accuracies; `cross_validate`
returns the whole evaluation of every fold. Seed 0.

Leave-one-out: the 32,561 rows of adult-train, 14 columns of all kinds with the inferred schema. `left_out` scores every
row by the counts without it; the peer is the same library trained and queried 200 times, each time without one row,
and its time extrapolated. Texts: all documents of a set, in the inferred reading; and in the multinomial one, compared
with subtracting 200 of them one by one, as `choose_again=True` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from corpus import DATA
from million_rows import LEVELS, ROWS, strings
from sets import TABLES, read_lines
from tallybayes import Categorical, Each, Gaussian, Model, Schema, Words, cross_validate, left_out
from timing import best_of, report

STRINGS = 200_000
REFITS = 200
SETS = ("movie-reviews-2k", "cr", "enron1-2")
PEER = "scikit-learn cross_val_score"


def ten_folds(title: str, peer: Any, matrix: Any, schemas: dict[str, tuple[Schema, Any]], labels: Any) -> None:
    works = {PEER: lambda: cross_val_score(peer, matrix, labels, cv=10)}
    for name, (schema, rows) in schemas.items():
        works[f"{name}, 1 thread"] = lambda s=schema, r=rows: cross_validate(s, r, labels, threads=1)
        works[name] = lambda s=schema, r=rows: cross_validate(s, r, labels)
    report(f"10 folds, {title}", works, PEER, rounds=3)
    schema, rows = next(iter(schemas.values()))
    theirs = cross_val_score(peer, matrix, labels, cv=10).mean()
    print(f"accuracy: {theirs:.5f} and {cross_validate(schema, rows, labels).accuracy:.5f}")


def folds() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, ROWS)
    matrix = random.normal(labels[:, None] * 0.3, 1.0, (ROWS, 20))
    table = pa.table({f"x{i}": column.copy() for i, column in enumerate(matrix.T)})
    schemas = {
        "matrix": (Schema({"x": Each(Gaussian())}), matrix),
        "columns": (Schema(dict.fromkeys(table.column_names, Gaussian())), table),
    }
    ten_folds(f"{ROWS:,} × 20 numbers", GaussianNB(), matrix, schemas, labels)
    columns, labels = strings(random, STRINGS), labels[:STRINGS]
    peer = make_pipeline(OrdinalEncoder(), CategoricalNB(min_categories=list(LEVELS)))
    matrix = np.stack([values.astype(object) for values in columns.values()], axis=1)
    schemas = {"columns": (Schema(dict.fromkeys(columns, Categorical())), pa.table(columns))}
    ten_folds(f"{STRINGS:,} × {len(columns)} strings", peer, matrix, schemas, labels)


def tables() -> None:
    rows = pd.read_csv(TABLES / "adult-train.csv")
    labels = rows.pop("income").to_numpy(object)
    schema = Schema.infer(rows)
    model = Model.train(schema, rows, labels)
    some = np.linspace(0, len(rows) - 1, REFITS).astype(int)

    def refit() -> None:
        for row in some:
            kept = np.arange(len(rows)) != row
            Model.train(schema, rows[kept], labels[kept]).evidence(rows.iloc[[row]])

    ours = best_of({"left out": lambda: left_out(model, rows, labels)})["left out"]
    again = best_of({"refits": refit}, rounds=1)["refits"] / REFITS * len(rows)
    print(f"\nadult-train, {len(rows):,} rows: {ours:.2f} s by subtraction, {again:,.0f} s by training again")
    print(f"  {again / ours:,.0f} × as fast")


def texts() -> None:
    for name in SETS:
        pairs = read_lines(DATA / f"{name}.jsonl.gz")
        frame, labels = {"text": [text for text, _ in pairs]}, [label for _, label in pairs]
        model = Model.train(Schema.infer(frame), frame, labels)
        plain = Model.train({"text": Words()}, frame, labels)
        some, own = {"text": frame["text"][:REFITS]}, labels[:REFITS]
        works = {
            "inferred": lambda m=model, f=frame, y=labels: left_out(m, f, y),
            "at once": lambda m=plain, f=frame, y=labels: left_out(m, f, y),
            "one by one": lambda m=plain, f=some, y=own: left_out(m, f, y, choose_again=True),
        }
        took = best_of(works, rounds=2)
        n, each, alone = len(labels), took["at once"] / len(labels), took["one by one"] / REFITS
        print(f"{name}: {n:,} texts in {took['inferred']:.2f} s, {took['inferred'] / n * 1e6:.0f} µs each")
        print(f"  multinomial: {each * 1e6:.0f} µs each, one by one {alone * 1e6:.0f} µs: {alone / each:.0f} × as fast")


if __name__ == "__main__":
    folds()
    if DATA.exists():
        tables()
        texts()
    else:
        print(f"{DATA} is missing.")
