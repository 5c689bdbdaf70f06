"""Leave-one-out by subtraction: closed forms, vanishing classes, errors and edge cases."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes import (
    Categorical,
    Dirichlet,
    Gaussian,
    Histogram,
    Model,
    Poisson,
    Schema,
    Words,
    digest,
    evaluate,
    left_out,
    report_on,
)
from tallybayes.model.left_out import evaluate_left_out
from tallybayes.sources import open_source

TABLE = {
    "outlook": ["sunny", "sunny", "rain", None, "rain", "fog"],
    "degrees": [20.5, 31.0, 12.0, 15.5, None, 9.0],
    "guests": [3, 0, 2, 2, 5, 1],
    "note": ["warm and dry", "warm", "wet", None, "wet and cold", ""],
}
LABELS = ["yes", "yes", "no", "no", "no", "maybe"]
SCHEMA = Schema(
    {"outlook": Categorical(alpha="fitted"), "degrees": Gaussian(), "guests": Poisson(), "note": Words()}, prior=1.0
)


def without(frame, row):
    return {name: cells[:row] + cells[row + 1 :] for name, cells in frame.items()}


def only(frame, row):
    return {name: cells[row : row + 1] for name, cells in frame.items()}


def retrained(schema, frame, labels, row, **more):
    """The joint of the row under a model trained without it; −∞ for a class that is gone."""
    classes = sorted(set(labels))
    model = Model.train(schema, without(frame, row), labels[:row] + labels[row + 1 :], **more)
    found = np.full(len(classes), -np.inf)
    found[[classes.index(label) for label in model.classes]] = model.log_joint(only(frame, row))[0]
    return found


@pytest.mark.parametrize("prior", ["frequencies", "uniform", 2.0, {"yes": 0.5, "no": 0.2, "maybe": 0.3}])
def test_equals_retraining_without_the_row(prior):
    schema = Schema(SCHEMA.columns, prior=prior)
    found = left_out(Model.train(schema, TABLE, LABELS), TABLE, LABELS).total()
    with pytest.warns(UserWarning, match="no row has the class") if isinstance(prior, dict) else nullcontext():
        expected = np.array([retrained(schema, TABLE, LABELS, row) for row in range(len(LABELS))])
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_pseudo_counts_cover_the_remaining_classes():
    schema = Schema({"x": Categorical()}, prior=Dirichlet({"a": 1.0, "b": 4.0}))
    frame, labels = {"x": ["u", "v", "u"]}, ["a", "a", "b"]
    found = left_out(Model.train(schema, frame, labels), frame, labels)
    np.testing.assert_allclose(np.exp(found.prior), [[2 / 7, 5 / 7], [2 / 7, 5 / 7], [1.0, 0.0]])


def test_levels_in_closed_form():
    frame, labels = {"x": list("uuvw")}, ["a", "a", "a", "b"]
    found = left_out(Model.train({"x": Categorical()}, frame, labels), frame, labels)
    np.testing.assert_allclose(np.exp(found["x"][0]), [(1 + 1) / (2 + 3), 1 / (1 + 3)])
    assert found["x"][2:].tolist() == [[0.0, 0.0]] * 2  # "v" and "w" are unseen without their only row


def test_numbers_in_closed_form():
    x, labels = [1.0, 3.0, 8.0], ["a", "a", "a"]
    found = left_out(Model.train({"x": Gaussian(m=0, plugin=True)}, {"x": x}, labels), {"x": x}, labels)["x"]
    expected = -0.5 * (math.log(2 * math.pi * 6.25) + (1.0 - 5.5) ** 2 / 6.25)
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-14)


def test_words_in_closed_form():
    texts, labels = ["aa bb bb", "aa cc", "bb dd"], ["x", "x", "y"]
    found = left_out(Model.train({"text": Words()}, {"text": texts}, labels), {"text": texts}, labels)["text"]
    x, y = [(1 + 1) / (2 + 4), 1 / (2 + 4)], [1 / (2 + 4), (1 + 1) / (2 + 4)]  # aa and bb, of aa, bb, cc and dd
    np.testing.assert_allclose(np.exp(found[0]), [x[0] * x[1] ** 2, y[0] * y[1] ** 2])


@pytest.mark.parametrize("column", [[1e9 + k for k in (0.0, 1.0, 2.0, 4.0)], [1e150, 1.0, 2.0, 4.0], [5.0] * 4])
def test_no_digits_lost_at_a_large_mean_or_an_outlier(column):
    labels = ["a", "a", "a", "b"]
    schema, frame = Schema({"x": Gaussian()}), {"x": column}
    found = left_out(Model.train(schema, frame, labels), frame, labels).total()
    for row in range(3):
        np.testing.assert_allclose(found[row], retrained(schema, frame, labels, row), rtol=1e-13)


def test_row_of_weight_zero_subtracts_nothing():
    schema, weights = Schema({**SCHEMA.columns, "degrees": Histogram()}), [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    model = Model.train(schema, TABLE, LABELS, weights=weights)
    found = left_out(model, TABLE, LABELS, weights=weights)
    np.testing.assert_allclose(found.total()[0], model.log_joint(only(TABLE, 0))[0], rtol=1e-12)


def test_a_class_of_rows_of_weight_zero_is_left_out_as_if_it_had_no_rows():
    weights = [1.0, 1.0, 2.0, 1.0, 1.0, 0.0]
    model = Model.train(SCHEMA, TABLE, LABELS, weights=weights)
    assert model.classes == ["no", "yes"]
    found = left_out(model, TABLE, LABELS, weights=weights).total()
    rest = {name: cells[:5] for name, cells in TABLE.items()}
    np.testing.assert_allclose(found[:5], left_out(model, rest, LABELS[:5], weights=weights[:5]).total(), rtol=1e-12)
    np.testing.assert_allclose(found[5], model.log_joint(only(TABLE, 5))[0], rtol=1e-12)
    expected = model.suspects(rest, LABELS[:5], weights=weights[:5])
    assert model.suspects(TABLE, LABELS, weights=weights) == expected


def test_rows_of_a_decayed_model():
    model = Model.train(SCHEMA, TABLE, LABELS) * 0.7
    found = left_out(model, TABLE, LABELS, weights=[0.7] * 6).total()
    rest = model.copy()
    rest -= Model.train(SCHEMA, only(TABLE, 1), ["yes"], weights=[0.7])
    np.testing.assert_allclose(found[1], rest.log_joint(only(TABLE, 1))[0], rtol=1e-9)
    with pytest.raises(ValueError, match="a class would have a negative number of rows"):
        left_out(model, TABLE, LABELS)


def test_subsets_batches_and_threads_agree():
    model = Model.train(SCHEMA, TABLE, LABELS)
    whole = left_out(model, TABLE, LABELS).total()
    batches = [({name: cells[a:b] for name, cells in TABLE.items()}, LABELS[a:b]) for a, b in ((0, 2), (2, 6))]
    np.testing.assert_allclose(left_out(model, iter(batches)).total(), whole, rtol=1e-12)
    np.testing.assert_allclose(left_out(model, TABLE, LABELS, threads=3).total(), whole, rtol=1e-12)
    np.testing.assert_allclose(left_out(model, *batches[1]).total(), whole[2:], rtol=1e-12)


@pytest.mark.parametrize("row", range(6))
def test_single_row(row):
    model = Model.train(SCHEMA, TABLE, LABELS)
    plain = {name: cells[row] for name, cells in TABLE.items()}
    found = left_out(model, plain, [LABELS[row]]).total()
    np.testing.assert_allclose(found[0], left_out(model, TABLE, LABELS).total()[row], rtol=1e-12)


def test_single_text():
    texts, labels = ["win a prize", "lunch on monday", "a prize"], ["spam", "ham", "spam"]
    model = Model.train({"text": Words()}, texts, labels)
    np.testing.assert_allclose(left_out(model, "a prize", ["spam"]).total(), left_out(model, texts, labels).total()[2:])


def test_model_is_unchanged():
    model = Model.train(SCHEMA, TABLE, LABELS)
    before, answers = digest(model), model.log_joint(TABLE)
    left_out(model, TABLE, LABELS)
    assert digest(model) == before
    assert np.array_equal(model.log_joint(TABLE), answers)


def test_class_of_one_row_disappears():
    found = left_out(Model.train(SCHEMA, TABLE, LABELS), TABLE, LABELS)
    assert np.isneginf(found.prior[5, found.classes.index("maybe")])
    assert np.exp(found.prior[5]).sum() == pytest.approx(1.0)
    assert not np.isnan(found.total()).any()


@pytest.mark.parametrize("labels", [["a", "a"], ["a", "b"], ["a"]])
def test_one_or_two_rows_give_no_nan(labels):
    frame = {name: cells[: len(labels)] for name, cells in TABLE.items()}
    schema = Schema({**SCHEMA.columns, "degrees": Histogram()})
    found = left_out(Model.train(schema, frame, labels), frame, labels)
    assert not np.isnan(found.total()).any()
    for row, label in enumerate(labels):
        gone = labels.count(label) == 1
        assert np.isneginf(found.prior[row, found.classes.index(label)]) == gone


def test_missing_rows_and_columns_are_uninformative():
    frame = {name: [*cells, None] for name, cells in TABLE.items()} | {"empty": [None] * 7, "none": [None] * 7}
    schema, labels = Schema({**SCHEMA.columns, "empty": Gaussian(), "none": Categorical()}), [*LABELS, "no"]
    found = left_out(Model.train(schema, frame, labels), frame, labels)
    assert all(np.all(said[6] == 0.0) for said in found.columns.values())
    assert np.all(found["empty"] == 0.0)
    assert np.all(found["none"] == 0.0)


def test_absent_columns_as_missing():
    frame = {"degrees": TABLE["degrees"]}
    model = Model.train(SCHEMA, frame, LABELS, absent="missing")
    found = left_out(model, frame, LABELS, absent="missing")
    assert np.all(found["note"] == 0.0)
    with pytest.raises(ValueError, match="no column"):
        left_out(model, frame, LABELS)


@pytest.mark.parametrize(
    ("frame", "labels", "reason"),
    [
        ({"x": ["u"]}, ["c"], "Row 0 has the label 'c', but the model has counted only 'a', 'b'"),
        ({"x": ["u", "u", "u"]}, ["a"] * 3, "a class would have a negative number of rows"),
        ({"x": ["w"]}, ["a"], "in column 'x' a count would be negative"),
        ({"x": ["v"]}, ["b"], "in column 'x' a count would be negative"),
        ({"x": [None]}, ["b"], "column 'x' would have more values than there are rows"),
    ],
)
def test_rows_that_cannot_have_been_counted_are_an_error(frame, labels, reason):
    model = Model.train({"x": Categorical()}, {"x": ["u", "v", "u"]}, ["a", "a", "b"])
    with pytest.raises(ValueError, match=reason):
        left_out(model, frame, labels)


def test_weights_other_than_counted_are_an_error():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "a"])
    with pytest.raises(ValueError, match="The model has not counted these rows"):
        left_out(model, {"x": [1.0, 2.0]}, ["a", "a"], weights=[1.0, 1.5])


def test_labels_of_another_type_are_an_error():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "a"])
    with pytest.raises(TypeError, match="of type int64; those already counted are of type string"):
        left_out(model, {"x": [1.0, 2.0]}, [1, 1])


def test_empty_model_is_an_error():
    with pytest.raises(ValueError, match="has counted no rows"):
        left_out(Model({"x": Gaussian()}), {"x": [1.0]}, ["a"])


def test_no_rows_give_no_evidence():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "b"])
    assert left_out(model, {"x": []}, []).total().shape == (0, 2)


def test_evidence_shows_the_prior_of_each_row():
    found = left_out(Model.train(SCHEMA, TABLE, LABELS), TABLE, LABELS)
    table = found.to_pandas()
    prior = table[table["column"] == "(class)"].pivot(index="row", columns="class", values="evidence")
    np.testing.assert_allclose(prior.to_numpy(), found.prior)
    shown = [row.columns[0].evidence["yes"] for row in report_on(found).facts.rows]
    np.testing.assert_allclose(shown, found.prior[: len(shown), found.classes.index("yes")])


@pytest.mark.filterwarnings("ignore:.*impossible")
@given(st.lists(st.tuples(*map(st.sampled_from, ("uv", "123", "ab"))), min_size=3, max_size=8))
@example([("u", "1", "a"), ("v", "2", "b"), ("u", "2", "b")])
def test_loss_of_a_left_out_row_is_that_of_the_model_without_it_even_if_no_class_can_explain_it(rows):
    schema = {"x": Categorical(alpha=0, levels=("u", "v")), "y": Categorical(alpha=0, levels=("1", "2", "3"))}

    def counted(some):
        x, y, labels = (list(each) for each in zip(*some, strict=True))
        return {"x": x, "y": y}, labels

    model = Model.train(schema, *counted(rows))
    for row in {row for row in rows if sum(other[2] == row[2] for other in rows) > 1}:
        one = counted([row])
        expected = evaluate(model - Model.train(schema, *one), *one)
        assert evaluate_left_out(model, *one).log_loss == pytest.approx(expected.log_loss)


@pytest.fixture
def written(tmp_path):
    """A frame, which is also in a file, and its model."""
    frame = {"x": [f"c{i % 3}" for i in range(50)], "y": ["ab"[i % 7 < 4] for i in range(50)]}
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(*frame.values(), strict=True)))
    return frame, Model.train({"x": Categorical()}, frame, "y")


def test_evaluation_of_a_file_in_parts_is_that_of_all_rows(tmp_path, monkeypatch, written):
    frame, model = written
    monkeypatch.setattr("tallybayes.model.left_out.CELLS", 1)
    monkeypatch.setattr("tallybayes.model.left_out.FEWEST", 7)
    found = evaluate_left_out(model, open_source(tmp_path / "t.csv"), "y")
    whole = evaluate_left_out(model, frame, "y")
    assert (found.pairs, found.n) == (whole.pairs, 50)
    assert found.log_loss == pytest.approx(whole.log_loss, rel=1e-12)
    (tmp_path / "twice.csv").write_text((tmp_path / "t.csv").read_text() + (tmp_path / "t.csv").read_text()[4:])
    with pytest.raises(ValueError, match="has not counted these rows"):  # although each part may have been
        evaluate_left_out(model, open_source(tmp_path / "twice.csv"), "y")


def test_suspects_of_a_file_in_parts_are_those_of_all_rows(tmp_path, monkeypatch, written):
    frame, model = written
    whole = model.suspects(frame, "y")
    monkeypatch.setattr("tallybayes.model.left_out.CELLS", 1)
    monkeypatch.setattr("tallybayes.model.left_out.FEWEST", 7)
    assert model.suspects(open_source(tmp_path / "t.csv"), "y") == whole
    assert model.suspects(open_source(tmp_path / "t.csv"), "y", top=9) == whole[:9]
    (tmp_path / "t.csv").write_text("x,y\nc0,a\nc1,z\n")
    with pytest.raises(ValueError, match=r"t\.csv, line 3: the row has the label 'z', but the model has counted only"):
        model.suspects(open_source(tmp_path / "t.csv"), "y")
