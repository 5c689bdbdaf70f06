"""Probabilities equal scikit-learn's at equal settings."""

import numpy as np
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB

from tallybayes import Bernoulli, Categorical, Gaussian, Model, Schema

RNG = np.random.default_rng(3)


def test_posterior_equals_sklearn():
    x = RNG.normal(size=(200, 4)) * [1, 10, 0.1, 100] + [0, 5, -3, 1e4]
    y = RNG.integers(0, 3, 200)
    ours = Model.train(Schema({str(i): Gaussian(m=0.0, plugin=True) for i in range(4)}), x, y)
    np.testing.assert_allclose(ours.posterior(x), GaussianNB(var_smoothing=0).fit(x, y).predict_proba(x), atol=1e-10)
    bits = RNG.integers(0, 2, (200, 5))
    for alpha in (0.5, 1.0, 3.0):
        ours = Model.train(Schema({str(i): Bernoulli(alpha=alpha) for i in range(5)}), bits, y)
        theirs = BernoulliNB(alpha=alpha).fit(bits, y)
        np.testing.assert_allclose(ours.posterior(bits), theirs.predict_proba(bits), atol=1e-10)
        levels = RNG.integers(0, 4, (200, 5))
        ours = Model.train(Schema({str(i): Categorical(alpha=alpha) for i in range(5)}), levels, y)
        theirs = CategoricalNB(alpha=alpha).fit(levels, y)
        np.testing.assert_allclose(ours.posterior(levels), theirs.predict_proba(levels), atol=1e-10)
