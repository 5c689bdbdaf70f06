"""A prior that is given, where the evidence is weighed: it replaces the frequencies of the classes in full."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weighed_rows import copies

from examples import some
from tallybayes import Model, NaiveBayes, Schema, Weights, digest, weigh

FRAME, LABELS = copies()
LABELS[:200] = "2"  # classes of different sizes
SCHEMA = Schema.infer(FRAME)
PLAIN = Model.train(SCHEMA, FRAME, LABELS)
PRIORS = ["uniform", {"0": 0.01, "1": 0.9, "2": 0.09}]


def part(rows):
    return {name: cells[rows] for name, cells in FRAME.items()}, LABELS[rows]


def shifted(model, prior):
    """The answers under the frequencies, with the odds changed by the ratio of the priors."""
    free = model.believing(prior="frequencies")
    old, new = (np.array([*each.prior().values()]) for each in (free, model.believing(prior=prior)))
    answers = free.posterior(FRAME) * new / old
    return answers / answers.sum(axis=1, keepdims=True)


@given(
    prior=st.sampled_from(PRIORS),
    weight=st.floats(0.0, 3.0),
    offset=st.floats(-5.0, 5.0),
    theta=st.floats(0.0, 2.0),
    forgotten=st.integers(0, 199),  # of the class that comes first, not all
)
@settings(max_examples=some(50))
def test_given_prior_changes_the_odds_by_its_ratio_to_the_frequencies(prior, weight, offset, theta, forgotten):
    weights = Weights(dict.fromkeys(FRAME, theta), prior=weight, offsets={"1": offset})
    model = PLAIN.believing(prior=prior, weights=weights)
    model -= Model.train(model.schema, *part(slice(0, forgotten)))
    np.testing.assert_allclose(model.posterior(FRAME), shifted(model, prior), rtol=1e-9)
    assert model == Model.train(PLAIN.schema, *part(slice(forgotten, None))).believing(prior=prior, weights=weights)


@pytest.mark.parametrize("prior", PRIORS, ids=["uniform", "probabilities"])
def test_weights_are_fitted_under_the_frequencies_whatever_prior_is_given(prior):
    model = weigh(PLAIN, FRAME, LABELS)
    assert 0.0 < model.schema.weights.prior < 1.0
    assert weigh(PLAIN.believing(prior=prior), FRAME, LABELS) == model.believing(prior=prior)
    estimators = NaiveBayes(prior=prior), NaiveBayes(Schema(SCHEMA.columns, prior=prior)), NaiveBayes()
    for clf in (each.fit(FRAME, LABELS).set_params(prior=prior) for each in estimators):
        np.testing.assert_allclose(clf.predict_proba(FRAME), shifted(model, prior), rtol=1e-9)
        before = digest(clf.model_)
        assert digest(clf.partial_fit(*part(slice(9))).forget(*part(slice(9))).model_) == before
        np.testing.assert_allclose(
            clf.set_params(prior="frequencies").predict_proba(FRAME), model.posterior(FRAME), rtol=1e-9
        )


def test_given_prior_that_lacks_a_class_is_replaced():
    model = weigh(PLAIN, FRAME, LABELS).believing(prior={"0": 0.5, "1": 0.25, "2": 0.25})
    model += Model.train(model.schema, FRAME, ["3"] * len(LABELS))
    again = model.believing(prior={"0": 0.25, "1": 0.25, "2": 0.25, "3": 0.25})
    assert [*again.prior().values()] == pytest.approx([0.25] * 4)
