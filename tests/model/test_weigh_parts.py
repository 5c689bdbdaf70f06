"""Weighing blocks together with their columns: weights of parts, and edge cases."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import (
    Categorical,
    Model,
    Pairs,
    Schema,
    Trees,
    Weights,
    counts_digest,
    left_out,
    schema_from_toml,
    schema_to_toml,
    weigh,
)
from tallybayes.files import from_bytes, to_bytes
from tallybayes.model.weigh import reweighed, sampled_rows

BLOCK = ("one", "two")
OVERLAPPING = {"one": Categorical(), "two": Categorical(), BLOCK: Trees(n=10)}
PARTS = tuple(f"{kind} {part}" for kind in ("best", "drawn") for part in ("mean of logs", "log of mean"))


def made(rows=200, seed=0, clear=0.9):
    random = np.random.default_rng(seed)
    one, two = random.integers(0, 2, (2, rows))
    labels = np.where(random.random(rows) < clear, one ^ two, random.integers(0, 2, rows))
    return pd.DataFrame({"one": one.astype(str), "two": two.astype(str)}), labels.tolist()


def weighing(schema, frame, labels):
    model = Model.train(schema, frame, labels)
    return reweighed(model, sampled_rows(model, frame, labels))


def test_parts_have_separate_weights():
    model, found = weighing(OVERLAPPING, *made())
    weights = model.schema.weights
    assert [*weights.parts] == [BLOCK]
    assert tuple(weights.parts[BLOCK]) == PARTS
    assert set(weights.columns) == {"one", "two"}
    assert found.weighed < found.naive - 0.2
    assert weights.of_parts(BLOCK, PARTS).tolist() == [weights.parts[BLOCK][part] for part in PARTS]


@pytest.mark.parametrize("given", [None, *({part: 0.5} for part in PARTS), {}], ids=str)
def test_score_is_the_weighted_sum(given):
    """Parts without weight need not be computed."""
    frame, labels = made()
    model = weigh(Model.train(OVERLAPPING, frame, labels), frame, labels)
    if given is not None:
        model = model.believing(weights=Weights(parts={BLOCK: given}))
    plain = Model.train({BLOCK: model.schema.columns[BLOCK]}, frame, labels)
    said = np.zeros((len(PARTS), 2, len(frame)))
    cells = plain.schema.encode(pa.RecordBatch.from_pandas(frame))[BLOCK]
    plain.belief(BLOCK).add_parts(cells, np.ones(len(PARTS)), said)
    said -= said.mean(axis=1, keepdims=True)
    expected = np.einsum("pcr,p->rc", said, model.schema.weights.of_parts(BLOCK, PARTS))
    found = model.evidence(frame)[BLOCK]
    np.testing.assert_allclose(found - found.mean(axis=1, keepdims=True), expected, atol=1e-9)


def test_weights_of_parts_round_trip():
    weights = Weights(
        {"one": 0.5}, parts={BLOCK: {"Pairs": 0.25, "best log of mean": 1}}, prior=0.3, offsets={"a": 0.1}
    )
    assert Weights.from_json(weights.to_json()) == weights
    assert repr(weights) == (
        "Weights(columns={'one': 0.5}, prior=0.3, offsets={'a': 0.1}, "
        "parts={('one', 'two'): {'Pairs': 0.25, 'best log of mean': 1.0}})"
    )
    assert weights.shown(BLOCK) == "0.25…1"
    schema = Schema({"one": Categorical(), "two": Categorical(), BLOCK: Pairs()}, weights=weights)
    assert schema_from_toml(schema_to_toml(schema)) == schema
    assert schema_from_toml(schema_to_toml(schema)).weights == weights


def test_block_with_one_weight_round_trips():
    schema = Schema({BLOCK: Pairs()}, weights=Weights({BLOCK: 0.5}))
    assert schema_from_toml(schema_to_toml(schema)).weights == schema.weights


def test_reasons_for_texts_survive_weighing():
    """Weighing fits a setting of theirs, how readings are mixed."""
    frame = {"text": [f"{'a free lunch' if i % 2 else 'the match was won'} on day {i}" for i in range(60)]}
    labels = ["a", "b"] * 30
    schema = Schema.infer(frame)
    model = weigh(Model.train(schema, frame, labels), frame, labels)
    assert model.schema.columns["text"] != schema.columns["text"]
    assert model.schema.reasons == schema.reasons


def test_reasons_for_blocks_survive_weighing():
    frame, labels = made()
    schema = Schema.infer(frame, dependence="trees")
    model = weigh(Model.train(schema, frame, labels), frame, labels)
    assert model.schema.reasons[BLOCK] == "columns that may depend on each other; their evidence is weighed"
    assert BLOCK not in model.believing({BLOCK: model.schema.columns[BLOCK].changed({"m": 2.0})}).schema.reasons


def test_file_keeps_weights_and_counts_do_not_depend_on_them():
    frame, labels = made()
    plain = Model.train(OVERLAPPING, frame, labels)
    model = weigh(plain, frame, labels)
    again = from_bytes(to_bytes(model))
    assert again == model
    assert again.schema.weights == model.schema.weights
    np.testing.assert_array_equal(again.posterior(frame), model.posterior(frame))
    assert counts_digest(model) == counts_digest(plain)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), "x", True])
def test_invalid_weights_of_parts_are_refused(bad):
    with pytest.raises(ValueError, match=r"Weights\(parts\[\('one', 'two'\)\]\['Pairs'\]=.*at least 0"):
        Weights(parts={BLOCK: {"Pairs": bad}})


def test_weights_of_unknown_blocks_are_refused():
    with pytest.raises(ValueError, match="There is a weight for"):
        Schema({"one": Categorical()}, weights=Weights(parts={BLOCK: {"Pairs": 0.5}}))


@given(st.integers(0, 10_000), st.integers(4, 60), st.floats(0, 1))
@settings(max_examples=some(20))
def test_left_out_loss_is_never_worse_than_columns_alone(seed, rows, clear):
    frame, labels = made(rows, seed, clear)
    _, found = weighing(OVERLAPPING, frame, labels)
    assert found.weighed <= found.naive
    columns = {name: OVERLAPPING[name] for name in frame}
    assert found.naive == pytest.approx(weighing(columns, frame, labels)[1].naive)


@pytest.mark.parametrize("labels", [["a"], ["a", "b"], ["a", "a", "a"]], ids=str)
def test_without_weighing_the_columns_answer_alone(labels):
    frame = pd.DataFrame({"one": ["u", "v", "u"], "two": ["x", "x", "y"]})[: len(labels)]
    model = weigh(Model.train(OVERLAPPING, frame, labels), frame, labels)
    alone = Model.train({name: OVERLAPPING[name] for name in frame}, frame, labels)
    assert set(model.schema.weights.parts[BLOCK].values()) == {0.0}
    assert model.schema.weights.columns == {"one": 1.0, "two": 1.0}
    np.testing.assert_allclose(model.posterior(frame), alone.posterior(frame), rtol=1e-9)


def test_overlapping_schema_requires_weighing():
    frame, labels = made(40)
    model = Model.train(OVERLAPPING, frame, labels)
    assert model.schema.overlaps
    for ask in (model.posterior, model.evidence, model.log_joint):
        with pytest.raises(ValueError, match=r"Column 'one' is in two entries .* weigh\(model, data\)"):
            ask(frame)
    with pytest.raises(ValueError, match="in two entries"):
        left_out(model, frame, labels).total()
    assert weigh(model, frame, labels).posterior(frame).shape == (40, 2)


def test_single_block_is_weighed():
    frame, labels = made()
    model, found = weighing({BLOCK: Trees(n=10)}, frame, labels)
    assert found.weighed <= found.naive
    assert not model.schema.overlaps
    assert (model.posterior(frame).argmax(axis=1) == labels).mean() > 0.9


def test_row_order_does_not_change_the_weights():
    frame, labels = made()
    order = np.random.default_rng(1).permutation(len(labels))
    model = Model.train(OVERLAPPING, frame, labels)
    other = weigh(model, frame.iloc[order], [labels[i] for i in order])
    assert to_bytes(other) == to_bytes(weigh(model, frame, labels))


@pytest.mark.parametrize("schema", [OVERLAPPING, {BLOCK: Trees(n=10)}], ids=["beside columns", "alone"])
def test_uncounted_rows_are_refused(schema):
    frame, labels = made(40)
    model = Model.train(schema, frame[:20], labels[:20])
    with pytest.raises(ValueError, match="The model has not counted these rows"):
        weigh(model, frame, labels)


def test_novelty_of_an_overlapping_model_is_that_of_its_columns():
    frame, labels = made(40)
    model = weigh(Model.train(OVERLAPPING, frame, labels), frame, labels)
    alone = Model.train({name: OVERLAPPING[name] for name in frame}, frame, labels)
    np.testing.assert_array_equal(model.novelty(frame), alone.novelty(frame))


def test_suspects_of_overlapping_blocks_are_those_of_the_first():
    frame, labels = made(40)
    frame["three"] = ["x", "y"] * 20
    schema = {BLOCK: Pairs(structure="tree"), ("one", "three"): Pairs(structure="tree")}
    model = weigh(Model.train(schema, frame, labels), frame, labels)
    assert model.suspects(frame, labels) == model.only([BLOCK]).suspects(frame, labels)


def test_columns_in_several_entries_are_asked_about():
    """Where the block has no weight, the gains are those of the columns, up to sampling."""
    frame, labels = pd.DataFrame({"one": ["u", "v"], "two": ["x", "y"]}), ["a", "b"]
    model = weigh(Model.train(OVERLAPPING, frame, labels), frame, labels)
    assert set(model.schema.weights.parts[BLOCK].values()) == {0.0}
    alone = Model.train({name: OVERLAPPING[name] for name in frame}, frame, labels)
    for row in ({}, {"one": "u"}):
        found = {question.column: question.gain for question in model.ask_next(row)}
        for question in alone.ask_next(row):
            assert found.pop(question.column) == pytest.approx(question.gain, abs=0.03)
        assert not found


def test_gain_of_a_column_includes_that_of_its_blocks():
    """Only both columns together tell the class."""
    frame, labels = made()
    model = weigh(Model.train(OVERLAPPING, frame, labels), frame, labels)
    (question,) = model.ask_next({"one": "1"})
    assert question.column == "two"
    rows = pd.DataFrame({"one": ["1", "1", "1"], "two": ["0", "1", None]})
    *after, before = -(model.posterior(rows) * np.log(model.posterior(rows))).sum(axis=1)
    assert question.gain == pytest.approx(before - np.mean(after), abs=0.05)
    assert question.gain > 0.2
