"""Finding label errors: 5 % of the labels are flipped, and the 5 % most suspect rows are checked.

    python bench/suspects.py [set …]

`model.suspects` leaves every row out of the counts, exactly, in one pass. The peer is cleanlab's self-confidence
(Northcutt et al. 2021): scikit-learn's naive Bayes is trained on four fifths of the rows and scores the fifth, and rows
whose own label is least probable are suspect; by cleanlab itself, if installed, or by the same few lines. Precision:
the share of checked rows whose label was flipped. Mean over three seeds; seconds of the last.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from sets import Set, tables, texts
from tallybayes import Gaussian, Model, Schema, Words

TEXTS, TABLES = ("sms-spam", "banking77", "subj"), ("iris", "letter", "spambase", "vowel")
FLIPPED, SEEDS = 0.05, 3
HAS_CLEANLAB = find_spec("cleanlab") is not None


def is_text(given: Set) -> bool:
    return list(given.rows.columns) == ["text"]


def flipped(labels: Any, seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    classes = np.unique(labels)
    at = random.choice(len(labels), int(FLIPPED * len(labels)), replace=False)
    wrong = labels.copy()
    for row in at.tolist():
        wrong[row] = random.choice(classes[classes != labels[row]])
    return wrong, at


def ours(given: Set, labels: Any, n: int) -> list[int]:
    rows = given.rows
    families = {name: Words() if is_text(given) else Gaussian() for name in rows.columns}
    model = Model.train(Schema(families), rows, labels.tolist())
    return [each.row for each in model.suspects(rows, labels.tolist(), top=n)]


def theirs(given: Set, labels: Any, n: int) -> list[int]:
    classes = np.unique(labels)
    y = np.searchsorted(classes, labels)
    texts = is_text(given)
    cells = CountVectorizer().fit_transform(given.rows["text"]) if texts else given.rows.to_numpy(float)
    said = cross_val_predict(MultinomialNB() if texts else GaussianNB(), cells, y, method="predict_proba")
    if HAS_CLEANLAB:
        from cleanlab.rank import get_label_quality_scores

        return np.argsort(get_label_quality_scores(y, said, method="self_confidence"), kind="stable")[:n].tolist()
    return np.argsort(said[np.arange(len(y)), y], kind="stable")[:n].tolist()


CONTENDERS: dict[str, Callable[[Set, Any, int], list[int]]] = {
    "suspects": ours,
    f"{'cleanlab' if HAS_CLEANLAB else 'self-confidence'}, scikit-learn's NB, 5 folds": theirs,
}


def compare(given: Set) -> None:
    n = int(FLIPPED * len(given.labels))
    for name, contender in CONTENDERS.items():
        found, took = [], 0.0
        for seed in range(SEEDS):
            labels, wrong = flipped(given.labels, seed)
            start = time.perf_counter()
            named = contender(given, labels, n)
            took = time.perf_counter() - start
            found.append(len(set(named) & set(wrong.tolist())) / n)
        print(f"{given.name:12} {name:46} precision {np.mean(found):.3f}   {took:.2f} s", flush=True)


def main() -> None:
    chosen = sys.argv[1:]
    for given in [*texts(chosen or list(TEXTS)), *tables(chosen or list(TABLES))]:
        numbers = given.rows.apply(lambda column: pd.api.types.is_numeric_dtype(column)).all()
        if is_text(given) or (numbers and not given.rows.isna().any(axis=None)):
            compare(given)


if __name__ == "__main__":
    main()
