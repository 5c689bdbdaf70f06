"""Every export, run in DuckDB, SQLite and onnxruntime: probabilities equal `posterior`."""

import numpy as np
import pyarrow as pa
import pytest
from asked import answers, check, with_ids
from exported import model_of, table

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, Weights, export_sql, weigh

for needed in ("sqlglot", "onnx"):
    pytest.importorskip(needed, reason="Exports need them: pip install 'tallybayes[sql,onnx]'")


def test_probabilities_of_every_column_kind(engine):
    check(model_of(table()), table(), engine)


def test_unseen_rows(engine):
    check(model_of(table()), table(300, seed=8), engine)


def test_extreme_values_and_unseen_levels(engine):
    far = table(6, seed=9).to_pydict() | {
        "city": ["nowhere", "Ur ", "ur", None, "", "Köln"],
        "depth": [-1e300, 1e300, 0.0, -0.0, 1e-300, None],
        "temperature": [1e9 + 50, -1e9, 0.0, 1e12, None, 1e9],
        "wealth": [1e-300, 1e300, 1.0, None, 1e-9, 5.0],
        "calls": [0, 255, 256, 10_000, 3_000_000, None],
        "tries": [0, 255, 256, 10_000, 3_000_000, None],
        "wait": [0.0, 1e-300, 1e6, 1e9, None, 1.0],
    }
    check(model_of(table()), pa.table(far, schema=table(6).schema), engine)


@pytest.mark.filterwarnings("ignore:.*impossible")
def test_impossible_rows_get_the_prior(engine):
    rows = with_ids({"a": ["x", "y", "x"], "b": ["u", "v", "v"], "c": ["one", "two", "two"]})
    model = Model.train(Schema({"a": Categorical(alpha=0), "b": Categorical(alpha=0)}), rows, rows["c"])
    new = with_ids({"a": ["x", "y", "y"], "b": ["u", "v", "u"]})
    check(model, new, engine)
    assert answers(model, new, engine)[0] == ["one", "two", "two"]


@pytest.mark.filterwarnings("ignore:.*treated as missing")
def test_values_outside_the_support_are_missing(engine):
    odd = table(4, seed=3).to_pydict() | {"wealth": [-1.0, 0.0, 1.0, None], "wait": [-1.0, 1.0, None, 2.0]}
    check(model_of(table()), pa.table(odd, schema=table(4).schema), engine)


def numbers_some_missing(draw, labels):
    x = draw.normal(size=len(labels)) + (labels == "a")
    return [float(v) if v < 1 else None for v in x]


def test_weighed_intervals_and_levels_and_informative_missing_cells(engine):
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b"], 600)
    x = numbers_some_missing(draw, labels)
    rows = with_ids({"x": x, "twice": x, "level": draw.choice(["u", "v"], 600), "y": labels})
    schema = Schema({"x": Histogram(), "twice": Histogram(), "level": Categorical()}, label="y")
    model = weigh(Model.train(schema, rows), rows)
    assert model.schema.weights is not None
    check(model, rows, engine)


def test_weighed_formulas_and_informative_missing_cells(engine):
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b", "c"], 600)
    x = numbers_some_missing(draw, labels)
    rows = with_ids({"x": x, "twice": x, "y": labels})
    model = weigh(Model.train(Schema({"x": Gaussian(), "twice": Gaussian()}, label="y"), rows), rows)
    assert model.schema.weights is not None
    check(model, rows, engine)
    check(model, with_ids({"x": [1e6, None, -1e100, 0.0], "twice": [None, -1e6, 1.0, 1e100]}), engine)


def many_classes(number):
    """A weighed model of two columns, and its rows."""
    draw, labels = np.random.default_rng(1), [f"class {i % number}" for i in range(2 * number)]
    rows = with_ids({"x": draw.normal(size=2 * number), "level": draw.choice(["u", "v"], 2 * number), "y": labels})
    schema = Schema({"x": Gaussian(), "level": Categorical()}, label="y")
    return Model.train(schema, rows).believing(weights=Weights(columns={"x": 0.5, "level": 2.0})), rows


def test_more_classes_than_sqlite_compares_at_once(dialect):
    model, rows = many_classes(140)
    check(model, rows.slice(0, 50), dialect)


def test_size_of_sql_is_proportional_to_the_number_of_classes(dialect):
    few, many = (len(export_sql(many_classes(number)[0], dialect=dialect)) for number in (30, 120))
    assert many < 5 * few


@pytest.mark.parametrize("labels", [[0, 1, 1], [True, False, True], [0.5, 2.0, 2.0], ["only"] * 3])
def test_class_labels_keep_their_type(engine, labels):
    rows = with_ids({"x": [1.0, 2.0, 2.5]})
    model = Model.train({"x": Gaussian()}, rows, labels)
    check(model, rows, engine)
    assert answers(model, rows, engine)[0] == [model.classes[i] for i in model.posterior(rows).argmax(axis=1)]
