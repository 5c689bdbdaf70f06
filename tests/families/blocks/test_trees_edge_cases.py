"""Forests of counts: what questions depend on, and edge cases."""

import numpy as np
import pandas as pd
import pytest
from tree_rows import BLOCK, BOTH, FRAME, GUIDED, LABELS, PREPARED, parity, taken

from tallybayes import Model, Trees, counts_digest, left_out, prepare
from tallybayes.counts.tally import Rows
from tallybayes.families.blocks.growing import MOST_CELLS, grow
from tallybayes.families.blocks.questions import MANY, Question, level_ranks
from tallybayes.files import from_bytes, to_bytes


@pytest.mark.parametrize("questions", ["guided", "random"])
def test_row_order_does_not_change_the_schema(questions):
    order = np.random.default_rng(3).permutation(len(LABELS))
    assert prepare({BLOCK: Trees(n=8, questions=questions)}, *taken(order)) == PREPARED[questions]
    assert Model.train({BLOCK: Trees(n=8, questions=questions)}, *taken(order)).schema == PREPARED[questions]


def test_labels_do_not_affect_random_questions():
    other = prepare({BLOCK: Trees(n=8, questions="random")}, FRAME, LABELS[::-1])
    assert other.columns[BLOCK].grown == PREPARED["random"].columns[BLOCK].grown


def test_prepared_schema_stays_the_same():
    assert prepare(GUIDED, FRAME.iloc[:3], LABELS[:3]) is GUIDED


def test_stream_requires_prepared_questions():
    batches = [taken(range(60)), taken(range(60, 120))]
    with pytest.raises(ValueError, match=r"Choose them on some rows with prepare\(schema, rows, labels\)"):
        Model.train({BLOCK: Trees(n=8)}, (frame.assign(y=labels) for frame, labels in batches), "y")
    with pytest.raises(ValueError, match=r"prepare\(schema, some_rows, labels\)"):
        Trees(n=8).over(BLOCK).encode([{"a": "u", "b": 1.0, "c": "x"}])
    model = Model.train(GUIDED, (frame.assign(y=labels) for frame, labels in batches), "y")
    assert counts_digest(model) == counts_digest(Model.train(GUIDED, FRAME, LABELS))


def test_no_rows_to_prepare_from_is_an_error():
    with pytest.raises(ValueError, match="no labelled rows to choose intervals, levels or questions from"):
        prepare({BLOCK: Trees(n=8)}, FRAME.iloc[:0], [])


@BOTH
def test_missing_cells_and_unseen_levels(schema):
    model = Model.train(schema, FRAME, LABELS)
    asked = pd.DataFrame({"a": ["new", None, None], "b": [1e300, np.nan, -1e300], "c": ["new", None, "x"]})
    found = model.posterior(asked)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_constant_and_empty_columns_have_no_questions():
    frame = FRAME.assign(b=1.0, c=pd.Series([None] * len(FRAME), dtype="string"))
    for columns in (frame, frame[["b", "c"]]):
        model = Model.train({tuple(columns): Trees(n=8)}, columns, LABELS)
        assert {line.split()[0] for line in model.belief(tuple(columns)).drawing()} <= {"a"}
        np.testing.assert_allclose(model.posterior(columns).sum(axis=1), 1.0)
    assert model.schema.columns["b", "c"].codes == (None, None)
    shares = [LABELS.count(label) / len(LABELS) for label in model.classes]
    np.testing.assert_allclose(model.posterior(columns.iloc[:1])[0], shares, atol=0.01)


def test_class_of_one_row_and_a_single_row():
    model = Model.train({BLOCK: Trees(n=8)}, FRAME, ["rare", *LABELS[1:]])
    assert np.isfinite(model.posterior(FRAME)).all()
    found = left_out(model, FRAME, ["rare", *LABELS[1:]])
    assert np.isneginf(found.prior[0, model.classes.index("rare")])
    one = Model.train({BLOCK: Trees(n=8)}, *taken([0]))
    assert one.posterior(FRAME.iloc[:1]).tolist() == [[1.0]]


def test_tree_that_would_count_other_rows_is_refused():
    model = Model.train(GUIDED, FRAME, LABELS)
    data = to_bytes(model)
    assert from_bytes(data) == model
    tally = model.columns[BLOCK]
    family = GUIDED.columns[BLOCK]
    assert family.discord(tally, model.keys()) is None
    first = tally.aligned(range(int(family.grown.first_leaves[1])), model.keys())
    assert family.discord(tally + first, model.keys()) == "the trees would have counted different rows"


def test_m_shrinks_towards_the_parent_node():
    model = Model.train(GUIDED, FRAME, LABELS)
    vague = model.believing(m=1e9)
    assert counts_digest(vague) == counts_digest(model)
    shares = [1 / 3] * 3
    np.testing.assert_allclose(np.exp(vague.belief(BLOCK).shares), shares, atol=1e-6)
    np.testing.assert_allclose(vague.belief(BLOCK).leaf_tables[0], 1 / 3, atol=1e-6)


def test_evidence_lists_the_columns_asked():
    model = Model.train({("one", "two"): Trees(n=20)}, *parity())
    (*parts,) = model.evidence({"one": [1], "two": ["1"]}).words()
    assert {part.word.split()[0] for part in parts} == {"one", "two"}
    said = sum(part.evidence for part in parts)
    belief = model.belief(("one", "two"))
    cells = model.schema.columns["one", "two"].encode([{"one": 1, "two": "1"}])
    logs = belief.questions.forest.sums(cells, *belief.leaf_tables, 0, 20)[1][0] / 20
    np.testing.assert_allclose(said, logs - belief.shares, rtol=1e-9)


def test_sampling_and_parameters_are_refused():
    model = Model.train(GUIDED, FRAME, LABELS)
    with pytest.raises(TypeError, match="no rows can be drawn"):
        model.sample(3, seed=0)
    with pytest.raises(TypeError, match="no parameters, only the counts"):
        model.belief(BLOCK).posterior(0)


def test_frequent_levels_are_ordered_by_class_distribution():
    codes = np.repeat(np.array([2, 3, 4, 5, 6], np.uint8), [200, 200, 200, 30, 30])[:, None]
    labels = np.random.default_rng(0).random(len(codes)) < np.repeat([0.5, 0.1, 0.9, 0.0, 1.0], [200, 200, 200, 30, 30])
    ranks = level_ranks(codes, labels.astype(np.int32), None, 2, (tuple("abcde"),))[0]
    assert sorted(ranks.tolist()) == list(range(256))
    assert ranks[0] == 0  # missing
    assert ranks[[2, 3, 4]].tolist() in ([2, 1, 3], [2, 3, 1])
    assert ranks[[5, 6]].tolist() == [5, 6]  # rare ones by name, after one that is no level
    numbers = level_ranks(codes, labels.astype(np.int32), None, 2, ((1.0, 2.0),))[0]
    assert numbers.tolist() == list(range(256))


def test_frequent_rows_are_used_by_every_tree():
    codes = np.array([[2, 1]] * MANY + [[3, 1]] * (MANY - 1), np.uint8)
    rows = Rows(["a", "b"], np.arange(len(codes), dtype=np.int32) % 2)
    grown = grow(codes, rows, (("x", "y"), (1.0,)), n=4, questions="guided", seed=0)
    assert grown.marks(grown.ranked(codes)).tolist()[:MANY] == [0] * MANY
    assert all(grown.marks(grown.ranked(codes)).tolist()[MANY:])


def test_many_classes_make_larger_leaves():
    """Otherwise a thousand classes of twenty rows would fill twenty gigabytes."""
    random = np.random.default_rng(0)
    labels = Rows(list(map(str, range(2000))), random.integers(0, 2000, 3000).astype(np.int32))
    codes = random.integers(1, 250, (3000, 3)).astype(np.uint8)
    coding = [np.arange(249.0)] * 3
    found = grow(codes, labels, coding, n=60, questions="guided", seed=0)
    assert found.leaves * 2000 < 2 * MOST_CELLS  # without the bound, more than three times as many


@pytest.mark.parametrize(
    "bad",
    [{"n": 0}, {"n": 1.5}, {"questions": "wild"}, {"seed": -1}, {"m": 0}, {"grown": [1]}, {"grown": "x"}],
    ids=str,
)
def test_invalid_settings_are_refused(bad):
    ((name, _),) = bad.items()
    with pytest.raises(ValueError, match=name):
        Trees(**bad)


def test_questions_with_the_same_text_have_the_same_answers():
    rng = np.random.default_rng(3)
    frame = {"level": rng.choice(list("abcdefghijkl"), 3000), "number": 1e6 + rng.integers(0, 40, 3000) / 8}
    labels = np.where(np.isin(frame["level"], list("adgkl")) ^ (frame["number"] > 1e6 + 2.1), "p", "q")
    family = prepare({("level", "number"): Trees(n=4, codes=None)}, frame, labels).columns[("level", "number")]
    answers = {}
    for column, code in enumerate(family.codes):
        ranks = family.grown.ranks[column]
        for low in range(len(code) + 2 if column == 0 else 2):
            for high in range(low, len(code) + 2):
                asked = Question(column, low, high)
                text = family.grown.text(asked, family.columns, family.codes)
                yes = frozenset(c for c in range(len(code) + 2) if low <= ranks[c] <= high)
                answers.setdefault(text, set()).add((column, yes))
    assert len(answers) > 100
    assert {len(found) for found in answers.values()} == {1}


def test_text_form_omits_the_questions():
    assert repr(GUIDED.columns[BLOCK]) == "Trees(n=8)"
    assert repr(GUIDED.columns[BLOCK].grown).startswith("<8 trees, ")
    assert GUIDED.columns[BLOCK].grown.kinds == {"best": (0, 4), "drawn": (4, 8)}
    assert GUIDED.columns[BLOCK].parts == tuple(
        f"{kind} {part}" for kind in ("best", "drawn") for part in ("mean of logs", "log of mean")
    )
