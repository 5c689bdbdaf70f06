"""Numbers of any size in every family: answers are probabilities, a row alone is answered as among others, rows are
drawn or refused by name, and numpy has nothing to warn of."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import (
    Density,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    NegativeBinomial,
    Poisson,
)

FAMILIES = [
    *(Gaussian(), Gaussian(m=0), Gaussian(m=0, plugin=True), Gaussian(shared=True), LogNormal(), LogNormal(m=0)),
    *(Gamma(), Gamma(m=0), Exponential(), Exponential(plugin=True), Poisson(), Poisson(shape=0, rate=0)),
    *(Geometric(), NegativeBinomial(), NegativeBinomial(m=0), NegativeBinomial(m=0, plugin=True), Density(m=0)),
    *(Density(), Density(bandwidth="leave one out"), Histogram(), Histogram(method="auto", bits=8, alpha="fitted")),
]
SIZES = [0.0, -0.0, 1.0, 2.0, -1.0, 1e308, -1e308, 1.7e308, 5e-324, 1e-310, 2.0**53, 1e15, 1.0 + 2.0**-52, 7.0, 100.0]
cells = st.none() | st.sampled_from(SIZES)


def outcome(work, *given):
    """The result, and what the error says, if there is one."""
    try:
        return work(*given), ""
    except ValueError as error:
        return None, str(error)


@settings(max_examples=some(150), deadline=None)
@given(family=st.sampled_from(FAMILIES), values=st.lists(cells, min_size=2, max_size=8))
@example(family=NegativeBinomial(m=0), values=[0.0] * 8)
@example(family=Density(), values=[1e308, -1e308, 1.7e308, 1e308])
@example(family=Poisson(shape=0, rate=0), values=[None, None, 1.0, 2.0])
@example(family=Exponential(), values=[None, None, 5e-324])
def test_numbers_of_any_size_are_answered(family, values):
    labels = ["a"] * (len(values) // 2) + ["b"] * (len(values) - len(values) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        model, refused = outcome(Model.train, {"x": family}, {"x": values}, labels)
        if model is None:
            assert "as " + type(family).__name__ in refused  # names what the family expects
            return
        answers = model.posterior({"x": [None, *SIZES]})
        np.testing.assert_allclose(answers.sum(axis=1), 1.0)
        alone = np.vstack([model.posterior({"x": x}) for x in (None, *SIZES)])
        np.testing.assert_allclose(alone, answers, atol=1e-12)
        model.credible({"x": [None, 1.0]})
        drawn, refused = outcome(lambda: model.sample(20, seed=1))
        if drawn is None:
            assert "there is nothing to draw from in class" in refused
        else:
            assert np.isfinite(drawn.rows["x"].to_numpy(zero_copy_only=False)).all()


def test_a_class_of_zeros_draws_zeros():
    model = Model.train({"x": NegativeBinomial(m=0)}, {"x": [0, 0, 3, 9]}, ["none", "none", "some", "some"])
    rows, labels = model.sample(200, seed=1)
    drawn = rows["x"].to_numpy()
    none = np.array(labels) == "none"
    assert not drawn[none].any()
    assert drawn[~none].mean() == pytest.approx(6.0, rel=0.2)
