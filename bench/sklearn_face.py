"""The scikit-learn estimators: every drop-in against its original on the same input, and the overhead over the core.

    python bench/sklearn_face.py

Numbers: a million rows of twenty standard normal numbers in two classes, C-ordered and Fortran-ordered. Words: 20,000
texts of up to 150 words in 20 classes, 100,000 words drawn by Zipf's law with exponent 1.3, as a sparse matrix of
counts, and the same with random weights. Categories: a million rows of ten columns of eight levels in five classes.
Mixed: a million rows of five numbers, three counts and two texts. Seed 0.

An original computes its logarithms in `fit`, a drop-in at the first prediction: "fit with logarithms" is `fit` and then
`feature_log_prob_`, for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import sklearn.naive_bayes as originals

import tallybayes.sklearn as drop_ins
from one_row import SCHEMA, mixed
from tallybayes import Categorical, Gaussian, Model, NaiveBayes, Poisson, Schema
from timing import best_of, each, row

ROWS, TIMES = 1_000_000, 25


def words(rng: np.random.Generator) -> tuple[Any, Any]:
    texts, length, size = 20_000, 150, 100_000
    positions = (rng.zipf(1.3, size=texts * length) % size).astype(np.int32)
    starts = np.arange(0, texts * length + 1, length)
    matrix = sp.csr_matrix((np.ones(texts * length), positions, starts), shape=(texts, size))
    matrix.sum_duplicates()
    return matrix, rng.integers(0, 20, texts)


def compared(title: str, works: dict[str, Callable[[], object]], asked: str = "") -> None:
    """Ours and the original, in turn."""
    times = best_of(works)
    ours, peer = times["ours"], times["original"]
    row(title, f"{ours * 1e3:.1f} ms", f"{peer * 1e3:.1f} ms", peer / ours, asked)


def drop_in(name: str, X: Any, y: Any, what: str, fit: str = "", predict: str = "") -> None:
    ours, original = (getattr(module, name) for module in (drop_ins, originals))
    fitted, peer = ours().fit(X, y), original().fit(X, y)
    assert np.mean(fitted.predict(X) == peer.predict(X)) > 0.9999
    compared(f"{name} fit, {what}", {"ours": lambda: ours().fit(X, y), "original": lambda: original().fit(X, y)}, fit)
    if hasattr(peer, "feature_log_prob_"):
        said = {"ours": lambda: ours().fit(X, y).feature_log_prob_, "original": lambda: original().fit(X, y)}
        compared(f"{name} fit with logarithms", said)
    asked = {"ours": lambda: fitted.predict(X), "original": lambda: peer.predict(X)}
    compared(f"{name} predict", asked, predict)


def all_drop_ins(rng: np.random.Generator) -> None:
    numbers, two = rng.normal(size=(ROWS, 20)), rng.integers(0, 2, ROWS)
    drop_in("GaussianNB", numbers, two, "1,000,000 × 20, C order", "5 ×", "8 ×")
    drop_in("GaussianNB", np.asfortranarray(numbers), two, "Fortran order", "5 ×", "8 ×")
    counts, twenty = words(rng)
    drop_in("MultinomialNB", counts, twenty, f"CSR, {counts.nnz:,} counts", "2 ×", "1.5 ×")
    drop_in("ComplementNB", counts, twenty, "the same")
    drop_in("BernoulliNB", counts, twenty, "the same")
    weights = counts.copy()
    weights.data = rng.random(weights.nnz)
    drop_in("MultinomialNB", weights, twenty, "the same, weights")
    drop_in("MultinomialNB", rng.poisson(1.0, (ROWS, 20)).astype(float), two, "1,000,000 × 20, dense")
    levels = rng.integers(0, 8, (ROWS, 10))
    drop_in("CategoricalNB", levels, rng.integers(0, 5, ROWS), "1,000,000 × 10, 8 levels", "5 ×")


def face_and_core(rng: np.random.Generator) -> None:
    """The same rows through the estimator, without weighing, and through the model."""
    columns: dict[str, Any] = {f"x{i}": rng.normal(size=ROWS) for i in range(5)}
    columns |= {f"n{i}": rng.poisson(3.0, ROWS) for i in range(3)}
    columns |= {f"t{i}": rng.choice(["one", "two", "three", "four"], ROWS) for i in range(2)}
    table, labels = pa.table(columns), rng.integers(0, 3, ROWS)
    schema = Schema(
        {f"x{i}": Gaussian() for i in range(5)}
        | {f"n{i}": Poisson() for i in range(3)}
        | {f"t{i}": Categorical() for i in range(2)}
    )
    model, face = Model.train(schema, table, labels), NaiveBayes(schema, weigh=False).fit(table, labels)
    for title, ours, core in [
        ("fit", lambda: NaiveBayes(schema, weigh=False).fit(table, labels), lambda: Model.train(schema, table, labels)),
        ("predict_proba", lambda: face.predict_proba(table), lambda: model.posterior(table)),
    ]:
        times = best_of({"face": ours, "core": core}, 9)
        extra = f"{100 * (times['face'] / times['core'] - 1):+.1f} %"
        row(
            f"NaiveBayes {title}, 1,000,000 × 10 mixed, over the core",
            f"{times['face'] * 1e3:.1f} ms",
            "",
            extra,
            "10 %",
        )


def one_row(rng: np.random.Generator) -> None:
    columns = mixed(rng)
    frame = pd.DataFrame(columns)
    labels = rng.integers(0, 2, len(frame))
    face = NaiveBayes(SCHEMA, weigh=False).fit(frame, labels)
    single = frame[:1].reset_index(drop=True)
    peer = originals.GaussianNB().fit(frame.filter(like="x"), labels)
    numbers = single.filter(like="x")
    works = {"ours": lambda: face.predict_proba(single), "original": lambda: peer.predict_proba(numbers)}
    times = best_of({name: each(work, TIMES) for name, work in works.items()}, 200)
    ours, original = (times[name] / TIMES * 1e6 for name in ("ours", "original"))
    row(
        "NaiveBayes, one row of 20 mixed columns (pandas)",
        f"{ours:.0f} µs",
        f"{original:.0f} µs",
        original / ours,
        "200 µs",
    )


def main() -> None:
    rng = np.random.default_rng(0)
    row("", "tallybayes", "scikit-learn", "ratio", "target")
    all_drop_ins(rng)
    face_and_core(rng)
    one_row(rng)


if __name__ == "__main__":
    main()
