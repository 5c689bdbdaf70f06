"""Sums of words by class."""

from tallybayes.counts.sparse import SparseTally


def test_totals_by_ngram_length_stay_up_to_date():
    tally = SparseTally.of(["a", "b"], {("x", "a"): 3, ("x y", "a"): 2, ("x y", "b"): 5, ("x y z", "b"): 7})
    assert tally.sum_by_run("n", ["b", "gone", "a"]).round()[:3].tolist() == [[0, 0, 3], [5, 0, 2], [7, 0, 0]]
    more = SparseTally.of(["c", "a"], {("new", "c"): 1, ("x y", "a"): 4, ("1 2 3 4 5 6", "c"): 9, ("\3x y", "a"): 8})
    tally += more
    found = tally.sum_by_run("n", ["a", "b", "c"]).round().tolist()
    assert found == [[3, 0, 1], [6, 5, 0], [0, 7, 0], [0, 0, 0], [0, 0, 9], [8, 0, 0]]
    tally -= more
    assert tally.sum_by_run("n", ["a", "b"]).round().tolist() == [[3, 0], [2, 5], [0, 7], [0, 0], [0, 0], [0, 0]]
