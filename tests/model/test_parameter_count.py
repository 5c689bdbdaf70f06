"""The number of parameters of a model, counted as in the lectures, and of the full joint table."""

import math

import numpy as np
import pytest

from tallybayes import (
    Bag,
    Bernoulli,
    Categorical,
    Density,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    Poisson,
    Schema,
    Words,
)
from tallybayes.model.parameter_count import shown
from tennis import tennis


def count(family, values, labels=("a", "b", "c")):
    return Model.train(Schema({"x": family}), {"x": values}, list(labels)).parameter_count()


def test_play_tennis_has_13_parameters_and_the_joint_71():
    """(2 − 1) + 2·(2 + 2 + 1 + 1), and 3·3·2·2·2 − 1."""
    found = tennis().parameter_count()
    assert (found.classes, found.total, found.joint) == (1, 13, 71)
    assert found.columns == {"outlook": 4, "temperature": 4, "humidity": 2, "wind": 2}
    assert str(found) == "13 parameters; a table of the full joint distribution has 71"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("features", [1, 5, 600])
def test_binary_features_have_one_parameter_per_class(features, classes):
    """Lecture 001: one μ for each input and class; the full table has classes·2^features − 1."""
    frame = {str(i): [True] * classes for i in range(features)}
    model = Model.train(Schema(dict.fromkeys(frame, Bernoulli())), frame, list(range(classes)))
    found = model.parameter_count()
    assert found.total == classes - 1 + classes * features
    assert found.joint == classes * 2**features - 1
    assert found.joint_log10 == pytest.approx(math.log10(classes * 2**features - 1), rel=1e-12)


def test_continuous_inputs_have_two_parameters_per_class():
    frame = {str(i): np.arange(6.0) + i for i in range(4)}
    model = Model.train(Schema(dict.fromkeys(frame, Gaussian())), frame, ["a", "b"] * 3)
    assert model.parameter_count().total == 1 + 2 * 2 * 4
    shared = model.believing(shared=True).parameter_count()
    assert shared.total == 1 + 4 * (2 + 1)
    assert (shared.tabled, shared.joint, str(shared)) == ((), 1, "13 parameters")


@pytest.mark.parametrize(
    ("family", "each"),
    [(Poisson(), 1), (Geometric(), 1), (Exponential(), 1), (Gamma(), 2), (LogNormal(), 2), (Histogram(intervals=5), 4)],
    ids=repr,
)
def test_numbers_have_the_parameters_of_their_family(family, each):
    found = count(family, [1.0, 2.0, 5.0])
    assert found.total == 2 + 3 * each
    assert found.tabled == (("x",) if isinstance(family, Histogram) else ())


def test_kernel_density_grows_with_its_rows():
    found = Model.train(
        Schema({"x": Density(), "y": Categorical()}), {"x": [1.0, 2.0], "y": ["u", "v"]}, ["a", "b"]
    ).parameter_count()
    assert (found.columns, found.total, found.joint) == ({"x": None, "y": 2}, 3, 3)
    assert str(found) == (
        "3 parameters, in addition to those of 'x', which grow with the rows; "
        "a table of the full joint distribution of 'y' has 3"
    )


@pytest.mark.parametrize(
    ("reading", "each"),
    [
        ("multinomial", 3),
        ("binary", 3),
        ("averaged", 3),
        ("complement", 3),
        ("bernoulli", 4),
        ("poisson", 4),
        ("dirichlet-multinomial", 4),
    ],
)
def test_words_have_one_each_minus_constraints(reading, each):
    found = count(Words(reading=reading), ["aa bb", "cc", "dd aa"])
    assert found.total == 2 + 3 * each
    assert found.joint == (3 * 2**4 - 1 if reading == "bernoulli" else 2)
    if reading not in ("binary", "dirichlet-multinomial"):
        vectors = np.eye(4)[:3]
        assert count(Bag(reading=reading, size=4), vectors).columns == {"x": 3 * each}


def test_vectors_have_those_of_every_position():
    assert count(Each(Gaussian()), np.ones((3, 7))).total == 2 + 3 * 2 * 7
    assert count(Each(Gaussian(shared=True)), np.ones((3, 7))).total == 2 + 3 * 7 + 7


def test_large_tables_are_shown_by_size():
    frame = {str(i): [True, False] for i in range(600)}
    found = Model.train(Schema(dict.fromkeys(frame, Bernoulli())), frame, ["a", "b"]).parameter_count()
    assert str(found) == "1,201 parameters; a table of the full joint distribution has about 8.3·10^180"
    assert shown(3 * 2**1_000_000 - 1) == "about 3.0·10^301030"


def test_empty_model_has_no_parameters():
    found = count(Categorical(), [None, None, None])
    assert (found.total, found.columns, found.joint) == (2, {"x": 0}, 2)
    with pytest.raises(ValueError, match="counted no rows"):
        Model(Schema({"x": Categorical()})).parameter_count()


def test_one_parameter_is_singular():
    assert str(Model.train({}, {"x": [1.0, 2.0]}, ["a", "b"]).parameter_count()) == "1 parameter"
