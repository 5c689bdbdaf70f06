"""How weights are fitted: what they shrink towards and how strongly, and when classes have weights of their own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import pseudo_huber

from examples import some
from tallybayes import Categorical, Gaussian, Model, Weights, Words, digest, weigh
from tallybayes.model.weights_fit import (
    Evidenced,
    Layout,
    Strengths,
    _curvature,
    _minimum,
    _objective,
    _penalty,
    _penalty_curvature,
    _strengths,
)


@given(st.integers(1, 4), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_curvature_of_two_classes_is_that_of_differences(columns, missing, parts, seed):
    random, pieces = np.random.default_rng(seed), columns + missing + parts + 1
    base = np.where(random.random((2, 30)) < 0.1, -np.inf, 0.0)
    base[:, np.isneginf(base).all(axis=0)] = 0.0
    labels = np.where(np.isneginf(base[0]), 1, np.where(np.isneginf(base[1]), 0, random.integers(0, 2, 30)))
    evidence, weights, squares = random.normal(size=(pieces, 1, 30)), random.random(30), np.ones((pieces, 2))
    sizes = np.ones(pieces), columns, missing, parts
    known = Evidenced(evidence, base, labels.astype(np.int32), weights, squares, *sizes)
    layout = Layout(1, columns + missing, parts, 2)
    unit, at = random.random(pieces + 2) + 0.5, random.random(pieces + 2)
    expected = differences(_objective(known, layout, unit), at)
    np.testing.assert_allclose(_curvature(known, layout, unit, at), expected, rtol=1e-6, atol=1e-6)
    strengths = _strengths(known, layout)
    expected = differences(lambda values: _penalty(values, layout, strengths), at)
    np.testing.assert_allclose(_penalty_curvature(at, layout, strengths), expected, rtol=1e-6, atol=1e-6)


@settings(max_examples=some(10), deadline=None)
@given(st.integers(3, 7), st.sampled_from([2.0, 6.0, 15.0]), st.integers(0, 2**32 - 1))
@example(classes=3, scale=15.0, seed=5)
def test_weights_are_those_of_the_minimum(classes, scale, seed):
    """Also where one column, such as a text, has far larger evidence than the prior."""
    random, rows = np.random.default_rng(seed), 1500
    labels = random.choice(classes, rows, p=random.dirichlet(np.full(classes, 3.0))).astype(np.int32)
    own = np.equal.outer(np.arange(classes), labels)
    text = scale * (random.normal(size=(classes, rows)) * 0.5 + own * random.random(rows) * 2.0)
    column = 0.5 * (random.normal(size=(classes, rows)) + own)
    prior = np.log(np.bincount(labels, minlength=classes) + 1.0)[:, None] * np.ones(rows)
    evidence = np.stack([text, column, prior])
    evidence -= evidence.mean(axis=1, keepdims=True)
    squares, sizes = (evidence**2).sum(axis=2), (np.ones(3), 2, 0, 0)
    known = Evidenced(evidence, np.zeros((classes, rows)), labels, np.ones(rows), squares, *sizes, texts=(0,))
    layout = Layout(classes, 2, 0, classes)
    found, function = _minimum(known, layout), _objective(known, layout, np.ones(len(layout.start())))
    bounds = list(zip(*layout.bounds(), strict=True))
    exact = minimize(function, found, jac=True, bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000})
    assert function(found)[0] < exact.fun + 1e-3


def differences(function, at, step=1e-5):
    """Second derivatives, from slopes on both sides."""
    return np.array([(function(at + h)[1] - function(at - h)[1]) / (2 * step) for h in step * np.eye(len(at))])


@given(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_classes_and_columns_shrink_to_their_mean_missing_to_zero_and_parts_to_their_share(
    columns, missing, parts, own, seed
):
    layout = Layout(own, columns + missing, parts, 3)
    size, end = layout.size, layout.size + parts
    values = np.random.default_rng(seed).normal(size=end + 4)
    between = 3.0 + np.arange(columns + missing)
    strengths = Strengths(np.array([4.0] * columns + [-10.0] * missing), between)
    found, slopes = _penalty(values, layout, strengths)
    thetas = values[:size].reshape(own, -1)
    shared = thetas.mean(axis=0)
    mean = shared[:columns].mean() if columns else 0.2
    near = 2 * pseudo_huber(0.25, shared - np.repeat([mean, 0.0], [columns, missing]))
    pulled = 4.0 * near[:columns].sum() + 10.0 * near[columns:].sum()
    pulled += (between * (thetas - shared) ** 2).sum()
    others = np.array([1.0 / max(parts, 1)] * parts + [0.25])
    rest = (mean - 0.2) ** 2 / 2 + ((values[size : end + 1] - others) ** 2).sum() / 2 + (values[end + 1 :] ** 2).sum()
    assert found == pytest.approx(pulled + rest)
    steps = 1e-6 * np.eye(len(values))
    expected = [
        (_penalty(values + h, layout, strengths)[0] - _penalty(values - h, layout, strengths)[0]) / 2e-6 for h in steps
    ]
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("columns", "classes", "rows", "strength", "alike"),
    [(16, 2, 400, 2.6, 0.4), (16, 4, 100, 5.2, 3.2), (4, 2, 10_000, 1, 0.2), (0, 9, 9, 1, 0.2)],
)
def test_weights_shrink_more_the_fewer_rows_each_has(columns, classes, rows, strength, alike):
    evidence, base = np.zeros((columns + 3, classes, rows)), np.zeros((classes, rows))
    sizes = np.ones(columns + 3), columns, 2, 0
    squares = np.ones((columns + 3, classes))
    known = Evidenced(evidence, base, np.zeros(rows, np.int32), np.ones(rows), squares, *sizes)
    found = _strengths(known, Layout(1, columns + 2, 0, classes))
    np.testing.assert_allclose(found.pieces, [strength] * columns + [-10.0] * 2)
    np.testing.assert_allclose(found.classes, alike)
    if columns:
        beside = _strengths(replace(known, texts=(1,)), Layout(1, columns + 2, 0, classes)).classes
        np.testing.assert_allclose(np.delete(beside, 1), max(alike, 1.0))
        assert beside[1] == 30.0


@given(st.integers(2, 4), st.booleans(), st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_with_parts_weights_cost_a_tenth_of_what_they_add_to_the_mean_margin(classes, apart, parts, seed):
    random, rows, pieces = np.random.default_rng(seed), 20, 3 + parts
    evidence = 8.0 * random.normal(size=(pieces, classes, rows))
    evidence -= evidence.mean(axis=1, keepdims=True)
    labels, weights = random.integers(0, classes, rows).astype(np.int32), random.random(rows)
    given_as = evidence[:, 1:] - evidence[:, :1] if classes == 2 else evidence
    sizes = np.ones(pieces), 2, 0, parts
    base, squares = np.zeros((classes, rows)), np.ones((pieces, classes))
    known = Evidenced(np.ascontiguousarray(given_as), base, labels, weights, squares, *sizes)
    layout = Layout(classes if apart and classes > 2 else 1, 2, parts, classes)
    found = _strengths(known, layout).all
    cut = np.clip(evidence, -5.0, 5.0)  # of two classes, ±5 each is 10 between them
    by_class = np.zeros((classes, pieces))
    for row, (label, weight) in enumerate(zip(labels, weights / weights.sum(), strict=True)):
        for c in range(classes):
            by_class[c] += weight * cut[:, c, row] * (1.0 if c == label else -1.0 / (classes - 1))
    by_class[:, -1] = 0.0
    expected = 0.1 * np.maximum(layout.packed(by_class, np.zeros(classes)), 0.0)
    np.testing.assert_allclose(found, expected if parts else 0.0, atol=1e-12)
    with_it = _strengths(known, layout)
    costs, others = (_penalty(layout.start(), layout, each)[0] for each in (with_it, with_it._replace(all=0.0)))
    assert costs - others == pytest.approx(np.sum(found * layout.start()))


@pytest.mark.parametrize("seed", range(4))
def test_one_column_may_weigh_far_more_than_all_others(seed):
    """Weights shrink towards their mean. By squares, a column that decides would lift those that say nothing, to .36
    and more."""
    random = np.random.default_rng(seed)
    labels = np.arange(200) % 2
    cells = {"told": np.where(random.random(200) < 0.05, 1 - labels, labels)}
    cells |= {f"noise {i}": random.integers(0, 4, 200) for i in range(15)}
    frame = {name: column.astype(str) for name, column in cells.items()}
    weights = weigh(Model.train(dict.fromkeys(frame, Categorical()), frame, labels), frame, labels).schema.weights
    assert weights.columns.pop("told") > 1.0
    assert np.mean(list(weights.columns.values())) < 0.3


def shells(rows, seed):
    """Three classes: the inner, middle and outer third of a cloud of points. A column far from 0 excludes the inner
    class, and one near 0 hardly any, so its evidence should count differently for each."""
    points = np.random.default_rng(seed).normal(size=(rows, 6))
    labels = np.digitize((points**2).sum(axis=1), [4.1, 6.7])
    return {f"x{j}": points[:, j] for j in range(6)}, labels


def test_each_of_several_classes_has_weights_of_its_own_from_ten_rows_per_class_on():
    frame, labels = shells(30, 0)
    schema = dict.fromkeys(frame, Gaussian())
    for rows in (29, 30):
        some = {name: cells[:rows] for name, cells in frame.items()}
        weights = weigh(Model.train(schema, some, labels[:rows]), some, labels[:rows]).schema.weights
        assert {isinstance(weight, dict) for weight in weights.columns.values()} == {rows == 30}


def test_weights_by_class_are_better_than_their_means_with_150_rows():
    frame, labels = shells(150, 1)
    model = weigh(Model.train(dict.fromkeys(frame, Gaussian()), frame, labels), frame, labels)
    own = model.schema.weights
    shared = Weights(
        {name: np.mean(list(each.values())) for name, each in own.columns.items()}, prior=own.prior, offsets=own.offsets
    )
    asked, truth = shells(2000, 2)
    both = (each.posterior(asked)[np.arange(2000), truth] for each in (model, model.believing(weights=shared)))
    mine, theirs = (-np.log(p).mean() for p in both)
    assert mine < theirs - 0.03


def test_weights_by_class_are_the_same_for_any_order_of_rows():
    frame, labels = shells(150, 1)
    order = np.random.default_rng(5).permutation(150)
    shuffled = {name: cells[order] for name, cells in frame.items()}
    both = ((frame, labels), (shuffled, labels[order]))
    one, other = (weigh(Model.train(dict.fromkeys(frame, Gaussian()), x, y), x, y) for x, y in both)
    assert isinstance(one.schema.weights.columns["x0"], dict)
    assert digest(one) == digest(other)


@pytest.mark.parametrize(("rows", "own"), [(990, False), (1000, True)])
def test_with_texts_each_class_has_weights_of_its_own_from_a_thousand_rows_on(rows, own):
    random = np.random.default_rng(0)
    labels = np.arange(rows) % 3
    said = np.where(random.random(rows) < 0.7, labels, random.integers(0, 3, rows))
    frame = {"t": [f"word{each} other{row}" for row, each in enumerate(said)]}
    model = weigh(Model.train({"t": Words(reading="binary")}, frame, labels), frame, labels)
    assert isinstance(model.schema.weights.columns["t"], dict) == own
