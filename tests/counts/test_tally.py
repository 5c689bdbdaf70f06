"""Tallies: labels aligned by name, cost proportional to the change, one canonical form, finite decay."""

import threading

import numpy as np
import pytest

from tallybayes import Categorical, Model, Schema, kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.integer_tally import IntegerTally
from tallybayes.counts.row_tally import RowTally
from tallybayes.counts.slots import as_positions, positions
from tallybayes.counts.tally import Rows, Tally
from tallybayes.model.batches import in_pieces


def counts(classes, slots, numbers):
    return Tally(classes, slots, {"n": Exact.counts(np.array(numbers, np.int64).reshape(len(slots), len(classes)))})


def test_labels_are_aligned_by_name_and_absent_ones_count_zero():
    total = counts(["b", "a"], ["y", "x"], [[1, 2], [3, 4]]) + counts(["c", "a"], ["z", "x"], [[10, 20], [30, 40]])
    assert repr(total) == "n   a  b   c\nx  44  3  30\ny   2  1   0\nz  20  0  10"


def test_empty_slots_and_classes_do_not_exist():
    whole = counts(["a", "b"], ["x", "y"], [[1, 0], [0, 5]])
    left = whole - counts(["b"], ["y"], [[5]])
    assert left == counts(["a"], ["x"], [[1]])
    assert (left.canonical().classes, left.canonical().slots) == (["a"], ["x"])


@pytest.mark.parametrize("size", [2, 3, 5])
def test_positions_align_with_longer_and_shorter_ones(size):
    whole = counts(["a"], positions(3), [[1], [2], [3]])
    assert whole.aligned(positions(size), ["a"]).sums["n"].round()[:, 0].tolist() == [1.0, 2.0, 3.0, 0.0, 0.0][:size]
    assert whole.read(positions(size), ["b", "a"])["n"].round()[:, 0].tolist() == [0.0] * size


def test_positions_share_one_object():
    assert positions(7) is positions(7, vectors=False) is as_positions(list(range(7)))


def met_in_turn(total, of):
    """Learns and forgets three thousand slots, one of which is kept every hundred; the most slots held meanwhile."""
    most = 0
    for i in range(3000):
        part = of(i)
        total += part
        most = max(most, len(total))
        if i % 100:
            total -= part
    return most


@pytest.mark.parametrize(
    "of",
    [
        lambda i: counts(["a" if i % 2 else "b"], [f"{i}"], [[1]]),
        lambda i: IntegerTally(["a" if i % 2 else "b"], np.array([i]), {"n": Exact.counts(np.array([[1]]))}),
        lambda i: RowTally((f"{i}", "a", ("n", "x"), (1.0, i / 3), (False, True))),
    ],
)
def test_empty_slots_take_no_room_for_ever(of):
    total, kept = of(0) - of(0), of(0) - of(0)
    assert met_in_turn(total, of) < 2000
    for i in range(0, 3000, 100):
        kept += of(i)
    assert total == kept


def test_many_new_slots_added_one_by_one():
    total = Tally.empty(("n",))
    for i in range(300):
        total += counts(["a" if i % 2 else "b"], [f"{i:03}"], [[i]])
    assert total.canonical().slots == [f"{i:03}" for i in range(1, 300)]
    assert total.sums["n"].sum().sum().round() == sum(range(300))


def test_learning_touches_only_the_changed_slots():
    schema = Schema({"w": Categorical()})
    model = Model.train(schema, {"w": [f"w{i}" for i in range(1000)]}, ["a"] * 1000)
    before = model.columns["w"]._arrays["n"].limbs
    model += Model.train(schema, {"w": ["w17"]}, ["a"])
    assert model.columns["w"]._arrays["n"].limbs is before
    assert model.counts("w").aligned(["w17"], ["a"]).sums["n"].round().item() == 2


def test_in_place_addition_carries_before_overflow():
    x = Exact.zeros((1,))
    most = Exact(np.array([[(1 << 62) - 1]]))
    for _ in range(9):
        x.add_at(np.ix_([0]), most)
    assert x.fractions() == [9 * ((1 << 62) - 1)]


def test_decay_ends():
    tally = counts(["a"], ["dead", "alive"], [[1], [1]])
    for _ in range(2000):
        tally = tally * 0.9 + counts(["a"], ["alive"], [[1]])
    assert tally.canonical().slots == ["alive"]
    assert tally.sums["n"].limbs.shape[-1] <= 8
    assert tally.canonical().sums["n"].round().item() == pytest.approx(10.0)


def test_weighted_rows_are_exact():
    rows = Rows(["a", "b"], np.array([0, 1, 0, -1], np.int32), np.array([0.1, 2.0, 0.2, 5.0]))
    found = rows.count(np.array([0, 0, 0, 0], np.int32), 1)
    assert found == Exact.of([[0.1, 2.0]]) + Exact.of([[0.2, 0.0]])


def test_pieces_run_in_parallel_and_return_in_order():
    barrier = threading.Barrier(3, timeout=120)

    def work(start, stop):
        barrier.wait()  # passes only if three run at once
        return start, stop

    assert list(in_pieces(10, 3, work)) == [(0, 3), (3, 6), (6, 10)]
    assert list(in_pieces(2, 8, lambda a, b: (a, b))) == [(0, 1), (1, 2)]
    assert list(in_pieces(5, None, lambda a, b: (a, b))) == [(0, 5)]


def test_error_in_one_piece_stops_the_others():
    ended, barrier = [], threading.Barrier(2, timeout=120)

    def work(start, stop):
        barrier.wait()
        if start == 0:
            raise ValueError("the first row")
        try:
            while True:
                kernels.heed_signals()
        finally:
            ended.append((start, stop))

    with pytest.raises(ValueError, match="the first row"):
        list(in_pieces(10, 2, work))
    assert ended == [(5, 10)]
    kernels.heed_signals()  # this thread was not told to stop
