"""Labels: every type, kept through the file; what cannot be a label is refused."""

import datetime
import decimal

import numpy as np
import pytest

from tallybayes import Gaussian, Model, Poisson, Schema, load, save

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
    assert again.kind == model.kind
    assert again.decide({"x": [1]}) == model.decide({"x": [1]})


def test_labels_of_mixed_types_are_refused():
    with pytest.raises(TypeError, match=r"The labels mix str \('b'\) and int \(1\)|int \(1\) and str \('b'\)"):
        Model.train(SCHEMA, {"x": [1.0, 2.0]}, [1, "b"])


def test_missing_labels_are_refused_with_their_place():
    for labels in (["a", None], np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="1 of 2 rows have no label, the first in row 1"):
            Model.train(SCHEMA, {"x": [1.0, 2.0]}, labels)


def test_too_few_or_too_many_labels_are_refused():
    for labels in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="labels for 2 rows"):
            Model.train(SCHEMA, {"x": [1.0, 2.0]}, labels)
