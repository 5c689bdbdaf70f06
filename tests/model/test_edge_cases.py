"""Classic edge cases of naive Bayes implementations."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from family_values import family_of, takes_numbers
from one_column import train
from tallybayes import (
    FAMILIES,
    Bernoulli,
    Categorical,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    LogNormal,
    Model,
    Poisson,
    Schema,
    digest,
)

NUMBERS = [name for name in sorted(FAMILIES) if takes_numbers(name)]


def test_mean_of_a_billion_and_deviation_of_one():
    x = 1e9 + np.random.default_rng(0).normal(size=1000)
    model = train(Gaussian(m=0.0, plugin=True), x, ["a"] * 1000)
    exact = [Fraction(v) for v in x]
    mean = sum(exact) / 1000
    variance = sum((v - mean) ** 2 for v in exact) / 1000
    assert model.estimates("x") == {"mean": {"a": float(mean)}, "variance": {"a": float(variance)}}


@pytest.mark.parametrize("name", NUMBERS)
def test_constant_column(name):
    model = train(family_of(name), [5.0] * 10, ["a"] * 6 + ["b"] * 4)
    assert np.isfinite(model.log_joint({"x": [5.0, 6.0, 1.0, 1000.0]})).all()
    model = train(Gaussian(m=0.0), [5.0] * 10, ["a"] * 6 + ["b"] * 4)
    assert model.evidence({"x": [5.0, 6.0]})["x"].tolist() == [[0.0, 0.0], [-np.inf, -np.inf]]


@pytest.mark.parametrize("name", NUMBERS)
def test_class_of_one_row(name):
    model = train(family_of(name), [5.0, 7.0, 9.0, 4.0], ["a", "a", "a", "b"])
    assert np.isfinite(model.log_joint({"x": [4.0, 5.0, 100.0]})).all()


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_class_absent_from_a_batch_and_class_without_values(name):
    family = family_of(name)
    texts = {key: ["one word", "another"] for key in ("Words", "WordSequence")}
    values = {"Bernoulli": [True, False], **texts}.get(name, [3.0, 4.0])
    values = [[value] for value in values] if family.takes_vectors else values
    model = train(family, values, ["a", "a"]) + train(family, values[:1], ["b"])
    assert digest(model) == digest(train(family, [*values, values[0]], ["a", "a", "b"]))
    model += Model.train(Schema({"x": family}), {"x": pa.nulls(1)}, ["silent"])
    assert model.classes == ["a", "b", "silent"]
    assert np.isfinite(model.posterior({"x": values})).all()


@pytest.mark.parametrize(
    ("family", "values", "asked"),
    [
        (Categorical(alpha=0.0), ["u", "u", "v"], ["u", "v"]),
        (Bernoulli(alpha=0.0), [True, True, False], [True, False]),
        (Poisson(shape=0.0, rate=0.0), [0, 0, 3], [0, 2]),
        (Poisson(shape=0.0, rate=0.0, plugin=True), [0, 0, 3], [0, 2]),
        (Geometric(alpha=0.0, beta=0.0), [0, 0, 3], [0, 2]),
        (Geometric(alpha=0.0, beta=0.0, plugin=True), [0, 0, 3], [0, 2]),
        (Exponential(shape=0.0, rate=0.0), [0.0, 0.0, 3.0], [0.0, 2.0]),
        (Exponential(shape=0.0, rate=0.0, plugin=True), [0.0, 0.0, 3.0], [0.0, 2.0]),
        (Gaussian(m=0.0), [0.0, 0.0, 3.0], [0.0, 2.0]),
    ],
    ids=repr,
)
def test_maximum_likelihood_is_certain_but_never_nan(family, values, asked):
    said = train(family, values, ["a", "a", "b"]).evidence({"x": asked})["x"]
    assert not np.isnan(said).any()
    assert said[0, 0] == pytest.approx(0.0)  # class a has one value only
    assert said[1, 0] == -np.inf


def test_empty_text_is_a_level_and_missing_text_is_not():
    model = train(Categorical(), ["", None, "u"], ["a", "a", "b"])
    assert model.counts("x").slots == ["", "u"]
    silent = Model.train(Schema({"x": Categorical()}), {"x": pa.nulls(2, pa.string())}, ["a", "b"])
    assert silent.counts("x").slots == []
    assert silent.posterior({"x": ["u"]}).tolist() == [[0.5, 0.5]]


@pytest.mark.slow
def test_more_rows_than_float32_can_count():
    n = 2**24 + 3
    model = train(Gaussian(m=0.0), np.ones(n, np.float32), np.zeros(n, np.int8))
    assert model.counts("x").sums["n"].round().tolist() == [[n]]
    assert model.counts("x").sums["x"].round().tolist() == [[n]]
    assert model.n == n


def test_single_token_of_ten_megabytes():
    long = "x" * 10_000_000
    model = train(Categorical(), [long, long[:-1] + "y"], ["a", "b"])
    assert model.decide({"x": [long, long[:-1] + "y"]}) == ["a", "b"]


def test_invalid_utf8_is_an_error_that_names_the_row():
    bad = pa.StringArray.from_buffers(3, pa.py_buffer(np.array([0, 1, 3, 4], np.int32)), pa.py_buffer(b"a\xff\xfeb"))
    with pytest.raises(ValueError, match="Column 'x', row 1: the text is not valid UTF-8"):
        train(Categorical(), bad, ["a", "b", "a"])
    model = train(Categorical(), ["a", "b"], ["a", "b"])
    assert model.posterior({"x": bad})[1].tolist() == [0.5, 0.5]  # an unseen text


@pytest.mark.parametrize("family", [Gamma(), LogNormal()], ids=repr)
@pytest.mark.parametrize("value", [0.0, -2.5])
def test_gamma_and_lognormal_need_positive_numbers(family, value):
    message = rf"Column 'x', row 2: {value} is not a number above 0, as {type(family).__name__} expects"
    with pytest.raises(ValueError, match=message):
        train(family, [1.0, None, value], ["a", "b", "a"])
    model = train(family, [1.0, 2.0], ["a", "b"])
    with pytest.warns(UserWarning, match=rf"{value} is not a number above 0.*such cells \(1\) are treated as missing"):
        assert model.evidence({"x": [1.0, None, value]})["x"][2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("family", [Poisson(), Geometric()], ids=repr)
def test_counts_are_non_negative_integers(family):
    for value in (1.5, -1.0):
        with pytest.raises(ValueError, match=rf"row 0: {value} is not a whole number of at least 0"):
            train(family, [value], ["a"])


def test_numbers_whose_squares_overflow():
    x = [1e200, -1e200, 3e200, 1e-200]
    model = train(Gaussian(m=0.0), x, ["a"] * 4)
    exact = [Fraction(v) for v in x]
    assert model.counts("x").sums["xx"].fractions() == [sum(v * v for v in exact)]
    assert np.isfinite(train(Gaussian(), [1.0, 2.0], ["a", "b"]).log_joint({"x": [1e300, -1e300]})).all()


@pytest.mark.parametrize("family", [Gaussian(m=0.0, plugin=True), Poisson(shape=0.0, rate=0.0), LogNormal(m=0.0)])
def test_column_without_counts_rules_no_class_out(family):
    numbers, labels = np.array([[1.0, np.nan], [2.0, np.nan], [5.0, np.nan], [6.0, np.nan]]), ["a", "a", "b", "b"]
    asked = np.array([[1.0, 3.0], [6.0, 3.0]])
    known = Model.train(Schema({"0": family}), numbers[:, :1], labels).log_joint(asked[:, :1])
    apart = Model.train(Schema({"0": family, "1": family}), numbers, labels)
    together = Model.train(Schema({"x": Each(family)}), numbers, labels)
    np.testing.assert_allclose(apart.log_joint(asked), known)
    for form in (np.array, np.asfortranarray):
        np.testing.assert_allclose(together.log_joint(form(asked)), known)
