"""Semi-supervised EM: its results, and its independence of order, threads and batching."""

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from em_rows import EXACT, FRAME, PLAY, SCHEMA, WEATHER, mixed_rows
from hypothesis import given
from hypothesis import strategies as st

from family_values import VALUES, family_of
from tallybayes import (
    EM,
    FAMILIES,
    Bag,
    Categorical,
    Each,
    Gaussian,
    Histogram,
    MEstimate,
    Model,
    Poisson,
    Schema,
    SoftLabels,
    Words,
    digest,
)


def em_by_hand(steps=2000):
    """The same in plain Python: P(yes) of the last five rows, π(yes) and the log-likelihood of all rows."""
    shares = [1.0 if row[-1] == "yes" else 0.0 for row in WEATHER[:9]]

    def fitted(shares):
        found = {}
        for label, weights in (("no", [1 - p for p in shares]), ("yes", shares)):
            n = sum(weights)
            numbers = []
            for at in (1, 2):
                mean = sum(w * row[at] for w, row in zip(weights, WEATHER, strict=False)) / n
                variance = sum(w * (row[at] - mean) ** 2 for w, row in zip(weights, WEATHER, strict=False)) / n
                numbers.append((mean, variance))
            levels = {
                level: (sum(w for w, row in zip(weights, WEATHER, strict=False) if row[0] == level) + 1) / (n + 3)
                for level in ("sunny", "rainy", "overcast")
            }
            windy = (sum(w for w, row in zip(weights, WEATHER, strict=False) if row[3]) + 1) / (n + 2)
            found[label] = (n / len(shares), numbers, levels, windy)
        return found

    def joint(row, parameters):
        prior, numbers, levels, windy = parameters
        p = prior * levels[row[0]] * (windy if row[3] else 1 - windy)
        for at, (mean, variance) in zip((1, 2), numbers, strict=True):
            p *= math.exp(-((row[at] - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        return p

    first = None
    for _ in range(steps):
        found = fitted(shares)
        both = [(joint(row, found["no"]), joint(row, found["yes"])) for row in WEATHER]
        unknown = [yes / (no + yes) for no, yes in both[9:]]
        first = first or unknown
        shares = [1.0 if row[-1] == "yes" else 0.0 for row in WEATHER[:9]] + unknown
    known = sum(math.log(pair[row[-1] == "yes"]) for pair, row in zip(both[:9], WEATHER[:9], strict=True))
    return first, unknown, found["yes"][0], known + sum(math.log(no + yes) for no, yes in both[9:])


def test_weather_table_converges_to_its_fixed_point():
    first, last, prior, log_likelihood = em_by_hand()
    np.testing.assert_allclose(first, [0.366872, 0.211122, 0.128235, 0.534681, 0.087345], atol=5e-7)
    np.testing.assert_allclose(last, [0.374446, 0.036093, 0.046819, 0.558075, 0.030936], atol=5e-7)
    labelled = Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9])
    np.testing.assert_allclose(labelled.posterior(FRAME.slice(9))[:, 1], first, rtol=1e-12)
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EXACT)
    np.testing.assert_allclose(model.posterior(FRAME.slice(9))[:, 1], last, atol=2e-7)
    assert model.prior()["yes"] == pytest.approx(prior, abs=1e-7)
    assert prior == pytest.approx(0.360455, abs=5e-7)
    assert model.fitted.log_likelihood == pytest.approx(log_likelihood, abs=1e-7)
    assert log_likelihood == pytest.approx(-125.335024, abs=5e-7)


def test_result_is_reported():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM())
    fitted = model.fitted
    assert fitted.summary().startswith("9 labelled and 5 unlabelled rows; ")
    assert (fitted.steps, fitted.ended, fitted.weight) == (len(fitted.curve), "converged", 1.0)
    assert fitted.responsibilities.shape == (14, 2)
    assert fitted.responsibilities[:9].tolist() == [[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 4
    assert fitted.responsibilities.sum(axis=1).tolist() == [1.0] * 14


def test_counting_the_final_shares_reproduces_the_model():
    for labels, settings in ((PLAY, EM()), (PLAY, EM(weight=0)), (["no", "yes"] * 7, EM())):
        model = Model.train(SCHEMA, FRAME, labels, unlabelled=settings)
        assert digest(Model.train(SCHEMA, FRAME, model.fitted.soft_labels)) == digest(model)


def test_result_learns_and_forgets_like_any_model():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM())
    shares = model.fitted.responsibilities
    only_labelled = Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9])
    model -= Model.train(SCHEMA, FRAME.slice(9), SoftLabels(shares[9:], ["no", "yes"]))
    assert digest(model) == digest(only_labelled)
    assert model.fitted is None


MIXED = {
    "level": Categorical(alpha="fitted"),
    "number": Gaussian(),
    "text": Words(reading="auto"),
    "count": Poisson(),
}


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_order_threads_and_batching_do_not_matter(weight):
    table, labels, _ = mixed_rows(400)
    settings = EM(weight=weight, iterations=5)
    expected = digest(Model.train(MIXED, table, labels, unlabelled=settings, threads=1))
    order = np.random.default_rng(1).permutation(400)
    shuffled, other = table.take(pa.array(order)), [labels[i] for i in order]
    assert digest(Model.train(MIXED, shuffled, other, unlabelled=settings, threads=3)) == expected
    parts = [(shuffled.slice(0, 150), other[:150]), (shuffled.slice(150), other[150:])]
    assert digest(Model.train(MIXED, parts, unlabelled=settings)) == expected


def test_weight_two_equals_two_rows_up_to_the_grid():
    table, labels, _ = mixed_rows(60)
    schema = {"number": Gaussian(), "level": Categorical()}
    twice = Model.train(schema, pa.concat_tables([table, table]), labels + labels, unlabelled=EM(iterations=4))
    once = Model.train(schema, table, labels, weights=[2] * 60, unlabelled=EM(iterations=4))
    assert once.n == twice.n == 120.0
    np.testing.assert_allclose(once.posterior(table), twice.posterior(table), atol=1e-8)


SIMPLE = sorted(FAMILIES.keys() - {"Trees", "Several", "Crossed", "Pairs", "Tuples", "Correlated"})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:A Gaussian column has a variance below")  # of numbers near 1e-200 beside zeros
@pytest.mark.parametrize("name", SIMPLE)
def test_objective_never_falls_for_any_family(name):
    @given(st.data())
    def check(data):
        family = family_of(name)
        numbers = st.floats(0.1, 50.0).map(lambda x: float(round(x)) if family.support.whole else x)
        values = VALUES.get(name, numbers)
        cells = data.draw(st.lists(values, min_size=7, max_size=12))
        labels = ["a", "b", *data.draw(st.lists(st.sampled_from(["a", None, None]), min_size=4, max_size=4))]
        labels += [None] * (len(cells) - 6)  # at least one
        model = Model.train({"x": family}, {"x": cells}, labels, unlabelled=EM(iterations=8, tolerance=0.0))
        curve = model.fitted.curve
        assert all(after >= before for before, after in pairwise(curve))
        assert len(curve) >= 1

    check()


MAXIMA = {
    "Gaussian": Gaussian(m=0.5),
    "of one variance": Gaussian(shared=True),
    "LogNormal": FAMILIES["LogNormal"](),
    "Gamma": FAMILIES["Gamma"](m=2.0),
    "Exponential": FAMILIES["Exponential"](shape=3.0),
    "Poisson": Poisson(shape=3.0, rate=0.5),
    "Geometric": FAMILIES["Geometric"](alpha=2.0, beta=5.0),
}
READINGS = ("multinomial", "binary", "bernoulli", "poisson")


def assert_rises_to_the_end(schema, frame, labels):
    """Where estimates maximise likelihood and prior, no step is ever refused."""
    for weight in (1.0, 0.1):
        model = Model.train(schema, frame, labels, unlabelled=EM(weight=weight, iterations=25, tolerance=0.0))
        gains = np.diff(model.fitted.curve)
        assert model.fitted.steps == 25 or abs(gains[-1]) < 1e-7, model.fitted
        assert (gains >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", MAXIMA)
def test_numbers_rise_at_every_step(name):
    random = np.random.default_rng(4)
    truth = random.integers(0, 3, 150)
    values = np.rint(np.exp(random.normal(1.0 + 0.6 * truth, 0.5)) + 1.0)
    labels = [int(y) if i < 15 else None for i, y in enumerate(truth)]
    assert_rises_to_the_end({"x": MAXIMA[name]}, {"x": values}, labels)
    matrix = np.stack([values, values[::-1]], axis=1).tolist()
    assert_rises_to_the_end({"x": Each(MAXIMA[name])}, {"x": matrix}, labels)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("alpha", [0.7, MEstimate(3.0, "overall"), {"w0": 2.0, "w1": 0.5, "w2": 0.0}], ids=repr)
def test_texts_rise_at_every_step(reading, alpha):
    table, labels, _ = mixed_rows(150)
    assert_rises_to_the_end({"text": Words(reading=reading, alpha=alpha)}, table, labels)


@pytest.mark.parametrize("alpha", [0.7, MEstimate(3.0, "overall")], ids=repr)
def test_vectors_with_missing_numbers_rise_at_every_step(alpha):
    _, labels, truth = mixed_rows(150)
    random = np.random.default_rng(4)
    vectors = np.where(random.random((150, 3)) < 0.3, np.nan, random.random((150, 3)) < 0.2 + 0.3 * truth[:, None])
    assert_rises_to_the_end({"x": Bag(reading="bernoulli", alpha=alpha)}, vectors, labels)


@pytest.mark.parametrize("alpha", [1.0, "fitted", {"a": 2.0, "b": 0.5, "c": 1.0, "d": 0.1}])
def test_levels_rise_at_every_step(alpha):
    table, labels, _ = mixed_rows(150)
    schema = Schema({"level": Categorical(alpha=alpha)}, prior=2.0)
    assert_rises_to_the_end(schema, table, labels)


@pytest.mark.parametrize("method", ["equal length", "equal count", "mdl", "fitted"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, "fitted", MEstimate(5.0, "overall")])
def test_intervals_rise_at_every_step(method, alpha):
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 1200)
    labels = [int(y) if i < 20 else None for i, y in enumerate(truth)]
    family = Histogram(method=method, alpha=alpha)
    frame = {"x": random.normal(3.0 * truth), "z": random.normal(-1.0 * truth)}
    assert_rises_to_the_end({"x": family, "z": family}, frame, labels)


def test_all_column_kinds_together_rise_and_gain_from_unlabelled_rows():
    table, labels, truth = mixed_rows(600)
    schema = {**MIXED, "text": Words()}
    model = Model.train(schema, table, labels, unlabelled=EM(iterations=30))
    assert (np.diff(model.fitted.curve) >= 0).all()
    known = Model.train(schema, table.slice(0, 60), labels[:60])
    right = [(each.most_probable(table) == truth).mean() for each in (known, model)]
    assert right[1] > right[0] > 0.6
