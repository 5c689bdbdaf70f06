"""`Schema.infer(choose=True)`: every numeric column gets the family with the lowest held-out loss."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tallybayes import (
    Categorical,
    Density,
    Gaussian,
    Histogram,
    LogNormal,
    Model,
    NegativeBinomial,
    Schema,
    Words,
    cross_validate,
)

N = 4000
RANDOM = np.random.default_rng(6)
TRUTH = RANDOM.integers(0, 2, N)
FRAME = {
    "normal": RANDOM.normal(TRUTH, 1.0),
    "skewed": np.exp(RANDOM.normal(1.5 * TRUTH, 1.0)),
    "events": RANDOM.negative_binomial(3, 3 / (3 + 20.0 + 30.0 * TRUTH)),
    "mixed": np.where(RANDOM.random(N) < 0.5, -1.0, 1.0) * (2.0 + 2.0 * TRUTH) + RANDOM.normal(0.0, 0.5, N),
    "level": [f"level {level}" for level in (TRUTH + RANDOM.integers(0, 2, N)) % 3],
    "few": RANDOM.integers(0, 4, N),
    "note": [f"one of {i % 977} notes" for i in range(N)],
    "class": np.where(TRUTH, "yes", "no"),
}


def test_lowest_held_out_loss_wins():
    found = Schema.infer(FRAME, "class", choose=True)
    kinds = {name: type(family) for name, family in found.columns.items()}
    assert kinds["normal"] is Gaussian
    assert kinds["skewed"] is LogNormal
    assert kinds["events"] is NegativeBinomial
    assert kinds["mixed"] in (Histogram, Density)
    assert (kinds["level"], kinds["few"], kinds["note"]) == (Categorical, Categorical, Words)
    assert "; held-out log-loss: LogNormal 0." in found.reasons["skewed"]
    rules = Schema.infer(FRAME, "class")
    assert all(type(rules.columns[name]) is Histogram for name in ("normal", "skewed", "events", "mixed"))


def test_no_column_is_worse_than_by_the_rules():
    found, rules = Schema.infer(FRAME, "class", choose=True), Schema.infer(FRAME, "class")
    for name in ("normal", "skewed", "events", "mixed"):
        one, other = (
            cross_validate({name: each.columns[name]}, FRAME, FRAME["class"], k=5).log_loss for each in (found, rules)
        )
        assert one <= other


def test_hints_override():
    found = Schema.infer(FRAME, "class", choose=True, hints={"skewed": Gaussian(), "normal": None})
    assert found.columns["skewed"] == Gaussian()
    assert "normal" not in found.columns


def test_non_positive_numbers_never_get_a_positive_family():
    values = np.exp(RANDOM.normal(TRUTH, 1.0))
    values[7] = 0.0
    values[8] = np.nan
    found = Schema.infer({"x": values, "class": TRUTH}, "class", choose=True)
    assert type(found.columns["x"]) in (Histogram, Density, Gaussian)
    assert Model.train(found, {"x": values, "class": TRUTH}).n == N


def test_few_rows_follow_the_rules():
    frame = {"x": [1.5, 2.5, 9.25], "class": ["a", "b", "a"]}
    assert Schema.infer(frame, "class", choose=True) == Schema.infer(frame, "class")


def test_class_of_one_row():
    labels = ["rare", *FRAME["class"][1:]]
    found = Schema.infer({"x": FRAME["normal"], "class": labels}, "class", choose=True)
    assert type(found.columns["x"]) in (Gaussian, Histogram)  # which smooths by a Gaussian, too


def test_labels_are_required():
    with pytest.raises(ValueError, match="give the labels, or the name of the column that holds them"):
        Schema.infer(FRAME, choose=True)


def test_labels_may_be_given_by_themselves():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 400)
    frame = {"x": random.normal(2.0 * labels), "z": random.exponential(1.0 + labels)}
    named = Schema.infer({**frame, "y": labels}, "y", choose=True)
    for given in (labels, labels.tolist(), pa.array(labels), pd.Series(labels)):
        found = Schema.infer(pd.DataFrame(frame), given, choose=True)
        assert (found.columns, found.label) == (named.columns, None)
    more = Schema.infer({**frame, "(class)": frame["x"]}, labels, choose=True)
    assert more.columns == {**named.columns, "(class)": named.columns["x"]}
    with pytest.raises(ValueError, match="There are 399 labels for 400 rows"):
        Schema.infer(frame, labels[1:], choose=True)
