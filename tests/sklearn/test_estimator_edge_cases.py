"""Edge cases of NaiveBayes, and its errors."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mixed_table import SCHEMA, rows, table
from scipy import sparse
from sklearn.exceptions import NotFittedError

from tallybayes import Categorical, Each, Gaussian, NaiveBayes, Poisson, Schema, Words, __version__, digest

COLUMNS, LABELS = table(100)
FRAME = pd.DataFrame(COLUMNS)
NUMBERS = np.random.default_rng(0).normal(size=(20, 3))
BITS = np.arange(20) % 2
QUESTIONS = ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "evidence", "decide"]


def fitted(**settings):
    return NaiveBayes(SCHEMA, **settings).fit(FRAME, LABELS)


# Rows


def test_class_of_one_row():
    learned = NaiveBayes().fit(NUMBERS, ["one"] + ["many"] * 19)
    assert learned.class_count_.tolist() == [19.0, 1.0]
    assert np.isfinite(learned.predict_log_proba(NUMBERS)).all()
    assert NaiveBayes().fit(NUMBERS[:1], ["only"]).predict(NUMBERS).tolist() == ["only"] * 20


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (np.array(["2020-01-01", "2021-05-05"] * 10, "M8[D]"), "times: convert them to a number or a category"),
        (np.array([b"x", b"y"] * 10), "bytes: decode them to text"),
        (np.zeros(20), "every cell is the same"),
    ],
)
def test_warning_says_why_no_column_is_counted(cells, reason):
    with pytest.warns(UserWarning, match=f"No column is counted, so every answer is the prior. '0': {reason}"):
        NaiveBayes().fit(cells.reshape(-1, 1), BITS)


def test_empty_rows_get_the_prior():
    nothing = {name: [None] for name in COLUMNS}
    shares = [np.mean(label == LABELS) for label in fitted().classes_]
    np.testing.assert_allclose(fitted(weigh=False).predict_proba(nothing), [shares], rtol=1e-12)
    np.testing.assert_allclose(fitted(weigh=False).predict_log_proba(nothing), [np.log(shares)], rtol=1e-12)
    np.testing.assert_allclose(fitted(prior="uniform", weigh=False).predict_proba(nothing), [[1 / 3] * 3], rtol=1e-12)
    learned = NaiveBayes(Gaussian()).fit([[np.nan, np.nan], [1.0, 2.0], [np.nan, np.nan]], [0, 0, 1])
    np.testing.assert_allclose(learned.predict_proba([[np.nan, np.nan]]), [[2 / 3, 1 / 3]], rtol=1e-12)


def test_table_without_usable_columns_gets_the_prior():
    with pytest.warns(UserWarning, match="No column is counted"):
        learned = NaiveBayes().fit({"x": [None, None, None]}, ["a", "b", "b"])
    assert learned.schema_.columns == {}
    np.testing.assert_allclose(learned.predict_proba({"x": [1.0, None]}), [[1 / 3, 2 / 3]] * 2, rtol=1e-12)


def test_impossible_rows_get_the_prior():
    columns = {"x": ["a", "b", "b"], "z": ["c", "d", "d"]}
    learned = NaiveBayes(Categorical(alpha=0.0)).fit(columns, ["no", "yes", "yes"])
    new = {"x": ["a", "a"], "z": ["d", "c"]}
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible in every class"):
        assert learned.predict(new).tolist() == ["yes", "no"]
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible in every class"):
        found = learned.predict_log_proba(new)
    np.testing.assert_allclose(found, [[np.log(1 / 3), np.log(2 / 3)], [0.0, -np.inf]], rtol=1e-12)


def test_no_rows_are_an_error_to_fit_and_nothing_to_learn_or_predict():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        NaiveBayes().fit(NUMBERS[:0], [])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        NaiveBayes().fit(FRAME[:0], [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        NaiveBayes().fit(FRAME[[]], LABELS)
    learned = fitted()
    assert digest(learned.partial_fit(FRAME[:0], []).model_) == digest(fitted().model_)
    assert learned.classes_.dtype == LABELS.dtype
    assert learned.predict(FRAME[:0]).tolist() == []


@pytest.mark.parametrize("schema", [None, Gaussian()], ids=["chosen", "given"])
def test_infinite_cell_is_an_error_that_names_the_column(schema):
    numbers = pd.DataFrame(NUMBERS, columns=["a", "b", "c"])
    infinite = numbers.copy()
    infinite.loc[7, "b"] = np.inf
    with pytest.raises(ValueError, match=r"Column 'b', row 7: .*(infinite|inf is not a finite number)"):
        NaiveBayes(schema).fit(infinite, BITS)
    learned = NaiveBayes(Gaussian()).fit(numbers, BITS)
    before = digest(learned.model_)
    for change in (learned.partial_fit, learned.forget):
        with pytest.raises(ValueError, match=r"Column 'b', row 7: .*(infinite|inf is not a finite number)"):
            change(infinite, BITS)
    with pytest.raises(ValueError, match=r"Column 'b', row 7: .*(infinite|inf is not a finite number)"):
        learned.predict(infinite)
    assert digest(learned.model_) == before


def test_non_tables_are_an_error():
    for thing in (NUMBERS[:, 0], [1.0, 2.0], pd.Series([1.0, 2.0]), pl.Series([1.0, 2.0]), pa.array([1.0, 2.0])):
        with pytest.raises(ValueError, match=r"Expected (2D array, got 1D array|a 2-dimensional container)"):
            NaiveBayes().fit(thing, [0, 1])
    with pytest.raises(ValueError, match="Complex data not supported"):
        NaiveBayes().fit(NUMBERS + 1j, BITS)
    with pytest.raises(ValueError, match="dim 3"):
        NaiveBayes().fit(NUMBERS[None], BITS)
    with pytest.raises(TypeError, match="does not count a sparse matrix"):
        NaiveBayes(Categorical()).fit(sparse.csr_array(NUMBERS), BITS)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        NaiveBayes().fit(NUMBERS, BITS).predict(sparse.csr_matrix(NUMBERS))
    with pytest.raises(ValueError, match="Column 'mixed' mixes types"):
        NaiveBayes().fit(pd.DataFrame({"mixed": [1, "a"]}), [0, 1])


def test_too_few_labels_are_an_error():
    with pytest.raises(ValueError, match="There are 99 labels for 100 rows"):
        NaiveBayes(SCHEMA).fit(FRAME, LABELS[:99])
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(99,\), expected \(100,\)"):
        NaiveBayes(SCHEMA).fit(FRAME, LABELS, sample_weight=np.ones(99))
    with pytest.raises(ValueError, match=r"The weight in row 1 is -1.0"):
        NaiveBayes(SCHEMA).fit(FRAME, LABELS, sample_weight=[1, -1] * 50)
    with pytest.raises(ValueError, match=r"zero"):
        NaiveBayes(SCHEMA).fit(FRAME, LABELS, sample_weight=np.zeros(100))


# State


@pytest.mark.parametrize("question", QUESTIONS)
def test_unfitted_use_is_sklearns_error(question):
    with pytest.raises(NotFittedError, match="This NaiveBayes instance is not fitted yet"):
        getattr(NaiveBayes(), question)(NUMBERS)


def test_unfitted_attributes_do_not_exist():
    for name in ("classes_", "class_count_", "model_", "schema_", "n_features_in_", "feature_names_in_"):
        assert not hasattr(NaiveBayes(), name)
    with pytest.raises(NotFittedError):
        NaiveBayes().forget(NUMBERS, BITS)


def test_forgetting_more_than_learned_is_an_error_and_changes_nothing():
    learned = NaiveBayes(SCHEMA).fit(rows(COLUMNS, 0, 50), LABELS[:50])
    before, said = digest(learned.model_), learned.predict_proba(FRAME)
    for X, y in (
        (FRAME, LABELS),
        (FRAME[:1].assign(city="never met"), LABELS[:1]),
        (FRAME[:1], ["a new class"]),
        (rows(COLUMNS, 0, 1), ["stays" if LABELS[0] != "stays" else "leaves"]),
    ):
        with pytest.raises(ValueError, match="These rows cannot be forgotten, because they were never learned"):
            learned.forget(X, y)
        assert digest(learned.model_) == before
        np.testing.assert_array_equal(learned.predict_proba(FRAME), said)
        assert learned.classes_.tolist() == ["leaves", "moves", "stays"]


def test_after_forgetting_everything_queries_are_errors():
    learned = fitted(weigh=False).forget(FRAME, LABELS)
    assert learned.classes_.tolist() == []
    with pytest.raises(ValueError, match="The model has counted no rows"):
        learned.predict(FRAME)
    assert digest(learned.partial_fit(FRAME, LABELS).model_) == digest(fitted(weigh=False).model_)


def test_unreadable_rows_keep_what_was_learned():
    learned = NaiveBayes(Poisson()).fit({"x": [1, 2]}, ["a", "b"])
    before = digest(learned.model_)
    with pytest.raises(ValueError, match="Column 'x', row 1"):
        learned.partial_fit({"x": [1, -2]}, ["a", "b"])
    assert digest(learned.model_) == before
    with pytest.raises(ValueError, match="Column 'x', row 1"):
        learned.fit({"x": [1, -2]}, ["a", "b"])
    assert digest(learned.model_) == before


def test_invalid_parameter_is_an_error_when_used():
    for settings, message in (
        ({"alpha": -1.0}, "alpha must be a finite number of at least 0"),
        ({"prior": "flat"}, "prior='flat'"),
        ({"threads": 0}, "threads=0: give a whole number"),
        ({"reading": "backwards"}, "reading"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted(**settings)
        with pytest.raises(ValueError, match=message):
            fitted().set_params(**settings).predict(FRAME)
    with pytest.raises(TypeError, match="schema='Gaussian': give a Schema, a mapping of columns to families, a family"):
        NaiveBayes("Gaussian").fit(NUMBERS, BITS)
    with pytest.raises(TypeError, match=r"Column '0' is given .*which is not a family. Write Words\(\)"):
        NaiveBayes({"0": Words}).fit(NUMBERS, BITS)
    with pytest.raises(ValueError, match="X lacks columns of the schema: 'agee'; it has 'age', 'calls'"):
        NaiveBayes({"agee": Gaussian()}).fit(FRAME, LABELS)
    left_out = NaiveBayes().fit(FRAME.assign(when=pd.Timestamp("2024-02-29")), LABELS)
    assert left_out.schema_.reasons["when"].startswith("times")


@pytest.mark.parametrize("value", ["yes", -1, 2.5, [], float("nan"), object, {"zz": 1}])
def test_parameter_that_no_family_has_is_checked_too(value):
    """The table has numbers only, and too few for a histogram: `alpha` and `reading` change nothing."""
    for name in ("m", "plugin", "reading", "weigh", "alpha"):
        if (name, value) in (("m", 2.5), ("alpha", 2.5), ("alpha", {"zz": 1})):
            continue
        expected = rf"^(NaiveBayes\()?{name}=.*(must be|give)"
        with pytest.raises(ValueError, match=expected):
            NaiveBayes(**{name: value}).fit(NUMBERS, BITS)
        with pytest.raises(ValueError, match=expected):
            NaiveBayes().fit(NUMBERS, BITS).set_params(**{name: value}).predict(NUMBERS)
    with pytest.raises(TypeError, match=r"unlabelled=.*: give EM\(\), or None"):
        NaiveBayes(unlabelled=value).fit(NUMBERS, BITS)


def test_incompatible_pickle_says_who_wrote_it_and_what_to_do():
    state = fitted().__getstate__()
    assert state["_written"] == (2, __version__)
    for written, who in (((0, "0.0.7"), "0.0.7"), (None, "of an unknown version")):
        older = {**state, "_written": written} if written else {k: v for k, v in state.items() if k != "_written"}
        with pytest.raises(ValueError, match=f"pickled by tallybayes {who}, .*Fit it again, .*tallybayes.save"):
            NaiveBayes().__setstate__(older)
    again = NaiveBayes()
    again.__setstate__({**state, "_written": (2, "0.0.9")})
    assert digest(again.model_) == digest(fitted().model_)
    assert digest(pickle.loads(pickle.dumps(again)).model_) == digest(again.model_)


@pytest.mark.long
def test_sklearns_array_api_check_passes_with_scipy_array_api():
    """In this process scikit-learn skips it, since scipy reads the variable at import."""
    contract = os.path.join(os.path.dirname(__file__), "test_contract.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", contract, "-k", "array_api", "-rs"]
    found = subprocess.run(command, env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    assert "SKIPPED" not in found.stdout


def test_n_features_includes_columns_left_out():
    learned = NaiveBayes(Schema({"calls": Poisson()})).fit(FRAME, LABELS)
    assert learned.n_features_in_ == 5
    np.testing.assert_array_equal(learned.predict(FRAME[["calls"]]), learned.predict(FRAME))


def test_pandas_missing_values_are_no_level():
    cells = np.array([[1], ["a"], [pd.NA], [pd.NaT], [None], [np.nan]], object)
    learned = NaiveBayes().fit(cells, list("ababab"))
    assert learned.model_.counts("0").slots == ["1", "a"]


def test_sparse_matrix_with_negative_and_missing_numbers_is_continuous():
    matrix = sparse.csr_array(([np.nan, -1.0], ([0, 1], [0, 1])), shape=(2, 3))
    assert isinstance(NaiveBayes().fit(matrix, [0, 1]).schema_.columns["x"], Each)
