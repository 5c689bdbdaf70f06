"""Labels of every type survive files; invalid ones are refused."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Model, Poisson, Schema, digest, load, save
from tallybayes.data.labels import label_column

SCHEMA = Schema({"x": Gaussian()})


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        [3, 1, 3],
        [1_000_000_007, -5, 12],
        [True, False, True],
        [0.5, 2.0, 0.5],
        [b"x", b"\xff", b"x"],
        [datetime.date(2024, 2, 29), datetime.date(1999, 1, 1), datetime.date(2024, 2, 29)],
        [
            datetime.datetime(2024, 2, 29, 12),
            datetime.datetime(1999, 1, 1),
            datetime.datetime(2024, 2, 29, 12),
        ],
        [decimal.Decimal("1.50"), decimal.Decimal("-2.25"), decimal.Decimal("1.50")],
        [datetime.time(12, 30), datetime.time(1), datetime.time(12, 30)],
    ],
    ids=lambda labels: type(labels[0]).__name__,
)
def test_labels_keep_their_type_through_the_file(labels, tmp_path):
    model = Model.train(Schema({"x": Poisson()}), {"x": [1, 2, 3]}, labels)
    assert set(model.classes) == set(labels)
    assert [type(label) for label in model.classes] == [type(labels[0])] * len(set(labels))
    save(model, tmp_path / "m.tally")
    again = load(tmp_path / "m.tally")
    assert again.classes == model.classes
    assert again == model
    assert again.label_type == model.label_type
    assert again.decide({"x": [1]}) == model.decide({"x": [1]})


def test_mixed_label_types_are_refused():
    with pytest.raises(TypeError, match=r"The labels mix str \('b'\) and int \(1\)|int \(1\) and str \('b'\)"):
        Model.train(SCHEMA, {"x": [1.0, 2.0]}, [1, "b"])


def test_missing_label_is_refused_with_its_row():
    for labels in (["a", None], np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="1 of 2 rows have no label, the first in row 1"):
            Model.train(SCHEMA, {"x": [1.0, 2.0]}, labels)


def test_wrong_number_of_labels_is_refused():
    for labels in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="labels for 2 rows"):
            Model.train(SCHEMA, {"x": [1.0, 2.0]}, labels)


def test_labels_in_a_dictionary():
    words, levels = ["b", "a", "b", "b"], pa.array(["never", "b", "a", "b"])
    coded = pa.DictionaryArray.from_arrays(pa.array([3, 2, 1, 1]), levels)
    frame = {"x": ["u", "v", "u", "w"]}
    expected = Model.train({"x": Categorical()}, frame, words)
    found = Model.train({"x": Categorical()}, frame, coded)
    assert found.classes == ["a", "b"]
    assert digest(found) == digest(expected)
    halves = [({"x": frame["x"][i : i + 2]}, coded[i : i + 2]) for i in (0, 2)]
    assert digest(Model.train({"x": Categorical()}, iter(halves), threads=2)) == digest(expected)
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 1]), pa.array([2.0, float("nan")]))
    with pytest.raises(ValueError, match="2 of 4 rows have no label, the first in row 2"):
        Model.train({"x": Categorical()}, frame, numbers)


DAY, MOMENT = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12)
CLOCK, SPAN = datetime.time(12, 30), datetime.timedelta(seconds=90)


@pytest.mark.parametrize(
    ("label", "kinds"),
    [
        (
            decimal.Decimal("1.5"),
            [pa.decimal32(9, 2), pa.decimal64(18, 5), pa.decimal128(20, 1), pa.decimal256(60, 20)],
        ),
        (DAY, [pa.date32(), pa.date64()]),
        (MOMENT, [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]),
        (CLOCK, [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]),
        (SPAN, [pa.duration(unit) for unit in ("s", "ms", "us", "ns")]),
        (3, [pa.int8(), pa.uint64(), pa.int64()]),
        (0.5, [pa.float16(), pa.float32(), pa.float64()]),
        ("a", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]),
    ],
)
def test_label_is_the_same_class_for_any_width_or_unit(label, kinds):
    models = [Model.train(SCHEMA, {"x": [1.0]}, pa.array([label], kind)) for kind in kinds]
    assert len(set(map(digest, models))) == 1
    assert all(model.classes == [label] for model in models)
    assert sum(models).classes == [label]


@example([float("inf")], 0.0)
@given(
    st.lists(st.floats(allow_nan=False) | st.integers(-3, 3).map(float) | st.just(-0.0), min_size=1), st.floats(-9, 9)
)
def test_doubles_are_their_own_classes(labels, shift):
    """Close together or far apart: by either way to number them."""
    for some in (labels, [label + shift for label in labels]):
        found = label_column(pa.array(some), 0)
        assert [found.keys[code] for code in found.codes] == some
        assert len(set(found.keys)) == len(found.keys)
        assert not any(str(key) == "-0.0" for key in found.keys)
