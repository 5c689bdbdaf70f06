"""Deliberate differences from scikit-learn.

Every test first shows scikit-learn's wrong answer. If it is fixed there, the test fails, and
docs/migrating-from-scikit-learn.md must be updated.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as original
from drop_in_data import COUNTS, DATA, LABELS, NUMBERS, WEIGHTS

import tallybayes.sklearn as ours
from tallybayes import digest

OURS = ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB", "PoissonNB", "GammaNB"]
BATCHES = {
    "one row": np.arange(1, 200),
    "growing": [1, 3, 7, 20, 60, 150],
    "halves": [100],
}


def rows_of(name):
    return DATA.get(name, COUNTS)


def their_answer(theirs, X, y):
    """scikit-learn's answers about its training rows, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return theirs.fit(X, y).predict_proba(X)


# partial_fit equals fit


@pytest.mark.slow
@pytest.mark.thinned(4)
@pytest.mark.parametrize("batches", BATCHES)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", OURS)
def test_any_batching_gives_the_same_bytes(name, weights, batches):
    X, given = rows_of(name), WEIGHTS[weights]
    whole = getattr(ours, name)().fit(X, LABELS, sample_weight=given)
    parts = getattr(ours, name)()
    for rows in np.split(np.random.default_rng(3).permutation(len(X)), BATCHES[batches]):
        parts.partial_fit(X[rows], LABELS[rows], sample_weight=None if given is None else given[rows])
    assert digest(parts.model_) == digest(whole.model_)
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_variance_does_not_depend_on_batching():
    X, y = np.array([[0.0], [100.0], [4.0], [6.0]]), [0, 0, 0, 0]
    expected = np.var(X) * 1.1
    theirs = original.GaussianNB(var_smoothing=0.1).partial_fit(X[:2], y[:2], classes=[0]).partial_fit(X[2:], y[2:])
    assert abs(theirs.var_[0, 0] - expected) > 30
    mine = ours.GaussianNB(var_smoothing=0.1).partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    np.testing.assert_allclose(mine.var_, [[expected]], rtol=1e-15)
    np.testing.assert_allclose(mine.epsilon_, np.var(X) * 0.1, rtol=1e-15)


def test_epsilon_respects_weights():
    X, y, weights = np.array([[0.0], [1.0], [9.0]]), [0, 0, 1], [1, 2, 3]
    often = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    theirs = original.GaussianNB(var_smoothing=0.1)
    assert theirs.fit(X, y, sample_weight=weights).epsilon_ != pytest.approx(theirs.fit(*often).epsilon_, rel=0.01)
    mine = ours.GaussianNB(var_smoothing=0.1)
    assert digest(mine.fit(X, y, sample_weight=weights).model_) == digest(mine.fit(*often).model_)


def test_new_classes_may_appear_at_any_time():
    theirs = original.MultinomialNB().partial_fit(COUNTS[:5], ["a"] * 5, classes=["a"])
    with pytest.raises(ValueError, match="y"):
        theirs.partial_fit(COUNTS[5:10], ["b"] * 5, classes=["a", "b"])
    with pytest.raises(ValueError, match="classes must be passed"):
        original.MultinomialNB().partial_fit(COUNTS[:5], ["a"] * 5)
    mine = ours.MultinomialNB().partial_fit(COUNTS[:5], ["a"] * 5).partial_fit(COUNTS[5:10], ["b"] * 5)
    assert digest(mine.model_) == digest(ours.MultinomialNB().fit(COUNTS[:10], ["a"] * 5 + ["b"] * 5).model_)


def test_number_of_categories_does_not_depend_on_the_last_batch():
    theirs = original.CategoricalNB().partial_fit([[0], [4]], [0, 1], classes=[0, 1]).partial_fit([[1]], [0])
    assert theirs.n_categories_.tolist() == [2]
    mine = ours.CategoricalNB().partial_fit([[0], [4]], [0, 1]).partial_fit([[1]], [0])
    assert mine.n_categories_.tolist() == [5]
    assert mine.category_count_[0].tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 0, 1]]


@pytest.mark.parametrize("name", OURS)
def test_forgotten_is_never_seen(name):
    X = rows_of(name)
    assert not hasattr(original.GaussianNB(), "forget")
    learned = getattr(ours, name)().fit(X, LABELS).forget(X[150:], LABELS[150:])
    assert digest(learned.model_) == digest(getattr(ours, name)().fit(X[:150], LABELS[:150]).model_)


# Exact counts


def test_counts_are_exact_beyond_2_to_the_24_in_float32():
    one, many = np.ones((1, 1), np.float32), 2.0**24
    theirs = original.GaussianNB().partial_fit(one, [0], classes=[0, 1], sample_weight=[many])
    assert theirs.partial_fit(one, [0]).class_count_[0] == many  # and one more
    mine = ours.GaussianNB().partial_fit(one, [0], sample_weight=[many]).partial_fit(one, [0])
    assert mine.class_count_.tolist() == [many + 1]


def test_counts_are_exact_beyond_2_to_the_53_in_float64():
    many, one = np.array([[2.0**53]]), np.array([[1.0]])
    theirs = original.MultinomialNB().partial_fit(many, [0], classes=[0, 1])
    for _ in range(3):
        theirs.partial_fit(one, [0])
    assert theirs.feature_count_[0, 0] == 2.0**53
    mine = ours.MultinomialNB().fit(many, [0])
    for _ in range(3):
        mine.partial_fit(one, [0])
    assert mine.feature_count_[0, 0] == 2.0**53 + 4  # the nearest to three more
    assert mine.forget(many, [0]).feature_count_.tolist() == [[3.0]]


def test_large_mean_loses_no_digits():
    X, y = np.array([[1e9], [1e9 + 1], [1e9 + 2], [1e9 + 5]]), [0, 0, 0, 0]
    theirs = original.GaussianNB(var_smoothing=0)
    for i in range(4):
        theirs.partial_fit(X[[i]].astype(np.float32), [0], classes=[0])
    assert theirs.var_[0, 0] == 0.0
    mine = ours.GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(mine.var_, [[3.5]], rtol=1e-15)


# Answers where scikit-learn fails


def test_unseen_categories_are_predicted():
    X, y = [[0, 1], [1, 2], [1, 0]], ["a", "b", "b"]
    with pytest.raises(IndexError):
        original.CategoricalNB().fit(X, y).predict([[1, 7]])
    mine = ours.CategoricalNB().fit(X, y)
    alone = ours.CategoricalNB().fit([row[:1] for row in X], y)
    np.testing.assert_allclose(mine.predict_proba([[1, 7]]), alone.predict_proba([[1]]), rtol=1e-15)
    assert mine.partial_fit([[1, 7]], ["a"]).n_categories_.tolist() == [2, 8]


def test_alpha_zero_answers_where_possible():
    X, y = np.array([[1, 1], [0, 1], [1, 0]]), [0, 0, 1]
    assert np.isnan(their_answer(original.MultinomialNB(alpha=0), X, y)).any()
    mine = ours.MultinomialNB(alpha=0).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X), [[1.0, 0.0], [1.0, 0.0], [2 / 5, 3 / 5]], rtol=1e-12)
    assert np.isnan(their_answer(original.BernoulliNB(alpha=0), X, y)).any()
    mine = ours.BernoulliNB(alpha=0).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X[:2]), [[1.0, 0.0], [1.0, 0.0]], rtol=1e-12)
    np.testing.assert_array_equal(mine.predict_log_proba(X[2:]), [[-np.inf, 0.0]])
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible in every class"):
        np.testing.assert_allclose(mine.predict_proba([[0, 0]]), [[2 / 3, 1 / 3]])


def test_constant_column_is_not_nan():
    X, y = [[1.0, 2.0], [1.0, 3.0], [2.0, 2.0], [2.0, 4.0]], [0, 0, 1, 1]
    assert np.isnan(their_answer(original.GaussianNB(var_smoothing=0), X, y)).all()
    mine = ours.GaussianNB(var_smoothing=0).fit(X, y)
    assert mine.predict_proba(X).tolist() == [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]


def test_complement_nb_uses_the_prior():
    prior = [0.7, 0.2, 0.1]
    theirs = original.ComplementNB().fit(COUNTS, LABELS)
    before = theirs.predict_proba(COUNTS)
    np.testing.assert_array_equal(
        theirs.set_params(class_prior=prior).fit(COUNTS, LABELS).predict_proba(COUNTS), before
    )
    mine = ours.ComplementNB(class_prior=prior).fit(COUNTS, LABELS)
    expected = before * prior / (before * prior).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mine.predict_proba(COUNTS), expected, rtol=1e-9)
    np.testing.assert_allclose(mine.class_log_prior_, np.log(prior))


def test_bernoulli_nb_takes_alpha_by_column():
    alpha = np.linspace(0.1, 2.0, 6)
    with pytest.raises(ValueError, match="broadcast"):
        original.BernoulliNB(alpha=alpha).fit(COUNTS, LABELS)
    mine = ours.BernoulliNB(alpha=alpha).fit(COUNTS, LABELS)
    expected = (mine.feature_count_ + alpha) / (mine.class_count_[:, None] + 2 * alpha)
    np.testing.assert_allclose(np.exp(mine.feature_log_prob_), expected, rtol=1e-12)


def test_bernoulli_nb_keeps_its_digits_for_tiny_alpha():
    alpha, X, y = 1e-10, np.array([[1.0], [1.0], [1.0], [0.0]]), [0, 0, 0, 1]
    expected = np.log(3 / 4) + np.log(alpha / (3 + 2 * alpha))  # of a row that lacks what all rows of class 0 have
    theirs = original.BernoulliNB(alpha=alpha).fit(X, y).predict_joint_log_proba([[0.0]])
    assert abs(theirs[0, 0] - expected) > 1e-8
    mine = ours.BernoulliNB(alpha=alpha).fit(X, y).predict_joint_log_proba([[0.0]])
    assert mine[0, 0] == pytest.approx(expected, rel=1e-14)


def test_bernoulli_nb_sums_duplicate_entries():
    twice = sp.csr_matrix((np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    once = twice.toarray()
    for threshold, expected in ((0.0, [1.0, 0.0]), (0.7, [1.0, 0.0])):
        theirs = original.BernoulliNB(binarize=threshold).fit(twice.copy(), [0, 1])
        assert theirs.feature_count_[0].tolist() != expected
        mine = ours.BernoulliNB(binarize=threshold)
        assert mine.fit(twice, [0, 1]).feature_count_[0].tolist() == expected
        assert digest(mine.model_) == digest(mine.fit(once, [0, 1]).model_)
    assert twice.nnz == 3  # the caller's matrix is unchanged


# Missing numbers, sparse continuous columns


@pytest.mark.parametrize("name", OURS)
def test_nan_is_missing_and_uninformative(name):
    X = rows_of(name).astype(float)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    if hasattr(original, name):
        with pytest.raises(ValueError, match="NaN"):
            getattr(original, name)().fit(holes, LABELS)
    learned = getattr(ours, name)().fit(holes, LABELS)
    full, gone = learned.predict_joint_log_proba(X[:1]), np.delete(X[:1], 2, axis=1)
    lacking = learned.predict_joint_log_proba(np.insert(gone, 2, np.nan, axis=1))
    assert np.isfinite(lacking).all()
    if name == "CategoricalNB":
        said = learned.feature_log_prob_[2][:, int(X[0, 2])]
        np.testing.assert_allclose(full - lacking, [said], rtol=1e-9)
    nothing = learned.predict_proba(np.full((1, X.shape[1]), np.nan))
    np.testing.assert_allclose(nothing, [learned.class_count_ / 200 if name != "ComplementNB" else [1 / 3] * 3])


def test_gaussian_nb_uses_the_numbers_present():
    holes = np.where(np.random.default_rng(1).random(NUMBERS.shape) < 0.2, np.nan, NUMBERS)
    learned = ours.GaussianNB(var_smoothing=0).fit(holes, LABELS)
    for i, label in enumerate(learned.classes_):
        np.testing.assert_allclose(learned.theta_[i], np.nanmean(holes[label == LABELS], axis=0), rtol=1e-12)
        np.testing.assert_allclose(learned.var_[i], np.nanvar(holes[label == LABELS], axis=0), rtol=1e-12)


def test_gaussian_nb_takes_sparse_matrices():
    with pytest.raises(TypeError, match="Sparse data was passed"):
        original.GaussianNB().fit(sp.csr_matrix(COUNTS), LABELS)
    dense = ours.GaussianNB().fit(COUNTS, LABELS)
    for form in (sp.csr_matrix, sp.csc_array, sp.coo_array):
        learned = ours.GaussianNB().fit(form(COUNTS), LABELS)
        assert digest(learned.model_) == digest(dense.model_)
        np.testing.assert_allclose(learned.predict_proba(form(COUNTS)), dense.predict_proba(COUNTS), rtol=1e-9)
