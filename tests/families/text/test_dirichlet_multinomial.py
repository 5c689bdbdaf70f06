"""The Dirichlet-multinomial reading: a word that occurred is likelier to occur again."""

import numpy as np
import pytest

from tallybayes import Model, Schema, Words


def train(documents, labels):
    return Model.train(Schema({"x": Words(reading="dirichlet-multinomial")}), {"x": documents}, labels)


def test_scores_do_not_depend_on_history_or_batching():
    documents, labels = ["aa bb aa bb cc", "cc aa cc", "bb dd dd dd", "ee ff ee"], ["k", "l", "k", "l"]
    model, again = (train(documents[::o], labels[::o]) for o in (1, -1))
    asked = ["aa bb aa dd bb aa cc cc dd", "ee " * 2000 + "aa ff ff", "", None, "zz zz"]
    joint = model.log_joint({"x": asked})
    assert joint.tobytes() == again.log_joint({"x": asked}).tobytes()
    for text, row in zip(asked[:3], joint, strict=False):
        np.testing.assert_allclose(model.posterior(text)[0], np.exp(row - np.logaddexp.reduce(row)), rtol=1e-12)
    total = sum(part.evidence for part in model.evidence(asked[0]).words())
    np.testing.assert_allclose(total + np.log(0.5), joint[0], rtol=1e-12)


def test_concentration_of_each_class():
    documents = ["aa aa bb", "aa bb cc", "dd dd dd dd dd", "dd ee dd dd", "aa bb cc dd", ""]
    labels = ["few", "few", "often", "often", "never", "nothing"]
    fitted = train(documents, labels).belief("x").evidence.concentration
    for number, (lengths, different) in enumerate([((3, 3), 5), ((4,), 4), ((), 0), ((5, 4), 3)]):
        s = fitted[number]
        expected = sum(s / (s + k) for length in lengths for k in range(length))
        assert expected == pytest.approx(different, rel=1e-8)
    assert fitted[1] == fitted[2] == pytest.approx(1e9)  # no word is repeated


def test_probability_is_that_of_an_urn():
    model = train(["aa aa aa bb", "cc cc", "aa bb cc"], ["k"] * 3)
    alpha = {word: row["k"] for word, row in model.estimates("x").items()}
    s = sum(alpha.values())
    expected = alpha["aa"] * (alpha["aa"] + 1) * alpha["bb"] / (s * (s + 1) * (s + 2))
    assert model.evidence("aa aa bb")["x"][0, 0] == pytest.approx(np.log(expected), rel=1e-12)
    expected_words = sum(s / (s + i) for n in (4, 2, 3) for i in range(n))
    assert expected_words == pytest.approx(2 + 1 + 3, rel=1e-9)  # the number of distinct words in the documents


def test_samples_repeat_words_as_often_as_the_documents():
    documents = ["aa aa aa aa", "bb bb bb cc", "cc cc cc cc", "aa bb bb bb"] * 5
    model = train(documents, ["k"] * 20)
    texts = model.sample(3_000, seed=3).rows.column(0).to_pylist()
    # With only three words a new one is sometimes an old one: fewer than the 1.5 of a large vocabulary.
    assert np.mean([len(set(text.split())) for text in texts]) == pytest.approx(1.4, abs=0.15)


def test_concentration_uses_ignored_words_too():
    model = train(["aa bb cc dd aa", "aa cc ee ff ff"], ["k", "k"])
    total = [sum(row["k"] for row in m.estimates("x").values()) for m in (model, model.believing(limit=2))]
    assert total[0] == pytest.approx(total[1])
