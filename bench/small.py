"""Overhead on small data: a small wide table, learning one row, Dirichlet-multinomial texts, and incremental learning
in a large text model.

    python bench/small.py

A table of 199 rows and 69 columns in two classes: 30 of numbers, 10 of counts, 25 of texts and 4 of booleans. From the
rows to the first predictions, against scikit-learn's encoders and CategoricalNB, which must be told the column types.
Learning and scoring one row of the twenty columns of `one_row`, against GaussianNB.partial_fit of twenty numbers. 4,000
texts of 200 words by Zipf's law in 2 and in 20 classes, `dirichlet-multinomial` against `multinomial`. A model of
600,000 words learns a text and scores another, in several readings, against believing all words again. Seed 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from corpus import spell
from one_row import SCHEMA, mixed
from tallybayes import Model, NaiveBayes, Schema, Words
from timing import best_of, each, row

ROWS, TEXTS, LENGTH, WORDS, MANY_WORDS, TIMES = 199, 4_000, 200, 60_000, 600_000, 50
LIVING = (
    *(("multinomial", 1.0), ("binary", 1.0), ("binary", "fitted")),
    *(("bernoulli", 1.0), ("dirichlet-multinomial", 1.0)),
)


def wide_table(rng: np.random.Generator) -> pd.DataFrame:
    columns: dict[str, Any] = {f"x{i}": rng.normal(size=ROWS) for i in range(15)}
    columns |= {f"price{i}": rng.lognormal(size=ROWS) for i in range(15)}
    columns |= {f"calls{i}": rng.poisson(3.0, ROWS) for i in range(10)}
    columns |= {f"city{i}": rng.choice(["Paris", "Rome", "Oslo", "Lima"], ROWS) for i in range(25)}
    return pd.DataFrame(columns | {f"paid{i}": rng.random(ROWS) < 0.5 for i in range(4)})


def pipeline(frame: pd.DataFrame) -> Any:
    """scikit-learn's pipeline for a mixed table; the column types must be given."""
    numbers = [name for name in frame if name.startswith(("x", "price", "calls"))]
    levels = [name for name in frame if name.startswith(("city", "paid"))]
    bins = KBinsDiscretizer(5, encode="ordinal", strategy="uniform")
    return make_pipeline(make_column_transformer((bins, numbers), (OrdinalEncoder(), levels)), CategoricalNB())


def first_answer(rng: np.random.Generator) -> None:
    frame, labels = wide_table(rng), rng.integers(0, 2, ROWS)
    schema = Schema.infer(frame)
    model = Model.train(schema, frame, labels)
    times = best_of(
        {
            "infer": lambda: Schema.infer(frame),
            "train": lambda: Model.train(schema, frame, labels),
            "believe": lambda: model.copy().prior(),
            "score": lambda: model.posterior(frame),
            "ours": lambda: NaiveBayes(weigh=False).fit(frame, labels).predict_proba(frame),
            "weighed": lambda: NaiveBayes().fit(frame, labels).predict_proba(frame),
            "peer": lambda: pipeline(frame).fit(frame, labels).predict_proba(frame),
        },
        20,
    )
    work = f"{ROWS} × {len(frame.columns)}, from rows to first predictions"
    row(work, f"{times['ours'] * 1e3:.1f} ms", f"{times['peer'] * 1e3:.1f} ms", times["peer"] / times["ours"])
    for name in ("infer", "train", "believe", "score"):
        row(f"  of which {name}", f"{times[name] * 1e3:.1f} ms")
    row("  weighed", f"{times['weighed'] * 1e3:.1f} ms", "", times["peer"] / times["weighed"])


def learn_one_row(rng: np.random.Generator) -> None:
    columns, labels = mixed(rng), rng.integers(0, 2, 2_000)
    one = {name: values[0].item() for name, values in columns.items()}
    frame, matrix = pd.DataFrame([one]), rng.normal(size=(2_000, 20))
    model = Model.train(SCHEMA, columns, labels)
    face, peer = NaiveBayes(SCHEMA).fit(pd.DataFrame(columns), labels), GaussianNB().fit(matrix, labels)
    delta = Model.train(SCHEMA, one, [1])

    def learn(more: Model) -> Model:
        nonlocal model
        model += more
        return model

    works = {
        "peer": lambda: peer.partial_fit(matrix[:1], labels[:1]),
        "score a row": lambda: model.posterior(one),
        "learn a row of 20 columns": lambda: learn(Model.train(SCHEMA, one, [1])),
        "  of which train": lambda: Model.train(SCHEMA, one, [1]),
        "  of which +=": lambda: learn(delta),
        "partial_fit of a DataFrame": lambda: face.partial_fit(frame, labels[:1]),
        "learn a row and score one": lambda: learn(Model.train(SCHEMA, one, [1])).posterior(one),
    }
    model.posterior(one)
    times = {}
    for name, work in works.items():  # separately: scoring is cheap until something is learned
        if name == "score a row":
            model.posterior(one)
        times[name] = best_of({name: each(work, TIMES)}, 20)[name] / TIMES
    slow = times.pop("peer")
    for name, seconds in times.items():
        row(name, f"{seconds * 1e6:.0f} µs", f"{slow * 1e6:.0f} µs", slow / seconds)
    ratio = times["learn a row of 20 columns"] / times["score a row"]
    row("learn a row / score it", f"{ratio:.1f} × cost", "", "", "2.0 × cost")


def compound(rng: np.random.Generator, classes: int) -> None:
    spelled = np.array(spell(np.arange(WORDS)).to_pylist(), object)
    drawn = spelled[(rng.zipf(1.3, (TEXTS, LENGTH)) - 1) % WORDS]
    texts = pa.array([" ".join(words) for words in drawn])
    labels = rng.integers(0, classes, TEXTS)
    models = {
        reading: Model.train(Schema({"body": Words(reading=reading)}), {"body": texts}, labels)
        for reading in ("multinomial", "dirichlet-multinomial")
    }
    one = texts[0].as_py()
    for work, ask in (
        ("believe", lambda model: model.copy().prior()),
        ("posterior, 1 thread", lambda model: model.posterior({"body": texts}, threads=1)),
        ("posterior of a str", lambda model: [model.posterior(one) for _ in range(TIMES)]),
    ):
        times = best_of({name: (lambda model=model, ask=ask: ask(model)) for name, model in models.items()}, 9)
        ours, pooled = (times[name] * 1e3 for name in ("dirichlet-multinomial", "multinomial"))
        name = f"Dirichlet-multinomial, {classes} classes: {work}"
        row(name, f"{ours:.2f} ms", f"{pooled:.2f} ms", f"{ours / pooled:.1f} × cost")


def living(rng: np.random.Generator, classes: int, asked: str) -> None:
    spelled = np.array(spell(np.arange(MANY_WORDS)).to_pylist(), object)
    drawn = spelled[(rng.zipf(1.3, (20_000, LENGTH)) - 1) % MANY_WORDS]
    every = spelled.reshape(-1, LENGTH)  # each word once, and many of them again
    texts = pa.array([" ".join(words) for words in [*every, *drawn]])
    mails = [" ".join(words) for words in drawn[:TIMES]]
    row(f"learn a text and score one: {MANY_WORDS:,} words × {classes} classes", "", "from scratch")
    for reading, alpha in LIVING:
        schema = Schema({"body": Words(reading=reading, alpha=alpha)})
        model = Model.train(schema, {"body": texts}, rng.integers(0, classes, len(texts)))
        model.posterior(mails[0])

        def learn(model: Model = model, schema: Schema = schema) -> None:
            for i, mail in enumerate(mails):
                model += Model.train(schema, mail, [i % classes])
                model.posterior(mails[-i])

        ours = best_of({"learn": learn}, 9)["learn"] / TIMES
        again = best_of({"again": lambda model=model: model.copy().posterior(mails[0])}, 3)["again"]
        row(f"  {reading}, alpha {alpha}", f"{ours * 1e3:.2f} ms", f"{again * 1e3:.0f} ms", again / ours, asked)


def main() -> None:
    rng = np.random.default_rng(0)
    row("", "tallybayes", "peer", "ratio", "target")
    first_answer(rng)
    learn_one_row(rng)
    for classes in (2, 20):
        compound(rng, classes)
    for classes, asked in ((2, "1 ms"), (139, "3 ms")):
        living(rng, classes, asked)


if __name__ == "__main__":
    main()
