"""SQL export, run in DuckDB and SQLite (PostgreSQL: test_sql_in_postgresql): probabilities equal `posterior`."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from asked import ASKED, answers, with_ids
from exported import model_of, numbers_as_levels, table
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Histogram, Model, Pairs, Schema, export_sql, weigh
from tallybayes.export import DIALECTS

pytest.importorskip("sqlglot", reason="SQL is written by sqlglot: pip install 'tallybayes[sql]'")


def test_probabilities_of_every_column_kind(dialect):
    rows = table()
    model = model_of(rows)
    predicted, probability, shares = answers(model, rows, dialect)
    expected = model.posterior(rows)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(probability, expected.max(axis=1), rtol=0, atol=1e-9)
    assert predicted == [model.classes[i] for i in expected.argmax(axis=1)]


def test_unseen_rows(dialect):
    model, new = model_of(table()), table(300, seed=8)
    np.testing.assert_allclose(answers(model, new, dialect)[2], model.posterior(new), rtol=0, atol=1e-9)


def test_extreme_values_and_unseen_levels(dialect):
    model = model_of(table())
    far = table(6, seed=9).to_pydict() | {
        "city": ["nowhere", "Ur ", "ur", None, "", "Köln"],
        "depth": [-1e300, 1e300, 0.0, -0.0, 1e-300, None],
        "temperature": [1e9 + 50, -1e9, 0.0, 1e12, None, 1e9],
        "wealth": [1e-300, 1e300, 1.0, None, 1e-9, 5.0],
        "calls": [0, 255, 256, 10_000, 3_000_000, None],
        "tries": [0, 255, 256, 10_000, 3_000_000, None],
        "wait": [0.0, 1e-300, 1e6, 1e9, None, 1.0],
    }
    rows = pa.table(far, schema=table(6).schema)
    np.testing.assert_allclose(answers(model, rows, dialect)[2], model.posterior(rows), rtol=0, atol=1e-9)


def test_impossible_rows_get_the_prior(dialect):
    rows = with_ids({"a": ["x", "y", "x"], "b": ["u", "v", "v"], "c": ["one", "two", "two"]})
    model = Model.train(Schema({"a": Categorical(alpha=0), "b": Categorical(alpha=0)}), rows, rows["c"])
    new = with_ids({"a": ["x", "y", "y"], "b": ["u", "v", "u"]})
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible"):
        expected = model.posterior(new)
    predicted, _, shares = answers(model, new, dialect)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-12)
    assert predicted == ["one", "two", "two"]


def test_values_outside_the_support_are_missing(dialect):
    model = model_of(table())
    odd = table(4, seed=3).to_pydict() | {"wealth": [-1.0, 0.0, 1.0, None], "wait": [-1.0, 1.0, None, 2.0]}
    rows = pa.table(odd, schema=table(4).schema)
    with pytest.warns(UserWarning, match="treated as missing"):
        expected = model.posterior(rows)
    np.testing.assert_allclose(answers(model, rows, dialect)[2], expected, rtol=0, atol=1e-9)


def test_non_finite_values_are_missing_in_duckdb():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 5.0, 7.0]}, ["a", "a", "b", "b"])
    shares = answers(model, with_ids({"x": [float("nan"), float("inf"), float("-inf"), None]}), "duckdb")[2]
    np.testing.assert_allclose(shares, model.posterior({"x": [None] * 4}), atol=1e-12)


@pytest.mark.parametrize(
    "cells",
    [
        [1.0, 2.5, -0.0, 1e20, 1e-7, 123456789.125, 0.0],
        pa.array([Decimal(written) for written in ("1.00", "2.50", "-3.00", "0.00", "0.25")], pa.decimal128(10, 2)),
        pa.array([1, 2**62, -5, 0]),
        pa.array([Decimal("12345678901234567.00"), Decimal("-98765432109876543.00")], pa.decimal128(20, 2)),
    ],
)
def test_decimals_and_long_numbers_as_categories_are_found_in_duckdb(cells):
    rows = with_ids({"x": cells})
    model = Model.train({"x": Categorical()}, rows, ["a", "b"] * (len(cells) // 2) + ["c"] * (len(cells) % 2))
    expected = model.posterior(rows)
    np.testing.assert_allclose(answers(model, rows, "duckdb")[2], expected, rtol=0, atol=1e-9)


def test_numbers_as_categories_are_found_however_a_database_prints_them(dialect):
    rows = numbers_as_levels() if dialect == "duckdb" else numbers_as_levels().select(["id", "double"])
    model = Model.train(dict.fromkeys(rows.schema.names[1:], Categorical()), rows, rows["id"])
    np.testing.assert_allclose(answers(model, rows, dialect)[2], model.posterior(rows), rtol=0, atol=1e-9)


def test_weighed_evidence_and_informative_missing_cells(dialect):
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b"], 600)
    there = draw.random(600) < np.where(labels == "a", 0.9, 0.4)
    x = [float(v) if known else None for v, known in zip(draw.normal(size=600), there, strict=True)]
    rows = with_ids({"x": x, "twice": x, "level": draw.choice(["u", "v"], 600), "y": labels})
    schema = Schema({"x": Histogram(), "twice": Histogram(), "level": Categorical()}, label="y")
    model = weigh(Model.train(schema, rows), rows)
    assert model.schema.weights is not None
    np.testing.assert_allclose(answers(model, rows, dialect)[2], model.posterior(rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize("labels", [[0, 1, 1], [True, False, True], [0.5, 2.0, 2.0], ["only"] * 3])
def test_class_labels_keep_their_type(dialect, labels):
    rows = with_ids({"x": [1.0, 2.0, 2.5]})
    model = Model.train({"x": Gaussian()}, rows, labels)
    predicted, probability, _ = answers(model, rows, dialect)
    expected = model.posterior(rows)
    assert predicted == [model.classes[i] for i in expected.argmax(axis=1)]
    np.testing.assert_allclose(probability, expected.max(axis=1), atol=1e-12)


def test_more_columns_than_sqlite_joins_at_once(dialect):
    draw = np.random.default_rng(3)
    rows = with_ids({f"c{i}": draw.choice(["u", "v"], 40) for i in range(120)})
    model = Model.train({f"c{i}": Categorical() for i in range(120)}, rows, draw.choice(["a", "b"], 40))
    np.testing.assert_allclose(answers(model, rows, dialect)[2], model.posterior(rows), rtol=0, atol=1e-9)


HOSTILE = st.text(alphabet="ab\"'`;-\\%$[]{}()/*\n\té€😀 .", min_size=1, max_size=12) | st.sampled_from(
    ['"; DROP TABLE rows; --', "');DELETE FROM t;--", "select", "t", "c0", "k0", "id_", "predicted", "P(a)", "\\'; --"]
)


@given(name=HOSTILE, levels=st.lists(HOSTILE, min_size=1, max_size=4), label=HOSTILE, where=HOSTILE)
def test_names_levels_and_labels_are_escaped(name, levels, label, where):
    if name.casefold() == "id":
        return
    rows = with_ids({name: levels})
    model = Model.train({name: Categorical()}, rows, [label, *["other"] * (len(levels) - 1)])
    expected = [model.classes[i] for i in model.posterior(rows).argmax(axis=1)]
    for dialect, ask in ASKED.items():
        made = export_sql(model, dialect=dialect, table=where, keep=["id"], view="view of it")
        found = ask(made, rows, 'SELECT * FROM "view of it" ORDER BY id', where)
        assert [row[1] for row in found] == expected
        np.testing.assert_allclose([row[3:] for row in found], model.posterior(rows), atol=1e-12)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statements_parse_in_every_dialect(dialect):
    import sqlglot

    made = export_sql(model_of(table(50)), dialect=dialect, table=["shop", "orders"], keep=["id"])
    create, *inserts, view = sqlglot.parse(made, dialect=dialect)
    assert create.kind == "TABLE"
    assert len(inserts) == 1
    assert view.kind == "VIEW"
    assert "orders_scored" in made
    assert "DROP TABLE rows" in made  # the level, quoted


@pytest.mark.parametrize(
    ("family", "cells", "said"),
    [
        (Gaussian(m=0, plugin=True), [1.0, 2.0], r"Column 'text' \(Gaussian\) .* every value is impossible"),
    ],
)
def test_unsupported_columns_are_named(family, cells, said):
    model = Model.train({"text": family}, {"text": cells}, ["a", "b"])
    with pytest.raises(ValueError, match=said):
        export_sql(model)


def test_invalid_requests_are_errors():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="dialect='oracle': give one of duckdb"):
        export_sql(model, dialect="oracle")
    with pytest.raises(ValueError, match="'' is not a valid SQL name"):
        export_sql(model, table="")
    with pytest.raises(ValueError, match="The model has counted no rows"):
        export_sql(Model({"x": Gaussian()}))
    zero = Model.train({"x": Categorical()}, {"x": ["a\0b"]}, ["a"])
    with pytest.raises(ValueError, match="Column 'x': the level"):
        export_sql(zero)
    nameless = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a\0b", "b"])
    with pytest.raises(ValueError, match=r"The class 'a\\x00b' contains a NUL"):
        export_sql(nameless)
    pairs = Model.train({("u", "v"): Pairs()}, {"u": ["a", "b"], "v": ["c", "d"]}, ["a", "b"])
    with pytest.raises(ValueError, match="counted together"):
        export_sql(pairs)
