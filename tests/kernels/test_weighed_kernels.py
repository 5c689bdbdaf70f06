"""Kernels that weigh evidence against the formula, cell by cell; evidence of missing cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.families.centring import centred

SAID = st.sampled_from([0.0, -0.5, 3.0, -29.0, -61.0, -1e3, 1e3, -1e300, -1.7e308, -np.inf]) | st.floats(-90.0, 90.0)
THETAS = st.sampled_from([0.0, 0.25, 1.0, 3.5])


def weighed(evidence, thetas, bound):
    """Evidence and scores are [class, row]."""
    return np.array([reference.weighed(row, thetas, bound) for row in evidence.T.tolist()]).reshape(-1, len(thetas)).T


@given(st.data(), st.integers(1, 5), st.integers(0, 11), st.sampled_from([30.0, 1000.0]))
def test_evidence_is_centred_clipped_and_weighed(data, classes, rows, bound):
    evidence = np.array(data.draw(st.lists(SAID, min_size=classes * rows, max_size=classes * rows)))
    evidence = evidence.reshape(classes, rows)
    thetas = data.draw(st.lists(THETAS, min_size=classes, max_size=classes))
    scores = np.ones((classes, rows + 2))
    kernels.add_weighed(evidence.copy(), np.array(thetas), bound, scores)
    np.testing.assert_allclose(scores[:, :rows], 1.0 + weighed(evidence, thetas, bound), rtol=1e-12, atol=1e-11)
    assert np.all(scores[:, rows:] == 1.0)
    alone = np.array(thetas)[:, None] * centred(evidence, bound)
    np.testing.assert_allclose(alone, weighed(evidence, thetas, bound), rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("said", [1e16, -1e16, -1e300, -1.7e308])
def test_what_all_classes_say_is_no_evidence_however_large(said):
    for classes in range(1, 12):
        evidence, thetas = np.full((classes, 5), said), np.arange(1.0, classes + 1)
        scores = np.zeros((classes, 5))
        kernels.add_weighed(evidence, thetas, 30.0, scores)
        assert not scores.any()
        assert not centred(evidence, 30.0).any()


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("rows", [1, 6, 1100])
def test_every_column_of_numbers_is_weighed_by_itself(rows, spread, logs):
    random = np.random.default_rng(3)
    x = list(np.exp(np.clip(random.normal(0.0, spread, (3, rows)), -600.0, 600.0)))
    x[1][random.random(rows) < 0.2] = np.nan
    mean, precision, power, constant = random.uniform(0.5, 2.0, (4, 3, 4))
    thetas = random.uniform(0.0, 2.0, (3, 4))
    for kernel, settings in (
        (kernels.add_normal, (mean, precision, constant)),
        (kernels.add_student, (mean, precision, power, constant)),
    ):
        expected = np.ones((4, rows))
        for at, column in enumerate(x):
            said = np.zeros((4, rows))
            kernel([column], *(np.ascontiguousarray(each[at : at + 1]) for each in settings), said, logs)
            expected += weighed(said, thetas[at].tolist(), 30.0)
        found = np.ones((4, rows + 1))
        kernel(x, *settings, found, logs, thetas, 30.0)
        np.testing.assert_allclose(found[:, :rows], expected, rtol=1e-12, atol=1e-11)
        assert np.all(found[:, rows] == 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=9), st.integers(0, 600))
def test_marked_rows_are_changed(marks, more):
    marked = np.array([*marks, *[(False, True)] * more], bool).reshape(-1, 2).T
    changes, scores = np.array([[0.5, -3.0, 7.0], [1.0, 0.25, -np.pi]]), np.full((3, marked.shape[1] + 1), 2.0)
    kernels.add_where([np.ascontiguousarray(each) for each in marked], changes, scores)
    expected = 2.0 + marked.T @ changes
    np.testing.assert_allclose(scores[:, :-1].T, expected, rtol=1e-14)
    assert np.all(scores[:, -1] == 2.0)


def test_without_classes_there_is_nothing_to_weigh():
    scores = np.zeros((0, 4))
    kernels.add_weighed(np.zeros((0, 4)), np.zeros(0), 30.0, scores)
    kernels.add_normal([np.ones(4)], *[np.zeros((1, 0))] * 3, scores, False, np.zeros((1, 0)), 30.0)
    assert scores.shape == (0, 4)


def test_weights_that_do_not_fit_are_refused():
    one, two, scores = np.ones((1, 2)), np.ones((2, 2)), np.zeros((2, 3))
    x = [np.zeros(3)]
    with pytest.raises(ValueError, match="weights do not fit"):
        kernels.add_normal(x, one, one, one, scores, False, two, 30.0)
    with pytest.raises(ValueError, match="weights do not fit"):
        kernels.add_weighed(np.zeros((2, 3)), np.ones(3), 30.0, scores)
    with pytest.raises(ValueError, match="scores do not fit"):
        kernels.add_weighed(np.zeros((2, 4)), np.ones(2), 30.0, scores)
    with pytest.raises(ValueError, match="one change a column"):
        kernels.add_where([np.zeros(3, bool)], two, scores)
    with pytest.raises(ValueError, match="scores do not fit"):
        kernels.add_where([np.zeros(4, bool)], one, scores)
