"""Pickles of an estimator contain nothing of forgotten rows."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

import tallybayes.sklearn as face
from tallybayes import Categorical, Gaussian, Words, digest, save

SECRET = "Longyearbyen"
COUNTS = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, 4.0], [5.0, 7.0, 1.0]])
TABLE = pd.DataFrame(
    {
        "text": ["one two", "two three", "three one", f"I came from {SECRET}"],
        "city": ["Rome", "Paris", "Rome", SECRET],
        "age": [31.5, 17.25, 20.0, 98765.5],
    }
)
LABELS = np.array(["a", "b", "a", SECRET])
DROP_INS = [getattr(face, name) for name in face.__all__ if name not in ("NaiveBayes", "SemiNaiveBayes")]
SCHEMA = {"text": Words(), "city": Categorical(), "age": Gaussian()}


def traces(estimator, folder):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    save(estimator.model_, folder / "m.tally")
    return {
        "pickle": pickle.dumps(estimator),
        "deep copy": pickle.dumps(copy.deepcopy(estimator)),
        "joblib": file.getvalue(),
        "file": (folder / "m.tally").read_bytes(),
        "text": f"{estimator!r} {estimator.model_!r} {estimator.schema_!r} {estimator.classes_!r}".encode(),
        "notebook": estimator._repr_html_().encode(),
        "model": pickle.dumps(estimator.model_),
    }


def forgetful(estimator, rows):
    """Has learned the last row, been queried, and forgotten it."""
    estimator.fit(rows, LABELS)
    estimator.predict_proba(rows)
    estimator.model_, estimator.classes_  # noqa: B018
    return estimator.forget(rows[-1:], LABELS[-1:])


@pytest.mark.parametrize("kind", DROP_INS)
def test_drop_ins_keep_no_forgotten_class(kind, tmp_path):
    rows = COUNTS + 1.0 if kind is face.GammaNB else COUNTS
    estimator = forgetful(kind(), rows)
    for name, written in traces(estimator, tmp_path).items():
        assert SECRET.encode() not in written, name
    never = kind().fit(rows[:-1], LABELS[:-1])
    assert digest(estimator.model_) == digest(never.model_)


@pytest.mark.parametrize("schema", [SCHEMA, None])
def test_no_forgotten_word_level_class_or_number_remains(schema, tmp_path):
    estimator = forgetful(face.NaiveBayes(schema), TABLE)
    for name, written in traces(estimator, tmp_path).items():
        for secret in (SECRET, SECRET.lower(), "98765.5"):
            assert secret.encode() not in written, (name, secret)
    if schema is not None:
        never = face.NaiveBayes(schema).fit(TABLE[:-1], LABELS[:-1])
        assert digest(estimator.model_) == digest(never.model_)


def test_length_of_a_forgotten_label_does_not_show():
    estimator = forgetful(face.MultinomialNB(), COUNTS)
    assert estimator.classes_.dtype == np.dtype("<U1")
    assert estimator.predict(COUNTS).dtype == np.dtype("<U1")


@pytest.mark.parametrize("kind", [face.NaiveBayes, face.SemiNaiveBayes])
def test_weights_keep_no_forgotten_class(kind, tmp_path):
    rng = np.random.default_rng(0)
    labels = [*rng.choice(["a", "b"], 300), SECRET]
    rows = {"x": rng.normal(size=301), "y": rng.normal(size=301)}
    estimator = kind().fit(rows, labels)
    assert estimator.model_.schema.weights is not None
    estimator.forget({name: column[-1:] for name, column in rows.items()}, labels[-1:])
    for name, written in traces(estimator, tmp_path).items():
        assert SECRET.encode() not in written, name
    assert set(estimator.model_.schema.weights.offsets) == {"a", "b"}
