"""Bounded minimisation of smooth functions, compared with scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from tallybayes.families.lbfgs import curvature_of, lbfgs


def logistic(rows, columns, seed, alike=0.0):
    """Ridge-penalised logistic loss, of columns that may resemble each other."""
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(rows, columns)) * random.lognormal(size=columns), random.choice([-1.0, 1.0], rows)
    x += alike * random.normal(size=(rows, 1))

    def loss(w):
        margin = y * (x @ w)
        slope = -y / (1.0 + np.exp(margin))
        return float(np.logaddexp(0.0, -margin).sum() + w @ w), x.T @ slope + 2.0 * w

    return loss


@given(
    st.integers(1, 200),
    st.integers(1, 20),
    st.floats(-1.0, 0.2),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 9.0]),
)
def test_hessian_changes_the_path_not_the_minimum(rows, columns, lowest, seed, alike):
    """A step by the Hessian that is cut off at the bounds may lead uphill, above all if columns are alike."""
    loss, other = (logistic(rows, columns, each, alike) for each in (seed, seed + 1))
    bounds, start = (np.full(columns, lowest), np.full(columns, 0.6)), np.full(columns, 0.5)
    expected = lbfgs(loss, start, *bounds, slope=1e-8, fall=0.0)
    for curvature in (curvature_of(loss, start), curvature_of(other, start)):
        found = lbfgs(loss, start, *bounds, slope=1e-8, fall=0.0, curvature=curvature)
        assert loss(found)[0] == pytest.approx(loss(expected)[0], rel=1e-9)


@given(st.integers(1, 200), st.integers(1, 20), st.floats(-1.0, 0.2), st.integers(0, 2**32 - 1))
def test_minimum_is_no_higher_than_scipys(rows, columns, lowest, seed):
    loss, start = logistic(rows, columns, seed), np.full(columns, 0.5)
    low, high = np.full(columns, lowest), np.full(columns, 0.6)
    found = lbfgs(loss, start, low, high, slope=1e-8, fall=0.0)
    best = minimize(loss, start, jac=True, bounds=[(lowest, 0.6)] * columns, options={"ftol": 1e-14, "gtol": 1e-9})
    assert (low <= found).all()
    assert (found <= high).all()
    assert loss(found)[0] <= best.fun + 1e-8 * (1.0 + abs(best.fun))


def test_curved_valley_is_followed_to_its_end():
    wide = np.full(5, np.inf)
    found = lbfgs(lambda x: (rosen(x), rosen_der(x)), np.zeros(5), -wide, wide, slope=1e-8, fall=0.0)
    np.testing.assert_allclose(found, 1.0, rtol=1e-6)


def test_variable_at_a_bound_can_leave_it():
    """The descent first runs into the bound of y, and later away from it."""

    def valley(v):
        x, y = v
        return (x - 3.0) ** 2 + 10.0 * (y - x + 1.0) ** 2, np.array(
            [2.0 * (x - 3.0) - 20.0 * (y - x + 1.0), 20.0 * (y - x + 1.0)]
        )

    found = lbfgs(valley, np.array([0.0, 0.5]), np.array([-9.0, 0.0]), np.array([9.0, 9.0]), slope=1e-9)
    np.testing.assert_allclose(found, [3.0, 2.0], rtol=1e-6)


@pytest.mark.parametrize("size", [0, 3])
def test_flat_function_is_left_at_the_start(size):
    start = np.arange(float(size))
    found = lbfgs(lambda x: (0.0, np.zeros(size)), start, start - 1.0, start + 1.0, slope=1e-9)
    assert found.tolist() == start.tolist()


@given(st.integers(50, 400), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_small_step_is_not_the_end(rows, columns, seed):
    """Evidence may differ by orders of magnitude; the decrease of the loss stops the search, as in weighing."""
    random = np.random.default_rng(seed)
    y = random.choice([-1.0, 1.0], rows)
    sizes = 10.0 ** random.uniform(-1, 3, columns)
    x = (random.normal(size=(rows, columns)) + 0.7 * y[:, None]) * sizes

    def loss(w):
        margin = y * (x @ w)
        slope = -y / (1.0 + np.exp(np.clip(margin, -500, 500)))
        return float(np.logaddexp(0.0, -margin).sum() + 0.5 * w @ w), x.T @ slope + w

    unit = 1.0 / np.sqrt((x * x).sum(axis=0) / 4.0 + 1.0)
    scaled = lambda w: (loss(w * unit)[0], loss(w * unit)[1] * unit)  # noqa: E731
    start, low, high = np.full(columns, 0.5) / unit, np.zeros(columns), np.full(columns, np.inf)
    found = lbfgs(scaled, start, low, high, fall=1e-7, slope=1e-3)
    best = minimize(scaled, start, jac=True, bounds=[(0.0, None)] * columns, options={"ftol": 1e-14, "gtol": 1e-9})
    assert scaled(found)[0] <= best.fun + 1e-3 * (1.0 + best.fun)


def test_a_step_by_the_hessian_that_leads_uphill_at_the_bounds_is_not_the_end():
    hessian, centre = np.array([[1.0, 0.999], [0.999, 1.0]]), np.array([-10.0, 10.4])

    def loss(x):
        slope = hessian @ (x - centre)
        return float(slope @ (x - centre)) / 2.0, slope

    start, low, high = np.full(2, 0.5), np.zeros(2), np.full(2, np.inf)
    found = lbfgs(loss, start, low, high, slope=1e-9, curvature=hessian)
    np.testing.assert_allclose(found, [0.0, 10.4 - 0.999 * 10.0], atol=1e-6)
