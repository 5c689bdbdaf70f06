"""The tally of one row: doubles and their exact squares, the same for every family and input form."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from family_values import family_of, names, rows_of
from tallybayes import Model, Schema, Words, digest, kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.row_tally import ONCE, RowTally
from tallybayes.counts.sums import Square
from tallybayes.counts.tally import Tally

FINITE = st.floats(allow_nan=False, allow_infinity=False)
STATISTICS = ("n", "x", "xx")
SHAPES = {
    "a dictionary": lambda value: {"x": value},
    "a dictionary of lists": lambda value: {"x": [value]},
    "a list of dictionaries": lambda value: [{"x": value}],
    "a record batch": lambda value: pa.record_batch({"x": pa.array([value])}),
    "the text itself": lambda value: value,
    "a list of the text": lambda value: [value],
}


def row(value, key="a"):
    return RowTally(("", key, STATISTICS, (1.0, value, value), (False, False, True)))


def summed(values):
    """The same with fractions."""
    x = [Fraction(value) for value in values]
    return {"n": [len(x)], "x": [sum(x)], "xx": [sum(value**2 for value in x)]}


@given(FINITE, st.booleans())
@example(0.0, True)
@example(-0.0, False)
@example(5e-324, True)
@example(-1.7976931348623157e308, True)
def test_limbs_of_a_double_and_its_square_are_exact(value, squared):
    assert Exact(*kernels.limbs_of(value, squared)).fractions() == [Fraction(value) ** (2 if squared else 1)]


@given(st.lists(FINITE, min_size=1, max_size=6), st.lists(FINITE, max_size=3))
def test_rows_add_and_subtract_exactly(kept, forgotten):
    tally = Tally.empty(STATISTICS)
    for value in kept + forgotten:
        tally += row(value)
    for value in forgotten:
        tally -= row(value)
    assert {name: array.fractions() for name, array in tally.sums.items()} == summed(kept)


@given(FINITE, FINITE)
def test_inspected_row_adds_the_same(a, b):
    seen, unseen = row(a, key="b"), row(a, key="b")
    assert seen.classes == ["b"]
    assert row(b) + seen == row(b) + unseen


def test_modified_row_adds_its_new_value():
    changed = row(2.0)
    changed += row(3.0)
    total = row(1.0)
    total += changed
    assert {name: array.fractions() for name, array in total.sums.items()} == {"n": [3], "x": [6], "xx": [14]}


def test_row_brings_its_slot_and_class():
    tally = Tally(["a"], ["rain"], {"n": Exact.counts(np.array([[2]]))})
    for slot, key in (("sun", "b"), ("rain", "b"), ("sun", "b")):
        tally += RowTally((slot, key, *ONCE))
    assert (tally["rain"], tally["sun"]) == ({"a": 2, "b": 1}, {"a": 0, "b": 2})


def test_kernel_refuses_non_finite_values():
    for value in (np.inf, -np.inf, np.nan):
        with pytest.raises(ValueError, match="not finite"):
            kernels.limbs_of(value, False)


@given(st.lists(st.floats(), min_size=1, max_size=5))
def test_statistics_of_a_row_come_cell_by_cell(cells):
    x = np.array(cells)
    same = np.int64(2), np.float32(3.0), np.array(4.0)  # numbers that are the same for every cell
    names, squared = tuple("nxymabc"), (False, False, True, False, False, False, False)
    rows, finite = kernels.row_values((1, x, Square(-x), x > 0, *same), len(x), "a", names, squared)
    expected = [(1.0, value, -value, value > 0, 2.0, 3.0, 4.0) for value in cells]
    np.testing.assert_array_equal([row[3] for row in rows], expected)
    assert all((*row[:3], row[4]) == ("", "a", names, squared) for row in rows)
    assert finite == np.isfinite(x).all()
    with pytest.raises(ValueError, match="every cell"):
        kernels.row_values((1, x), len(x) + 1, "a", names[:2], squared[:2])


@pytest.mark.parametrize("name", names)
@given(data=st.data())
def test_single_rows_in_any_form_equal_one_batch(name, data):
    rows = data.draw(rows_of(name, least=1))
    schema = Schema({"x": family_of(name)})
    together = Model.train(schema, {"x": pa.array([value for value, _ in rows])}, [label for _, label in rows])
    alone = Model(schema)
    for value, label in rows:
        vector, text = isinstance(value, list), isinstance(value, str)
        shapes = ["a record batch"] if vector else list(SHAPES)[: None if text else -2]
        alone += Model.train(schema, SHAPES[data.draw(st.sampled_from(shapes))](value), [label])
    assert digest(alone) == digest(together)


@given(st.text(max_size=30).filter(lambda text: text.isprintable()))
def test_text_in_any_form_gets_the_same_answer(text):
    model = Model.train(Schema({"x": Words()}), {"x": ["free prize", "lunch on monday"]}, ["spam", "ham"])
    expected = model.posterior({"x": pa.array([text, "lunch"])})[:1]
    for make in SHAPES.values():
        np.testing.assert_array_equal(model.posterior(make(text)), expected)
