"""Multivariate normal blocks: the laws, scipy, and missing cells."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.datasets import load_iris

from examples import some
from tallybayes import Correlated, Gaussian, Model, digest, left_out
from tallybayes.counts.tally import Rows
from tallybayes.files import from_bytes, to_bytes
from tallybayes.testing import check_family

NUMBERS = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
CELLS = st.none() | NUMBERS
BLOCK = ("height", "weight")


def frame(matrix):
    return {f"x{i:02}": np.ascontiguousarray(column) for i, column in enumerate(np.asarray(matrix, float).T)}


def trained(matrix, labels, family, **more):
    return Model.train({tuple(frame(matrix)): family}, frame(matrix), labels, **more)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [
        Correlated(),
        Correlated(covariance="shared", m=0.5),
        Correlated(plugin=True, m=0.0),
        Correlated(plugin=True, covariance="shared", unbiased=True),
    ],
)
def test_obeys_the_laws_with_missing_cells_and_without(family):
    check_family(family, st.tuples(NUMBERS, NUMBERS), columns=("x", "y"), examples=10)
    check_family(family, st.tuples(CELLS, CELLS, CELLS), columns=("x", "y", "z"), examples=10)


@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from("ab")), min_size=1, max_size=6))
def test_rows_left_out_one_by_one_are_those_left_out_together(rows):
    """A column-major table of a single row has the strides of a single column."""
    x, y, labels = (list(each) for each in zip(*rows, strict=True))
    frame = {"x": pa.array(x, pa.float64()), "y": pa.array(y, pa.float64())}
    model = Model.train({("x", "y"): Correlated()}, frame, labels)
    together = left_out(model, frame, labels).total()
    each = [
        left_out(model, {name: cells[i : i + 1] for name, cells in frame.items()}, labels[i : i + 1]).total()[0]
        for i in range(len(rows))
    ]
    np.testing.assert_allclose(each, together, rtol=1e-12)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("plugin", [False, True])
@given(
    rows=st.lists(st.tuples(CELLS, st.sampled_from("ab")), min_size=1, max_size=8), m=st.sampled_from([0.0, 0.5, 2.0])
)
@settings(max_examples=some(100), deadline=None)
def test_one_column_equals_gaussian(shared, plugin, rows, m):
    cells = {"x": pa.array([cell for cell, _ in rows], pa.float64())}
    labels = [label for _, label in rows]
    covariance = "shared" if shared else "own"
    block = Model.train({"x": Correlated(m=m, plugin=plugin, covariance=covariance)}, cells, labels)
    column = Model.train({"x": Gaussian(m=m, plugin=plugin, shared=shared)}, cells, labels)
    asked = {"x": [-3.0, 0.5, 400.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # impossible rows, which are so in both
        joint = column.log_joint(asked)
        lost = 1e-15 * np.abs(joint[np.isfinite(joint)]).max(initial=1.0)  # a posterior at extreme densities
        np.testing.assert_allclose(block.posterior(asked), column.posterior(asked), rtol=1e-9, atol=1e-12 + lost)


def test_predictive_is_multivariate_student():
    random = np.random.default_rng(3)
    x = random.normal(size=(9, 3)) @ random.normal(size=(3, 3))
    model = trained(x, ["a"] * 9, Correlated(m=2.0))
    mean, spread = x.mean(axis=0), np.diag(x.var(axis=0))
    scale = (2.0 * spread + 9 * np.cov(x.T, bias=True)) / 11.0 * (1 + 1 / 11.0)
    asked = random.normal(size=(5, 3))
    said = model.evidence(frame(asked))[tuple(frame(x))][:, 0]
    np.testing.assert_allclose(said, stats.multivariate_t(mean, scale, df=11).logpdf(asked))


@pytest.mark.slow
def test_predictive_integrates_to_one():
    model = Model.train({BLOCK: Correlated()}, {"height": [1.0, 2.0, 4.0], "weight": [5.0, 5.5, 9.0]}, ["a"] * 3)

    def density(u, v):
        """Over the plane, folded into a square."""
        cells = {"height": [math.tan(u)], "weight": [math.tan(v)]}
        return math.exp(model.evidence(cells)[BLOCK][0, 0]) / (math.cos(u) * math.cos(v)) ** 2

    total, _ = integrate.dblquad(density, -1.57, 1.57, -1.57, 1.57, epsabs=1e-3)
    assert abs(total - 1.0) < 0.02


def test_missing_cell_leaves_the_marginal_of_the_others():
    x, y = load_iris(return_X_y=True)
    model = trained(x, y, Correlated())
    without = trained(x[:, [0, 2, 3]], y, Correlated())
    asked = x[::10].copy()
    asked[:, 1] = np.nan
    expected = without.evidence(frame(asked[:, [0, 2, 3]])).total()
    np.testing.assert_allclose(model.evidence(frame(asked)).total(), expected, rtol=1e-12)
    nothing = model.posterior(frame(np.full((1, 4), np.nan)))
    np.testing.assert_allclose(nothing, [[1 / 3, 1 / 3, 1 / 3]])


def test_rows_with_several_missing_patterns_score_like_single_rows():
    x, y = load_iris(return_X_y=True)
    random = np.random.default_rng(1)
    holes = np.where(random.random(x.shape) < 0.4, np.nan, x)
    model = trained(holes, y, Correlated())
    alone = np.concatenate([model.log_joint(frame(row[None])) for row in holes])
    np.testing.assert_allclose(model.log_joint(frame(holes)), alone, rtol=1e-12)
    plain = np.concatenate([model.log_joint(dict(zip(frame(x), row.tolist(), strict=True))) for row in holes])
    np.testing.assert_allclose(plain, alone, rtol=1e-12)


def test_covariance_uses_the_rows_that_have_both():
    height = [1.0, 2.0, 4.0, 7.0, None]
    weight = [5.0, None, 9.0, 6.0, 8.0]
    model = Model.train({BLOCK: Correlated(m=0, plugin=True)}, {"height": height, "weight": weight}, ["a"] * 5)
    found = {name: values["a"] for name, values in model.estimates(BLOCK).items()}
    assert found["mean(height)"] == 3.5
    assert found["mean(weight)"] == 7.0
    assert math.isclose(found["variance(height)"], np.var([1, 2, 4, 7]))
    assert math.isclose(found["covariance(height, weight)"], np.cov([1, 4, 7], [5, 9, 6], bias=True)[0, 1])
    counts = model.counts(BLOCK)
    assert counts["pairs"]["height", "weight"] == {"n": {"a": 3}, "xy": {"a": 83.0}}
    assert counts["apart"]["height", "weight"] == {"n": {"a": 1}, "x": {"a": 2.0}}
    assert counts["apart"]["weight", "height"] == {"n": {"a": 1}, "x": {"a": 8.0}}


def test_contradictory_covariances_still_make_a_density():
    """Three columns observed in pairs may each be perfectly anticorrelated; three variables cannot."""
    u, none = [1.0, 2.0, 3.0, 4.0], [None] * 4
    columns = {"x": u + u + none, "y": u[::-1] + none + u, "z": none + u[::-1] + u[::-1]}
    model = Model.train({("x", "y", "z"): Correlated(m=0, plugin=True)}, columns, ["a"] * 12)
    said = model.evidence({"x": [2.0], "y": [2.0], "z": [2.5]})[("x", "y", "z")]
    assert np.isfinite(said).all()
    assert model.estimates("x")["covariance(x, y)"]["a"] == pytest.approx(-1.25 * 0.99 / 2)


def test_exact_far_from_zero_and_at_the_ends_of_the_range():
    random = np.random.default_rng(0)
    x = random.normal(size=(50, 2))
    far = trained(x + 1e9, ["a"] * 50, Correlated(m=0, plugin=True))
    near = trained((x + 1e9) - 1e9, ["a"] * 50, Correlated(m=0, plugin=True))
    name = tuple(frame(x))
    covariance = "covariance(x00, x01)"
    assert far.estimates(name)[covariance]["a"] == near.estimates(name)[covariance]["a"]
    for scale in (1e-200, 1e-160, 1e160, 1e200):
        extreme = trained(x * scale, ["a", "b"] * 25, Correlated())
        usual = trained(x, ["a", "b"] * 25, Correlated())
        np.testing.assert_allclose(extreme.posterior(frame(x * scale)), usual.posterior(frame(x)), rtol=1e-6)
        assert extreme - extreme == Model(extreme.schema)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 3.0]])
def test_sums_of_products_are_exact(weights):
    x, y = [0.1, 1e-30, 3.7e15, -2.5], [1e20, 0.3, -1e-7, 1e-3]
    model = Model.train({("x", "y"): Correlated()}, {"x": x, "y": y}, ["a"] * 4, weights=weights)
    sums = model.counts(("x", "y"))["pairs"].sums["xy"].fractions()
    w = weights or [1.0] * 4
    assert sums == [sum(Fraction(a) * Fraction(b) * Fraction(c) for a, b, c in zip(x, y, w, strict=True))]


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_scored_by_a_model_without_them(weighted):
    random = np.random.default_rng(3)
    x, labels = random.normal(size=(47, 3)), random.choice(["p", "q"], 47)
    x[::5, 1] = np.nan
    weights = random.integers(1, 4, 47).astype(float) if weighted else None
    schema = {("a", "b", "c"): Correlated(covariance="shared")}

    def counted(at):
        rows = dict(zip("abc", x[at].T, strict=True))
        return Model.train(schema, rows, labels[at], weights=None if weights is None else weights[at])

    model = counted(np.arange(47))
    (family,), (tally,) = model.schema.columns.values(), model.columns.values()
    codes = np.searchsorted(["p", "q"], labels).astype(np.int32)
    found = family.left_out_parts(tally, model.keys(), x, Rows(model.keys(), codes, weights))[:, :, 0]
    turn = np.empty(47, int)
    for code in (0, 1):
        turn[codes == code] = (np.arange(np.sum(codes == code)) + code) % 10
    for number in range(10):
        rest, asked = counted(np.flatnonzero(turn != number)), dict(zip("abc", x[turn == number].T, strict=True))
        np.testing.assert_allclose(found[turn == number], rest.evidence(asked)["a", "b", "c"], rtol=1e-9, atol=1e-12)


def test_constant_column_and_few_rows():
    x = {"x": [1.0, 2.0, 5.0], "y": [3.0, 3.0, 3.0]}
    model = Model.train({("x", "y"): Correlated()}, x, ["a", "a", "b"])
    alone = Model.train({"x": Gaussian()}, {"x": x["x"]}, ["a", "a", "b"])
    np.testing.assert_allclose(model.log_joint({"x": [2.5], "y": [9.0]}), alone.log_joint({"x": [2.5]}))


def test_redundant_columns_need_a_prior():
    x = {"x": [1.0, 2.0, 5.0, 6.5], "y": [2.0, 4.0, 10.0, 13.0]}
    model = Model.train({("x", "y"): Correlated(m=0, plugin=True)}, x, ["a", "a", "b", "b"])
    with pytest.warns(UserWarning, match="m, shape or rate above 0"):
        np.testing.assert_allclose(model.posterior({"x": [1.2], "y": [2.4]}), [[0.5, 0.5]])
    shrunk = model.believing(m=1.0)
    assert shrunk.posterior({"x": [1.2], "y": [2.4]})[0, 0] > 0.6


def test_samples_have_the_models_covariance():
    x, y = load_iris(return_X_y=True)
    model = trained(x, y, Correlated(m=0, plugin=True))
    rows, labels = model.sample(4000, seed=7)
    again = Model.train(model.schema, rows, labels)
    name = tuple(frame(x))
    for parameter, of_class in model.estimates(name).items():
        found = again.estimates(name)[parameter]
        np.testing.assert_allclose(list(found.values()), list(of_class.values()), atol=0.06)
    drawn = model.believing(plugin=False, m=1.0).sample(100, seed=7).rows
    assert drawn.schema.names == list(name)
    assert not any(column.null_count for column in drawn.columns)


def test_forgetting_rows_that_were_not_learned_is_refused():
    rows = {"height": [1.0, 2.0, 4.0], "weight": [5.0, None, 9.0]}
    model = Model.train({BLOCK: Correlated()}, rows, ["a"] * 3)
    before = digest(model)
    for wrong, reason in (
        ({"height": [9.0], "weight": [5.0]}, "a variance would be negative"),
        ({"height": [None], "weight": [5.0]}, "a count would be negative"),
        ({"height": [2.0], "weight": [None], "n": 1}, "more values than there are rows"),
    ):
        labels = ["a"] if "n" not in wrong else ["a", "a"]
        cells = {k: v * len(labels) if "n" in wrong else v for k, v in wrong.items() if k != "n"}
        with pytest.raises(ValueError, match="never learned"):
            model -= Model.train(model.schema, cells, labels)
        assert digest(model) == before, reason


def test_decayed_rows_are_forgotten_and_files_round_trip():
    rows = {"height": [1.0, 2.0, 4.0, 3.3], "weight": [5.0, None, 9.0, 1.7]}
    more = {"height": [7.5, None], "weight": [2.5, 2.0]}
    model = Model.train({BLOCK: Correlated()}, rows, list("aabb"))
    faded = (model + Model.train(model.schema, more, ["a", "b"])) * 0.9
    faded -= Model.train(model.schema, more, ["a", "b"]) * 0.9
    assert digest(faded) == digest(model * 0.9)
    assert from_bytes(to_bytes(faded)) == faded


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"covariance": "full"}, "covariance must be one of 'own', 'shared'"),
        ({"m": -1}, "m must be a finite number of at least 0"),
        ({"unbiased": True}, "give plugin=True too"),
        ({"plugin": 1}, "plugin must be True or False"),
    ],
)
def test_invalid_settings_are_errors(settings, said):
    with pytest.raises(ValueError, match=said):
        Correlated(**settings)


def test_marginal_posteriors_equal_gaussian():
    x, y = load_iris(return_X_y=True)
    block = trained(x, y, Correlated()).parameters("x01", 2).interval()
    column = Model.train({"x01": Gaussian()}, frame(x), y).parameters("x01", 2).interval()
    np.testing.assert_allclose(block["mean(x01)"], column["mean"])
    np.testing.assert_allclose(block["variance(x01)"], column["variance"])


def test_parameter_count():
    x, y = load_iris(return_X_y=True)
    model = trained(x, y, Correlated())
    assert model.parameter_count().total == 2 + 3 * (4 + 10)
    assert model.believing(covariance="shared").parameter_count().total == 2 + 3 * 4 + 10


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e155, 1e300])
def test_products_near_the_ends_of_the_range(scale):
    """Products are not sums of two doubles there, and are added bit by bit."""
    matrix = np.random.default_rng(0).normal(size=(40, 3))
    labels = np.where(matrix[:, 0] > matrix[:, 1], "u", "v")
    family = Correlated(covariance="shared")
    whole = trained(matrix * scale, labels, family)
    parts = [trained(matrix[at : at + 1] * scale, labels[at : at + 1], family) for at in range(40)]
    total = parts[0]
    for part in parts[1:]:
        total += part
    assert digest(total) == digest(whole)
    assert np.isfinite(whole.posterior(frame(matrix * scale))).all()
