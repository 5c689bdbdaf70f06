"""Schema entries that name several columns, in every function that walks a schema."""

import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    Categorical,
    Correlated,
    Gaussian,
    Model,
    NaiveBayes,
    Schema,
    digest,
    evaluate,
    heaviest,
    open_source,
    schema_from_toml,
    schema_to_toml,
)
from tallybayes.files import from_bytes, to_bytes

BLOCK = ("height", "weight")
ROWS = {
    "height": [1.6, 1.7, 1.8, 1.9, None, 1.75],
    "weight": [50.0, 61.0, 72.0, None, 80.0, 70.5],
    "colour": ["red", "red", "blue", "blue", "red", "blue"],
}
LABELS = ["a", "a", "a", "b", "b", "b"]
SCHEMA = Schema({BLOCK: Correlated(), "colour": Categorical()})
MODEL = Model.train(SCHEMA, ROWS, LABELS)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame({**ROWS, "class": LABELS, "id": range(6)}).to_csv(path, index=False)
    return path


def test_order_of_block_columns_does_not_matter():
    turned = Schema({"colour": Categorical(), BLOCK[::-1]: Correlated()})
    assert turned == SCHEMA
    assert digest(Model.train(turned, ROWS, LABELS)) == digest(MODEL)
    assert list(turned.columns) == ["colour", BLOCK]
    for name in (BLOCK, BLOCK[::-1], "height", "weight", "height, weight", ["weight", "height"]):
        assert MODEL.estimates(name) == MODEL.estimates(BLOCK)
        np.testing.assert_array_equal(MODEL.evidence(ROWS)[name], MODEL.evidence(ROWS)[BLOCK])
    assert Schema({("height",): Gaussian()}) == Schema({"height": Gaussian()})


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({BLOCK: Gaussian()}, ValueError, r"Gaussian counts one column, not the block \('height', 'weight'\)"),
        ({("a", "a"): Correlated()}, ValueError, "names a column twice"),
        ({(): Correlated()}, ValueError, "names no column"),
        ({("a", 1): Correlated()}, TypeError, "The column name 1 is not a string"),
        ({("a", "b"): Correlated(), "a, b": Categorical()}, ValueError, "are written the same"),
    ],
)
def test_invalid_blocks_are_refused(columns, error, said):
    with pytest.raises(error, match=said):
        Schema(columns)
    with pytest.raises(ValueError, match="Column 'height' holds the labels"):
        Schema({BLOCK: Correlated()}, label="height")


def test_schema_with_blocks_round_trips():
    schema = Schema({BLOCK: Correlated(m=2.0, covariance="shared"), "colour": Categorical()}, label="class")
    text = schema_to_toml(schema)
    assert '[[blocks]]\ncolumns = ["height", "weight"]\nfamily = "Correlated(covariance=\'shared\', m=2.0)"\n' in text
    assert schema_from_toml(text) == schema
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema
    only = schema_from_toml('[[blocks]]\ncolumns = ["b", "a"]\nfamily = "Correlated"\n')
    assert list(only.columns) == [("a", "b")]
    again = from_bytes(to_bytes(MODEL))
    assert again == MODEL
    np.testing.assert_array_equal(again.log_joint(ROWS), MODEL.log_joint(ROWS))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ('columns = ["a", "b"]', "write \\[\\[blocks\\]\\] with the lines columns"),
        ('columns = "a, b"\nfamily = "Correlated"', "write \\[\\[blocks\\]\\] with the lines columns"),
        ('columns = ["a", "b"]\nfamily = "left out"', "is left out; remove it from the file"),
        ('columns = ["a", "b"]\nfamily = "Gaussian"', "Gaussian counts one column"),
        ('columns = ["a", "b"]\nfamily = "Corelated"', "Did you mean Correlated"),
        (
            'columns = ["a", "b"]\nfamily = "Correlated"\n[[blocks]]\ncolumns = ["a", "b"]\nfamily = "Correlated"',
            "twice",
        ),
    ],
)
def test_invalid_block_in_toml_is_reported(block, said):
    with pytest.raises(ValueError, match=said):
        schema_from_toml(f"[columns]\n[[blocks]]\n{block}\n")


def test_rows_of_any_form_are_counted_and_scored_the_same():
    frame = pd.DataFrame(ROWS)
    expected = MODEL.log_joint(ROWS)
    for data in (frame, pl.DataFrame(ROWS), pa.table(ROWS), frame.to_dict("records")):
        assert digest(Model.train(SCHEMA, data, LABELS)) == digest(MODEL)
        np.testing.assert_allclose(MODEL.log_joint(data), expected, rtol=1e-12)
    learned = Model(SCHEMA)
    for i, row in enumerate(frame.replace({np.nan: None}).to_dict("records")):
        np.testing.assert_allclose(MODEL.log_joint(row)[0], expected[i], rtol=1e-12)
        np.testing.assert_allclose(MODEL.log_joint(frame.iloc[i])[0], expected[i], rtol=1e-12)
        learned += Model.train(SCHEMA, row, LABELS[i : i + 1])
    assert digest(learned) == digest(MODEL)
    alone = Model.train({BLOCK: Correlated()}, frame.iloc[:, :2], LABELS)
    array = Model.train({("0", "1"): Correlated()}, frame.iloc[:, :2].to_numpy(), LABELS)
    np.testing.assert_array_equal(alone.posterior(frame), array.posterior(frame.iloc[:, :2].to_numpy()))


CELL = st.none() | st.floats(-1e6, 1e6) | st.integers(-5, 5)
ROW = st.fixed_dictionaries({"height": CELL, "weight": CELL, "colour": st.sampled_from(["red", "blue", None])})


@given(st.lists(st.tuples(ROW, st.sampled_from("ab")), min_size=1, max_size=8), st.booleans())
def test_single_rows_equal_one_batch_and_are_forgotten(rows, lists):
    columns = {name: [row[name] for row, _ in rows] for name in ROWS}
    together = Model.train(SCHEMA, columns, [label for _, label in rows])
    alone = MODEL.copy()
    for row, label in rows:
        alone += Model.train(SCHEMA, {name: [cell] for name, cell in row.items()} if lists else row, [label])
    assert digest(alone) == digest(MODEL + together)
    for row, label in rows:
        alone -= Model.train(SCHEMA, row, [label])
    assert digest(alone) == digest(MODEL)


def test_errors_name_the_column_of_the_block():
    with pytest.raises(ValueError, match="The data has no column 'weight'; it has 'height', 'colour'"):
        MODEL.posterior({"height": [1.7], "colour": ["red"]})
    lacking = MODEL.posterior({"height": 1.7, "colour": "red"}, absent="missing")
    np.testing.assert_allclose(lacking, MODEL.posterior({"height": 1.7, "weight": None, "colour": "red"}))
    np.testing.assert_allclose(lacking, MODEL.posterior({"height": [1.7], "colour": ["red"]}, absent="missing"))
    for data in ({"weight": ["60", "much"], "height": [1.7, 1.6]}, {"weight": "much", "height": 1.6}):
        with pytest.raises(ValueError, match=r"Column 'weight', row [01]: 'much' is not a number"):
            Model.train({BLOCK: Correlated()}, data, ["a", "b"][: len(data["height"]) if "60" in data["weight"] else 1])
    with pytest.raises(ValueError, match="Column 'height', row 0: the value is infinite"):
        MODEL.posterior({"height": float("inf"), "weight": 1.0, "colour": "red"})
    with pytest.raises(ValueError, match="Column 'weight', row 1: the value is infinite"):
        Model.train(SCHEMA, {**ROWS, "weight": [1.0, -np.inf, 1, 1, 1, 1]}, LABELS)


def test_beliefs_about_a_block_can_be_changed():
    shared = MODEL.believing({BLOCK: Correlated(covariance="shared")})
    assert shared == MODEL.believing(covariance="shared")
    assert shared.schema.columns[BLOCK].covariance == "shared"
    assert MODEL.believing({"height": Correlated(m=3.0)}) == MODEL.believing({BLOCK: Correlated(m=3.0)})
    with pytest.raises(ValueError, match="is counted by Correlated"):
        Model.train({"x": Correlated()}, {"x": [1.0]}, ["a"]).believing(x=Gaussian())


def test_models_with_blocks_merge_and_forget():
    half = {name: values[:3] for name, values in ROWS.items()}
    rest = {name: values[3:] for name, values in ROWS.items()}
    both = Model.train(SCHEMA, half, LABELS[:3]) + Model.train(SCHEMA, rest, LABELS[3:])
    assert digest(both) == digest(MODEL)
    both -= Model.train(SCHEMA, rest, LABELS[3:])
    assert digest(both) == digest(Model.train(SCHEMA, half, LABELS[:3]))
    other = Model.train(SCHEMA, ROWS, ["a", "b", "c"] * 2).against_rest("a")
    again = Model.train(SCHEMA, ROWS, [True, False, False] * 2)
    assert digest(other) == digest(again)


def test_blocks_are_sampled_evaluated_and_shown():
    rows, labels = MODEL.sample(5, seed=1)
    assert rows.schema.names == ["height", "weight", "colour"]
    assert digest(Model.train(SCHEMA, rows, labels)) == digest(Model.train(SCHEMA, *MODEL.sample(5, seed=1)))
    assert 0.0 <= evaluate(MODEL, ROWS, LABELS).accuracy <= 1.0
    assert {weight.column for weight in heaviest(MODEL, "a")} == {"colour"}
    assert "height, weight" in repr(MODEL.evidence(ROWS))
    assert "height, weight  Correlated()" in repr(MODEL)


def test_block_family_as_a_hint():
    schema = Schema.infer({**ROWS, "class": LABELS}, "class", hints={BLOCK[::-1]: Correlated()})
    assert list(schema.columns) == [BLOCK, "colour"]
    assert schema.reasons[BLOCK] == "as given"
    assert Schema.infer(ROWS, hints={BLOCK: None}).columns.keys() == {"colour"}


def test_files_are_read_for_their_blocks(table):
    source = open_source([os.fspath(table)])
    schema = Schema.infer(source, "class", hints={BLOCK: Correlated(), "id": None, "colour": Categorical()})
    model = Model.train(schema, source)
    expected = Model.train(Schema(schema.columns, label="class"), {**ROWS, "class": LABELS})
    assert digest(model) == digest(expected)


def test_scikit_learn_estimator_with_blocks():
    frame = pd.DataFrame(ROWS)
    learned = NaiveBayes({BLOCK: Correlated()}).fit(frame, LABELS)
    assert list(learned.schema_.columns) == [BLOCK, "colour"]
    assert learned.predict(frame[["colour", "weight", "height"]]).tolist() == learned.predict(frame).tolist()
    assert digest(NaiveBayes(SCHEMA).fit(frame, LABELS).model_) == digest(MODEL)
    array = frame[list(BLOCK)].to_numpy()
    by_number = NaiveBayes({(0, 1): Correlated()}).fit(array, LABELS)
    np.testing.assert_array_equal(
        by_number.predict_proba(array), NaiveBayes(Correlated()).fit(array, LABELS).predict_proba(array)
    )
    with pytest.raises(ValueError, match="X lacks columns of the schema: 'girth'"):
        NaiveBayes({("girth", "height"): Correlated()}).fit(frame, LABELS)
    with pytest.raises(ValueError, match="X lacks columns that NaiveBayes was fitted with: 'weight'"):
        learned.predict(frame.drop(columns="weight"))


def test_column_in_two_entries_requires_weighing():
    model = Model.train({BLOCK: Correlated(), "height": Gaussian()}, ROWS, LABELS)
    assert model.counts("height") == Model.train({"height": Gaussian()}, ROWS, LABELS).counts("height")
    with pytest.raises(ValueError, match=r"Column 'height' is in two entries of the schema.* would count twice"):
        model.posterior(ROWS)
    together = model.believing(weights={BLOCK: 0.5, "height": 0.25}).evidence(ROWS)
    for name, family, weight in ((BLOCK, Correlated(), 0.5), ("height", Gaussian(), 0.25)):
        alone = Model.train({name: family}, ROWS, LABELS).believing(weights={name: weight})
        np.testing.assert_array_equal(together[name], alone.evidence(ROWS)[name])
