"""Queries about numbers: the probability of an interval is the integral of the density or the sum over integers."""

import numpy as np
import pytest
from scipy.integrate import quad

from tallybayes import (
    Categorical,
    Density,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    NegativeBinomial,
    Pairs,
    Poisson,
)
from tallybayes.families.events import NoJointError
from tallybayes.model.information import information

VALUES = [1.5, 2.25, 2.5, 4.0, 4.5, 7.0, 8.25, 9.0, 11.0, 12.5, 3.0, 5.0]
WHOLE = [0, 1, 1, 2, 3, 5, 8, 2, 4, 6, 3, 1]
LABELS = ["x", "y"] * 6
CONTINUOUS = [
    Gaussian(),
    Gaussian(plugin=True),
    LogNormal(),
    LogNormal(plugin=True),
    Exponential(),
    Exponential(plugin=True),
    Gamma(),
    Density(),
    Density(bandwidth=1.0),
    Histogram(intervals=4),
    Histogram(method="equal count", intervals=3, alpha=0.5),
]


def trained(family, values):
    return Model.train({"x": family}, {"x": values}, LABELS)


@pytest.mark.parametrize("family", CONTINUOUS, ids=repr)
def test_interval_is_the_integral_of_the_density(family):
    model = trained(family, VALUES)
    edges = getattr(model.belief("x"), "edges", np.zeros(0)).tolist()
    for low, high in ((2.0, 5.0), (0.5, 3.25), (6.0, 14.0)):
        breaks = [edge for edge in edges if low < edge < high]
        for c, label in enumerate(model.classes):
            area, _ = quad(
                lambda x, c=c: float(np.exp(model.evidence({"x": [x]})["x"][0, c])), low, high, points=breaks or None
            )
            found = model.probability(f"{low} < x <= {high}", given={"class": label})
            assert found == pytest.approx(area, abs=1e-6)


@pytest.mark.parametrize("family", CONTINUOUS, ids=repr)
def test_intervals_of_a_partition_sum_to_one(family):
    model = trained(family, VALUES)
    parts = ["x <= 0.5", "0.5 < x <= 4", "4 < x <= 30", "30 < x"]
    assert sum(map(model.probability, parts)) == pytest.approx(1.0, abs=1e-12)
    assert model.probability("x > 1e9") < 1e-3
    assert model.probability("5 < x <= 4") == 0.0


@pytest.mark.parametrize("family", [Poisson(), Poisson(plugin=True), Geometric(), NegativeBinomial()], ids=repr)
def test_integers_are_summed(family):
    model = trained(family, WHOLE)
    single = [model.probability(f"x={n}") for n in range(6)]
    assert model.probability("1 < x <= 4") == pytest.approx(sum(single[2:5]))
    assert model.probability("1 <= x < 4") == pytest.approx(sum(single[1:4]))
    assert model.probability("x >= 2.5") == pytest.approx(1 - sum(single[:3]))
    assert model.probability("x > 0 | x <= 3") == pytest.approx(sum(single[1:4]) / sum(single[:4]))


def test_far_tails_lose_no_digits():
    model = Model.train({"x": Gaussian(plugin=True, m=0.0)}, {"x": [-1.0, 1.0]}, ["a", "a"])
    assert model.probability("x > 10") == pytest.approx(7.619853024160527e-24, rel=1e-9)
    assert model.probability("x <= -10") == pytest.approx(7.619853024160527e-24, rel=1e-9)


def test_single_number_may_be_a_condition_but_not_the_event():
    frame = {"x": VALUES, "colour": ["red", "blue", "blue"] * 4}
    model = Model.train({"x": Gaussian(), "colour": Categorical()}, frame, LABELS)
    posterior = dict(zip(model.classes, model.posterior({"x": [3.0], "colour": [None]})[0], strict=True))
    assert model.probability("class=x | x=3") == pytest.approx(posterior["x"])
    expected = sum(p * model.probability(f"colour=red | class={label}") for label, p in posterior.items())
    assert model.probability("colour=red", given="x = 3.0") == pytest.approx(expected)
    for question in ("x=3", "x=3, colour=red", "x=3 | 2 < x <= 4"):
        with pytest.raises(ValueError, match="a single number has probability 0"):
            model.probability(question)
    with pytest.raises(ValueError, match="'blue' is not a number"):
        model.probability("x=blue | colour=red")
    with pytest.raises(ValueError, match="numbers cannot be excluded"):
        model.probability("x != 3")


def test_interval_coded_numbers_are_answered_at_their_edges():
    codes = (("blue", "red"), (3.0, 6.0))
    frame = {"colour": ["red", "blue", "blue"] * 4, "x": VALUES}
    model = Model.train({("colour", "x"): Pairs(structure="tree", codes=codes)}, frame, LABELS)
    middle = model.probability("3 < x <= 6")
    assert model.probability({"x": (3, 6)}) == middle
    assert model.probability("x <= 3") + middle + model.probability("x > 6") == pytest.approx(1.0)
    assert model.probability("x = 4 | colour=red") == model.probability("3 < x <= 6 | colour=red")
    with pytest.raises(ValueError, match=r"Column 'colour, x': numbers are counted by intervals; .* bounds among 3, 6"):
        model.probability("2 < x <= 6")
    assert model.most_probable_row("x > 6")["x"] == "> 6"


def test_most_probable_number_maximises_the_density():
    model = Model.train({"x": Gaussian()}, {"x": VALUES}, LABELS)
    assert model.most_probable_row("class=x")["x"] == pytest.approx(model.estimates("x")["mean"]["x"])
    assert model.most_probable_row("class=x, x <= 2")["x"] == 2.0
    whole = trained(Poisson(plugin=True, shape=0, rate=0), WHOLE)
    row = whole.most_probable_row("class=y")
    said = np.exp(whole.evidence({"x": np.arange(30.0)})["x"][:, whole.classes.index("y")])
    assert row["x"] == int(said.argmax())
    bars = trained(Histogram(intervals=4), VALUES).most_probable_row()
    assert 1.5 < bars["x"] < 12.5


UNKNOWN = [
    Gaussian(m=0),
    Gaussian(m=0, plugin=True),
    LogNormal(m=0, plugin=True),
    Gamma(m=0),
    Exponential(shape=0, rate=0, plugin=True),
    Poisson(shape=0, rate=0, plugin=True),
    Geometric(alpha=0, beta=0),
    NegativeBinomial(m=0),
    Density(m=0),
]


@pytest.mark.parametrize("family", UNKNOWN, ids=repr)
def test_a_class_of_which_nothing_is_known_has_no_probabilities(family):
    """Without a warning of numpy's, and without an answer that leaves the class out."""
    frame = {"x": [2, 3, 5, 7, None, None], "wind": ["weak", "strong"] * 3}
    labels = ["a", "a", "b", "b", "c", "c"]
    model = Model.train({"x": family, "wind": Categorical()}, frame, labels)
    for question in ("x > 2.5", "x <= 2.5", "2 < x <= 4", "class=a | x > 2.5"):
        with pytest.raises(NoJointError, match=r"^Column 'x' \(\w+\) cannot be asked about: a class has no counts"):
            model.probability(question)
    assert model.probability("wind=weak | class=c") == pytest.approx(0.5)
    assert information(model)["x"] is None
    model -= Model.train(model.schema, {"x": [None, None], "wind": ["weak", "strong"]}, ["c", "c"])
    assert model.probability("x > 2.5") + model.probability("x <= 2.5") == pytest.approx(1.0)


@pytest.mark.parametrize("family", [*UNKNOWN[:-1], Categorical(), Histogram()], ids=repr)
def test_a_column_of_which_nothing_is_known_has_no_most_probable_value(family):
    model = Model.train({"x": family, "wind": Categorical()}, {"x": [None] * 2, "wind": ["weak"] * 2}, ["a", "b"])
    with pytest.raises(NoJointError, match="Column 'x'"):
        model.most_probable_row()
    assert model.only(["wind"]).most_probable_row() == {"wind": "weak", "class": "a"}


def test_an_infinite_density_has_no_most_probable_number():
    """A Gamma distribution with a shape below 1 is infinite at 0, which must not decide the class."""
    x = np.random.default_rng(0).gamma(0.3, size=200)
    model = Model.train({"x": Gamma()}, {"x": x}, ["rare"] * 5 + ["frequent"] * 195)
    with pytest.raises(NoJointError, match="its density is infinite at 0"):
        model.most_probable_row()
    assert model.most_probable_row("x > 0.5") == {"x": 0.5, "class": "frequent"}


def test_intervals_of_the_largest_numbers_have_probabilities():
    model = Model.train({"x": Histogram()}, {"x": [1e308, 1e308, 1.2e308]}, list("aab"))
    parts = ["x <= -1e308", "-1e308 < x <= 0", "0 < x <= 1.1e308", "1.1e308 < x <= 1.7e308", "1.7e308 < x"]
    found = [model.probability(part) for part in parts]
    assert sum(found) == pytest.approx(1.0)
    assert min(found) > 0.0
