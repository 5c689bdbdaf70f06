"""A row learned alone counts as it does among others: the same bytes for all types of cells and labels."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_one_row import made, outcome, pandas_kinds, values

from examples import some
from tallybayes import (
    Bernoulli,
    Categorical,
    Density,
    Gamma,
    Gaussian,
    Histogram,
    LogNormal,
    Model,
    Poisson,
    Schema,
    Words,
    digest,
)
from tallybayes.data import frames
from tallybayes.files import to_bytes
from tallybayes.model.batches import labelled_alone

FAMILIES = Gaussian(), LogNormal(), Poisson(), Categorical(), Bernoulli(), Histogram(), Gamma(), Density(), Words()
SCHEMA = Schema(dict(zip("abcdefghi", FAMILIES, strict=True)), label="y")
ROW = {"a": 1.5, "b": 2.0, "c": 1, "d": "Oslo", "e": True, "f": 0.25, "g": 3.0, "h": -7.5, "i": "one two one"}
ROWS = st.fixed_dictionaries(
    {
        "a": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "b": st.none() | st.floats(1e-300, 1e300),
        "c": st.none() | st.integers(0, 10**6),
        "d": st.none() | st.text(max_size=3) | st.integers(-5, 5) | st.booleans(),
        "e": st.none() | st.booleans(),
        "f": st.none() | st.floats(-1e300, 1e300),
        "g": st.none() | st.floats(1e-3, 1e3),
        "h": st.none() | st.floats(-1e3, 1e3),
        "i": st.none() | st.text("ab c", max_size=9),
    }
)
LABELS = st.one_of(
    st.sampled_from([None, 0, 1, -1, 2**63 - 1, 2**63, True, False, 0.0, -0.0, 1.5, np.nan, np.inf, "", "x", "\ud800"]),
    st.sampled_from([np.int8(3), np.uint64(2**63), np.float32(0.1), np.bool_(True), np.str_("x"), np.bytes_(b"x")]),
    st.sampled_from(
        [decimal.Decimal("1.50"), datetime.date(2020, 1, 1), np.datetime64("2020-01-01T00:00:00.000000001")]
    ),
    st.sampled_from([np.timedelta64(1, "ns"), b"x", pd.NA, pd.Timestamp("2020"), (1, 2)]),
)


def counted(data, labels):
    return np.frombuffer(to_bytes(Model.train(SCHEMA, data, labels)), np.uint8)


def counted_among_others(data, labels):
    """Through record batches: a dictionary of Arrow arrays is not a single row."""
    (batch,) = frames.batches(data)
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    assert labelled_alone(columns, labels, "abcdefghi") is None
    return np.frombuffer(to_bytes(Model.train(SCHEMA, columns, pa.array(labels))), np.uint8)


def check_alike(data, labels):
    assert outcome(counted, data, labels) == outcome(counted_among_others, data, labels)


@settings(max_examples=some(300), deadline=None)
@given(value=values, at=st.sampled_from("abcdefghi"))
@example(value=np.inf, at="g")
@example(value="\ud800", at="d")
def test_dictionary_row(value, at):
    check_alike(ROW | {at: value}, ["yes"])


@pytest.mark.slow
@settings(max_examples=some(200), deadline=None)
@given(value=values, kind=pandas_kinds, at=st.sampled_from("abcdefgh"))
def test_pandas_row(value, kind, at):
    series = made(lambda: pd.Series([value], dtype=kind))
    check_alike(pd.DataFrame([ROW]).assign(**{at: series}), ["yes"])


@settings(max_examples=some(200), deadline=None)
@given(label=LABELS, array=st.booleans())
def test_labels_of_every_type(label, array):
    """A label is whatever Arrow makes of it."""
    labels = made(lambda: np.array([label])) if array else [label]
    columns = {name: pa.array([cell]) for name, cell in ROW.items()}
    assert outcome(counted, ROW, labels) == outcome(counted, columns, labels)


def test_label_among_the_cells():
    expected = counted(ROW, ["yes"]).tobytes()
    assert labelled_alone(ROW | {"y": "yes"}, "y", "abcdefghi") is not None
    assert counted(ROW | {"y": "yes"}, None).tobytes() == expected
    assert counted(pl.DataFrame([ROW | {"y": "yes"}]), "y").tobytes() == expected
    with pytest.raises(ValueError, match="The data has no column 'y'"):
        Model.train(SCHEMA, ROW, "y")
    with pytest.raises(ValueError, match="The data has no column 'a'"):
        Model.train(SCHEMA, {name: cell for name, cell in ROW.items() if name != "a"}, ["yes"])


@settings(max_examples=some(60), deadline=None)
@given(rows=st.lists(st.tuples(ROWS, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=6), keep=st.integers(0, 5))
def test_single_rows_equal_one_batch_and_forgotten_is_never_seen(rows, keep):
    def together(some):
        columns = {name: [None if row[name] is None else str(row[name]) for row, _ in some] for name in ROW}
        columns |= {name: pa.array([row[name] for row, _ in some], pa.float64()) for name in "abcfgh"}
        columns["d"] = pa.array([single_level(row["d"]) for row, _ in some], pa.string())
        return Model.train(SCHEMA, columns, [label for _, label in some])

    model = Model(SCHEMA)
    for row, label in rows:
        model += Model.train(SCHEMA, row, [label])
    assert digest(model) == digest(together(rows))
    for row, label in rows[keep:]:
        model -= Model.train(SCHEMA, row, [label])
    kept = rows[:keep]
    assert digest(model) == digest(together(kept) if kept else Model(SCHEMA))


def single_level(value):
    return value if value is None or isinstance(value, str) else str(value).lower()


@settings(max_examples=some(300), deadline=None)
@given(value=values, other=values, kind=pandas_kinds, rows=st.integers(2, 3), start=st.integers(0, 1))
def test_small_frames_equal_pandas_conversion(value, other, kind, rows, start):
    series = made(lambda: pd.Series([value, other, None][:rows], dtype=kind))
    frame = pd.DataFrame({"a": series, "b": np.arange(float(rows)), "c": ["x", "é", "z"][:rows]})[start:]
    expected = made(lambda: pa.Table.from_pandas(frame))
    found = pa.Table.from_batches(frames.batches(frame))
    names = [name for name in expected.schema.names if name in "abc"]
    shown = made(lambda: str(expected.select(names).to_pydict()))  # some times have no Python equivalent
    assert str(found.select(names).to_pydict()) == shown  # NaN is NaN
    if series.dtype != object:  # each of which keeps its own meaning
        assert [found.schema.field(name).type for name in names] == [expected.schema.field(name).type for name in names]


def test_index_that_is_a_column_in_small_frames():
    frame = pd.DataFrame({"b": [1.0, 2.0]}, index=pd.Index([3.0, 4.0], name="a"))
    (batch,) = frames.batches(frame)
    assert batch.to_pydict() == {"b": [1.0, 2.0], "a": [3.0, 4.0]}
