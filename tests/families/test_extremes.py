"""Numbers at the ends of the range: finite answers, and warnings where values merge."""

import numpy as np
import pytest

from tallybayes import FAMILIES, Density, Histogram, Model, Schema


def train(family, values):
    return Model.train(Schema({"x": family}), {"x": values}, ["ab"[i % 2] for i in range(len(values))])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["Density", "Exponential", "Gamma", "Gaussian", "Histogram", "LogNormal"])
@pytest.mark.parametrize(
    "values", [[1e200, 2e200, 3e200, 4e200], [1e155, 2e155, 1.0, 2.0], [1.7e308] * 4, [5e-324, 1e-323, 1.0, 1e300]]
)
def test_extreme_numbers_give_finite_answers(name, values):
    model = train(FAMILIES[name](), values)
    assert repr(model).startswith("Model of 4 rows")
    assert np.isfinite(model.log_joint({"x": [*values, 1.0, 1e250]})).all()


def test_histogram_over_the_whole_range_of_doubles():
    model = train(Histogram(), [-1.7e308, 1.7e308, 0.0, 1.0])
    assert np.isfinite(model.log_joint({"x": [-1e308, 0.0, 1e308]})).all()


def test_intervals_have_distinct_names():
    model = train(Histogram(bits=40), [1_000_000 + i / 10 for i in range(11)])
    assert len(model.estimates("x")) == 10
    assert sum(model.parameters("x", "a").alpha.values()) == pytest.approx(6 + 10)


def test_values_that_round_to_one_are_reported():
    for family in (Histogram(), Density()):
        with pytest.warns(UserWarning, match="are counted in steps of 2.44e\\+05. Give .* more bits than 12"):
            train(family, [1e9 + i for i in range(30)])


@pytest.mark.filterwarnings("error")
def test_exact_or_well_separated_values_are_not_reported():
    rng = np.random.default_rng(0)
    for values in ([4000 + i % 3 for i in range(40)], 293.15 + 0.5 * rng.normal(size=300), rng.lognormal(5, 2, 300)):
        train(Histogram(), values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("threads", [1, 2])
def test_sorted_rows_are_not_reported_although_each_thread_sees_close_values(threads):
    values = np.concatenate([np.linspace(0.6, 1.4, 50_000), np.linspace(4.85, 4.97, 50_000)])
    Model.train({"x": Histogram(bits=8)}, {"x": values}, ["a"] * len(values), threads=threads)


def test_outlier_does_not_hide_merged_values():
    values = [*(293.15 + i / 1000 for i in range(100)), -5000.0]
    with pytest.warns(UserWarning, match=r"Column .x.: values from -5000 to 293.249 are counted in steps of 0.0716"):
        train(Histogram(), values)
