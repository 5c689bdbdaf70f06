"""Every accepted table type works in every function; anything else is refused with what to pass instead."""

import io
import re

import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from scipy import sparse

import tallybayes.sklearn as face
from tallybayes import Categorical, Each, Gaussian, Model, NaiveBayes, Schema, Words, digest, evaluate

COLUMNS = {"x": ["a", "b", "a", None, "b"], "n": [1.0, 2.5, None, 4.5, 3.0]}
LABELS = ["p", "q", "p", "q", "q"]
TABLE = RELATION = pa.table(COLUMNS)
FRAME = pd.DataFrame(COLUMNS)
SCHEMA = Schema({"x": Categorical(), "n": Gaussian()})
MODEL = Model.train(SCHEMA, COLUMNS, LABELS)
TABLES = {
    "rows": lambda: TABLE.to_pylist(),
    "rows without missing cells": lambda: [
        {k: v for k, v in row.items() if v is not None} for row in TABLE.to_pylist()
    ],
    "rows in a tuple": lambda: tuple(TABLE.to_pylist()),
    "lazy polars": lambda: pl.DataFrame(COLUMNS).lazy(),
    "a query of polars": lambda: pl.DataFrame(COLUMNS).lazy().with_columns(z=pl.col("n") + 1).drop("z"),
    "polars structs": lambda: pl.DataFrame(COLUMNS).to_struct("s"),
    "dataset": lambda: pyarrow.dataset.dataset(TABLE),
    "scanner": lambda: pyarrow.dataset.dataset(TABLE).scanner(),
    "reader": lambda: TABLE.to_reader(),
    "chunks": lambda: pa.concat_tables([TABLE.slice(0, 2), TABLE.slice(2)]),
    "duckdb": lambda: duckdb.sql("select * from RELATION"),
    "unused categories": lambda: FRAME.assign(x=pd.Categorical(COLUMNS["x"], categories=["b", "a", "never"])),
    "structured array": lambda: np.array(list(zip(*COLUMNS.values(), strict=True)), [("x", object), ("n", float)]),
    "generators as columns": lambda: {name: (cell for cell in cells) for name, cells in COLUMNS.items()},
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_table_type_in_every_function(make):
    assert digest(Model.train(SCHEMA, make(), LABELS)) == digest(MODEL)
    np.testing.assert_array_equal(MODEL.log_joint(make()), MODEL.log_joint(COLUMNS))
    np.testing.assert_array_equal(MODEL.evidence(make()).total(), MODEL.evidence(COLUMNS).total())
    assert MODEL.decide(make()) == MODEL.decide(COLUMNS)
    assert MODEL.log_likelihood(make(), LABELS) == MODEL.log_likelihood(COLUMNS, LABELS)
    assert evaluate(MODEL, make(), LABELS).pairs == evaluate(MODEL, COLUMNS, LABELS).pairs
    assert Schema.infer(make()) == Schema.infer(COLUMNS)


@pytest.mark.parametrize("name", sorted(TABLES.keys() - {"generators as columns"}))
def test_every_table_type_in_estimators(name):
    learned = NaiveBayes().fit(TABLES[name](), LABELS)
    assert digest(learned.model_) == digest(NaiveBayes().fit(COLUMNS, LABELS).model_)
    np.testing.assert_array_equal(learned.predict_proba(TABLES[name]()), learned.predict_proba(COLUMNS))


NUMBERS = {"a": [1.0, 2.0, 0.0, 4.0], "b": [0.0, 1.0, 3.0, 1.0]}
MATRICES = {
    "dictionary": lambda: NUMBERS,
    "rows": lambda: pa.table(NUMBERS).to_pylist(),
    "lazy polars": lambda: pl.DataFrame(NUMBERS).lazy(),
    "dataset": lambda: pyarrow.dataset.dataset(pa.table(NUMBERS)),
    "reader": lambda: pa.table(NUMBERS).to_reader(),
    "duckdb": lambda: duckdb.sql("select unnest([1, 2, 0, 4]) as a, unnest([0, 1, 3, 1]) as b"),
    "structured array": lambda: pd.DataFrame(NUMBERS).to_records(index=False),
}


@pytest.mark.parametrize("estimator", ["GaussianNB", "MultinomialNB", "BernoulliNB", "CategoricalNB", "PoissonNB"])
@pytest.mark.parametrize("make", MATRICES.values(), ids=MATRICES)
def test_every_table_type_in_matrix_estimators(estimator, make):
    made, expected = getattr(face, estimator)(), getattr(face, estimator)()
    expected.fit(pd.DataFrame(NUMBERS), [0, 1, 0, 1])
    assert digest(made.fit(make(), [0, 1, 0, 1]).model_) == digest(expected.model_)
    assert made.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(made.predict_proba(make()), expected.predict_proba(pd.DataFrame(NUMBERS)))


@pytest.mark.parametrize("estimator", ["GaussianNB", "MultinomialNB", "BernoulliNB", "CategoricalNB", "GammaNB"])
def test_masked_numbers_are_missing(estimator):
    numbers = np.arange(8.0).reshape(4, 2)
    masked = np.ma.masked_array(numbers, mask=[[0, 1], [0, 0], [1, 0], [0, 0]])
    blank = np.ma.filled(masked, np.nan)
    for form in (masked, masked.astype(int)):
        learned = getattr(face, estimator)().fit(form, [0, 1, 0, 1])
        assert digest(learned.model_) == digest(getattr(face, estimator)().fit(blank, [0, 1, 0, 1]).model_)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numpy_matrices_of_any_kind():
    numbers = np.arange(8.0).reshape(4, 2)
    schema, vectors = Schema({"0": Gaussian(), "1": Gaussian()}), Schema({"x": Each(Gaussian())})
    for order in "CF":
        matrix = np.matrix(np.array(numbers, order=order), copy=False)
        assert digest(Model.train(schema, matrix, [0, 1, 0, 1])) == digest(Model.train(schema, numbers, [0, 1, 0, 1]))
        assert digest(Model.train(vectors, matrix, [0, 1, 0, 1])) == digest(Model.train(vectors, numbers, [0, 1, 0, 1]))


def test_series_indexed_by_columns_is_a_row():
    for at in range(len(FRAME)):
        row = FRAME.iloc[at]
        np.testing.assert_array_equal(MODEL.posterior(row), MODEL.posterior(COLUMNS)[at : at + 1])
        assert digest(Model.train(SCHEMA, row, LABELS[:1])) == digest(
            Model.train(SCHEMA, FRAME[at : at + 1], LABELS[:1])
        )
        learned = NaiveBayes(SCHEMA).fit(FRAME, LABELS)
        assert learned.predict(row).tolist() == learned.predict(FRAME[at : at + 1]).tolist()
    with pytest.raises(ValueError, match=r"has no column 'n'; it has 'x'\."):
        MODEL.posterior(FRAME.iloc[0][["x"]])
    one = Model.train({"x": Categorical()}, COLUMNS, LABELS)
    np.testing.assert_array_equal(one.posterior(FRAME.iloc[0]), one.posterior({"x": "a"}))
    np.testing.assert_array_equal(one.posterior(FRAME["x"]), one.posterior(COLUMNS))
    by_id = FRAME["x"].set_axis(["u", "v", "w", "y", "z"])
    np.testing.assert_array_equal(one.posterior(by_id), one.posterior(COLUMNS))


def test_list_of_dictionaries_is_rows_or_frames():
    schema = Schema({"x": Categorical(), "tags": Words()})
    rows = [{"x": "a", "tags": ["u", "v"]}, {"tags": ["v"]}, {"x": "b"}]
    columns = {"x": ["a", None, "b"], "tags": [["u", "v"], ["v"], None]}
    assert digest(Model.train(schema, rows, LABELS[:3])) == digest(Model.train(schema, columns, LABELS[:3]))
    frames = [{"x": ["a", "b"], "y": ["p", "q"]}, {"x": ["a"], "y": ["p"]}]
    model = Model.train({"x": Categorical()}, frames, "y")
    assert model.n == 3
    with pytest.raises(TypeError, match="may be several tables, or rows whose cells are lists"):
        model.posterior(frames)
    with pytest.raises(ValueError, match="has no column 'n'; it has 'x'"):
        MODEL.posterior([{"x": "a"}, {"x": "b"}])


def test_empty_list_is_no_rows():
    assert MODEL.posterior([]).shape == (0, 2)
    assert Model.train(SCHEMA, [], []).n == 0


NO_TABLES = {
    "None": (lambda: None, "A NoneType is not a table. Give a dictionary of columns"),
    "number": (lambda: 3, "An int is not a table. Give"),
    "path": (lambda: pyarrow.dataset.__file__, "Bare texts|A str is not a table.*open_source reads files"),
    "bytes": (lambda: b"abc", "A bytes is not a table"),
    "object": (object, "An object is not a table"),
    "class": (lambda: dict, "A type is not a table"),
    "generator": (
        lambda: (i for i in range(3)),
        "A generator is not a table.*; several tables are given one after another|With a stream of frames",
    ),
    "file": (lambda: io.StringIO("x,n"), "A StringIO is not a table.*open_source reads files|With a stream of frames"),
    "class without a name": (lambda: type("", (), {})(), "A  is not a table. Give"),
    "frames": (lambda: [FRAME, FRAME], "A list is several tables|With a stream of frames|with dim 3"),
    "set": (lambda: {1, 2}, "A set is not a table"),
    "view": (lambda: COLUMNS.values(), "A dict_values is not a table"),
    "groups": (lambda: FRAME.groupby("x"), "A DataFrameGroupBy is not a table"),
    "dask": (lambda: dask.dataframe.from_pandas(FRAME, 1), r"A DataFrame of dask is computed later: call compute\(\)"),
    "columns of different lengths": (lambda: {"x": ["a", "b"], "n": [1.0]}, "'x' has 2, 'n' has 1"),
    "columns that are dictionaries": (lambda: FRAME.to_dict(), "Column 'x' is a dict; give a list"),
    "columns that are sets": (lambda: {"x": {"a", "b"}, "n": {1.0}}, "Column 'x' is a set; give a list"),
    "a column of three dimensions": (lambda: {"x": np.ones((2, 2, 2)), "n": [1, 2]}, "Column 'x' has 3 dimensions"),
    "rows that mix types": (
        lambda: [{"x": "a", "n": 1}, {"x": "b", "n": "two"}],
        "Column 'n' mixes types.* Convert its values",
    ),
    "rows of different lengths": (lambda: [[1.0], [1.0, 2.0]], "A list of list is not a table|differ in length"),
    "tuples of different lengths": (lambda: [(1.0,), (1.0, 2.0)], "A list of tuple is not a table|differ in length"),
    "arrays of different lengths": (
        lambda: [np.ones(1), np.ones(2)],
        "A list of ndarray is not a table|differ in length",
    ),
    "no dimensions": (lambda: np.array(3.0), "array of 0 dimensions|got scalar array"),
    "one dimension": (lambda: np.ones(5), "array of 1 dimension |got 1D array"),
    "three dimensions": (lambda: np.ones((5, 2, 2)), "array of 3 dimensions|array with dim 3"),
    "complex numbers": (
        lambda: np.ones((5, 2), complex),
        "Column '0' is of type complex128|no column 'x'|Complex data not",
    ),
    "a column of numbers": (lambda: pa.array([1.0] * 5), "one column, not a table: give it with a name|got 1D array"),
    "an empty frame": (lambda: FRAME[:0], "labels for 0 rows|no rows|0 sample"),
    "no columns": (lambda: pl.DataFrame(), r"labels for 0 rows|no rows|0 feature\(s\)"),
    "columns of one name": (
        lambda: pd.concat([FRAME, FRAME], axis=1),
        "2 columns called|more than one column",
    ),
    "columns of one name in Arrow": (
        lambda: pa.Table.from_arrays([TABLE["x"], TABLE["x"], TABLE["n"]], names=["x", "x", "n"]),
        "2 columns called 'x'|more than one column called 'x'",
    ),
    "a column of mixed types": (lambda: FRAME.assign(x=[1, "a", None, 2, 3]), "Column 'x' mixes types"),
    "sparse": (lambda: sparse.csr_array(np.ones((5, 2))), "A sparse matrix is a column of vectors|Sparse data"),
    "sparse and a mapping": (lambda: sparse.dok_matrix(np.ones((5, 2))), "A sparse matrix is a column|Sparse data"),
}
WAYS_IN = {
    "train": lambda data: Model.train(SCHEMA, data, LABELS),
    "infer": Schema.infer,
    "evaluate": lambda data: evaluate(MODEL, data, LABELS),
    "fit": lambda data: NaiveBayes().fit(data, LABELS),
    "partial_fit": lambda data: NaiveBayes(SCHEMA).fit(FRAME, LABELS).partial_fit(data, LABELS),
}
ASKING = {
    "posterior": MODEL.posterior,
    "log_joint": MODEL.log_joint,
    "evidence": MODEL.evidence,
    "decide": MODEL.decide,
    "predict": lambda data: NaiveBayes(SCHEMA).fit(FRAME, LABELS).predict(data),
}
TAKEN = {("sparse", "fit"), ("sparse and a mapping", "fit")}  # one family counts all of it
NO_ROWS = ("an empty frame", "no columns")  # valid in queries


@pytest.mark.parametrize("way", [*WAYS_IN, *ASKING])
@pytest.mark.parametrize("kind", NO_TABLES)
def test_non_tables_are_refused_with_what_to_pass(kind, way):
    if (kind, way) in TAKEN or (way in ASKING and kind in NO_ROWS):
        pytest.skip("this is taken")
    make, message = NO_TABLES[kind]
    with pytest.raises((TypeError, ValueError)) as caught:
        (WAYS_IN | ASKING)[way](make())
    assert re.search(message, str(caught.value), re.S), str(caught.value)


@pytest.mark.parametrize("estimator", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
@pytest.mark.parametrize("kind", [k for k in NO_TABLES if "sparse" not in k and "mixed" not in k])
def test_matrix_estimators_refuse_non_tables_too(estimator, kind):
    learned = getattr(face, estimator)()
    with pytest.raises((TypeError, ValueError)) as caught:
        learned.fit(NO_TABLES[kind][0](), LABELS)
    assert not re.search(r"no attribute|pyarrow|numpy\.", str(caught.value)), str(caught.value)
    assert "classes_" not in dir(learned) or not hasattr(learned, "classes_")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.eye(2)[[0, 1, 0, 1, 1]], r"2 dimensions; give one per row; .*one-hot.*argmax\(axis=1\)"),
        (np.eye(2, dtype=int)[[0, 1, 0, 1, 1]].tolist(), r"Labels of type list.*one-hot.*argmax\(axis=1\)"),
        (pd.get_dummies(pd.Series(LABELS)), r"2 dimensions; give one per row; .*argmax"),
        (pl.DataFrame({"p": [1, 0, 1, 0, 0], "q": [0, 1, 0, 1, 1]}), r"2 dimensions; .*argmax"),
        (sparse.csr_array(np.eye(2)[[0, 1, 0, 1, 1]]), r"2 dimensions; .*argmax"),
        (np.array(LABELS)[:, None], r"2 dimensions; give one per row, as in numpy\.ravel\(y\)"),
        (np.zeros((5, 2, 2)), r"3 dimensions; give one per row\."),
        (set(LABELS), "The labels are a set, which does not assign them to rows"),
        (dict.fromkeys(LABELS, 1), "The labels are a dict, which does not assign"),
        (b"ppqqq", r"The labels are b'ppqqq'; give one per row"),
        (3, "The labels are 3; give one per row, or the name of the column"),
    ],
)
def test_labels_of_wrong_shape_are_refused_with_a_fix(labels, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Model.train(SCHEMA, COLUMNS, labels)


@pytest.mark.parametrize("make", [np.array, list, pd.DataFrame, lambda y: pl.DataFrame(np.array(y))])
def test_one_hot_labels_are_refused_with_a_fix(make):
    one_hot = np.eye(2)[[0, 1, 0, 1, 1]].tolist()
    for estimator in (NaiveBayes(), face.GaussianNB()):
        with pytest.raises(ValueError, match=r"y should be a 1d array, got .* \(5, 2\) instead; .*one-hot.*argmax"):
            estimator.fit(np.ones((5, 2)), make(one_hot))
