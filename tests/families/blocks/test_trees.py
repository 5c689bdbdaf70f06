"""Forests of counts: the laws, and probabilities against a slow reference."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tree_rows import BLOCK, BOTH, FRAME, GUIDED, LABELS, PREPARED, parity, taken

from examples import some
from slow_forest import SlowForest, grown_with, mark
from tallybayes import Family, Model, Pairs, Several, Trees, left_out, load, prepare, save
from tallybayes.counts.tally import Rows
from tallybayes.families.blocks.growing import grow
from tallybayes.files import to_bytes
from tallybayes.testing import laws
from tallybayes.testing.laws import left_out_is_trained_without

CODES = (("u", "v", "w"), (0.5, 2.0), ("u", "v"))
CELLS = st.tuples(
    st.sampled_from(["u", "v", "w", "new", None]),
    st.sampled_from([0.0, 1.0, 2.5, None]),
    st.sampled_from(["u", "v", None]),
)


def drawn_family(questions, **more):
    """One in which all trees score left-out rows."""
    codes = np.random.default_rng(0).integers(0, 4, (60, 3)).astype(np.uint8)
    rows = Rows(["a", "b", "c"], (codes.sum(axis=1) % 3).astype(np.int32))
    grown = grow(codes, rows, CODES, n=4, questions=questions, seed=0, **more)
    return Trees(n=4, **more, questions="random", codes=CODES, grown=grown).over(BLOCK)


ROWS = st.lists(st.tuples(CELLS, st.sampled_from("abc"), st.just(1.0)), min_size=1, max_size=10)
LAWS = {  # excludes texts, which have no questions, and missing cells, which are an answer
    laws.merging_is_adding: (ROWS, ROWS, ROWS),
    laws.adding_is_an_abelian_group: (ROWS, ROWS, ROWS),
    laws.weight_is_repetition: (ROWS,),
    laws.history_leaves_no_trace: (ROWS, ROWS, st.randoms()),
    laws.forgotten_is_never_seen: (ROWS, ROWS, st.randoms()),
    laws.files_come_back_the_same: (ROWS, ROWS),
    left_out_is_trained_without: (ROWS, st.booleans()),
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(
    "family",
    [
        drawn_family("guided"),
        drawn_family("random"),
        drawn_family("guided", random=2),
        drawn_family("guided", crossed=3),
        Several(members=(drawn_family("guided", random=2), Pairs(codes=CODES))).over(BLOCK),
    ],
    ids=["guided", "random", "both", "crossed", "several"],
)
@given(data=st.data())
@settings(max_examples=some(20), suppress_health_check=list(HealthCheck))
def test_obeys_the_laws(family, law, data):
    law(family, *(data.draw(strategy) for strategy in LAWS[law]))


@BOTH
def test_single_rows_score_the_same(schema):
    model = Model.train(schema, FRAME, LABELS)
    joint = model.log_joint(FRAME)
    np.testing.assert_allclose(joint, model.evidence(FRAME).total(), rtol=1e-12)
    single = [model.log_joint(FRAME.iloc[[at]])[0] for at in range(30)]
    np.testing.assert_allclose(joint[:30], single, rtol=1e-12)


@BOTH
def test_few_rows_score_to_the_last_bit_like_many(schema):
    model = Model.train(schema, FRAME, LABELS)
    many = model.evidence(pd.concat([FRAME] * 10))[BLOCK]
    few = model.evidence(FRAME.iloc[:20])[BLOCK]
    assert len(many) > 256 > len(few)
    np.testing.assert_array_equal(few, many[:20])


@BOTH
def test_probabilities_follow_the_path_of_counts(schema):
    model, family = Model.train(schema, FRAME, LABELS), schema.columns[BLOCK]
    cells = _codes(family)
    slow = SlowForest(family.grown.nodes, family.grown.roots)
    known = _known(cells, model.classes)
    shares = np.array([LABELS.count(label) for label in model.classes])
    shares = (shares + 0.2 / 3) / (shares.sum() + 0.2)
    for row, said in list(zip(cells, model.evidence(FRAME)[BLOCK], strict=True))[:20]:
        trees = [slow.chances(row, tree, known, 0.2, 3) for tree in range(8)]
        np.testing.assert_allclose(said, np.log(np.mean(trees, axis=0)) - np.log(shares), rtol=1e-9)


def test_leave_one_out_uses_trees_grown_without_the_row():
    model, family = Model.train(GUIDED, FRAME, LABELS), GUIDED.columns[BLOCK]
    cells, found = _codes(family), left_out(model, FRAME, LABELS)[BLOCK]
    slow = SlowForest(family.grown.nodes, family.grown.roots)
    known = _known(cells, model.classes)
    counts = np.array([LABELS.count(label) for label in model.classes])
    for at, row in enumerate(cells):
        others = known[:at] + known[at + 1 :]
        trees = []
        for kind in (range(4), range(4, 8)):
            asked = [tree for tree in kind if not grown_with(mark(row), tree)]
            trees += [slow.chances(row, tree, others, 0.2, 3) for tree in asked] or [[1 / 3] * 3]  # uniform if none
        rest = counts - (np.array(model.classes) == LABELS[at])
        shares = (rest + 0.2 / 3) / (rest.sum() + 0.2)
        np.testing.assert_allclose(found[at], np.log(np.mean(trees, axis=0)) - np.log(shares), rtol=1e-9, atol=1e-9)


def test_random_trees_leave_one_out_equals_retraining():
    model = Model.train(PREPARED["random"], FRAME, LABELS)
    found = left_out(model, FRAME, LABELS)[BLOCK]
    for at in range(0, len(LABELS), 10):
        rest = model - Model.train(model.schema, *taken([at]))
        np.testing.assert_allclose(found[at], rest.evidence(FRAME.iloc[[at]])[BLOCK][0], rtol=1e-9, atol=1e-12)


def _codes(family):
    """The codes of all cells, row by row."""
    return [
        family.encode([row])[0].tolist() for row in FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    ]


def _known(cells, classes):
    return [(row, classes.index(label), 1.0) for row, label in zip(cells, LABELS, strict=True)]


def test_interactions_are_learned():
    frame, labels = parity()
    model = Model.train({("one", "two"): Trees(n=20)}, frame, labels)
    said = left_out(model, frame, labels).total()
    assert (said.argmax(axis=1) == labels).all()


def test_file_stores_the_questions_as_arrays(tmp_path):
    model = Model.train(GUIDED, FRAME, LABELS)
    save(model, tmp_path / "trees.tally")
    again = load(tmp_path / "trees.tally")
    assert again == model
    assert to_bytes(again) == to_bytes(model)
    assert again.schema.columns[BLOCK].grown == GUIDED.columns[BLOCK].grown
    assert again.schema.columns[BLOCK].grown.nodes.dtype == np.int64
    np.testing.assert_array_equal(again.posterior(FRAME), model.posterior(FRAME))
    again += Model.train(GUIDED, *taken([0, 1]))
    again -= Model.train(again.schema, *taken([1, 0]))
    assert to_bytes(again) == to_bytes(model)


def test_questions_that_do_not_match_their_hash_are_refused():
    family = GUIDED.columns[BLOCK]
    filed = Family.from_json(family.to_json()).over(BLOCK)

    def found(**changes):
        given = family.arrays() | changes
        return filed.with_arrays("x", {f"x/{name}": array for name, array in given.items() if array is not None})

    assert found() == family
    arrays = family.arrays()
    with pytest.raises(ValueError, match="its questions do not match their digest"):
        found(ranks=np.roll(arrays["ranks"], 1, axis=1))
    with pytest.raises(ValueError, match="these are no trees"):
        found(nodes=arrays["nodes"][::-1])
    with pytest.raises(KeyError, match="common"):  # a file reports them like anything missing
        found(common=None)


def test_random_trees_beside_guided_ones_are_a_kind_of_their_own(tmp_path):
    family = prepare({BLOCK: Trees(n=8, random=3)}, FRAME, LABELS).columns[BLOCK]
    alone = GUIDED.columns[BLOCK]
    assert family.grown.kinds == {"best": (0, 4), "drawn": (4, 8), "random": (8, 11)}
    assert family.parts == (*alone.parts, "random mean of logs", "random log of mean")
    np.testing.assert_array_equal(family.grown.nodes[: len(alone.grown.nodes)], alone.grown.nodes)
    model = Model.train({BLOCK: family}, FRAME, LABELS)
    save(model, tmp_path / "trees.tally")
    again = load(tmp_path / "trees.tally")
    assert again.schema.columns[BLOCK].grown.kinds == family.grown.kinds
    assert to_bytes(again) == to_bytes(model)
    assert to_bytes(pickle.loads(pickle.dumps(model))) == to_bytes(model)


def test_unweighed_evidence_is_that_of_the_guided_trees():
    both, alone = Model.train({BLOCK: Trees(n=8, random=3)}, FRAME, LABELS), Model.train(GUIDED, FRAME, LABELS)
    np.testing.assert_array_equal(both.evidence(FRAME)[BLOCK], alone.evidence(FRAME)[BLOCK])
    np.testing.assert_array_equal(left_out(both, FRAME, LABELS)[BLOCK], left_out(alone, FRAME, LABELS)[BLOCK])


def test_parts_of_random_trees_left_out_use_trees_grown_without_the_row():
    model = Model.train({BLOCK: Trees(n=2, random=12)}, FRAME, LABELS)
    family = model.schema.columns[BLOCK]
    cells = _codes(family)
    slow, known = SlowForest(family.grown.nodes, family.grown.roots), _known(cells, model.classes)
    rows = Rows(model.keys(), np.array([label for _, label, _ in known], np.int32))
    parts = family.left_out_parts(model.columns[BLOCK], model.keys(), np.array(cells, np.uint8), rows)
    for at, row in list(enumerate(cells))[:20]:
        others = known[:at] + known[at + 1 :]
        asked = [tree for tree in range(2, 14) if not grown_with(mark(row), tree)]
        trees = [slow.chances(row, tree, others, 0.2, 3) for tree in asked] or [[1 / 3] * 3]
        np.testing.assert_allclose(parts[at, :, -2], np.log(trees).mean(axis=0), rtol=1e-9)
        np.testing.assert_allclose(parts[at, :, -1], np.log(np.mean(trees, axis=0)), rtol=1e-9)


def test_random_questions_alone_are_one_kind():
    schema = prepare({BLOCK: Trees(n=5, random=3, questions="random")}, FRAME, LABELS)
    same = prepare({BLOCK: Trees(n=8, questions="random")}, FRAME, LABELS)
    assert schema.columns[BLOCK].grown == same.columns[BLOCK].grown


def test_pickle_round_trips():
    model = Model.train(GUIDED, FRAME, LABELS)
    again = pickle.loads(pickle.dumps(model))
    assert to_bytes(again) == to_bytes(model)
    np.testing.assert_array_equal(again.posterior(FRAME), model.posterior(FRAME))


def test_models_with_different_questions_do_not_merge():
    other = prepare({BLOCK: Trees(n=8, seed=1, codes=GUIDED.columns[BLOCK].codes)}, FRAME, LABELS)
    same_seed = prepare({BLOCK: Trees(n=8, codes=GUIDED.columns[BLOCK].codes)}, *taken(range(100)))
    for schema in (other, same_seed):
        theirs = schema.columns[BLOCK].grown
        with pytest.raises(ValueError, match=r"prepare one schema with prepare\(schema, rows, labels\)") as error:
            Model.train(GUIDED, FRAME, LABELS) + Model.train(schema, FRAME, LABELS)
        assert f"The questions differ: {GUIDED.columns[BLOCK].grown!r} and {theirs!r}" in str(error.value)
    levels = prepare({BLOCK: Trees(n=8)}, FRAME.assign(c="z"), LABELS)
    with pytest.raises(ValueError, match="The intervals or levels of 'c' differ"):
        Model.train(GUIDED, FRAME, LABELS) + Model.train(levels, FRAME, LABELS)


@pytest.mark.parametrize(("rows", "expected"), [(600, {1}), (5000, set())])
def test_of_few_rows_every_other_tree_looks_at_twice_as_many_columns(rows, expected):
    """One column of four tells the class, so a tree that looks at all of them asks about it first."""
    random = np.random.default_rng(5)
    frame = {f"x{j}": random.normal(size=rows) for j in range(4)}
    block = tuple(frame)
    schema = prepare({block: Trees(n=60)}, frame, (frame["x3"] > 0).tolist())
    grown = schema.columns[block].grown
    first = [grown.question(int(root)).column for root in grown.roots[: grown.best]]
    assert {start for start in range(2) if all(column == 3 for column in first[start::2])} == expected
