"""Decayed models: what is exact, and forgetting rows after decay."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import some
from family_values import family_of, names, rows_of
from tallybayes import FAMILIES, Categorical, Histogram, Model, Schema, digest
from tallybayes.files import from_bytes, to_bytes

SOME = settings(max_examples=some(6), deadline=None, database=None, suppress_health_check=list(HealthCheck))
COUNTING = ["Bernoulli", "Categorical", "Density", "Histogram"]  # which count values, and sum none


def train(name, rows):
    values, labels = zip(*rows, strict=True)
    kind = pa.list_(pa.float64()) if FAMILIES[name].takes_vectors else None
    return Model.train(Schema({"x": family_of(name)}), {"x": pa.array(values, kind)}, list(labels))


def faded(name, weeks, factors):
    """Learned week by week, with decay before each week."""
    model = Model(Schema({"x": family_of(name)}))
    for rows, factor in zip(weeks, factors, strict=True):
        model = (model + train(name, rows) if rows else model) * factor
    return model


def weeks_of(name, most=5):
    return st.lists(rows_of(name, 1, 3), min_size=2, max_size=most)


@pytest.mark.parametrize("name", names)
def test_halving_and_integer_factors_forget_to_the_byte(name):
    @SOME
    @given(weeks_of(name, 8), st.lists(st.sampled_from([0.5, 0.25, 2.0, 3.0, 1.0]), min_size=8, max_size=8))
    def holds(weeks, factors):
        factors = factors[: len(weeks)]
        model = faded(name, weeks, factors)
        model -= faded(name, [weeks[0], *[[]] * (len(weeks) - 1)], factors)
        assert digest(model) == digest(faded(name, [[], *weeks[1:]], factors))

    holds()


@pytest.mark.parametrize("name", COUNTING)
def test_any_factor_keeps_integer_counts_exact_twice(name):
    @SOME
    @given(weeks_of(name, 2), st.floats(0.01, 1.0), st.floats(0.01, 1.0))
    def holds(weeks, first, second):
        model = faded(name, weeks, [first, second])
        model -= train(name, weeks[0]) * first * second
        assert digest(model) == digest(faded(name, [[], *weeks[1:]], [first, second]))

    holds()


@pytest.mark.parametrize("name", names)
def test_any_factors_decayed_rows_can_be_forgotten_completely(name):
    @SOME
    @given(weeks_of(name), st.lists(st.floats(0.1, 1.0), min_size=5, max_size=5))
    def holds(weeks, factors):
        factors = factors[: len(weeks)]
        model = faded(name, weeks, factors)
        for i in range(len(weeks)):
            assert from_bytes(to_bytes(model)) == model
            alone = [rows if i == j else [] for j, rows in enumerate(weeks)]
            model -= faded(name, alone, factors)
            left = faded(name, [rows if j > i else [] for j, rows in enumerate(weeks)], factors)
            assert model.classes == left.classes
            assert model.n == pytest.approx(left.n, rel=1e-25)
        assert to_bytes(model) == to_bytes(Model(model.schema))

    holds()


@pytest.mark.parametrize("name", names)
def test_separate_periods_added_with_decay_forget_to_the_byte(name):
    @SOME
    @given(weeks_of(name), rows_of(name, 1, 3), st.floats(0.1, 1.0))
    def holds(weeks, secret, factor):
        def together(periods):
            return sum((period * factor**age for age, period in enumerate(periods)), Model(periods[0].schema))

        periods = [train(name, rows) for rows in weeks]
        before = digest(together(periods))
        periods[0] += train(name, secret)
        periods[0] -= train(name, secret)
        assert digest(together(periods)) == before

    holds()


def test_negligible_weights_are_refused_and_decay_to_nothing():
    rows, schema = {"x": ["a", "b"]}, Schema({"x": Categorical()})
    with pytest.raises(ValueError, match=r"The weight in row 1 is 1e-40; give 0, or a number from 8e-31 to 1e\+200"):
        Model.train(schema, rows, ["p", "q"], weights=[1.0, 1e-40])
    model = Model.train(schema, rows, ["p", "q"], weights=[1.0, 2.0])
    for _ in range(100):
        model = model * 0.5
    assert model.classes == ["p", "q"]
    assert (model * 0.5).classes == ["q"]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble, np.int8, np.uint64])
def test_numbers_of_numpy_are_factors(kind):
    model = train("Gaussian", [(3.0, "a"), (5.0, "b")])
    assert digest(model * kind(2)) == digest(kind(2) * model) == digest(model * 2)
    with pytest.raises(ValueError, match="give a number from 0 to"):
        model * np.complex128(2)


@pytest.mark.parametrize("factor", [1e-40, 5e-324])
def test_weights_of_which_no_double_is_so_small_decay_to_nothing_too(factor):
    schema = Schema({"h": Histogram(), "c": Categorical()})
    model = Model.train(schema, {"h": [0.0, 1.0], "c": ["x", None]}, ["p", "p"]) * 0.3
    assert digest(model * factor) == digest(Model(schema))


def test_rows_never_learned_are_still_refused():
    for name, value in (("Gaussian", 7.0), ("Exponential", 7.0), ("Poisson", 7.0), ("Gamma", 7.0)):
        model = faded(name, [[(3.0, "a")], [(5.0, "b")]], [0.9, 0.7])
        with pytest.raises(ValueError, match="never learned"):
            model -= faded(name, [[(value, "a")], []], [0.9, 0.7])
