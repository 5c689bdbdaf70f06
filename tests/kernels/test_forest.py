"""Forest kernels against slow references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slow_forest import SlowForest, grown_with, mark
from tallybayes import kernels

BEST, DRAWN, ANY = range(3)
CLASSES = 3
LEAF = 255 << 56
WITHIN = {"rtol": 1e-12, "atol": 1e-12}


def leaf(at):
    return LEAF | at


def asks(yes, column=0, low=0, span=1):
    return yes | column << 32 | low << 48 | span << 56


def packed(*nodes):
    return np.array(nodes, np.uint64).view(np.int64)


def forest_of(nodes, roots=(0,), columns=1):
    return kernels.Forest(packed(*nodes), np.array(roots, np.int32), columns)


def grown(codes, labels, kind, seed, trees=3, weights=None, least=2):
    """Trees in sequence."""
    marks, by_column = kernels.mark_codes(codes), np.ascontiguousarray(codes.T)
    nominal = np.arange(codes.shape[1], dtype=np.uint8) % 2
    given = (by_column, labels, weights, marks, nominal, CLASSES, kind, 2, seed)
    found = [kernels.grow_tree(*given, tree, least) for tree in range(trees)]
    roots = np.cumsum([0, *map(len, found)])
    nodes = np.concatenate([each + start for each, start in zip(found, roots, strict=False)])
    return nodes, roots[:-1].astype(np.int32)


@st.composite
def coded(draw, most=24):
    columns = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 5)] * columns), min_size=1, max_size=most))
    labels = draw(st.lists(st.integers(0, CLASSES - 1), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, np.uint8), np.array(labels, np.int32)


GROWN = (coded(), st.sampled_from([BEST, DRAWN, ANY]), st.integers(0, 2**62))


def both(codes, labels, kind, seed):
    nodes, roots = grown(codes, labels, kind, seed)
    return kernels.Forest(nodes, roots, codes.shape[1]), SlowForest(nodes, roots)


def counted(forest, codes, labels, weights=None, trees=3):
    counts = np.zeros((forest.leaves, CLASSES))
    for tree in range(trees):
        at = forest.find(codes, tree) + forest.first_leaf(tree)
        np.add.at(counts, (at, labels), 1.0 if weights is None else weights)
    return counts


@given(
    st.lists(st.floats(-10, 10) | st.integers(-3, 3).map(float) | st.just(float("nan"))),
    st.lists(st.floats(-10, 10) | st.integers(-3, 3).map(float), unique=True, max_size=254).map(sorted),
)
def test_interval_ends_at_the_first_edge_not_below_the_value(x, edges):
    x, edges = np.array(x, np.float64), np.array(edges, np.float64)
    codes = np.full((len(x), 2), 99, np.uint8)
    kernels.code_numbers(x, edges, codes, 1)
    np.testing.assert_array_equal(codes[:, 1], np.where(np.isnan(x), 0, 1 + np.searchsorted(edges, x)))
    np.testing.assert_array_equal(codes[:, 0], 99)


def test_maximum_number_of_edges():
    edges = np.arange(254, dtype=np.float64)
    codes = np.zeros((4, 1), np.uint8)
    kernels.code_numbers(np.array([-1.0, 253.0, 253.5, np.nan]), edges, codes, 0)
    assert codes[:, 0].tolist() == [1, 254, 255, 0]


@given(*GROWN)
def test_row_reaches_the_leaf_of_its_answers(rows, kind, seed):
    forest, slow = both(*rows, kind, seed)
    assert forest.leaves == len(slow.leaves)
    asked = np.random.default_rng(0).integers(0, 256, (40, rows[0].shape[1])).astype(np.uint8)
    for codes in (rows[0], asked):
        for tree in range(3):
            assert forest.find(codes, tree).tolist() == [slow.leaf(row, tree) for row in codes.tolist()]


def test_many_rows_reach_leaves_at_very_different_depths():
    chain = [node for k in range(200) for node in (asks(2 * k + 1, low=k, span=0), leaf(2 * k + 1))]
    order = [
        chain[0],
        *(node for k in range(1, 200) for node in (chain[2 * k - 1], chain[2 * k])),
        chain[-1],
        leaf(400),
    ]
    forest = forest_of(order)
    codes = np.random.default_rng(0).integers(0, 256, (1_300, 1)).astype(np.uint8)
    assert forest.find(codes, 0).tolist() == np.minimum(codes[:, 0], 200).tolist()


def test_each_of_many_rows_is_left_out_as_if_it_were_asked_alone():
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, 40, (1_300, 2)).astype(np.uint8), rng.integers(0, CLASSES, 1_300).astype(np.int32)
    forest = kernels.Forest(*grown(codes, labels, BEST, 0), 2)
    counts, marks = counted(forest, codes, labels), kernels.mark_codes(codes)
    together = forest.left_out_sums(codes, labels, None, marks, counts, 0.5, 0, 3)
    each = [slice(row, row + 1) for row in range(len(codes))]
    alone = [forest.left_out_sums(codes[at], labels[at], None, marks[at], counts, 0.5, 0, 3) for at in each]
    for ours, theirs in zip(together, zip(*alone, strict=True), strict=True):
        np.testing.assert_array_equal(ours, np.concatenate(theirs))


@given(*GROWN, st.sampled_from([0.5, 2.0]))
def test_probabilities_follow_the_path_of_counts(rows, kind, seed, m):
    (codes, labels), (forest, slow) = rows, both(*rows, kind, seed)
    counts = counted(forest, codes, labels)
    chances, logs = forest.believe(counts, m)
    np.testing.assert_allclose(logs, np.log(chances), **WITHIN)
    known = [(row, c, 1.0) for row, c in zip(codes.tolist(), labels.tolist(), strict=True)]
    for first, last in ((0, 3), (1, 2), (2, 2)):
        sums, log_sums = forest.sums(codes, chances, logs, first, last)
        few = forest.few_sums(codes, forest.node_counts(counts), m, first, last)
        np.testing.assert_array_equal(few, (sums, log_sums))
        for at, row in enumerate(codes.tolist()):
            said = np.array([slow.chances(row, tree, known, m, CLASSES) for tree in range(first, last)])
            said = said.reshape(last - first, CLASSES)
            np.testing.assert_allclose(sums[at], said.sum(axis=0), **WITHIN)
            np.testing.assert_allclose(log_sums[at], np.log(said).sum(axis=0), **WITHIN)


@given(*GROWN, st.booleans(), st.booleans())
def test_leave_one_out_uses_counts_without_the_row_and_trees_grown_without_it(rows, kind, seed, weighed, marked):
    (codes, labels), (forest, slow) = rows, both(*rows, kind, seed)
    weights = np.array([1.0, 2.0, 0.5])[np.arange(len(labels)) % 3] if weighed else None
    marks = kernels.mark_codes(codes) if marked else None
    counts = counted(forest, codes, labels, weights)
    sums, log_sums, used = forest.left_out_sums(codes, labels, weights, marks, counts, 0.5, 0, 3)
    weighs = [1.0] * len(labels) if weights is None else weights.tolist()
    known = list(zip(codes.tolist(), labels.tolist(), weighs, strict=True))
    for at, (row, _, _) in enumerate(known):
        others = known[:at] + known[at + 1 :]
        asked = [tree for tree in range(3) if not marked or not grown_with(mark(row), tree)]
        said = np.array([slow.chances(row, tree, others, 0.5, CLASSES) for tree in asked]).reshape(-1, CLASSES)
        assert used[at] == len(asked)
        np.testing.assert_allclose(sums[at], said.sum(axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(log_sums[at], np.log(said).sum(axis=0), rtol=1e-9, atol=1e-9)


@given(*GROWN)
def test_changes_are_assigned_to_the_column_asked(rows, kind, seed):
    (codes, labels), (forest, slow) = rows, both(*rows, kind, seed)
    counts, columns = counted(forest, codes, labels), codes.shape[1]
    known = [(row, c, 1.0) for row, c in zip(codes.tolist(), labels.tolist(), strict=True)]
    for row, found in zip(codes.tolist(), forest.changes(codes, counts, 0.5), strict=True):
        said = [slow.changes(row, tree, known, 0.5, CLASSES, columns) for tree in range(3)]
        np.testing.assert_allclose(found, np.sum(said, axis=0), rtol=1e-9, atol=1e-9)


def test_third_of_the_trees_is_grown_without_a_row_except_frequent_rows():
    codes = np.random.default_rng(0).integers(0, 256, (500, 4)).astype(np.uint8)
    assert kernels.mark_codes(codes).tolist() == [mark(row) for row in codes.tolist()]
    trees = 40
    forest = kernels.Forest(packed(*map(leaf, range(trees))), np.arange(trees, dtype=np.int32), 4)
    labels, counts = np.zeros(500, np.int32), np.full((trees, 2), 500.0)
    marks = kernels.mark_codes(codes)
    *_, used = forest.left_out_sums(codes, labels, None, marks, counts, 0.5, 0, trees)
    assert used.mean() / trees == pytest.approx(0.368, abs=0.01)
    *_, used = forest.left_out_sums(codes, labels, None, np.zeros_like(marks), counts, 0.5, 0, trees)
    assert (used == trees).all()


@given(coded(), st.integers(0, 2**62))
def test_best_questions_separate_all_distinguishable_classes(rows, seed):
    (codes, labels), (forest, _) = rows, both(*rows, BEST, seed)
    for tree in range(3):
        leaves = forest.find(codes, tree)
        held = np.array([grown_with(mark(row), tree) for row in codes.tolist()])
        for each in set(leaves.tolist()):
            inside = (leaves == each) & held
            assert len(set(labels[inside])) <= 1 or len(np.unique(codes[inside], axis=0)) == 1


@given(*GROWN)
def test_every_leaf_has_a_training_row(rows, kind, seed):
    (codes, _), (forest, _) = rows, both(*rows, kind, seed)
    ends = [*(forest.first_leaf(tree) for tree in range(3)), forest.leaves]
    for tree in range(3):
        held = [grown_with(mark(row), tree) for row in codes.tolist()]
        if any(held):
            assert set(forest.find(codes, tree)[held].tolist()) == set(range(ends[tree + 1] - ends[tree]))


@given(*GROWN, st.integers(2, 12))
def test_node_of_fewer_rows_than_the_least_is_a_leaf(rows, kind, seed, least):
    codes, labels = rows
    nodes, roots = grown(codes, labels, kind, seed, least=least)
    slow = SlowForest(nodes, roots)
    for tree in range(len(roots)):
        reached = [node for row in codes.tolist() if grown_with(mark(row), tree) for node in slow.path(row, tree)]
        asking = set(reached) - set(slow.leaves)
        assert all(reached.count(node) >= least for node in asking)


@given(coded(), st.integers(0, 2**62))
def test_random_questions_do_not_depend_on_labels(rows, seed):
    codes, labels = rows
    nodes, roots = grown(codes, labels, ANY, seed)
    others, starts = grown(codes, (labels + 1) % CLASSES, ANY, seed)
    assert (nodes.tolist(), roots.tolist()) == (others.tolist(), starts.tolist())


@given(*GROWN)
def test_same_seed_same_questions(rows, kind, seed):
    assert grown(*rows, kind, seed)[0].tolist() == grown(*rows, kind, seed)[0].tolist()


@given(coded(), st.integers(0, 2**62))
def test_weight_two_equals_two_rows(rows, seed):
    codes, labels = rows
    twice = grown(np.repeat(codes, 2, axis=0), np.repeat(labels, 2), BEST, seed)
    assert grown(codes, labels, BEST, seed, weights=np.full(len(labels), 2.0))[0].tolist() == twice[0].tolist()


def test_other_seed_other_questions():
    random = np.random.default_rng(0)
    codes, labels = random.integers(0, 9, (300, 5)).astype(np.uint8), random.integers(0, CLASSES, 300).astype(np.int32)
    assert grown(codes, labels, BEST, 0)[0].tolist() != grown(codes, labels, BEST, 1)[0].tolist()


def test_no_rows_make_a_tree_without_questions():
    nodes, _ = grown(np.zeros((0, 2), np.uint8), np.zeros(0, np.int32), BEST, 0, trees=1)
    assert nodes.tolist() == packed(leaf(0)).tolist()


BAD = {
    "no nodes": ((), (0,)),
    "no trees": ((leaf(0),), ()),
    "begins later": ((leaf(0), leaf(1)), (1,)),
    "yes out of range": ((asks(7), leaf(1), leaf(2)), (0,)),
    "no out of range": ((asks(2), leaf(1), leaf(2)), (0,)),
    "yes at the largest number": ((asks(2**32 - 1), leaf(1), leaf(2)), (0,)),
    "leads back": ((asks(1), asks(0), leaf(2)), (0,)),
    "two ways to one node": ((asks(1), asks(3), asks(3), leaf(3), leaf(4)), (0,)),
    "a node nobody comes by": ((asks(1), leaf(1), leaf(2), leaf(3)), (0,)),
    "leads into the next tree": ((asks(1), leaf(1), leaf(2)), (0, 2)),
    "roots that fall": ((leaf(0), leaf(1), leaf(2)), (0, 2, 1)),
    "a root beyond the end": ((leaf(0),), (0, 1)),
    "a root twice": ((leaf(0), leaf(1)), (0, 0)),
    "a negative root": ((leaf(0), leaf(1)), (0, -1)),
    "a column that is not there": ((asks(1, column=1), leaf(1), leaf(2)), (0,)),
    "a leaf that asks": ((asks(0), leaf(1)), (0,)),
}


@pytest.mark.parametrize(("nodes", "roots"), BAD.values(), ids=BAD)
def test_invalid_trees_are_refused(nodes, roots):
    with pytest.raises(ValueError, match="these are no trees"):
        forest_of(nodes, roots)


def test_valid_trees_are_accepted():
    assert forest_of((asks(1), leaf(1), leaf(2), leaf(3)), (0, 3)).leaves == 3


def test_mismatched_arguments_are_refused():
    forest = forest_of((asks(1), leaf(1), leaf(2)))
    codes, labels, counts = np.zeros((2, 1), np.uint8), np.zeros(2, np.int32), np.zeros((2, 2))
    with pytest.raises(ValueError, match="not of as many columns"):
        forest.find(np.zeros((2, 3), np.uint8), 0)
    for tree in (-1, 1):
        with pytest.raises(ValueError, match="there are no such trees"):
            forest.find(codes, tree)
    with pytest.raises(ValueError, match="a leaf has no counts"):
        forest.believe(np.zeros((1, 2)), 0.5)
    with pytest.raises(ValueError, match="there is no such class"):
        forest.left_out_sums(codes, labels + 2, None, None, counts, 0.5, 0, 1)
    with pytest.raises(ValueError, match="rows differ in length"):
        forest.left_out_sums(codes, labels[:1], None, None, counts, 0.5, 0, 1)
    with pytest.raises(ValueError, match="a leaf has no probabilities"):
        forest.sums(codes, counts[:1], counts, 0, 1)


def test_arrays_of_another_type_are_not_converted():
    """Not even where None is allowed, too: the conversion would be a silent copy."""
    given = np.zeros((1, 1), np.uint8), np.zeros(1, np.int32), np.ones(1, np.float32), None, np.ones((1, 1))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        forest_of([leaf(0)]).left_out_sums(*given, 1.0, 0, 1)
