"""Trees of counts: the laws, probabilities as a slow twin has them, and what they must withstand."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import some
from slow_forest import SlowForest, grown_with, mark
from tallybayes import Family, Model, Trees, counts_digest, digest, left_out, load, prepare, save
from tallybayes.counts.tally import Rows
from tallybayes.families.blocks.growing import grow
from tallybayes.families.blocks.questions import MANY, level_ranks
from tallybayes.files import from_bytes, to_bytes
from tallybayes.testing import laws
from tallybayes.testing.left_out import left_out_is_trained_without

BLOCK = ("a", "b", "c")
CODES = (("u", "v", "w"), (0.5, 2.0), ("u", "v"))
CELLS = st.tuples(
    st.sampled_from(["u", "v", "w", "new", None]),
    st.sampled_from([0.0, 1.0, 2.5, None]),
    st.sampled_from(["u", "v", None]),
)
RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": RANDOM.choice(["u", "v", "w", None], 120),
        "b": np.where(RANDOM.random(120) < 0.1, np.nan, RANDOM.normal(size=120).round(1)),
        "c": RANDOM.choice(["x", "y"], 120),
    }
)
LABELS = np.where(
    RANDOM.random(120) < 0.8,
    np.where((FRAME["a"] == "u") ^ (FRAME["b"] > 0), "yes", "no"),
    RANDOM.choice(["no", "oh"], 120),
).tolist()
PREPARED = {
    questions: prepare({BLOCK: Trees(n=8, questions=questions)}, FRAME, LABELS) for questions in ("guided", "random")
}
GUIDED = PREPARED["guided"]
BOTH = pytest.mark.parametrize("schema", PREPARED.values(), ids=PREPARED)


def taken(at):
    return FRAME.iloc[at], [LABELS[i] for i in at]


def parity(rows=200):
    """What no column tells by itself."""
    one, two = np.random.default_rng(1).integers(0, 2, (2, rows))
    return pd.DataFrame({"one": one, "two": two.astype(str)}), (one ^ two).tolist()


def drawn_family(questions):
    """Of which all trees are asked about rows that are left out."""
    codes = np.random.default_rng(0).integers(0, 4, (60, 3)).astype(np.uint8)
    rows = Rows(["a", "b", "c"], (codes.sum(axis=1) % 3).astype(np.int32))
    grown = grow(codes, rows, CODES, n=4, questions=questions, seed=0)
    return Trees(n=4, questions="random", codes=CODES, grown=grown).over(BLOCK)


ROWS = st.lists(st.tuples(CELLS, st.sampled_from("abc"), st.just(1.0)), min_size=1, max_size=10)
LAWS = {  # all but those of texts, in which there are no questions, and of missing cells, which are an answer
    laws.merging_is_adding: (ROWS, ROWS, ROWS),
    laws.adding_is_an_abelian_group: (ROWS, ROWS, ROWS),
    laws.weight_is_repetition: (ROWS,),
    laws.history_leaves_no_trace: (ROWS, ROWS, st.randoms()),
    laws.forgotten_is_never_seen: (ROWS, ROWS, st.randoms()),
    laws.files_come_back_the_same: (ROWS, ROWS),
    left_out_is_trained_without: (ROWS, st.booleans()),
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("family", [drawn_family("guided"), drawn_family("random")], ids=["guided", "random"])
@given(data=st.data())
@settings(max_examples=some(20), suppress_health_check=list(HealthCheck))
def test_obeys_the_laws(family, law, data):
    law(family, *(data.draw(strategy) for strategy in LAWS[law]))


@BOTH
def test_one_row_at_a_time_says_the_same(schema):
    model = Model.train(schema, FRAME, LABELS)
    joint = model.log_joint(FRAME)
    np.testing.assert_allclose(joint, model.evidence(FRAME).total(), rtol=1e-12)
    single = [model.log_joint(FRAME.iloc[[at]])[0] for at in range(30)]
    np.testing.assert_allclose(joint[:30], single, rtol=1e-12)


@BOTH
@given(order=st.permutations(range(len(LABELS))), cuts=st.sets(st.integers(1, len(LABELS) - 1), max_size=4))
@settings(max_examples=some(20))
def test_any_order_and_any_batches_give_the_same_bytes(schema, order, cuts):
    model = Model(schema)
    ends = [0, *sorted(cuts), len(order)]
    for start, end in pairwise(ends):
        model += Model.train(schema, *taken(order[start:end]))
    assert to_bytes(model) == to_bytes(Model.train(schema, FRAME, LABELS))


@BOTH
@given(forgotten=st.lists(st.integers(0, len(LABELS) - 1), unique=True, min_size=1))
@settings(max_examples=some(20))
def test_what_is_forgotten_was_never_there(schema, forgotten):
    kept = [i for i in range(len(LABELS)) if i not in forgotten]
    model = Model.train(schema, FRAME, LABELS)
    model.posterior(FRAME)
    model -= Model.train(schema, *taken(forgotten))
    rest = Model.train(schema, *taken(kept))
    assert to_bytes(model) == to_bytes(rest)
    if kept:
        np.testing.assert_array_equal(model.posterior(FRAME), rest.posterior(FRAME))
    assert digest(rest + Model.train(schema, *taken(forgotten))) == digest(Model.train(schema, FRAME, LABELS))


def test_a_weight_of_two_is_two_rows():
    weighed = Model.train(GUIDED, FRAME, LABELS, weights=[2] * len(LABELS))
    twice = Model.train(GUIDED, pd.concat([FRAME, FRAME]), LABELS + LABELS)
    assert to_bytes(weighed) == to_bytes(twice)


@BOTH
def test_probabilities_are_those_of_the_counts_on_the_way_down(schema):
    model, family = Model.train(schema, FRAME, LABELS), schema.columns[BLOCK]
    cells = _codes(family)
    slow = SlowForest(family.grown.nodes, family.grown.roots)
    known = _known(cells, model.classes)
    shares = np.array([LABELS.count(label) for label in model.classes])
    shares = (shares + 0.5 / 3) / (shares.sum() + 0.5)
    for row, said in list(zip(cells, model.evidence(FRAME)[BLOCK], strict=True))[:20]:
        trees = [slow.chances(row, tree, known, 0.5, 3) for tree in range(8)]
        np.testing.assert_allclose(said, np.log(np.mean(trees, axis=0)) - np.log(shares), rtol=1e-9)


def test_left_out_asks_the_trees_that_were_grown_without_the_row_by_the_counts_without_it():
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
            trees += [slow.chances(row, tree, others, 0.5, 3) for tree in asked] or [[1 / 3] * 3]  # none knows better
        rest = counts - (np.array(model.classes) == LABELS[at])
        shares = (rest + 0.5 / 3) / (rest.sum() + 0.5)
        np.testing.assert_allclose(found[at], np.log(np.mean(trees, axis=0)) - np.log(shares), rtol=1e-9, atol=1e-9)


def test_random_trees_are_left_out_as_the_model_that_never_saw_the_row():
    model = Model.train(PREPARED["random"], FRAME, LABELS)
    found = left_out(model, FRAME, LABELS)[BLOCK]
    for at in range(0, len(LABELS), 10):
        rest = model - Model.train(model.schema, *taken([at]))
        np.testing.assert_allclose(found[at], rest.evidence(FRAME.iloc[[at]])[BLOCK][0], rtol=1e-9, atol=1e-12)


def _codes(family):
    """The ranks of the cells of all rows, one after the other."""
    return [
        family.encode([row])[0].tolist() for row in FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    ]


def _known(cells, classes):
    return [(row, classes.index(label), 1.0) for row, label in zip(cells, LABELS, strict=True)]


def test_what_no_column_tells_by_itself_is_learned():
    frame, labels = parity()
    model = Model.train({("one", "two"): Trees(n=20)}, frame, labels)
    said = left_out(model, frame, labels).total()
    assert (said.argmax(axis=1) == labels).all()


def test_a_file_keeps_the_questions_as_arrays(tmp_path):
    model = Model.train(GUIDED, FRAME, LABELS)
    save(model, tmp_path / "trees.tally")
    again = load(tmp_path / "trees.tally")
    assert again == model
    assert digest(again) == digest(model)
    assert again.schema.columns[BLOCK].grown == GUIDED.columns[BLOCK].grown
    assert again.schema.columns[BLOCK].grown.nodes.dtype == np.int64
    np.testing.assert_array_equal(again.posterior(FRAME), model.posterior(FRAME))
    again += Model.train(GUIDED, *taken([0, 1]))
    again -= Model.train(again.schema, *taken([1, 0]))
    assert to_bytes(again) == to_bytes(model)


def test_questions_that_are_not_those_a_file_names_are_refused():
    family = GUIDED.columns[BLOCK]
    filed = Family.from_json(family.to_json()).over(BLOCK)

    def found(**changes):
        given = family.arrays() | changes
        return filed.with_arrays("x", {f"x/{name}": array for name, array in given.items() if array is not None})

    assert found() == family
    arrays = family.arrays()
    with pytest.raises(ValueError, match="its questions are not those that it names"):
        found(ranks=np.roll(arrays["ranks"], 1, axis=1))
    with pytest.raises(ValueError, match="these are no trees"):
        found(nodes=arrays["nodes"][::-1])
    with pytest.raises(KeyError, match="common"):  # which a file that is read says as it says all that is missing
        found(common=None)


def test_a_pickled_model_is_the_same():
    model = Model.train(GUIDED, FRAME, LABELS)
    again = pickle.loads(pickle.dumps(model))
    assert to_bytes(again) == to_bytes(model)
    np.testing.assert_array_equal(again.posterior(FRAME), model.posterior(FRAME))


def test_models_that_asked_something_else_are_not_merged():
    other = prepare({BLOCK: Trees(n=8, seed=1, codes=GUIDED.columns[BLOCK].codes)}, FRAME, LABELS)
    same_seed = prepare({BLOCK: Trees(n=8, codes=GUIDED.columns[BLOCK].codes)}, *taken(range(100)))
    for schema in (other, same_seed):
        theirs = schema.columns[BLOCK].grown
        with pytest.raises(ValueError, match=r"prepared once: prepare\(schema, rows, labels\)") as error:
            Model.train(GUIDED, FRAME, LABELS) + Model.train(schema, FRAME, LABELS)
        assert f"The questions differ: {GUIDED.columns[BLOCK].grown!r} and {theirs!r}" in str(error.value)
    levels = prepare({BLOCK: Trees(n=8)}, FRAME.assign(c="z"), LABELS)
    with pytest.raises(ValueError, match="The intervals or levels of 'c' differ"):
        Model.train(GUIDED, FRAME, LABELS) + Model.train(levels, FRAME, LABELS)


@pytest.mark.parametrize("questions", ["guided", "random"])
def test_rows_in_another_order_give_the_same_schema(questions):
    order = np.random.default_rng(3).permutation(len(LABELS))
    assert prepare({BLOCK: Trees(n=8, questions=questions)}, *taken(order)) == PREPARED[questions]
    assert Model.train({BLOCK: Trees(n=8, questions=questions)}, *taken(order)).schema == PREPARED[questions]


def test_labels_do_not_shape_random_questions():
    other = prepare({BLOCK: Trees(n=8, questions="random")}, FRAME, LABELS[::-1])
    assert other.columns[BLOCK].grown == PREPARED["random"].columns[BLOCK].grown


def test_a_schema_that_is_prepared_stays_as_it_is():
    assert prepare(GUIDED, FRAME.iloc[:3], LABELS[:3]) is GUIDED


def test_a_stream_asks_for_questions_that_are_prepared():
    batches = [taken(range(60)), taken(range(60, 120))]
    with pytest.raises(ValueError, match=r"Choose them from some rows: prepare\(schema, rows, labels\)"):
        Model.train({BLOCK: Trees(n=8)}, (frame.assign(y=labels) for frame, labels in batches), "y")
    with pytest.raises(ValueError, match=r"prepare\(schema, some_rows, labels\)"):
        Trees(n=8).over(BLOCK).encode([{"a": "u", "b": 1.0, "c": "x"}])
    model = Model.train(GUIDED, (frame.assign(y=labels) for frame, labels in batches), "y")
    assert counts_digest(model) == counts_digest(Model.train(GUIDED, FRAME, LABELS))


def test_no_rows_prepare_nothing():
    with pytest.raises(ValueError, match="no rows from which intervals, levels or questions could be chosen"):
        prepare({BLOCK: Trees(n=8)}, FRAME.iloc[:0], [])


@BOTH
def test_missing_cells_and_levels_never_met_are_answered(schema):
    model = Model.train(schema, FRAME, LABELS)
    asked = pd.DataFrame({"a": ["new", None, None], "b": [1e300, np.nan, -1e300], "c": ["new", None, "x"]})
    found = model.posterior(asked)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_constant_and_empty_columns_ask_nothing():
    frame = FRAME.assign(b=1.0, c=pd.Series([None] * len(FRAME), dtype="string"))
    for columns in (frame, frame[["b", "c"]]):
        model = Model.train({tuple(columns): Trees(n=8)}, columns, LABELS)
        assert {line.split()[0] for line in model.belief(tuple(columns)).drawing()} <= {"a"}
        np.testing.assert_allclose(model.posterior(columns).sum(axis=1), 1.0)
    assert model.schema.columns["b", "c"].codes == (None, None)
    shares = [LABELS.count(label) / len(LABELS) for label in model.classes]
    np.testing.assert_allclose(model.posterior(columns.iloc[:1])[0], shares, atol=0.01)


def test_a_class_of_one_row_and_a_single_row():
    model = Model.train({BLOCK: Trees(n=8)}, FRAME, ["rare", *LABELS[1:]])
    assert np.isfinite(model.posterior(FRAME)).all()
    found = left_out(model, FRAME, ["rare", *LABELS[1:]])
    assert np.isneginf(found.prior[0, model.classes.index("rare")])
    one = Model.train({BLOCK: Trees(n=8)}, *taken([0]))
    assert one.posterior(FRAME.iloc[:1]).tolist() == [[1.0]]


def test_a_tree_that_would_have_counted_other_rows_is_refused():
    model = Model.train(GUIDED, FRAME, LABELS)
    data = to_bytes(model)
    assert from_bytes(data) == model
    tally = model.columns[BLOCK]
    family = GUIDED.columns[BLOCK]
    assert family.discord(tally, model.keys()) is None
    first = tally.aligned(range(int(family.grown.first_leaves[1])), model.keys())
    assert family.discord(tally + first, model.keys()) == "one tree would have counted other rows than another"


def test_m_is_belief_and_draws_towards_the_node_above():
    model = Model.train(GUIDED, FRAME, LABELS)
    vague = model.believing(m=1e9)
    assert counts_digest(vague) == counts_digest(model)
    shares = [1 / 3] * 3
    np.testing.assert_allclose(np.exp(vague.belief(BLOCK).shares), shares, atol=1e-6)
    np.testing.assert_allclose(vague.belief(BLOCK).chances, 1 / 3, atol=1e-6)


def test_evidence_opens_into_the_columns_that_were_asked_about():
    model = Model.train({("one", "two"): Trees(n=20)}, *parity())
    (*parts,) = model.evidence({"one": [1], "two": ["1"]}).words()
    assert {part.word.split()[0] for part in parts} == {"one", "two"}
    said = sum(part.said for part in parts)
    belief = model.belief(("one", "two"))
    cells = model.schema.columns["one", "two"].encode([{"one": 1, "two": "1"}])
    logs = belief.asked.forest.sums(cells, belief.chances, belief.logs, 0, 20)[1][0] / 20
    np.testing.assert_allclose(said, logs - belief.shares, rtol=1e-9)


def test_nothing_is_drawn_and_no_parameters_are_known():
    model = Model.train(GUIDED, FRAME, LABELS)
    with pytest.raises(TypeError, match="none can be drawn"):
        model.sample(3, seed=0)
    with pytest.raises(TypeError, match="no parameters but the counts"):
        model.belief(BLOCK).posterior(0)


def test_frequent_levels_are_ordered_by_what_they_say_of_the_classes():
    codes = np.repeat(np.array([2, 3, 4, 5, 6], np.uint8), [200, 200, 200, 30, 30])[:, None]
    labels = np.random.default_rng(0).random(len(codes)) < np.repeat([0.5, 0.1, 0.9, 0.0, 1.0], [200, 200, 200, 30, 30])
    ranks = level_ranks(codes, labels.astype(np.int32), None, 2, (tuple("abcde"),))[0]
    assert sorted(ranks.tolist()) == list(range(256))
    assert ranks[0] == 0  # missing
    assert ranks[[2, 3, 4]].tolist() in ([2, 1, 3], [2, 3, 1])
    assert ranks[[5, 6]].tolist() == [5, 6]  # rare ones by their names, after one that is no level
    numbers = level_ranks(codes, labels.astype(np.int32), None, 2, ((1.0, 2.0),))[0]
    assert numbers.tolist() == list(range(256))


def test_rows_of_which_there_are_many_are_grown_with_and_asked_of_every_tree():
    codes = np.array([[2, 1]] * MANY + [[3, 1]] * (MANY - 1), np.uint8)
    rows = Rows(["a", "b"], np.arange(len(codes), dtype=np.int32) % 2)
    grown = grow(codes, rows, (("x", "y"), (1.0,)), n=4, questions="guided", seed=0)
    assert grown.marks(grown.ranked(codes)).tolist()[:MANY] == [0] * MANY
    assert all(grown.marks(grown.ranked(codes)).tolist()[MANY:])


@pytest.mark.parametrize(
    "bad",
    [{"n": 0}, {"n": 1.5}, {"questions": "wild"}, {"seed": -1}, {"m": 0}, {"grown": [1]}, {"grown": "x"}],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(bad):
    ((name, _),) = bad.items()
    with pytest.raises(ValueError, match=name):
        Trees(**bad)


def test_trees_are_written_without_their_questions():
    assert repr(GUIDED.columns[BLOCK]) == "Trees(n=8)"
    assert repr(GUIDED.columns[BLOCK].grown).startswith("<8 trees, ")
    assert GUIDED.columns[BLOCK].grown.kinds == {"best": (0, 4), "drawn": (4, 8)}
    assert GUIDED.columns[BLOCK].parts == tuple(
        f"{kind} {part}" for kind in ("best", "drawn") for part in ("mean of logs", "log of mean")
    )
