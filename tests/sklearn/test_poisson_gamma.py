"""PoissonNB and GammaNB against closed forms and maximum likelihood."""

import numpy as np
import pytest
import scipy.sparse as sp
from drop_in_data import COUNTS, LABELS
from scipy import stats

from tallybayes import digest
from tallybayes.sklearn import GammaNB, PoissonNB

AMOUNTS = np.random.default_rng(2).gamma(2.0, 1.0 + COUNTS)
NEW = np.random.default_rng(3).integers(0, 9, (20, 6)).astype(float)


def joint(learned, X, density):
    """log P(class) + Σ log density(column, class)."""
    said = [[density(X[:, j], c, j) for j in range(X.shape[1])] for c in range(len(learned.classes_))]
    return np.log(learned.class_count_ / learned.class_count_.sum()) + np.sum(said, axis=1).T


@pytest.mark.parametrize(("shape", "rate"), [(1.0, 1.0), (0.5, 3.0)])
def test_poisson_with_rates_integrated_out_is_negative_binomial(shape, rate):
    learned = PoissonNB(shape=shape, rate=rate).fit(COUNTS, LABELS)

    def density(x, c, j):
        mine = COUNTS[learned.classes_[c] == LABELS, j]
        b = rate + len(mine)
        return stats.nbinom(shape + mine.sum(), b / (b + 1.0)).logpmf(x)

    np.testing.assert_allclose(learned.predict_joint_log_proba(NEW), joint(learned, NEW, density), rtol=1e-10)
    np.testing.assert_allclose(learned.predict_joint_log_proba(sp.csr_matrix(NEW)), joint(learned, NEW, density))


def test_poisson_plug_in_is_poisson():
    learned = PoissonNB(plugin=True).fit(COUNTS, LABELS)
    mine = [COUNTS[label == LABELS] for label in learned.classes_]
    np.testing.assert_allclose(learned.rate_, [(1 + rows.sum(axis=0)) / (1 + len(rows)) for rows in mine], rtol=1e-14)
    expected = joint(learned, NEW, lambda x, c, j: stats.poisson(learned.rate_[c, j]).logpmf(x))
    np.testing.assert_allclose(learned.predict_joint_log_proba(NEW), expected, rtol=1e-10)


def test_maximum_likelihood_poisson_has_the_means():
    learned = PoissonNB(shape=0, rate=0, plugin=True).fit(COUNTS, LABELS)
    means = [COUNTS[label == LABELS].mean(axis=0) for label in learned.classes_]
    np.testing.assert_allclose(learned.rate_, means, rtol=1e-14)
    np.testing.assert_allclose(learned.class_log_prior_, np.log(learned.class_count_ / 200))


def test_poisson_takes_any_non_negative_number():
    learned = PoissonNB(shape=0, rate=0, plugin=True).fit([[0.5], [1.5]], [0, 0])
    assert learned.rate_.tolist() == [[1.0]]
    with pytest.raises(ValueError, match="Negative values in data passed to PoissonNB"):
        PoissonNB().fit([[-1.0]], [0])
    with pytest.raises(ValueError, match=r"row 0: position 0: -1.0 is not a finite number of at least 0"):
        learned.partial_fit([[-1.0]], [0])


def test_maximum_likelihood_gamma_equals_scipy():
    learned = GammaNB(m=0).fit(AMOUNTS, LABELS)
    for c, label in enumerate(learned.classes_):
        for j in range(6):
            shape, _, scale = stats.gamma.fit(AMOUNTS[label == LABELS, j], floc=0)
            np.testing.assert_allclose([learned.shape_[c, j], learned.scale_[c, j]], [shape, scale], rtol=1e-6)
    new = AMOUNTS[:20] * 1.1
    expected = joint(learned, new, lambda x, c, j: stats.gamma(learned.shape_[c, j], 0, learned.scale_[c, j]).logpdf(x))
    np.testing.assert_allclose(learned.predict_joint_log_proba(new), expected, rtol=1e-9)


def test_gamma_scores_by_its_shown_parameters():
    learned = GammaNB().fit(AMOUNTS, LABELS)
    new = AMOUNTS[:20] * 1.1
    expected = joint(learned, new, lambda x, c, j: stats.gamma(learned.shape_[c, j], 0, learned.scale_[c, j]).logpdf(x))
    np.testing.assert_allclose(learned.predict_joint_log_proba(new), expected, rtol=1e-9)


def test_gamma_raises_zeros_to_least():
    zeros, raised = COUNTS.copy(), np.maximum(COUNTS, 0.25)
    assert (zeros == 0).any()
    learned = GammaNB(least=0.25).fit(zeros, LABELS)
    assert digest(learned.model_) == digest(GammaNB().fit(raised, LABELS).model_)
    np.testing.assert_array_equal(learned.predict_proba(zeros), learned.predict_proba(raised))
    with pytest.raises(ValueError, match="least=0: give a number above 0"):
        GammaNB(least=0).fit(zeros, LABELS)
    with pytest.raises(ValueError, match="Negative values in data passed to GammaNB"):
        GammaNB().fit(-AMOUNTS, LABELS)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        GammaNB().fit(sp.csr_matrix(COUNTS), LABELS)


@pytest.mark.parametrize(
    ("estimator", "settings"),
    [
        (PoissonNB, {"shape": 0.5, "rate": 2.0}),
        (PoissonNB, {"plugin": True, "fit_prior": False}),
        (GammaNB, {"m": 3.0, "class_prior": [0.2, 0.3, 0.5]}),
    ],
)
def test_beliefs_set_after_fitting_equal_a_fresh_fit(estimator, settings):
    learned, fresh = estimator().fit(AMOUNTS, LABELS), estimator(**settings).fit(AMOUNTS, LABELS)
    assert not np.array_equal(learned.predict_proba(AMOUNTS), fresh.predict_proba(AMOUNTS))
    learned.set_params(**settings)
    np.testing.assert_array_equal(learned.predict_proba(AMOUNTS), fresh.predict_proba(AMOUNTS))
    assert digest(learned.model_) == digest(fresh.model_)
