"""Weighed models: persistence of weights, what is weighed, and edge cases."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from weighed_rows import PLAY, SCHEMA, TENNIS, copies

import reference
from tallybayes import (
    Categorical,
    Correlated,
    Exponential,
    Gaussian,
    LogNormal,
    Model,
    NaiveBayes,
    Poisson,
    Schema,
    Weights,
    Words,
    counts_digest,
    cross_validate,
    digest,
    folds,
    schema_from_toml,
    schema_to_toml,
    weigh,
)
from tallybayes.files import from_bytes, to_bytes


def test_weights_survive_learning_merging_files_and_toml():
    frame, labels = copies()
    plain = Model.train(Schema.infer(frame), frame, labels)
    model = weigh(plain, frame, labels)
    assert counts_digest(model) == counts_digest(plain)
    assert digest(model) != digest(plain)
    assert digest(model.believing(weights=None)) == digest(plain)
    assert digest(from_bytes(to_bytes(model))) == digest(model)
    assert schema_from_toml(schema_to_toml(model.schema)).weights == model.schema.weights
    row = {name: cells[:1] for name, cells in frame.items()}
    more = Model.train(plain.schema, row, labels[:1])
    assert (model + more).schema.weights == model.schema.weights
    learned = model.copy()
    learned += more
    learned -= more
    assert digest(learned) == digest(from_bytes(to_bytes(model)))


def test_several_classes_have_separate_weights_from_1000_rows():
    random = np.random.default_rng(1)
    labels = random.integers(0, 3, 1200)
    frame = {"a": labels + random.normal(size=1200), "b": (labels == 2) + random.normal(size=1200)}
    model = weigh(Model.train({"a": Gaussian(), "b": Gaussian()}, frame, labels), frame, labels)
    assert set(model.schema.weights.columns["a"]) == {0, 1, 2}
    assert digest(from_bytes(to_bytes(model))) == digest(model)
    newer = model + Model.train(model.schema.believing({"weights": None}), {"a": [9.0], "b": [9.0]}, [7])
    assert np.isfinite(newer.posterior({"a": [9.0], "b": [1.0]})).all()


def test_blocks_and_texts_are_weighed_with_columns():
    random = np.random.default_rng(2)
    labels = np.array(["ham", "spam"])[random.integers(0, 2, 300)]
    shift = (labels == "spam") * 1.0
    frame = {
        "t": [f"{'free' if s else 'lunch'} {'money' if random.random() < 0.5 else 'monday'}" for s in shift],
        "h": random.normal(size=300) + shift,
        "w": random.normal(size=300),
    }
    model = Model.train({"t": Words(), ("h", "w"): Correlated()}, frame, labels)
    weighed = weigh(model, frame, labels)
    assert set(weighed.schema.weights.columns) == {"t", ("h", "w")}
    np.testing.assert_allclose(weighed.posterior(frame).sum(axis=1), 1.0)


def test_invalid_weights_are_refused_by_name():
    with pytest.raises(ValueError, match=r"columns\['a'\]=-1\): give a number of at least 0"):
        Weights({"a": -1})
    with pytest.raises(ValueError, match="There is a weight for 'wind', but the schema has 'outlook', 'temp'"):
        Schema(SCHEMA.columns, weights={"wind": 1.0})
    with pytest.raises(TypeError, match="weights=3"):
        Schema(SCHEMA.columns, weights=3)
    with pytest.raises(TypeError, match="believing\\(weights=None\\)"):
        Model.train(SCHEMA, TENNIS, PLAY).believing(weights={}).log_marginal(TENNIS)


def test_uncounted_rows_are_an_error():
    model = Model.train(SCHEMA, TENNIS, PLAY)
    with pytest.raises(ValueError, match="has not counted these rows"):
        weigh(model, {**TENNIS, "temp": [99.0] * 8}, PLAY)
    with pytest.raises(ValueError, match="no row of class 'maybe'"):
        weigh(model, TENNIS, ["maybe"] * 8)


@pytest.mark.parametrize(
    ("frame", "labels"),
    [
        ({"x": ["a", "b"]}, [0, 1]),
        ({"x": ["a", "b", "a"]}, [0, 0, 0]),
        ({"x": ["a", "b", "a", "c"]}, [0, 0, 0, 1]),
        ({"x": [None, None, None, None]}, [0, 1, 0, 1]),
        ({"x": ["a"] * 50 + ["b"] * 50}, [0] * 50 + [1] * 50),
    ],
    ids=["two rows", "one class", "a class of one row", "all missing", "separable"],
)
def test_edge_cases(frame, labels):
    model = weigh(Model.train({"x": Categorical()}, frame, labels), frame, labels)
    posterior = model.posterior(frame)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    weights = model.schema.weights
    assert weights is None or all(np.isfinite(list(np.ravel(w))).all() for w in weights.columns.values())


def test_two_weighed_classes_are_linear():
    schema = Schema({"x": Categorical(), "y": Gaussian(plugin=True, shared=True)})
    frame = {"x": ["a", "b", "a", "b", "a"], "y": [1.0, 3.0, 2.5, 4.0, 0.0]}
    model = Model.train(schema, frame, [0, 1, 0, 1, 1])
    weighed = model.believing(weights=Weights({"x": 0.5, "y": 0.25}, prior=0.3, offsets={0: 1.0, 1: -1.0}))
    joint = weighed.log_joint({"x": ["b"], "y": [2.0]})[0]
    assert weighed.linear(1).log_odds({"x": {"b": 1}, "y": {"x": 2.0}}) == pytest.approx(joint[1] - joint[0], rel=1e-12)


def test_three_weighed_classes_are_not_linear():
    model = Model.train({"x": Categorical()}, {"x": ["a", "b", "c"]}, [0, 1, 2])
    with pytest.raises(TypeError, match="weights=None"):
        model.believing(weights={"x": 0.5}).linear(1)


def test_schema_shows_its_weights():
    weights = Weights({"outlook": 0.5, "temp": {"no": 0.25, "yes": 2.0}}, prior=0.75)
    shown = repr(Schema(SCHEMA.columns, weights=weights))
    assert shown == "outlook  Categorical() × 0.5\ntemp     Gaussian() × 0.25…2\n(class)  frequencies × 0.75"
    shown = repr(Schema({}, weights=Weights(prior=0.75), prior="uniform"))
    assert shown == "(class)  uniform (frequencies × 0.75)"


def beside_a_number(reading):
    """Texts of which four in five are informative, next to an informative number."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 300)
    told = np.where(random.random(300) < 0.8, labels, 1 - labels)
    words = np.where(told == 1, "free prize money", "lunch at noon")
    frame = {"t": [f"{text} w{i % 20}" for i, text in enumerate(words)], "x": random.normal(size=300) + labels}
    return Schema({"t": Words(reading=reading), "x": Gaussian()}), frame, labels


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reading", ["auto", "complement"])
def test_weighing_does_not_warn_about_scores(reading):
    schema, frame, labels = beside_a_number(reading)
    model = weigh(Model.train(schema, frame, labels), frame, labels)
    assert model.schema.weights is not None
    assert np.mean(np.array(model.decide(frame)) == labels) > 0.75
    assert cross_val_score(NaiveBayes(schema), pd.DataFrame(frame), labels, cv=3).min() > 0.7


@pytest.mark.filterwarnings("error")
def test_text_log_odds_may_be_added_and_complement_scores_may_not():
    schema, frame, labels = beside_a_number("auto")
    model = Model.train(schema, frame, labels)
    assert "a score" not in repr(model.evidence({"t": "free lunch", "x": 1.0}))
    assert np.mean(np.array(model.decide(frame)) == labels) > 0.75
    with pytest.warns(UserWarning, match="Column 't' gives complement scores"):
        model.believing(reading="complement").posterior(frame)


@pytest.mark.parametrize("reading", ["auto", "binary"])
def test_every_training_set_is_weighed_separately(reading):
    schema, frame, labels = beside_a_number(reading)
    weights = np.where(np.arange(300) % 7, 1.0, 2.0)
    found = cross_validate(schema, frame, labels, k=3, weigh=True, weights=weights)
    fold = folds(schema, frame, labels, k=3).numbers(frame, labels)
    for number in range(3):
        learned, asked = (
            {
                name: [cell for cell, mine in zip(cells, fold == number, strict=True) if mine == held]
                for name, cells in frame.items()
            }
            for held in (False, True)
        )
        kept = fold != number
        model = Model.train(schema, learned, labels[kept], weights=weights[kept])
        model = weigh(model, learned, labels[kept], weights=weights[kept])
        assert model.schema.weights is not None
        p = model.posterior(asked)[np.arange((~kept).sum()), labels[~kept]]
        assert found.per_fold("log_loss")[number] == pytest.approx(-np.log(p).mean(), rel=1e-9)
    assert found.log_loss < cross_validate(schema, frame, labels, k=3).log_loss or reading == "auto"


@pytest.mark.parametrize("filled", ["t", 1.0, True], ids=["text", "number", "truth"])
def test_market_baskets_are_classified_by_missing_items(filled):
    """Every cell is the same or missing; one class has each of ten items with probability 0.7, the other with 0.3."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 1000)
    bought = random.random((1000, 10)) < np.where(labels, 0.7, 0.3)[:, None]
    baskets = pd.DataFrame({f"c{i}": [filled if has else None for has in bought[:, i]] for i in range(10)})
    model = NaiveBayes().fit(baskets[:800], labels[:800])
    assert model.score(baskets[800:], labels[800:]) > 0.85  # the Bayes optimum is 0.90


def test_tables_and_texts_are_weighed_from_20_rows_on():
    random = np.random.default_rng(0)
    labels = np.arange(200) % 2
    table = pd.DataFrame({name: labels + random.normal(size=200) for name in "ab"}).assign(
        c=lambda x: x["a"], d=lambda x: x["a"]
    )
    weights = {n: NaiveBayes().fit(table[:n], labels[:n]).schema_.weights for n in (19, 20)}
    assert weights[19] is None
    assert all(weights[20].columns[name] < 0.5 for name in "acd")  # which are redundant
    twice = NaiveBayes().fit(table[:10], labels[:10], sample_weight=np.full(10, 2.0))
    assert twice.schema_.weights is not None
    texts = pd.DataFrame(
        {"t": [f"{'good' if y else 'bad'} word{i % 7} other{i % 5} thing{i % 3}" for i, y in enumerate(labels)]}
    )
    mixes = [NaiveBayes().fit(texts[:n], labels[:n]).schema_.columns["t"].mix for n in (19, 20)]
    assert (mixes[0] is None, mixes[1] is None) == (True, False)


def numbers_of_all_kinds(rows: int, classes: int) -> tuple[dict, np.ndarray]:
    random = np.random.default_rng(4)
    labels = random.integers(0, classes, rows)
    frame = {
        "x": random.normal(size=rows) + labels,
        "narrow": random.normal(size=rows) * 1e-3 + labels,  # some evidence is clipped
        "price": np.exp(random.normal(size=rows) + 0.3 * labels),
        "calls": random.poisson(2.0 + labels).astype(float),
        "steps": random.poisson(250.0 + 9.0 * labels).astype(float),  # in and beyond the table of first numbers
        "wait": random.exponential(1.0 + labels),
    }
    for name in ("x", "price", "calls"):
        frame[name][random.random(rows) < 0.1 * (1 + labels)] = np.nan
    return {name: pd.Series(column) for name, column in frame.items()}, labels


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_one_row_and_many_get_the_sum_of_their_weighed_evidence(classes):
    """Evidence is that of the unweighed model, centred and clipped; what is asked together is as if asked alone."""
    frame, labels = numbers_of_all_kinds(600, classes)
    families = {"x": Gaussian(), "narrow": Gaussian(plugin=True), "price": LogNormal(), "calls": Poisson()}
    plain = Model.train(families | {"steps": Poisson(), "wait": Exponential()}, frame, labels)
    each = {name: {c: 0.3 + 0.2 * i + 0.1 * c for c in range(classes)} for i, name in enumerate(frame)}
    weights = Weights(each, {"x": 0.5, "calls": {c: 0.2 * c for c in range(classes)}}, 0.8, {0: 0.25})
    model = plain.believing(weights=weights)
    said, naive, joint = model.evidence(frame), plain.evidence(frame), model.log_joint(frame)
    offsets = np.array([0.25, 0.0, 0.0])[:classes]
    np.testing.assert_allclose(said.prior, 0.8 * naive.prior + offsets, rtol=1e-12)
    np.testing.assert_allclose(joint, said.total(), rtol=1e-12, atol=1e-12)
    for name in ("narrow", "price", "steps", "wait"):
        thetas = [each[name][c] for c in range(classes)]
        expected = [reference.weighed(row, thetas, 30.0) for row in naive[name].tolist()]
        np.testing.assert_allclose(said[name], expected, rtol=1e-10, atol=1e-10)
    for row in range(40):
        alone = {name: column.iloc[row] for name, column in frame.items()}
        np.testing.assert_allclose(model.log_joint(alone)[0], joint[row], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(model.evidence(alone).prior, said.prior)
