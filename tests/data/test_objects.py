"""The meaning of a cell depends on the cell alone, not on its neighbours or batch."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bernoulli, Categorical, Gaussian, Model, NaiveBayes, Schema, Words, digest
from tallybayes.data import frames

CELLS = [
    None,
    float("nan"),
    True,
    False,
    np.True_,
    0,
    1,
    -3,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**70,
    np.int8(3),
    np.uint64(7),
]
CELLS += [1.0, 0.5, -0.0, 1e300, 2.0**53, np.float64(0.1), np.float32(0.1), np.float16(0.1), np.float32(2.0)]
CELLS += [Decimal("0.10"), Decimal("1E+3"), Decimal("1E-50"), Decimal("1E+50"), Decimal("NaN"), "1", "a", "", b"a"]

makes = st.sampled_from(
    [
        lambda cells: {"x": cells},
        lambda cells: {"x": tuple(cells)},
        lambda cells: {"x": np.array([*cells, None], object)[:-1]},
        lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}),
    ]
)


def read(make, cells):
    """Numbers and texts of a column, if any; nothing if it is refused."""
    try:
        ((batch,),) = [list(frames.batches(make(cells)))]
    except ValueError:
        return None
    found = []
    for meaning in (lambda c: frames.numbers(c).tolist(), lambda c: frames.texts(c).to_pylist()):
        try:
            found.append(meaning(batch.column(0)))
        except ValueError:
            found.append(None)
    return found


@settings(max_examples=some(500))
@given(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4), makes)
@example([0.5, True], lambda cells: {"x": cells})
@example([np.True_, 1], lambda cells: {"x": cells})
@example([0.2, np.float32(0.1)], lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
@example(["a", b"a"], lambda cells: {"x": cells})
@example([2**53 + 1, 0.5], lambda cells: {"x": cells})
@example([Decimal("0.1"), 1], lambda cells: {"x": cells})
def test_cell_means_the_same_among_others_or_the_column_is_refused(cells, make):
    among = read(make, cells)
    if among is None:
        return
    for meaning, found in enumerate(among):
        if found is None:
            continue
        for at, cell in enumerate(cells):
            (alone,) = read(make, [cell])[meaning] or [None]
            missing = found[at] is None or found[at] != found[at]
            assert missing if alone is None or alone != alone else found[at] == alone


@settings(max_examples=some(200))
@given(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4), makes)
def test_order_of_cells_does_not_matter(cells, make):
    try:
        expected = digest(Model.train(Schema({"x": Categorical()}), make(cells), [0] * len(cells)))
    except ValueError:
        with pytest.raises(ValueError, match=r"Column 'x'|cannot be read as Arrow"):
            Model.train(Schema({"x": Categorical()}), make(cells[::-1]), [0] * len(cells))
        return
    assert digest(Model.train(Schema({"x": Categorical()}), make(cells[::-1]), [0] * len(cells))) == expected


@pytest.mark.parametrize("cells", [[0.5, True], [True, 0.5], [np.True_, 1], [1, True]])
def test_booleans_among_numbers_are_refused_in_any_order(cells):
    for family in (Gaussian(), Categorical(), Bernoulli()):
        for data in ({"x": cells}, pd.DataFrame({"x": pd.Series(cells, dtype=object)})):
            with pytest.raises(ValueError, match=r"Column 'x' mixes types|cannot be read as Arrow"):
                Model.train(Schema({"x": family}), data, ["a", "a"])


@pytest.mark.parametrize("labels", [[0.5, True], [True, 0.5], [np.True_, 1], ["a", b"a"], [b"a", "a"]])
def test_labels_of_two_types_are_refused_in_any_order(labels):
    with pytest.raises(TypeError, match=r"The labels mix .* Give labels of one type"):
        Model.train(Schema({"x": Gaussian()}), {"x": [1.0, 2.0]}, labels)


def test_large_integers_stay_exact_next_to_fractions():
    model = Model.train(Schema({"x": Categorical()}), {"x": [2**53 + 1, 0.5, 2**64]}, ["a", "a", "b"])
    assert model.counts("x").slots == ["0.5", str(2**64), str(2**53 + 1)]


OTHERS = [np.float32(0.5), np.float16(0.5), np.int8(1), np.uint64(1), np.True_, np.longdouble(0.5), np.void(b"ab")]


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: type(other).__name__)
@pytest.mark.parametrize("time", [np.datetime64("2020-02-29"), np.datetime64("NaT", "D")], ids=str)
def test_numpy_times_mixed_with_other_values_are_refused_without_a_crash(time, other):
    schema = Schema({"x": Categorical()})
    mixed = [time, other]
    frames_of = [{"x": mixed}, {"x": ["a", *mixed]}, pd.DataFrame({"x": pd.Series(mixed, dtype=object)})]
    for frame in frames_of:
        with pytest.raises(ValueError, match=r"Column 'x' mixes types.*times stand among other values"):
            Model.train(schema, frame, ["a"] * len(frame["x"]))
    with pytest.raises(TypeError, match=r"The labels mix .*datetime64.*\. Give labels of one type"):
        Model.train(schema, {"x": ["a", "b"]}, mixed)


TEXTS = st.lists(
    st.text(st.sampled_from("a\0é"), max_size=4).map(lambda text: text.rstrip("\0")), min_size=2, max_size=9
)


@given(texts=TEXTS)
@example(texts=["a\0b", "a"])
def test_array_of_texts_means_the_same_as_a_list(texts):
    """numpy ends a text before its last NULs, and Arrow would before the first."""
    labels = ["p", "q"] * len(texts)
    for array in (np.array(texts), np.array(texts, f">U{max(map(len, texts)) or 1}"), np.array(texts)[::-1][::-1]):
        for kind in (Categorical(), Words(shortest=1)):
            expected = Model.train({"x": kind}, {"x": texts}, labels[: len(texts)])
            assert digest(Model.train({"x": kind}, {"x": array}, labels[: len(texts)])) == digest(expected)
        assert Model.train({"x": kind}, {"x": texts}, array).classes == sorted(set(texts))
        assert NaiveBayes().fit({"x": np.arange(len(texts)) % 2}, array).classes_.tolist() == sorted(set(texts))
