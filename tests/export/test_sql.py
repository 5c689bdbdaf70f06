"""SQL export: names, numbers as levels, dialects and errors (PostgreSQL: test_sql_in_postgresql)."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from asked import ASKED, answers, check, with_ids
from exported import model_of, numbers_as_levels, table
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Model, Pairs, export_sql
from tallybayes.export import DIALECTS

pytest.importorskip("sqlglot", reason="SQL is written by sqlglot: pip install 'tallybayes[sql]'")


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
    check(model, rows, "duckdb")


def test_numbers_as_categories_are_found_however_a_database_prints_them(dialect):
    rows = numbers_as_levels() if dialect == "duckdb" else numbers_as_levels().select(["id", "double"])
    model = Model.train(dict.fromkeys(rows.schema.names[1:], Categorical()), rows, rows["id"])
    check(model, rows, dialect)


def test_many_levels_are_written_in_one_pass():
    levels = [f"level {i}" for i in range(100_000)]  # a look at all of them for each would take minutes
    model = Model.train({"x": Categorical()}, {"x": levels}, ["a", "b"] * 50_000)
    assert export_sql(model).count("'level ") == 100_000


def test_more_columns_than_sqlite_joins_at_once(dialect):
    draw = np.random.default_rng(3)
    rows = with_ids({f"c{i}": draw.choice(["u", "v"], 40) for i in range(120)})
    model = Model.train({f"c{i}": Categorical() for i in range(120)}, rows, draw.choice(["a", "b"], 40))
    check(model, rows, dialect)


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
