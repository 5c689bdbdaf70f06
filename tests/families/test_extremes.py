"""Numbers at the ends of the range: finite answers, and warnings where values merge."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes import FAMILIES, Categorical, Density, Each, Gaussian, Histogram, Model, Schema, folds, left_out


def train(family, values):
    return Model.train(Schema({"x": family}), {"x": values}, ["ab"[i % 2] for i in range(len(values))])


@pytest.mark.filterwarnings("error", "ignore:A Gaussian column has a variance above")
@pytest.mark.parametrize("name", ["Density", "Exponential", "Gamma", "Gaussian", "Histogram", "LogNormal"])
@pytest.mark.parametrize(
    "values", [[1e200, 2e200, 3e200, 4e200], [1e155, 2e155, 1.0, 2.0], [1.7e308] * 4, [5e-324, 1e-323, 1.0, 1e300]]
)
def test_extreme_numbers_give_finite_answers(name, values):
    model = train(FAMILIES[name](), values)
    assert repr(model).startswith("Model of 4 rows")
    assert np.isfinite(model.log_joint({"x": [*values, 1.0, 1e250]})).all()


SUBNORMAL = st.integers(-9, 9).map((5e-324).__mul__)


@given(
    st.lists(SUBNORMAL | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4),
    st.lists(SUBNORMAL | st.floats(allow_nan=False, allow_infinity=False), max_size=4),
    st.sampled_from(["equal length", "equal count", "mdl", "fitted", "auto", "steady"]),
    st.sampled_from([1, 8, 52]),
)
@example([5e-324], [0.0, -5e-324, 1e-323], "auto", 52)
@example([-5e-324, 5e-324], [1e-323], "equal length", 52)
def test_histograms_score_every_number_whatever_they_have_counted(values, asked, method, bits):
    model = train(Histogram(method=method, bits=bits), values)
    assert np.isfinite(model.log_joint({"x": [*values, *asked, 0.0, 1.0, -1.7e308]})).all()


@given(st.integers(-1070, 1020), st.booleans(), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_gaussian_numbers_say_the_same_in_any_unit_or_warn(places, plugin, shared, m):
    """Also if a row is left out, and as a vector."""
    family, numbers = Gaussian(plugin=plugin, shared=shared, m=m), np.array([1.0, 2.5, 4.0, 3.0, 7.0, 8.5])
    cells = np.ldexp(numbers, places)
    other, labels = list("xyxyxy"), list("aaabbb")
    asked = [{"x": x, "other": "x"} for x in (2.0, 6.0)]
    plain = Model.train({"x": family, "other": Categorical()}, {"x": numbers, "other": other}, labels)
    model = Model.train({"x": family, "other": Categorical()}, {"x": cells, "other": other}, labels)
    vectors = Model.train({"x": Each(family)}, cells[:, None], labels)
    found, warned = warned_by(lambda: model.posterior([row | {"x": np.ldexp(row["x"], places)} for row in asked]))
    as_vectors, of_vectors = warned_by(lambda: vectors.posterior(np.ldexp([[2.0], [6.0]], places)))
    left, of_left_out = warned_by(lambda: left_out(model, {"x": cells, "other": other}, labels)["x"])
    if -505 < places < 495:
        assert not warned | of_vectors | of_left_out
    assert all("so the column is no evidence" in each for each in warned | of_vectors | of_left_out)
    assert warned == of_vectors
    unknown = [{"x": None, "other": "x"}] * 2
    np.testing.assert_allclose(found, plain.posterior(unknown if warned else asked), rtol=1e-9)
    if warned:
        assert as_vectors.tolist() == [[0.5, 0.5]] * 2
    if places < -520 or places > 505:  # in between, it depends on the row that is left out
        assert warned
        assert not left.any()


def warned_by(work):
    """The result, and the texts of all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return work(), {str(each.message) for each in caught}


@given(
    st.lists(SUBNORMAL | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6),
    st.lists(SUBNORMAL | st.floats(allow_nan=False, allow_infinity=False), max_size=4),
    st.sampled_from(["rule", "leave one out"]),
    st.sampled_from([1, 4, 12, 52]),
)
@example([-1.685e308, 0.0, -1.685e308, 5.8e-136, 0.0], [], "rule", 4)  # the small one is in the place of zero
def test_densities_score_every_number_whatever_they_have_counted(values, asked, bandwidth, bits):
    model = train(Density(bandwidth=bandwidth, bits=bits), values)
    assert not np.isnan(model.posterior({"x": [*values, *asked]})).any()


def test_histogram_over_the_whole_range_of_doubles():
    model = train(Histogram(), [-1.7e308, 1.7e308, 0.0, 1.0])
    assert np.isfinite(model.log_joint({"x": [-1e308, 0.0, 1e308]})).all()


def test_intervals_have_distinct_names():
    model = train(Histogram(bits=40), [1_000_000 + i / 10 for i in range(11)])
    assert len(model.estimates("x")) == 10
    assert sum(model.parameters("x", "a").alpha.values()) == pytest.approx(6 + 10)


def test_values_that_round_to_one_are_reported():
    for family in (Histogram(), Density()):
        with pytest.warns(UserWarning, match="are counted in steps of 2.44e\\+05. Give .* more bits than 12"):
            train(family, [1e9 + i for i in range(30)])


@pytest.mark.filterwarnings("error")
def test_exact_or_well_separated_values_are_not_reported():
    rng = np.random.default_rng(0)
    for values in ([4000 + i % 3 for i in range(40)], 293.15 + 0.5 * rng.normal(size=300), rng.lognormal(5, 2, 300)):
        train(Histogram(), values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("threads", [1, 2])
def test_sorted_rows_are_not_reported_although_each_thread_sees_close_values(threads):
    values = np.concatenate([np.linspace(0.6, 1.4, 50_000), np.linspace(4.85, 4.97, 50_000)])
    Model.train({"x": Histogram(bits=8)}, {"x": values}, ["a"] * len(values), threads=threads)


def in_frames(values, size):
    for start in range(0, len(values), size):
        yield {"x": values[start : start + size], "y": np.resize(["a", "b"], len(values[start : start + size]))}


@pytest.mark.parametrize("train", [Model.train, folds])
def test_rounding_of_a_stream_is_reported_once_for_each_column(train):
    values = 1e9 + np.random.default_rng(0).normal(size=6000)
    stream = ({**frame, "z": frame["x"] + 1.0, "fine": frame["x"] - 1e9} for frame in in_frames(values, 300))
    with pytest.warns(UserWarning, match="are counted in steps") as shown:
        train(dict.fromkeys(["x", "z", "fine"], Histogram()), stream, "y")
    assert [str(warning.message).split(":")[0] for warning in shown] == ["Column 'x'", "Column 'z'"]


@pytest.mark.filterwarnings("error")
def test_sorted_stream_is_not_reported_although_each_frame_has_close_values():
    Model.train({"x": Histogram(bits=8)}, in_frames(np.linspace(100.0, 200.0, 100_000), 1000), "y")


def test_late_values_of_a_long_stream_are_reported():
    values = np.concatenate([np.zeros(20_000), 1e9 + np.random.default_rng(0).normal(size=90_000)])
    with pytest.warns(UserWarning, match=r"values from 0 to 1000000\d\d\d[.\d]* are counted in steps of 2.44e\+05"):
        Model.train({"x": Histogram()}, in_frames(values, 700), "y")


def test_outlier_does_not_hide_merged_values():
    values = [*(293.15 + i / 1000 for i in range(100)), -5000.0]
    with pytest.warns(UserWarning, match=r"Column .x.: values from -5000 to 293.249 are counted in steps of 0.0716"):
        train(Histogram(), values)
