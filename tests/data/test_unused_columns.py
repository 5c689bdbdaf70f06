"""Columns that no schema names do not matter, whatever they hold; if they are used, the error is that of the column."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import EM, Categorical, Gaussian, Model, NaiveBayes, Schema, cross_validate, digest, evaluate, weigh

SCHEMA = {"x": Gaussian(), "level": Categorical()}
USED = {"x": [0.5, 1.5, 2.5, 3.5], "level": ["u", "v", "u", None]}
LABELS = ["a", "b", "a", "b"]
MODEL = Model.train(SCHEMA, USED, LABELS)

odd = st.sampled_from(
    [
        *(None, 1, 2.5, True, "a", b"x", 1j, 2**70, [1, "a"], {"k": 1}, {1, 2}, (1,), object(), Ellipsis, "\ud800"),
        *(decimal.Decimal("1.5"), pd.Timestamp("2020", tz="Europe/Berlin"), pd.Interval(0, 1), np.float16(1), np.nan),
    ]
)


def forms(cells):
    """A table with one more column, as often as pandas and polars accept it."""
    rows = [{"x": x, "level": level, "odd": cell} for x, level, cell in zip(*USED.values(), cells, strict=True)]
    objects = np.empty(len(cells), object)
    objects[:] = cells
    yield {**USED, "odd": cells}
    yield {"odd": objects, **USED}
    yield rows
    for make in (
        lambda: pd.DataFrame({**USED, "odd": pd.Series(list(cells), dtype=object)}),
        lambda: pd.DataFrame({**USED, "odd": pd.Series(list(cells))}),
        lambda: pl.DataFrame(USED).with_columns(pl.Series("odd", cells, dtype=pl.Object)),
    ):
        try:
            yield make()
        except (ValueError, TypeError):
            continue


@settings(max_examples=some(100), deadline=None)
@given(st.lists(odd, min_size=4, max_size=4))
@example([1, "a", None, True])
@example([{"k": 1}, 3, [1], None])
@example(["\ud800", "a", "b", "c"])
def test_an_unused_column_changes_nothing(cells):
    for frame in forms(cells):
        assert digest(Model.train(SCHEMA, frame, LABELS)) == digest(MODEL)
        np.testing.assert_array_equal(MODEL.posterior(frame), MODEL.posterior(USED))
    for cell, expected in zip(cells, MODEL.posterior({"x": [2.0], "level": ["u"]}).repeat(4, axis=0), strict=True):
        if not isinstance(cell, (list, set, tuple)):  # which would be columns
            np.testing.assert_array_equal(MODEL.posterior({"x": 2.0, "level": "u", "odd": cell})[0], expected)
            np.testing.assert_array_equal(
                MODEL.posterior(pd.Series({"x": 2.0, "level": "u", "odd": cell}))[0], expected
            )


MIXED = pd.DataFrame({**{name: cells * 10 for name, cells in USED.items()}, "odd": [1, "a", None, True] * 10})


@pytest.mark.parametrize(
    "work",
    [
        lambda frame: evaluate(MODEL, frame, LABELS * 10).accuracy,
        lambda frame: digest(weigh(Model.train(SCHEMA, frame, LABELS * 10), frame, LABELS * 10)),
        lambda frame: cross_validate(SCHEMA, frame, LABELS * 10, k=2).pooled.log_loss,
        lambda frame: digest(Model.train(SCHEMA, frame, [*LABELS * 9, *[None] * 4], unlabelled=EM(iterations=3))),
        lambda frame: digest(NaiveBayes({"odd": None} if "odd" in frame else None).fit(frame, LABELS * 10).model_),
        lambda frame: digest(Model.train(SCHEMA, (frame[i : i + 8].assign(y="a") for i in range(0, 40, 8)), "y")),
        lambda frame: len(MODEL.suspects(frame[:4], LABELS)),
    ],
    ids=["evaluate", "weigh", "cross_validate", "EM", "NaiveBayes", "a stream", "suspects"],
)
def test_whatever_is_done_with_the_rows(work):
    assert work(MIXED) == work(MIXED.drop(columns="odd"))


@pytest.mark.parametrize("absent", ["error", "missing"])
def test_a_column_that_is_used_is_an_error(absent):
    for frame in (MIXED, MIXED.to_dict("list"), MIXED.to_dict("records")):
        with pytest.raises(ValueError, match="Column 'odd' mixes types, or has values that do not fit"):
            Model.train({"x": Gaussian(), "odd": Categorical()}, frame, LABELS * 10, absent=absent)
        with pytest.raises(ValueError, match="Column 'odd' mixes types"):
            Schema.infer(frame)
        with pytest.raises(ValueError, match="Column 'odd' mixes types"):
            Model.train({"x": Gaussian()}, frame, "odd")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (np.array([1j, 2j]), "complex128"),
        ([1j, None], "complex"),
        (pd.Series([1j, 2j]), "complex128"),
        ([object(), object()], "object"),
        (pl.Series([1, 2], dtype=pl.Int128), "Int128"),
    ],
    ids=["array", "list", "series", "objects", "polars"],
)
def test_type_that_nothing_counts_is_named(cells, kind):
    frames = [{"z": cells}, {"z": cells, "x": [1.0, 2.0]}]
    make = pl.DataFrame if isinstance(cells, pl.Series) else pd.DataFrame
    for frame in (*frames, *map(make, frames)):
        with pytest.raises(ValueError, match=f"Column 'z' is of type {kind}.*, which no family counts"):
            Schema.infer(frame)


def test_columns_of_one_name_are_an_error_only_if_used():
    twice = pd.concat([MIXED[["x", "odd"]], MIXED[["odd", "level"]]], axis=1)
    assert digest(Model.train(SCHEMA, twice, LABELS * 10)) == digest(Model.train(SCHEMA, MIXED, LABELS * 10))
    with pytest.raises(ValueError, match="The data has 2 columns called 'odd'; it has 'x', 'odd', 'odd', 'level'"):
        Model.train({"odd": Categorical()}, twice, LABELS * 10)
    numbered = MIXED[["x", "level"]].assign(a=1.0, b=2.0).set_axis(["x", "level", 0, "0"], axis=1)
    assert digest(Model.train(SCHEMA, numbered, LABELS * 10)) == digest(Model.train(SCHEMA, MIXED, LABELS * 10))


@pytest.mark.parametrize("junk", [[1j, 2, 3, 4], [1, "a", object(), {}]])
def test_an_unused_column_leaves_the_index_a_column(junk):
    frame = pd.DataFrame({"x": USED["x"]}, index=pd.Index(["u", "v", "u", None], name="level"))
    assert digest(Model.train(SCHEMA, frame.assign(junk=junk), LABELS)) == digest(MODEL)
    named_alike = pd.DataFrame(USED, index=pd.Index([9.0, 9.0, 9.0, 9.0], name="x"))
    assert digest(Model.train(SCHEMA, named_alike.assign(junk=junk), LABELS)) == digest(MODEL)
    both = pd.MultiIndex.from_arrays([["u", "v", "u", None], [1, 2, 3, 4]], names=["level", None])
    assert digest(Model.train(SCHEMA, frame.set_axis(both).assign(junk=junk), LABELS)) == digest(MODEL)
