"""Classes of several components."""

import numpy as np
import pytest

from tallybayes import EM, Gaussian, Mixture, Model, Schema, Words, digest, evaluate, load, save

RANDOM = np.random.default_rng(0)
X = np.concatenate([RANDOM.normal(-6, 1, 60), RANDOM.normal(6, 1, 60), RANDOM.normal(0, 1, 120)])
LABELS = ["outside"] * 120 + ["inside"] * 120
SCHEMA = {"x": Gaussian(plugin=True)}


def test_two_components_separate_what_one_cannot():
    shared = {"x": Gaussian(shared=True, plugin=True)}
    one = Model.train(shared, {"x": X}, LABELS)
    two = Mixture.train(shared, {"x": X}, LABELS, EM(components=2))
    right = [np.mean(np.array(model.classes)[model.most_probable({"x": X})] == LABELS) for model in (one, two)]
    assert right[0] < 0.8 < 0.97 < right[1]
    assert two.components == {"inside": ["inside/1", "inside/2"], "outside": ["outside/1", "outside/2"]}


def test_the_objective_rises_and_labels_are_kept():
    labels = [label if i % 4 == 0 else None for i, label in enumerate(LABELS)]
    mixture = Mixture.train(SCHEMA, {"x": X}, labels, EM(components=2, restarts=3))
    fitted = mixture.model.fitted
    assert (np.diff(fitted.curve) >= 0).all()
    known = np.array([label is not None for label in labels])
    inside = [name.startswith("inside") for name in fitted.classes]
    expected = [each == "inside" for each in labels if each]
    np.testing.assert_allclose(fitted.responsibilities[known][:, inside].sum(axis=1), expected)


def test_component_probabilities_add_up():
    mixture = Mixture.train(SCHEMA, {"x": X}, LABELS, EM(components=3, restarts=2))
    rows = {"x": [-6.0, 0.0, 3.0]}
    joint = mixture.model.log_joint(rows)
    at = [name.startswith("outside") for name in mixture.model.classes]
    np.testing.assert_allclose(mixture.log_joint(rows)[:, 1], np.log(np.exp(joint[:, at]).sum(axis=1)))
    np.testing.assert_allclose(mixture.posterior(rows).sum(axis=1), 1.0)


def test_evidence_of_classes_adds_up():
    random = np.random.default_rng(1)
    texts = [" ".join(random.choice(["win", "prize", "lunch"], 4)) for _ in X]
    schema = {"x": Gaussian(), "t": Words()}
    mixture = Mixture.train(schema, {"x": X, "t": texts}, LABELS, EM(components=2, restarts=2))
    rows = {"x": [-6.0, None, 1.0], "t": ["win win", "lunch", None]}
    evidence = mixture.evidence(rows)
    assert evidence.classes == ["inside", "outside"]
    np.testing.assert_allclose(evidence.total(), mixture.log_joint(rows), rtol=1e-12)
    assert evidence["x"][1].tolist() == [0.0, 0.0]


def test_file_round_trips_and_order_does_not_matter(tmp_path):
    settings = EM(components=2, restarts=2)
    mixture = Mixture.train(SCHEMA, {"x": X}, LABELS, settings)
    save(mixture.model, tmp_path / "m.tally")
    again = Mixture(load(tmp_path / "m.tally"))
    np.testing.assert_array_equal(again.posterior({"x": X}), mixture.posterior({"x": X}))
    order = np.random.default_rng(2).permutation(len(X))
    other = Mixture.train(SCHEMA, {"x": X[order]}, [LABELS[i] for i in order], settings, threads=2)
    assert digest(other.model) == digest(mixture.model)
    assert repr(mixture).startswith("Mixture of 240 rows in 2 classes: inside of 2, outside of 2")


def test_ordinary_model_is_a_mixture_of_single_components():
    model = Model.train(SCHEMA, {"x": X}, LABELS)
    np.testing.assert_array_equal(Mixture(model).posterior({"x": X}), model.posterior({"x": X}))


def test_non_mixtures_are_refused():
    with pytest.raises(ValueError, match=r"need a Mixture\. Write Mixture\.train"):
        Model.train(SCHEMA, {"x": X}, LABELS, unlabelled=EM(components=2))
    given = Schema(SCHEMA, prior={"inside": 0.5, "outside": 0.5})
    with pytest.raises(ValueError, match="A prior by class does not apply to components"):
        Mixture.train(given, {"x": X}, LABELS, EM(components=2))


def test_labels_keep_their_type():
    for labels in ([label == "inside" for label in LABELS], [len(label) for label in LABELS], [b"a", b"b"] * 120):
        mixture = Mixture.train(SCHEMA, {"x": X}, labels, EM(components=2, restarts=1, iterations=3))
        assert mixture.classes == sorted(set(labels))
        assert mixture.rows_by_class() == dict.fromkeys(sorted(set(labels)), 120.0)
    with pytest.raises(TypeError, match="cannot name components; give strings"):
        Mixture.train(SCHEMA, {"x": X}, [b"\xff", b"b"] * 120, EM(components=2))


def test_class_name_may_contain_the_separator(tmp_path):
    labels = [label.replace("side", "side/1") for label in LABELS]
    mixture = Mixture.train(SCHEMA, {"x": X}, labels, EM(components=2, restarts=1, iterations=3))
    save(mixture.model, tmp_path / "m.tally")
    assert Mixture(load(tmp_path / "m.tally")).classes == ["inside/1", "outside/1"]
    plain = Model.train(SCHEMA, {"x": X}, labels)
    assert Mixture(plain).classes == ["inside/1", "outside/1"]


def test_evaluation_is_by_class():
    mixture = Mixture.train(SCHEMA, {"x": X}, LABELS, EM(components=2, restarts=3))
    found = evaluate(mixture, {"x": X}, LABELS)
    assert found.classes == ("inside", "outside")
    right = np.array(mixture.decide({"x": X})) == LABELS
    assert found.accuracy == right.mean() > 0.97


def test_training_needs_shares_not_labels():
    mixture = Mixture.train(SCHEMA, {"x": X}, LABELS, EM(components=2, restarts=1))
    schema, shares = mixture.model.schema, mixture.model.fitted.soft_labels
    with pytest.raises(ValueError, match="labels do not say which component a row belongs to"):
        Model.train(schema, {"x": X[:3]}, LABELS[:3])
    assert Model.train(schema, {"x": X}, shares) == mixture.model
    with pytest.raises(ValueError, match="the other components of classes"):
        mixture.model += Model.train(SCHEMA, {"x": X[:3]}, LABELS[:3])


@pytest.mark.long
def test_weight_of_unlabelled_rows_is_chosen_by_class():
    labels = [label if i % 12 == 0 else None for i, label in enumerate(LABELS)]
    settings = EM(components=2, weight="chosen", restarts=2)
    mixture = Mixture.train(SCHEMA, {"x": X}, labels, settings)
    fitted = mixture.model.fitted
    assert fitted.held_out[fitted.weight] < fitted.held_out[0.0]
    assert evaluate(mixture, {"x": X}, LABELS).accuracy > 0.97
    given = Mixture.train(SCHEMA, {"x": X}, labels, EM(components=2, weight=fitted.weight, restarts=2))
    assert digest(given.model) == digest(mixture.model)
    order = np.random.default_rng(2).permutation(len(X))
    other = Mixture.train(SCHEMA, {"x": X[order]}, [labels[i] for i in order], settings, threads=2)
    assert digest(other.model) == digest(mixture.model)
