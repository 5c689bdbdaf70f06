"""Class priors: given probabilities, and Dirichlet pseudo-counts."""

import datetime
import json
from fractions import Fraction

import numpy as np
import pytest

from tallybayes import Categorical, Dirichlet, Model, Schema, digest, load, save, schema_from_toml, schema_to_toml
from tallybayes.sklearn import NaiveBayes

LABELS = ["ham"] * 3 + ["spam"]
FRAME = {"x": list("uvvu")}


def train(prior, labels=LABELS, frame=FRAME):
    return Model.train(Schema({"x": Categorical()}, prior=prior), frame, labels)


def test_numbers_by_class_are_added_to_the_counts():
    model = train({"ham": 2, "spam": 5})
    assert model.schema.prior == Dirichlet({"ham": 2.0, "spam": 5.0})
    assert model.prior() == pytest.approx({"ham": float(Fraction(3 + 2, 4 + 7)), "spam": float(Fraction(1 + 5, 4 + 7))})
    assert model.parameters().alpha == {"ham": 5.0, "spam": 6.0}
    assert model.parameters().mean() == pytest.approx(model.prior())


def test_dirichlet_prior_has_a_dirichlet_posterior():
    """Lecture 001: a Dirichlet prior of the class probabilities, and counts, make a Dirichlet."""
    model = train(Dirichlet({"ham": 0.5, "spam": 0.5}))
    posterior = model.parameters()
    assert posterior == Dirichlet({"ham": 3.5, "spam": 1.5})
    again = Model.train(Schema({"x": Categorical()}, prior=posterior), FRAME, LABELS)
    assert again.parameters() == Dirichlet({"ham": 6.5, "spam": 2.5})
    assert model.prior() == pytest.approx(train(0.5).prior())


def test_probabilities_and_pseudo_counts_are_distinguished():
    assert train({"ham": 0.75, "spam": 0.25}).prior() == pytest.approx({"ham": 0.75, "spam": 0.25})
    assert train({"ham": 1, "spam": 0}).schema.prior == {"ham": 1.0, "spam": 0.0}
    assert train({"ham": 1.5, "spam": 0.2}).schema.prior == Dirichlet({"ham": 1.5, "spam": 0.2})
    for given in ({"ham": 0.6, "spam": 0.5}, {"ham": 1, "spam": 1}, {"ham": 0, "spam": 0}, {}):
        with pytest.raises(ValueError, match=r"adding up to 1. Pseudo-counts are given as a Dirichlet\({class: number"):
            train(given)
    for given in ({"ham": -1, "spam": 3}, Dirichlet({"ham": np.inf}), Dirichlet({"ham": "2"}), {"ham": np.nan}):
        with pytest.raises(ValueError, match="probability of at least 0"):
            train(given)
    with pytest.raises(ValueError, match=r"The classes' probabilities are given \({'ham': 0.75, 'spam': 0.25}\)"):
        train({"ham": 0.75, "spam": 0.25}).parameters()


def test_unnamed_class_has_no_pseudo_counts():
    assert train({"spam": 4}).prior() == pytest.approx({"ham": 3 / 8, "spam": 5 / 8})
    assert train(0).parameters().alpha == {"ham": 3.0, "spam": 1.0}


def test_pseudo_counts_of_unseen_classes_are_ignored_with_a_warning():
    with pytest.warns(UserWarning, match="but no row has the class 'spma': pseudo-counts of classes without rows"):
        assert train({"ham": 2, "spma": 5}).prior() == pytest.approx({"ham": 5 / 6, "spam": 1 / 6})
    with pytest.warns(UserWarning, match="but no row has one of the classes 0, 1: "):
        assert train({0: 2, 1: 5}).prior() == pytest.approx({"ham": 3 / 4, "spam": 1 / 4})
    assert train({"ham": 2, "spma": 0}).prior() == pytest.approx({"ham": 5 / 6, "spam": 1 / 6})


@pytest.mark.parametrize(
    ("prior", "labels"),
    [
        (Dirichlet({"ham": 0.5, "spam": 0.5}), LABELS),
        (Dirichlet({"it's": 2.0, 'a "b"\n': 1.0}), ["it's", 'a "b"\n', "it's", "it's"]),
        ({1: 2, 0: 5}, [0, 1, 0, 0]),
        ({True: 2, False: 0.5}, [True, False, True, True]),
        ({2.5: 2, 1.0: 0.5}, [2.5, 1.0, 1.0, 1.0]),
        (
            {datetime.date(2024, 1, 2): 2, datetime.date(2024, 1, 3): 3.5},
            [datetime.date(2024, 1, 2)] * 3 + [datetime.date(2024, 1, 3)],
        ),
    ],
)
def test_pseudo_counts_round_trip(prior, labels, tmp_path):
    model = train(prior, labels)
    save(model, tmp_path / "model.tally")
    again = load(tmp_path / "model.tally")
    assert (again.schema.prior, digest(again)) == (model.schema.prior, digest(model))
    assert again.parameters() == model.parameters()
    assert schema_from_toml(schema_to_toml(model.schema)) == model.schema
    assert Schema.from_json(json.loads(json.dumps(model.schema.to_json()))) == model.schema


def test_pseudo_counts_in_a_schema_file():
    table = schema_from_toml('[columns]\nx = "Categorical"\n[prior]\nham = 2\nspam = 5\n')
    assert table.prior == Dirichlet({"ham": 2.0, "spam": 5.0})
    assert "prior = \"Dirichlet(alpha={'ham': 2.0, 'spam': 5.0})\"" in schema_to_toml(table)
    written = schema_from_toml("prior = \"Dirichlet({'ham': 0.5})\"\n[columns]\n")
    assert written.prior == Dirichlet({"ham": 0.5})
    assert repr(table).endswith("(class)  prior Dirichlet(alpha={'ham': 2.0, 'spam': 5.0})")
    with pytest.raises(
        ValueError, match=r"'Dirichlet\(' cannot be read as a prior; at character 11, .*{'ham': 2, 'spam': 5}"
    ):
        schema_from_toml('prior = "Dirichlet("\n[columns]\n')


def test_rest_gets_its_share_of_the_prior():
    model = train({"ham": 2, "spam": 5, "news": 3}, ["ham", "ham", "spam", "news"])
    assert model.against_rest("spam").prior() == pytest.approx({False: 8 / 14, True: 6 / 14})


def test_estimator_takes_pseudo_counts():
    rows = np.array([["u"], ["v"], ["v"], ["u"]], object)
    model = NaiveBayes(schema=Categorical(), prior={"ham": 2, "spam": 5}).fit(rows, LABELS)
    expected = train({"ham": 2, "spam": 5}).posterior(FRAME)
    np.testing.assert_allclose(model.predict_proba(rows), expected)
    model.set_params(prior=Dirichlet({"ham": 0.5, "spam": 0.5}))
    np.testing.assert_allclose(model.predict_proba(rows), train(0.5).posterior(FRAME))


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        ("frequencies", [0.25, 0.75]),
        ("uniform", [0.5, 0.5]),
        (1.0, [2 / 6, 4 / 6]),
        ({"a": 0.9, "b": 0.1}, [0.9, 0.1]),
    ],
)
def test_class_priors(prior, expected):
    model = Model.train(Schema({}, prior=prior), {"x": [1, 2, 3, 4]}, ["a", "b", "b", "b"])
    assert list(model.prior().values()) == pytest.approx(expected)
    assert model.posterior({"x": [0]})[0] == pytest.approx(expected)


def test_invalid_priors_are_refused():
    for prior in ("even", -1.0, {"a": 0.3}, True, None):
        with pytest.raises(ValueError, match="prior="):
            Schema({}, prior=prior)
    with pytest.raises(ValueError, match="no probability for class 'b'"):
        Model.train(Schema({}, prior={"a": 1.0}), {"x": [1, 2]}, ["a", "b"]).posterior({"x": [1]})
