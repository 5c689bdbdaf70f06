"""A prior that is given, where the evidence is weighed."""

import numpy as np
import pytest
from weighed_rows import copies

from tallybayes import Model, NaiveBayes, Schema, Weights, digest, weigh


@pytest.mark.parametrize("prior", ["uniform", {"0": 0.01, "1": 0.99}])
@pytest.mark.parametrize("classes", [2, 3])
def test_given_prior_replaces_the_frequencies_however_the_evidence_is_weighed(prior, classes):
    """The odds change by the ratio of the priors, whether it is given before weighing or afterwards, and back."""
    frame, labels = copies()
    labels[: len(labels) // 3] = str(classes - 1)  # classes of different sizes
    prior = prior if classes == 2 or prior == "uniform" else {"0": 0.01, "1": 0.9, "2": 0.09}
    plain = Model.train(Schema.infer(frame), frame, labels)
    model = weigh(plain, frame, labels)
    shifted = model.believing(prior=prior)
    assert weigh(plain.believing(prior=prior), frame, labels) == shifted
    shares = np.array([list(one.prior().values()) for one in (model, shifted)])
    expected = model.posterior(frame) * shares[1] / shares[0]
    np.testing.assert_allclose(shifted.posterior(frame), expected / expected.sum(axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(
        shifted.believing(prior="frequencies").posterior(frame), model.posterior(frame), rtol=1e-5
    )
    schema = Schema(Schema.infer(frame).columns, prior=prior)
    estimators = (NaiveBayes(prior=prior), NaiveBayes(schema), NaiveBayes())
    for clf in (each.fit(frame, labels).set_params(prior=prior) for each in estimators):
        np.testing.assert_allclose(clf.predict_proba(frame), shifted.posterior(frame), rtol=1e-5)
        before, some = digest(clf.model_), {name: cells[:9] for name, cells in frame.items()}
        assert digest(clf.partial_fit(some, labels[:9]).forget(some, labels[:9]).model_) == before
        clf.set_params(prior="frequencies")
        np.testing.assert_allclose(clf.predict_proba(frame), model.posterior(frame), rtol=1e-5)


def test_given_prior_is_independent_of_when_answers_were_asked():
    """Rows learned since say nothing about the frequencies that the weights were fitted under."""
    frame, labels = copies()
    more = {name: cells[:30] for name, cells in frame.items()}, ["1"] * 30
    asked, silent, late = (NaiveBayes().fit(frame, labels) for _ in range(3))
    asked.set_params(prior="uniform").predict(frame)
    found = [asked.partial_fit(*more), silent.set_params(prior="uniform").partial_fit(*more), late.partial_fit(*more)]
    assert len({digest(clf.set_params(prior="uniform").model_) for clf in found}) == 1


def test_given_prior_moves_no_weights_that_are_given_too_nor_those_of_another_that_was_given():
    frame, labels = copies()
    weights = Weights(dict.fromkeys(frame, 0.5), prior=0.5, offsets={"0": 1.0})
    model = Model.train(Schema(Schema.infer(frame).columns, weights=weights), frame, labels)
    uniform = model.believing(prior="uniform", weights=model.schema.weights)
    assert uniform.schema.weights == weights
    assert uniform.believing(prior={"0": 0.3, "1": 0.7}).schema.weights == weights
    unmet = Model(model.schema).believing(prior="uniform").schema.weights
    assert unmet == Weights(dict.fromkeys(frame, 0.5), offsets={"0": 1.0})


def test_forgotten_rows_leave_no_trace_in_weights_that_were_given():
    frame, labels = copies()
    schema = Schema(Schema.infer(frame).columns, weights=Weights(dict.fromkeys(frame, 0.5), prior=0.5))
    clf = NaiveBayes(schema, weigh=False, prior="uniform")
    some, rest = ({name: cells[part] for name, cells in frame.items()} for part in (slice(20), slice(20, None)))
    never = digest(clf.fit(rest, labels[20:]).model_)
    assert digest(clf.fit(frame, labels).forget(some, labels[:20]).model_) == never


def test_given_prior_that_lacks_a_class_is_replaced():
    frame, labels = copies()
    model = weigh(Model.train(Schema.infer(frame), frame, labels), frame, labels).believing(prior={"0": 0.5, "1": 0.5})
    model += Model.train(model.schema, frame, ["2"] * len(labels))
    both = model.believing(prior={"0": 0.25, "1": 0.25, "2": 0.5})
    assert list(both.prior().values()) == pytest.approx([0.25, 0.25, 0.5])


def test_class_met_after_a_prior_was_given_is_at_no_disadvantage():
    """The offsets that stand for the frequencies are around 0, where a new class starts."""
    frame, labels = copies()
    weights = Weights(prior=0.25)
    model = Model.train(Schema(Schema.infer(frame).columns, weights=weights), frame, labels).believing(prior="uniform")
    assert sum(model.schema.weights.offsets.values()) == pytest.approx(0.0, abs=1e-5)
