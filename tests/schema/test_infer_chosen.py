"""`Schema.infer(choose=True)`: each column of numbers has the family that tells most of held-out rows."""

import numpy as np
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


def test_numbers_get_the_family_of_the_lowest_held_out_loss():
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


def test_no_column_tells_less_than_by_the_rules():
    found, rules = Schema.infer(FRAME, "class", choose=True), Schema.infer(FRAME, "class")
    for name in ("normal", "skewed", "events", "mixed"):
        one, other = (
            cross_validate({name: each.columns[name]}, FRAME, FRAME["class"], k=5).log_loss for each in (found, rules)
        )
        assert one <= other


def test_a_hint_is_a_hint():
    found = Schema.infer(FRAME, "class", choose=True, hints={"skewed": Gaussian(), "normal": None})
    assert found.columns["skewed"] == Gaussian()
    assert "normal" not in found.columns


def test_numbers_that_are_not_all_positive_never_get_a_family_that_refuses_them():
    values = np.exp(RANDOM.normal(TRUTH, 1.0))
    values[7] = 0.0
    values[8] = np.nan
    found = Schema.infer({"x": values, "class": TRUTH}, "class", choose=True)
    assert type(found.columns["x"]) in (Histogram, Density, Gaussian)
    assert Model.train(found, {"x": values, "class": TRUTH}).n == N


def test_of_few_rows_the_rules_decide():
    frame = {"x": [1.5, 2.5, 9.25], "class": ["a", "b", "a"]}
    assert Schema.infer(frame, "class", choose=True) == Schema.infer(frame, "class")


def test_a_class_of_one_row_does_no_harm():
    labels = ["rare", *FRAME["class"][1:]]
    found = Schema.infer({"x": FRAME["normal"], "class": labels}, "class", choose=True)
    assert type(found.columns["x"]) is Gaussian


def test_without_labels_nothing_can_be_chosen():
    with pytest.raises(ValueError, match="give the name of the column that holds the labels"):
        Schema.infer(FRAME, choose=True)
