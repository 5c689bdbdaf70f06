"""Which equal rows are copies of one row, and which are independent cases."""

import numpy as np
import pyarrow as pa
import pytest

from tallybayes.model.sampled_rows import DEPENDENT, FEW, MANY, are_cases, come_as_they_are

EVERY = [(a, b, c) for a in "0123" for b in "0123" for c in "0123"]  # distinct rows of three columns


def cases(columns, number, asked=None, total=None):
    number = np.asarray(number, float)
    batch = pa.RecordBatch.from_pydict({f"x{i}": list(column) for i, column in enumerate(columns)})
    asked = np.ones(len(number), bool) if asked is None else np.asarray(asked)
    return are_cases(batch, number, asked, number.sum() if total is None else total)


def test_equal_rows_of_few_levels_are_cases():
    assert cases(zip(*EVERY, strict=True), np.full(64, 3)).all()


@pytest.mark.parametrize(("times", "numbers"), [(2, 1), (MANY - 1, 1), (MANY, 4), (1000, 4)])
def test_equal_rows_with_numbers_that_no_other_row_has_are_copies(times, numbers):
    columns = [*zip(*EVERY * 2, strict=True), *(np.arange(128) / (i + 2) for i in range(numbers))]
    assert not cases(columns, np.full(128, times)).any()


def test_rows_that_are_more_frequent_than_columns_let_expect_are_copies():
    number = np.full(64, 3)
    number[7] = 60  # 4.4 are expected
    found = cases(zip(*EVERY, strict=True), number)
    assert np.flatnonzero(~found).tolist() == [7]


def test_only_rows_asked_about_may_be_cases():
    asked = np.arange(64) % 3 == 0
    np.testing.assert_array_equal(cases(zip(*EVERY, strict=True), np.full(64, 3), asked), asked)


def test_few_distinct_rows_of_many_are_cases_however_their_columns_depend_on_each_other():
    same = [[str(i) for i in range(FEW)]] * 20
    assert cases(same, np.full(FEW, MANY)).all()
    assert not cases(same, np.full(FEW, MANY - 1)).any()


def test_where_equal_rows_are_common_columns_may_depend_on_each_other():
    columns = [*zip(*EVERY * 3, strict=True)]
    same = [str(at // 64) for at in range(192)]  # three levels
    number = np.full(192, MANY)
    assert 3**12 < DEPENDENT < 3**13
    assert cases([*columns, *[same] * 13], number).all()
    assert not cases([*columns, *[same] * 14], number).any()
    assert not cases([*columns, *[same] * 13], number - 1).any()


def test_rows_outside_of_the_sample_count_as_well():
    assert not cases(zip(*EVERY, strict=True), np.full(64, 2), total=20).any()
    assert cases(zip(*EVERY, strict=True), np.full(64, 2), total=2_000).all()


UNEQUAL, EQUAL = 1 + 200 // np.arange(1, 301), 1 + np.arange(300) % 5
CUSTOMER, STATE = [f"customer {i}" for i in range(300)], [str(i % 12) for i in range(300)]


@pytest.mark.parametrize(
    ("columns", "number", "numeric", "expected"),
    [
        ([CUSTOMER], UNEQUAL, [], True),
        ([CUSTOMER, STATE, STATE], UNEQUAL, [], True),
        ([[*CUSTOMER[:280], *CUSTOMER[:20]], STATE], UNEQUAL, [], True),
        ([[*CUSTOMER[:260], *CUSTOMER[:40]], STATE], UNEQUAL, [], False),  # the state tells some of them apart
        ([CUSTOMER, np.arange(300) / 7], UNEQUAL, ["x1"], False),
        ([CUSTOMER, STATE], EQUAL, [], False),  # 1 to 5 times: repeated at random
        ([CUSTOMER, STATE], 1 + np.arange(300) % 20, [], False),
        ([CUSTOMER, STATE], np.random.default_rng(0).multinomial(3_000, np.full(300, 1 / 300)), [], False),
        ([CUSTOMER, STATE], np.where(np.arange(300) % 3 == 0, 30, 1), [], False),  # to balance the classes
    ],
)
def test_levels_that_tell_rows_apart_and_come_unequally_often_make_a_list_of_cases(columns, number, numeric, expected):
    batch = pa.RecordBatch.from_pydict({f"x{i}": list(column)[:300] for i, column in enumerate(columns)})
    labels = np.where(np.arange(300) % 3 == 0, 1, 0)
    assert come_as_they_are(batch, number.astype(float), labels, set(numeric)) == expected


def test_customers_of_two_rows_do_not_look_like_one_in_a_small_sample():
    batch = pa.RecordBatch.from_pydict({"customer": [str(i % 280) for i in range(300)], "state": STATE})
    labels = np.zeros(300, np.int32)
    assert come_as_they_are(batch, UNEQUAL.astype(float), labels, set())
    assert not come_as_they_are(batch, UNEQUAL.astype(float), labels, set(), sampled=0.1)
