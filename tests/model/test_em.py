"""Rows without labels: what EM makes of them, and what it must not depend on."""

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from family_values import VALUES, family_of
from tallybayes import (
    EM,
    FAMILIES,
    Bernoulli,
    Categorical,
    Each,
    Gaussian,
    Histogram,
    Model,
    Poisson,
    Schema,
    SoftLabels,
    Weights,
    Words,
    digest,
    open_source,
)

WEATHER = [
    ("sunny", 85.0, 85.0, False, "no"),
    ("sunny", 80.0, 90.0, True, "no"),
    ("rainy", 65.0, 70.0, True, "no"),
    ("sunny", 72.0, 95.0, False, "no"),
    ("rainy", 71.0, 91.0, True, "no"),
    ("overcast", 83.0, 86.0, False, "yes"),
    ("rainy", 70.0, 96.0, False, "yes"),
    ("overcast", 72.0, 90.0, True, "yes"),
    ("overcast", 81.0, 75.0, False, "yes"),
    ("rainy", 68.0, 80.0, False, None),
    ("overcast", 64.0, 65.0, True, None),
    ("sunny", 69.0, 70.0, False, None),
    ("rainy", 75.0, 80.0, False, None),
    ("sunny", 75.0, 70.0, True, None),
]
NAMES = ("outlook", "temperature", "humidity", "windy")
FRAME = pa.table({name: [row[i] for row in WEATHER] for i, name in enumerate(NAMES)})
PLAY = [row[-1] for row in WEATHER]
LIKELY = Gaussian(m=0.0, plugin=True)
SCHEMA = {"outlook": Categorical(), "temperature": LIKELY, "humidity": LIKELY, "windy": Bernoulli()}
EXACT = EM(tolerance=1e-14, iterations=5000)


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


def test_the_weather_table_comes_to_its_fixed_point():
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


def test_what_it_came_to_is_told():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM())
    fitted = model.fitted
    assert fitted.told().startswith("9 labelled and 5 unlabelled rows; ")
    assert (fitted.steps, fitted.ended, fitted.weight) == (len(fitted.curve), "converged", 1.0)
    assert fitted.shares.shape == (14, 2)
    assert fitted.shares[:9].tolist() == [[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 4
    assert fitted.shares.sum(axis=1).tolist() == [1.0] * 14


def test_rows_counted_by_the_shares_they_were_given_are_the_model():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM())
    assert digest(Model.train(SCHEMA, FRAME, model.fitted.soft_labels)) == digest(model)


def test_the_result_learns_and_forgets_like_any_other_model():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM())
    shares = model.fitted.shares
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


def mixed_rows(n, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    words = [f"w{i}" for i in range(12)]
    odds = np.linspace(1, 5, 12) / 36
    frame = {
        "level": [None if random.random() < 0.1 else "abcd"[min(random.poisson(y), 3)] for y in truth],
        "number": np.where(random.random(n) < 0.1, np.nan, random.normal(2.0 * truth, 1.0)),
        "text": [" ".join(random.choice(words, 6, p=np.roll(odds, 4 * y))) for y in truth],
        "count": random.poisson(1 + 2 * truth),
    }
    return pa.table(frame), [int(y) if i < n // 10 else None for i, y in enumerate(truth)], truth


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_neither_the_order_of_rows_nor_threads_nor_batches_show(weight):
    table, labels, _ = mixed_rows(400)
    settings = EM(weight=weight, iterations=5)
    expected = digest(Model.train(MIXED, table, labels, unlabelled=settings, threads=1))
    order = np.random.default_rng(1).permutation(400)
    shuffled, other = table.take(pa.array(order)), [labels[i] for i in order]
    assert digest(Model.train(MIXED, shuffled, other, unlabelled=settings, threads=3)) == expected
    parts = [(shuffled.slice(0, 150), other[:150]), (shuffled.slice(150), other[150:])]
    assert digest(Model.train(MIXED, parts, unlabelled=settings)) == expected


def test_a_weight_of_two_is_a_row_twice_but_for_the_grid_of_shares():
    table, labels, _ = mixed_rows(60)
    schema = {"number": Gaussian(), "level": Categorical()}
    twice = Model.train(schema, pa.concat_tables([table, table]), labels + labels, unlabelled=EM(iterations=4))
    once = Model.train(schema, table, labels, weights=[2] * 60, unlabelled=EM(iterations=4))
    assert once.n == twice.n == 120.0
    np.testing.assert_allclose(once.posterior(table), twice.posterior(table), atol=1e-8)


SIMPLE = sorted(FAMILIES.keys() - {"Trees", "Several", "Crossed", "Pairs", "Tuples", "Correlated"})


@pytest.mark.parametrize("name", SIMPLE)
def test_the_objective_never_falls_whatever_the_family(name):
    @given(st.data())
    def check(data):
        family = family_of(name)
        numbers = st.floats(0.1, 50.0).map(lambda x: float(round(x)) if family.support.whole else x)
        values = VALUES.get(name, numbers)
        cells = data.draw(st.lists(values, min_size=7, max_size=12))
        labels = ["a", "b", *data.draw(st.lists(st.sampled_from(["a", None, None]), min_size=4, max_size=4))]
        labels += [None] * (len(cells) - 6)  # one at least
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
    """Where the estimates are the maximum of likelihood and prior, no step is ever refused."""
    for weight in (1.0, 0.1):
        model = Model.train(schema, frame, labels, unlabelled=EM(weight=weight, iterations=25, tolerance=0.0))
        gains = np.diff(model.fitted.curve)
        assert model.fitted.steps == 25 or abs(gains[-1]) < 1e-7, model.fitted
        assert (gains >= 0).all()


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
def test_texts_rise_at_every_step(reading):
    table, labels, _ = mixed_rows(150)
    assert_rises_to_the_end({"text": Words(reading=reading, alpha=0.7)}, table, labels)


@pytest.mark.parametrize("alpha", [1.0, "fitted", {"a": 2.0, "b": 0.5, "c": 1.0, "d": 0.1}])
def test_levels_rise_at_every_step(alpha):
    table, labels, _ = mixed_rows(150)
    schema = Schema({"level": Categorical(alpha=alpha)}, prior=2.0)
    assert_rises_to_the_end(schema, table, labels)


def test_all_of_them_together_rise_and_gain_by_rows_without_labels():
    table, labels, truth = mixed_rows(600)
    schema = {**MIXED, "text": Words()}
    model = Model.train(schema, table, labels, unlabelled=EM(iterations=30))
    assert (np.diff(model.fitted.curve) >= 0).all()
    known = Model.train(schema, table.slice(0, 60), labels[:60])
    right = [(each.most_probable(table) == truth).mean() for each in (known, model)]
    assert right[1] > right[0] > 0.6


def test_a_source_is_read_again_at_every_step(tmp_path):
    table, labels, _ = mixed_rows(300)
    lines = ["level,number,y"]
    for level, number, y in zip(table["level"].to_pylist(), table["number"].to_pylist(), labels, strict=True):
        number = "" if number != number else number
        lines.append(f"{level or ''},{number},{'' if y is None else y}")
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    schema = {"level": Categorical(), "number": Gaussian()}
    settings = EM(iterations=5)
    held = Model.train(schema, table, labels, unlabelled=settings)
    read = Model.train(Schema(schema, label="y"), open_source(tmp_path / "rows.csv"), unlabelled=settings)
    assert read.rows == held.rows
    assert read.columns == held.columns
    with pytest.raises(ValueError, match="was not kept"):
        _ = read.fitted.shares


def test_rows_without_labels_are_an_error_unless_asked_for():
    with pytest.raises(ValueError, match=r"5 of 14 rows have no label, the first in row 9.*unlabelled=EM\(\)"):
        Model.train(SCHEMA, FRAME, PLAY)
    with pytest.raises(TypeError, match=r"unlabelled=True: give EM\(\)"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=True)


def test_a_stream_cannot_be_passed_over_again():
    with pytest.raises(ValueError, match="a stream can be read but once"):
        Model.train(SCHEMA, iter([(FRAME, PLAY)]), unlabelled=EM())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": 1.5}, "give a number from 0 to 1, or 'chosen'"),
        ({"weight": "much"}, "give a number from 0 to 1, or 'chosen'"),
        ({"iterations": 0}, "a whole number of at least 1"),
        ({"components": 0}, "a whole number of at least 1"),
        ({"tolerance": -1.0}, "a number of at least 0"),
        ({"classes": 0}, "how many clusters there are, or the labels"),
        ({"classes": "ab"}, "how many clusters there are, or the labels"),
        ({"seed": -1}, "a whole number of at least 0"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        EM(**settings)


def test_rows_that_count_nothing_change_nothing():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(weight=0.0))
    assert digest(model) == digest(Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9]))
    assert "count nothing" in model.fitted.told()
    assert Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9], unlabelled=EM()) == model


def test_minus_one_is_a_label_like_any_other():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0]}, [-1, 1, None], unlabelled=EM())
    assert model.classes == [-1, 1]


def test_a_class_may_be_named_that_no_row_has():
    table, labels, truth = mixed_rows(600)
    partly = [None if label == 2 else label for label in labels]
    schema = {"number": Gaussian(), "count": Poisson()}
    settings = EM(classes=[0, 1, 2], seed=1, restarts=2, iterations=40)
    model = Model.train(schema, table, partly, unlabelled=settings)
    assert model.classes == [0, 1, 2]
    assert (model.most_probable(table) == truth).mean() > 0.75
    assert model == Model.train(schema, table, partly, unlabelled=settings)


def test_one_labelled_row_of_each_class_is_enough_to_begin():
    frame = {"x": [0.0, 10.0, *np.linspace(-1, 1, 20), *np.linspace(9, 11, 20)]}
    model = Model.train({"x": Gaussian()}, frame, ["a", "b", *[None] * 40], unlabelled=EM())
    assert model.rows_by_class()["a"] == pytest.approx(21.0, abs=1e-3)


def test_rows_that_are_all_alike_tell_nothing():
    model = Model.train({"x": Categorical()}, {"x": ["u", "v", *["u"] * 30]}, ["a", "b", *[None] * 30], unlabelled=EM())
    assert model.n == 32.0
    assert (np.diff(model.fitted.curve) >= 0).all()


def test_rows_that_no_class_allows_are_shared_alike_and_then_allowed():
    frame = {"x": ["u", "v", "w"]}
    model = Model.train({"x": Categorical(alpha=0.0)}, frame, ["a", "b", None], unlabelled=EM())
    assert model.fitted.shares[2].tolist() == [0.5, 0.5]


def test_weights_of_evidence_are_not_what_em_scores_by_and_stay():
    table, labels, _ = mixed_rows(100)
    schema = {"number": Gaussian(), "level": Categorical()}
    weighed = Schema(schema, weights=Weights(columns={"number": 0.5, "level": 0.5}))
    model = Model.train(weighed, table, labels, unlabelled=EM(iterations=3))
    assert model.schema.weights is not None
    assert model.believing(weights=None) == Model.train(schema, table, labels, unlabelled=EM(iterations=3))


def test_scores_that_are_no_likelihood_are_read_as_one():
    table, labels, _ = mixed_rows(100)
    settings = EM(iterations=3)
    given, plain = ({"text": Words(reading=reading)} for reading in ("complement", "multinomial"))
    model = Model.train(given, table, labels, unlabelled=settings)
    assert model.columns == Model.train(plain, table, labels, unlabelled=settings).columns


def test_what_must_be_settled_before_counting_is_settled_first():
    schema = {("number", "count"): FAMILIES["Pairs"]()}
    table, labels, _ = mixed_rows(100)
    with pytest.raises(ValueError, match=r"prepare\(schema, rows, labels\)"):
        Model.train(schema, table, labels, unlabelled=EM())


def test_blocks_are_counted_too():
    table, labels, truth = mixed_rows(300)
    filled = {"a": table["count"].cast(pa.float64()), "b": np.random.default_rng(5).normal(truth)}
    model = Model.train({("a", "b"): FAMILIES["Correlated"]()}, pa.table(filled), labels, unlabelled=EM(iterations=5))
    assert (np.diff(model.fitted.curve) >= 0).all()
    assert model.n == 300.0


def test_intervals_of_values_are_counted_too():
    table, labels, _ = mixed_rows(100)
    model = Model.train({"number": Histogram()}, table, labels, unlabelled=EM(iterations=5))
    assert model.n == 100.0


def test_progress_is_told_of_every_step():
    told = []
    model = Model.train(
        SCHEMA, FRAME, PLAY, unlabelled=EM(progress=lambda step, objective: told.append((step, objective)))
    )
    assert told == list(enumerate(model.fitted.curve, 1))


def test_the_weight_is_chosen_by_rows_that_are_held_out():
    table, labels, _ = mixed_rows(400)
    schema = {"number": Gaussian(), "count": Poisson()}
    model = Model.train(schema, table, labels, unlabelled=EM(weight="chosen"))
    tried = model.fitted.held_out
    assert tried[model.fitted.weight] <= tried[0.0]
    assert {0.0, 1.0} <= tried.keys()
    order = np.random.default_rng(2).permutation(400)
    again = Model.train(
        schema, table.take(pa.array(order)), [labels[i] for i in order], unlabelled=EM(weight="chosen"), threads=2
    )
    assert digest(again) == digest(model)
    with pytest.raises(ValueError, match="there are no rows with labels to choose the weight by"):
        Model.train(schema, table, unlabelled=EM(weight="chosen", classes=2))


def test_clusters_are_classes_that_nobody_named():
    table, _, truth = mixed_rows(300)
    schema = {"number": Gaussian(), "count": Poisson(), "level": Categorical(), "text": Words()}
    model = Model.train(schema, table, unlabelled=EM(classes=3, restarts=4, seed=7))
    assert model.classes == [0, 1, 2]
    assert model.fitted.starts == 4
    cluster = model.most_probable(table)
    together = [np.bincount(truth[cluster == k], minlength=3).max() for k in range(3)]
    assert sum(together) / 300 > 0.85
    order = np.random.default_rng(2).permutation(300)
    shuffled = Model.train(schema, table.take(pa.array(order)), unlabelled=EM(classes=3, restarts=4, seed=7), threads=2)
    assert digest(shuffled) == digest(model)


def test_no_labels_and_no_number_of_clusters_is_an_error():
    with pytest.raises(ValueError, match=r"how many clusters there are to be: EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, unlabelled=EM())
    with pytest.raises(ValueError, match=r"No row has a label.*EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, [None, None], unlabelled=EM())
    with pytest.raises(ValueError, match=r"there are rows of 2 classes \('no', 'yes'\)"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=3))
    with pytest.raises(TypeError, match="the labels of rows are of type string, these of int64"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=[1, 2]))


def test_a_cluster_that_no_row_is_left_to_is_gone_and_that_is_said():
    frame = {"x": ["u"] * 5}
    model = Model.train({"x": Categorical()}, frame, unlabelled=EM(classes=3, restarts=2))
    assert model.n == 5.0
    for note in model.fitted.notes:
        assert "No row was left to class" in note
    assert len(model.classes) + len(model.fitted.notes) == 3
