"""Reordered, missing, new, duplicate and unnamed columns."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mixed_table import SCHEMA
from sklearn.base import clone
from test_estimator_edge_cases import BITS, COLUMNS, FRAME, LABELS, NUMBERS, QUESTIONS, fitted

from tallybayes import Gaussian, NaiveBayes, digest
from tallybayes.sklearn import GaussianNB


def test_reordered_columns_are_matched_by_name():
    turned = FRAME[FRAME.columns[::-1]]
    learned = fitted()
    np.testing.assert_array_equal(learned.predict_proba(turned), learned.predict_proba(FRAME))
    np.testing.assert_array_equal(learned.predict_proba(pl.from_pandas(turned)), learned.predict_proba(FRAME))
    assert digest(learned.partial_fit(turned, LABELS).forget(FRAME, LABELS).model_) == digest(fitted().model_)
    numbered = NaiveBayes(Gaussian()).fit(pd.DataFrame(NUMBERS), BITS)
    turned = pd.DataFrame(NUMBERS)[[2, 0, 1]]
    np.testing.assert_array_equal(numbered.predict_proba(turned), numbered.predict_proba(NUMBERS))


def test_missing_columns_are_an_error_that_names_them_all():
    for change in ("predict", "predict_proba", "evidence"):
        with pytest.raises(ValueError, match=r"fitted with: 'age', 'note'\. Add them, or .*absent='missing'"):
            getattr(fitted(), change)(FRAME[["city", "calls", "member"]])
    with pytest.raises(ValueError, match="fitted with: 'age', 'note'"):
        fitted().partial_fit(FRAME[["city", "calls", "member"]], LABELS)
    with pytest.raises(ValueError, match="X lacks columns of the schema: 'age', 'note'; it has 'city'"):
        NaiveBayes(SCHEMA).fit(FRAME[["city", "calls", "member"]], LABELS)


def test_missing_columns_as_missing_cells_on_request():
    learned = fitted(absent="missing")
    blank = {**COLUMNS, "age": [None] * 100, "note": [None] * 100}
    np.testing.assert_array_equal(
        learned.predict_proba(FRAME[["city", "calls", "member"]]), fitted().predict_proba(blank)
    )
    learned.partial_fit(FRAME[["city", "calls", "member"]], LABELS)
    assert digest(learned.model_) == digest(fitted().partial_fit(blank, LABELS).model_)
    for nothing in (FRAME[["age"]][:0], pl.DataFrame({"age": [1.0]})[:0], pa.table({"age": pa.nulls(0)})):
        assert learned.predict_proba(nothing).shape == (0, 3)
    with pytest.raises(ValueError, match="absent='ignore': give 'error', or 'missing'"):
        fitted(absent="ignore")


def test_uncounted_column_may_be_missing():
    learned = NaiveBayes({"calls": None}).fit(FRAME, LABELS)
    np.testing.assert_array_equal(learned.predict(FRAME.drop(columns="calls")), learned.predict(FRAME))


def test_unknown_columns_are_an_error_that_says_what_to_do():
    message = "was not fitted with: 'b', 'a'. Drop or rename them, or fit again with them."
    for questions in QUESTIONS:
        with pytest.raises(ValueError, match=re.escape(message)):
            getattr(fitted(), questions)(FRAME.assign(b=1, a=2))
    with pytest.raises(ValueError, match=r"not fitted with: 'Age'\..* was fitted with: 'age'"):
        fitted().predict(FRAME.rename(columns={"age": "Age"}))


def test_duplicate_column_names_are_an_error():
    twice = pd.DataFrame(NUMBERS, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"more than one column called 'a'\. Rename or drop all but one"):
        NaiveBayes().fit(twice, BITS)
    arrow = pa.table([pa.array(NUMBERS[:, 0])] * 2, names=["a", "a"])
    with pytest.raises(ValueError, match="X has more than one column called 'a'"):
        NaiveBayes().fit(arrow, BITS)
    with pytest.raises(ValueError, match="X has more than one column called '1'"):
        NaiveBayes().fit({1: [1.0], "1": [2.0]}, [0])


def test_rows_without_names_are_matched_by_position_with_a_warning():
    named = pd.DataFrame(NUMBERS, columns=["c", "a", "b"])
    learned = NaiveBayes(Gaussian()).fit(named, BITS)
    assert learned.feature_names_in_.tolist() == ["c", "a", "b"]
    assert learned.feature_names_in_.dtype == object
    with pytest.warns(UserWarning, match="X does not have valid feature names, but NaiveBayes was fitted with"):
        np.testing.assert_array_equal(learned.predict_proba(NUMBERS), learned.predict_proba(named))
    with pytest.raises(ValueError, match="X has 2 features, but NaiveBayes is expecting 3 features as input"):
        learned.predict(NUMBERS[:, :2])
    learned.fit(NUMBERS, BITS)
    assert not hasattr(learned, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but NaiveBayes was fitted without feature names"):
        np.testing.assert_array_equal(learned.predict_proba(named), learned.predict_proba(NUMBERS))


def test_index_is_not_a_column():
    shuffled = FRAME.sample(frac=1.0, random_state=0)
    labels = LABELS[shuffled.index]
    named = shuffled.rename_axis("number")
    for X in (shuffled, named, pa.Table.from_pandas(named)):
        learned = NaiveBayes().fit(X, labels)
        assert learned.feature_names_in_.tolist() == list(COLUMNS)
        assert digest(learned.model_) == digest(NaiveBayes().fit(FRAME, LABELS).model_)
        np.testing.assert_array_equal(learned.predict_proba(X), learned.predict_proba(FRAME)[shuffled.index])


@pytest.mark.parametrize("estimator", [NaiveBayes(), GaussianNB()], ids=str)
def test_columns_that_can_be_read_once_are_kept(estimator):
    cells = [1.0, 2.0, 5.0, 7.0]
    fitted = clone(estimator).fit({"x": (cell for cell in cells)}, list("aabb"))
    assert digest(fitted.model_) == digest(clone(estimator).fit({"x": cells}, list("aabb")).model_)
    assert fitted.predict({"x": map(float, ["1", "6"])}).tolist() == ["a", "b"]
