"""The kernels that cut and smooth columns equal their slow twins."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from interval_reference import (
    ENOUGH,
    GAIN_APART,
    TRIED,
    Grid,
    can_be_apart,
    check_description,
    halves,
    log_likelihood,
    plain_loss,
    pooled,
    whole_cells,
)
from tallybayes import kernels
from tallybayes.families.numbers.values import value_keys, values_of_keys

WHOLE_LINE = st.floats(allow_nan=False, allow_infinity=False)


def columns(size, classes, seed, most=6, bits=12):
    """A column of random values whose classes change along the way, as a kernel takes it."""
    random = np.random.default_rng(seed)
    scale = random.choice([1e-3, 1.0, 1e6])
    x = scale * random.choice([random.normal(size=size), random.standard_cauchy(size), random.gamma(1.0, size=size)])
    values = np.unique(values_of_keys(value_keys(x, bits), bits))
    turns = np.sin(np.linspace(0.0, random.uniform(0.0, 9.0), len(values)))[:, None] * np.linspace(-1.0, 1.0, classes)
    counts = random.poisson(most * np.exp(turns) * random.random((len(values), 1))).astype(float)
    if seed % 2:
        counts[random.integers(len(values))] += counts.sum() / 4.0  # stands out
    counts[counts.sum(axis=1) == 0, 0] = 1.0
    return values, counts, np.array([len(values)])


@given(
    st.lists(WHOLE_LINE, unique=True, max_size=20).map(sorted),
    st.lists(st.lists(st.integers(0, 9) | st.floats(0.0, 9.0), min_size=3, max_size=3), min_size=20, max_size=20),
    st.integers(1, 25),
)
def test_equal_counts_equal_the_reference(values, counts, intervals):
    x, table = np.array(values, float), np.array(counts[: len(values)], float).reshape(-1, 3)
    assume(np.array_equal(values_of_keys(value_keys(x, 52), 52), x))  # else cuts may be dropped
    _, cuts, *_ = kernels.cut_columns(x, table, np.array([len(x)]), "equal count", intervals, 52)
    expected = halves(x, table, intervals)
    assert cuts.tolist() == (whole_cells(x, expected, 52)[0].tolist() if values else [])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40))
@example([(1, 2)] * 30)
@example([(3, 0)] * 20 + [(0, 3)] * 20)
@example([(0, 0), (1, 2), (0, 3)])
@example([(0, 0), (0, 0)])
@example([(9, 0)] * 4 + [(0, 0)] + [(0, 9)] * 4)
def test_cuts_by_description_length_are_the_most_informative(counts):
    table = np.array(counts, float)
    _, cuts, *_ = kernels.cut_columns(np.arange(float(len(table))), table, np.array([len(table)]), "mdl", 1, 52)
    check_description(table, np.ceil(cuts).astype(int).tolist())


@given(st.integers(0, 999), st.sampled_from([300, 1500]), st.sampled_from([2, 2, 2, 1, 3]))
def test_cuts_of_many_values_are_the_most_informative(seed, size, classes):
    values, counts, ends = columns(size, classes, seed)
    _, cuts, *_ = kernels.cut_columns(values, counts, ends, "mdl", 1, 52)
    check_description(counts, np.searchsorted(values, cuts).tolist())


@given(st.integers(0, 999))
def test_cuts_of_huge_counts_are_those_of_three_classes(seed):
    """The products of two classes' counts would overflow."""
    values, counts, ends = columns(300, 2, seed)
    huge = np.ldexp(counts, 600)
    _, cuts, *_ = kernels.cut_columns(values, huge, ends, "mdl", 1, 52)
    _, others, *_ = kernels.cut_columns(values, np.column_stack([huge, np.zeros(len(huge))]), ends, "mdl", 1, 52)
    np.testing.assert_array_equal(cuts, others)


@given(st.integers(0, 999), st.sampled_from([20, 300]), st.integers(1, 3))
def test_columns_of_negative_counts_are_smoothed_without_harm(seed, size, classes):
    """Counts from which other rows were subtracted than they held."""
    values, counts, ends = columns(size, classes, seed)
    *plain, halves, nats = kernels.cut_columns(values, counts, ends, "fitted", 1, 12)
    pseudo = np.ones(len(plain[3]))
    less = counts - np.random.default_rng(seed).poisson(3.0, counts.shape)
    _, sizes, *_ = kernels.smooth_columns(values, less, ends, *plain, pseudo, nats, 12)
    assert sizes.shape == halves.shape == (1,)


@given(
    st.integers(0, 999), st.sampled_from([20, 300, 1500]), st.integers(1, 3), st.sampled_from([6, 60]), st.booleans()
)
@example(0, 20, 2, 6, True)
@example(0, 300, 3, 60, True)
@example(0, 1500, 2, 6, True)
@example(83, 20, 2, 60, True)  # as many intervals as values, but not because they are apart
def test_fitted_cuts_make_the_classes_most_likely(seed, size, classes, most, codes):
    values, counts, ends = columns(size, classes, seed, most)
    if codes:  # neighbours have nothing in common
        counts = np.where(np.arange(len(values))[:, None] % classes == np.arange(classes), counts, counts // 4.0)
        counts[counts.sum(axis=1) == 0, 0] = 1.0
    _, cuts, _, _, _, (nats,) = kernels.cut_columns(values, counts, ends, "fitted", 7, 12)
    _, described, *_ = kernels.cut_columns(values, counts, ends, "mdl", 7, 12)
    many = counts.sum() >= ENOUGH
    tried = [halves(values, counts, each) for each in (TRIED if many else [7])]
    apart = [values[:-1] / 2.0 + values[1:] / 2.0] if can_be_apart(counts) else []
    found = {**{tuple(each): GAIN_APART for each in apart}, **{tuple(each): 0.0 for each in tried}}
    by_class = {tuple(described): 0.0} if many else {}
    likely = {each: log_likelihood(values, counts, each) - less for each, less in {**by_class, **found}.items()}
    assert likely[tuple(cuts)] == pytest.approx(max(likely.values()), rel=1e-9)
    assert nats == pytest.approx(0.0 if tuple(cuts) in found else len(cuts) * np.log(len(values)))


@pytest.mark.parametrize(("rows", "intervals"), [(2, 10), (3, 40), (24, 40)])
def test_values_whose_classes_have_nothing_in_common_are_intervals_of_their_own(rows, intervals):
    """Codes of 40 groups of so many rows; two are too few to tell."""
    counts = np.zeros((40, 2))
    counts[np.arange(40), np.arange(40) * 7 % 3 % 2] = rows
    sizes, *_ = kernels.cut_columns(np.arange(40.0), counts, np.array([40]), "fitted", 10, 12)
    assert sizes.tolist() == [intervals]


@given(
    st.lists(st.lists(WHOLE_LINE, max_size=12), min_size=1, max_size=4),
    st.sampled_from(["equal length", "equal count", "mdl"]),
    st.sampled_from([1, 5, 12, 52]),
    st.sampled_from([1, 2, 7]),
)
def test_intervals_are_made_of_whole_steps_of_the_rounding(columns, method, bits, intervals):
    values = [np.unique(values_of_keys(value_keys(np.array(each, float), bits), bits)) for each in columns]
    counts = [1.0 + np.arange(2.0 * len(each)).reshape(-1, 2) % 3 for each in values]
    known = np.concatenate(values), np.concatenate(counts), np.cumsum(list(map(len, values)))
    sizes, cuts, edges, table, half, _ = kernels.cut_columns(*known, method, intervals, bits)
    ends = np.cumsum(sizes)
    for i, (x, n, end, size) in enumerate(zip(values, counts, ends, sizes, strict=True)):
        own, bounds = cuts[end - size - i : end - i - 1], edges[end - size + i : end + i + 1]
        if not len(x):
            assert (own.tolist(), bounds.tolist(), half[i]) == ([], [-np.inf, np.inf], 1.0)
            continue
        kept, expected = whole_cells(x, own, bits)
        assert (own.tolist(), bounds.tolist()) == (kept.tolist(), expected.tolist())
        at = bounds[1:-1].searchsorted(x, "right")
        assert np.array_equal(at, own.searchsorted(x, "right"))
        np.testing.assert_array_equal(table[end - size : end], [n[at == j].sum(axis=0) for j in range(size)])


@given(st.integers(0, 999), st.sampled_from([8, 40, 250, 2000]), st.integers(1, 3), st.sampled_from([5, 8, 12]))
def test_smoothed_columns_equal_their_reference(seed, size, classes, bits):
    values, counts, ends = columns(size, classes, seed, bits=bits)
    sizes, cuts, edges, plain, _, nats = kernels.cut_columns(values, counts, ends, "fitted", 10, bits)
    pseudo = np.ones(len(plain))
    (density,), _, *found = kernels.smooth_columns(values, counts, ends, sizes, cuts, edges, plain, pseudo, nats, bits)
    grid = Grid.of(values, counts)
    if grid is not None:
        losses, costs = grid.losses()
        gain = plain_loss(plain, pseudo) + nats[0] - losses.min()
        assert abs(gain) < 1e-6 or (gain > 0.0) == (density >= 0)
    if density < 0:
        for given_, same in zip((cuts, edges, plain, pseudo), found, strict=True):
            assert np.array_equal(given_, same)
        return
    assert costs[density] < costs.min() + 1e-6
    kept, bounds = whole_cells(values, grid.cuts(), bits)
    smoothed = grid.spread_over(grid.densities()[0][density], kept, bounds)
    expected = kept, bounds, smoothed, np.maximum(pooled(smoothed), 1e-9)
    for each, same in zip(expected, found, strict=True):
        np.testing.assert_allclose(same, each, rtol=1e-7, atol=1e-9 * counts.sum())


@given(st.integers(0, 999), st.sampled_from([8, 40, 250, 2000]), st.integers(1, 3), st.sampled_from([1.0, 2.5]))
def test_leaving_out_by_every_density_equals_the_reference(seed, size, classes, weight):
    values, counts, _ = columns(size, classes, seed)
    grid = Grid.of(values, counts)
    assume(grid is not None)
    cuts, edges = whole_cells(values, grid.cuts(), 12)
    for density, smoothed in enumerate(grid.densities()[0]):
        np.testing.assert_allclose(smoothed.sum(axis=0), grid.counts.sum(axis=0), rtol=1e-9)  # none lost at the ends
        known = cuts, edges, np.ascontiguousarray(grid.spread_over(smoothed, cuts, edges))
        left = kernels.leave_out_smoothed(values, counts, density, weight, *known)
        expected, filled = grid.left_out(density, weight, *known)
        np.testing.assert_allclose(left[filled], expected[filled], rtol=1e-5, atol=1e-7 * counts.sum())


def test_several_columns_are_made_like_each_alone():
    parts = [columns(size, 2, seed) for seed, size in enumerate([2000, 5, 300, 40])]
    known = np.concatenate([each[0] for each in parts]), np.concatenate([each[1] for each in parts])
    ends = np.cumsum([len(each[0]) for each in parts])

    def made(values, counts, ends):
        sizes, cuts, edges, plain, half, nats = kernels.cut_columns(values, counts, ends, "fitted", 10, 12)
        smooth = kernels.smooth_columns(values, counts, ends, sizes, cuts, edges, plain, np.ones(len(plain)), nats, 12)
        return [sizes, cuts, edges, plain, half, nats, *smooth]

    each = [made(*part) for part in parts]
    for together, apart in zip(made(*known, ends), zip(*each, strict=True), strict=True):
        assert np.array_equal(together, np.concatenate(apart))
    assert {int(density) >= 0 for density in made(*known, ends)[6]} == {True, False}
