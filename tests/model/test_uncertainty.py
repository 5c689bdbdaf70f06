"""Credible intervals, error probabilities and novelty."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from tallybayes import (
    Bag,
    Bernoulli,
    Categorical,
    Correlated,
    Crossed,
    Density,
    Each,
    Gamma,
    Gaussian,
    Histogram,
    LogNormal,
    MEstimate,
    Model,
    Pairs,
    Poisson,
    Schema,
    Weights,
    Words,
    WordSequence,
    prepare,
)

SCHEMA = {"x": Gaussian(), "c": Categorical(), "t": Words(), "b": Bernoulli(), "n": Poisson(), "h": Histogram()}
WORDS = ["win", "prize", "lunch", "monday"]


def rows(n, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    frame = {
        "x": random.normal(2.0 * y),
        "c": ["ab"[k] if random.random() < 0.8 else "ab"[1 - k] for k in y],
        "t": [" ".join(random.choice(WORDS, 5, p=np.roll([0.4, 0.4, 0.1, 0.1], 2 * k))) for k in y],
        "b": random.random(n) < 0.3 + 0.4 * y,
        "n": random.poisson(2 + 2 * y),
        "h": random.normal(y),
    }
    return pa.table(frame), y.tolist()


def test_log_posterior_is_the_logarithm():
    frame, y = rows(60)
    model = Model.train(SCHEMA, frame, y)
    np.testing.assert_allclose(np.exp(model.log_posterior(frame)), model.posterior(frame), rtol=1e-10)
    far = {"x": [1000.0]}
    narrow = Model.train({"x": Gaussian(plugin=True)}, {"x": [0.0, 1.0, 5.0, 6.0]}, ["a", "a", "b", "b"])
    assert narrow.posterior(far)[0, 0] == 0.0
    assert -1e6 < narrow.log_posterior(far)[0, 0] < -800


def test_impossible_row_gets_the_prior():
    model = Model.train({"c": Categorical(alpha=0)}, {"c": ["u", "v", "w"]}, ["a", "b", "b"])
    impossible = {"c": ["x"]}
    np.testing.assert_allclose(model.log_posterior(impossible), model.log_posterior({"c": [None]}))
    schema = {"c": Categorical(alpha=0), "d": Categorical(alpha=0)}
    both = Model.train(schema, {"c": ["u", "v"], "d": ["u", "v"]}, ["a", "b"])
    np.testing.assert_allclose(both.log_posterior({"c": ["u"], "d": ["v"]}), np.log([[0.5, 0.5]]))


def test_interval_of_an_impossible_row_is_that_of_the_prior():
    frame = dict.fromkeys("cd", ["u"] * 4 + ["v"])
    model = Model.train(dict.fromkeys(frame, Categorical(alpha=0)), frame, ["a"] * 4 + ["b"])
    with pytest.warns(UserWarning, match="impossible in every class"):
        found = model.credible({"c": ["u"], "d": ["v"]}, draws=4000)
    np.testing.assert_allclose(found.probability[0], [0.8, 0.2])
    np.testing.assert_allclose(found.low[0, 0], stats.beta(4, 1).ppf(0.05), atol=0.02)
    np.testing.assert_allclose(found.high[0, 0], stats.beta(4, 1).ppf(0.95), atol=0.02)


def test_error_probability_is_the_rest():
    frame, y = rows(60)
    model = Model.train(SCHEMA, frame, y)
    np.testing.assert_allclose(model.error_probability(frame), model.posterior(frame).min(axis=1))


def test_bayes_error_is_that_of_sampled_rows():
    model = Model.train({"x": Gaussian(plugin=True, m=0)}, {"x": [-2.0, 0.0, 0.0, 2.0]}, ["a", "a", "b", "b"])
    assert model.bayes_error() == pytest.approx(stats.norm.cdf(-1.0), abs=0.01)
    assert model.bayes_error(seed=1) != model.bayes_error()
    for question in (model.bayes_error, lambda draws: model.novelty({"x": [0.0]}, draws=draws)):
        with pytest.raises(ValueError, match="draws=0: give a whole number of at least 1"):
            question(draws=0)


@pytest.mark.parametrize("name", ["x", "c", "t", "b", "n", "h"])
def test_intervals_contain_the_answer_and_shrink_with_rows(name):
    frame, y = rows(30)
    few = Model.train({name: SCHEMA[name]}, frame, y)
    many = few * 100
    narrow, wide = (model.credible(frame.slice(0, 5), draws=200) for model in (many, few))
    assert np.all((wide.low <= wide.probability + 0.05) & (wide.probability <= wide.high + 0.05))
    assert np.all(narrow.high - narrow.low < 0.5 * (wide.high - wide.low))
    np.testing.assert_allclose(wide.probability, few.posterior(frame.slice(0, 5)))


def test_interval_of_one_level_is_that_of_two_beta_variables():
    model = Model.train(Schema({"c": Bernoulli()}, prior="uniform"), {"c": [True] * 8 + [False] * 2}, ["a", "b"] * 5)
    found = model.credible({"c": [True]}, 0.8, draws=4000)
    random = np.random.default_rng(5)
    n = model.counts("c")
    a, b = (random.beta(n["true"][k] + 1, n["false"].get(k, 0) + 1, 100_000) for k in "ab")
    np.testing.assert_allclose([found.low[0, 0], found.high[0, 0]], np.quantile(a / (a + b), [0.1, 0.9]), atol=0.02)


@pytest.mark.parametrize("family", [Gaussian(shared=True), LogNormal(shared=True)], ids=repr)
def test_a_shared_variance_is_drawn_once_for_all_classes(family):
    x, asked = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0, 5.0]), np.array([-6.0, 0.5, 2.0, 20.0])
    given, wanted = (np.exp(x), np.exp(asked)) if family.of_logs else (x, asked)
    model = Model.train(Schema({"x": family}, prior="uniform"), {"x": given}, ["a"] * 4 + ["b"] * 4)
    found, mean = model.credible({"x": wanted}, 0.8, draws=4000), model.estimates("x")["mean"]
    random, variance = np.random.default_rng(5), model.estimates("x")["variance"]["a"]
    drawn = 9.0 * variance / random.chisquare(9.0, (100_000, 1))  # m + Σn degrees of freedom
    a, b = ((asked - random.normal(mean[k], np.sqrt(drawn / 5.0))) ** 2 / (2.0 * drawn) for k in "ab")
    low, high = np.quantile(1.0 / (1.0 + np.exp(b - a)), [0.1, 0.9], axis=0)
    np.testing.assert_allclose([found.low[:, 1], found.high[:, 1]], [low, high], atol=0.02)


def test_interval_of_words_that_are_present_has_the_prior_that_scores_them():
    """Two virtual texts, one with the word and one without, are α = 1."""
    texts, labels = ["aa bb", "bb", "cc aa", "dd", "ee bb", "ff"], list("kkkjjj")
    one, other = (
        Model.train({"t": Words(reading="bernoulli", alpha=alpha)}, texts, labels).credible("aa bb", draws=300)
        for alpha in (1.0, MEstimate(2.0))
    )
    np.testing.assert_allclose(np.stack(one), np.stack(other), rtol=1e-9)
    sure = Words(reading="bernoulli", alpha=MEstimate(1e6, "overall"))  # as in all classes together: no evidence
    found = Model.train(Schema({"t": sure}, prior="uniform"), texts, labels).credible("aa bb", draws=300)
    np.testing.assert_allclose(np.stack(found), 0.5, atol=0.02)


def test_interval_of_a_prior_from_hardly_any_rows_is_everything():
    """A Dirichlet distribution of tiny pseudo-counts has one class at 1, whose gamma variable still underflows."""
    model = Model.train({"c": Categorical()}, {"c": ["u", "v"]}, ["a", "b"], weights=[1e-9, 3e-9])
    found = model.credible({"c": [None]}, draws=400)
    np.testing.assert_allclose(np.stack(found)[:, 0], [[0.25, 0.75], [0.0, 0.0], [1.0, 1.0]], rtol=1e-6)
    alone = Model.train({"c": Categorical()}, {"c": ["u"]}, ["a"], weights=[1e-12])
    np.testing.assert_allclose(np.stack(alone.credible({"c": ["u"]}, draws=20)), 1.0)


def test_same_seed_same_interval_whatever_the_history():
    frame, y = rows(30)
    forward = Model.train(SCHEMA, frame, y)
    order = np.arange(30)[::-1]
    backward = Model.train(SCHEMA, frame.take(pa.array(order)), [y[i] for i in order])
    one, other = (model.credible(frame.slice(0, 3), draws=50) for model in (forward, backward))
    np.testing.assert_allclose(one.low, other.low, rtol=1e-6)
    assert not np.allclose(one.low, forward.credible(frame.slice(0, 3), draws=50, seed=1).low)


def test_parameters_without_posterior_are_certain():
    frame, y = rows(30)
    positive = {"x": np.exp(frame["x"].to_numpy())}
    for family in (Gamma(), Density()):
        model = Model.train(Schema({"x": family}, prior="uniform"), positive, y)
        found = model.credible(positive, draws=10)
        np.testing.assert_allclose(found.low, found.high, atol=1e-6)


def test_weighed_evidence_has_intervals():
    frame, y = rows(60)
    schema = Schema({"x": Gaussian(), "c": Categorical()}, weights=Weights(columns={"x": 0.5, "c": 0.5}))
    model = Model.train(schema, frame, y)
    found = model.credible(frame, draws=100)
    np.testing.assert_allclose(found.probability, model.posterior(frame))
    assert np.all(found.low < found.high)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"interval": 1.0}, "between 0 and 1"), ({"draws": 1}, "at least 2")],
)
def test_families_that_cannot_be_drawn_are_refused(settings, message):
    frame, y = rows(10)
    with pytest.raises(ValueError, match=message):
        Model.train(SCHEMA, frame, y).credible(frame, **settings)


def test_sampled_rows_have_uniform_novelty():
    frame, y = rows(200)
    model = Model.train(SCHEMA, frame, y)
    found = model.novelty(model.sample(2000, seed=3).rows)
    np.testing.assert_allclose(np.quantile(found, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.05)


BLOCKED = ("h", "x")
TOGETHER = {
    "correlated": {BLOCKED: Correlated()},
    "pairs": {BLOCKED: Pairs(structure="tree")},
    "vectors": {"v": Each(Gaussian())},
    "counts": {"v": Bag(reading="poisson")},
}


@pytest.mark.parametrize("name", TOGETHER)
def test_blocks_and_vectors_have_novelty_and_can_be_asked_for(name):
    frame, y = rows(200)
    vectors = pa.array(np.abs(np.stack([frame["x"], frame["h"], frame["n"]], axis=1)).round().tolist())
    frame = frame.append_column("v", vectors)
    model = Model.train(prepare({**TOGETHER[name], "c": Categorical()}, frame, y), frame, y)
    sampled = model.novelty(model.sample(2000, seed=3).rows)
    np.testing.assert_allclose(np.quantile(sampled, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.08)  # few levels tie
    missing = {column: [None] for column in frame.column_names}
    assert model.novelty(pa.table(missing)) == [1.0]
    assert {question.column for question in model.ask_next(pa.table(missing))} == set(model.schema.columns)
    assert {question.column for question in model.ask_next({**missing, "c": ["a"]})} == set(TOGETHER[name])


@pytest.mark.parametrize("structure", ["tree", "averaged"])
@pytest.mark.parametrize("missing_cells", ["level", "ignored"])
def test_unseen_level_of_a_block_is_as_novel_as_that_of_a_column(structure, missing_cells):
    random = np.random.default_rng(0)
    frame = {"a": list("uv" * 100), "b": random.choice(list("rst"), 200).tolist()}
    asked = {"a": ["u", "zz", "zz", "u"], "b": ["r", "r", None, None]}
    block = {("a", "b"): Pairs(structure=structure, missing_cells=missing_cells)}
    usual, unseen, alone, half = Model.train(block, frame, list("xy" * 100)).novelty(asked)
    assert min(usual, half) > 0.2
    assert max(unseen, alone) < 0.001
    columns = Model.train({"a": Categorical(), "b": Categorical()}, frame, list("xy" * 100)).novelty(asked)
    assert columns[1:3].tolist() == [unseen, alone]


def test_blocks_with_missing_cells_are_compared_with_such():
    frame, y = rows(200)
    frame = frame.set_column(0, "x", pa.array(100.0 * frame["x"].to_numpy()))  # without it, densities are far higher
    model = Model.train(TOGETHER["correlated"], frame, y)
    sampled = model.sample(2000, seed=3).rows.to_pydict() | {"x": [None] * 2000}
    np.testing.assert_allclose(np.quantile(model.novelty(sampled), [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.05)
    assert model.novelty({"x": [None], "h": [1e3]})[0] < 0.01
    pairs = Model.train(prepare(TOGETHER["pairs"], frame, y), frame, y)
    assert np.ptp(pairs.novelty(sampled)) > 0.5  # of five intervals


def test_rows_of_crossed_levels_cannot_be_drawn():
    frame, y = rows(20)
    model = Model.train({("b", "c"): Crossed()}, frame, y)
    with pytest.raises(TypeError, match=r"The cells of \(b, c\) are counted as words"):
        model.sample(3, seed=0)


def test_unseen_rows_are_novel():
    frame, y = rows(200)
    model = Model.train(SCHEMA, frame, y)
    usual = {"x": 0.0, "c": "a", "t": "lunch monday lunch", "b": True, "n": 2, "h": 0.0}
    assert model.novelty([usual])[0] > 0.02
    for cell in ({"x": 60.0}, {"t": "completely other words than these"}, {"n": 90}):
        assert model.novelty([usual | cell])[0] < 0.01
    assert model.novelty([usual | {"c": "z"}])[0] < model.novelty([usual])[0]


@pytest.mark.parametrize("family", [WordSequence(), WordSequence(order=2), WordSequence(unit="characters")], ids=repr)
def test_sequences_of_words_have_novelty(family):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    shares = [[0.4, 0.3, 0.2, 0.1], [0.2, 0.1, 0.4, 0.3]]
    texts = [" ".join(random.choice(WORDS, random.integers(1, 12), p=shares[k])) for k in y]
    model = Model.train({"t": family}, texts, y)
    found = model.novelty(model.sample(1000, seed=3).rows)
    np.testing.assert_allclose(np.quantile(found, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.09)
    assert model.novelty({"t": ["quite another subject", "", None]}) == pytest.approx([1 / 201, 1.0, 1.0])


def test_missing_cells_are_compared_with_missing_cells():
    frame, y = rows(200)
    model = Model.train({"x": Gaussian(), "c": Categorical()}, frame, y)
    found = model.novelty({"x": [60.0, None, None], "c": ["a", "a", None]})
    assert found[0] < 0.01 < found[1]
    assert found[2] == 1.0


def test_scores_that_are_no_likelihood_and_weights_are_supported():
    frame, y = rows(200)
    schema = Schema({"t": Words(reading="auto"), "x": Gaussian()}, weights=Weights(columns={"t": 0.3, "x": 0.3}))
    model = Model.train(schema, frame, y)
    assert model.novelty({"t": ["never met such words"], "x": [0.0]})[0] < 0.01


def test_row_that_is_impossible_without_its_text_is_novel():
    frame = {"x": [1.0, 1.0, 2.0, 2.0], "t": ["aa", "bb", "cc", "dd"]}
    model = Model.train({"x": Gaussian(m=0, plugin=True), "t": Words()}, frame, list("aabb"))
    usual, unusual = model.novelty({"x": [1.0, 5.0], "t": ["aa", "bb"]})
    assert unusual == pytest.approx(1 / 201)
    assert usual > 0.2
    mostly_empty = Model.train({"t": Words(alpha=0)}, ["aa", "bb", *[""] * 1000], [*"ab", *"ab" * 500])
    for model in (mostly_empty, mostly_empty.believing(alpha=1)):
        assert model.novelty(["aa bb", "zz qq rr"]) == pytest.approx([1 / 201, 1 / 201])
