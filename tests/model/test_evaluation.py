"""Evaluations: scikit-learn's numbers for any batching, and edge cases."""

import json
import math
import warnings
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from tallybayes import Categorical, Gaussian, Model, Schema, Words, evaluate
from tallybayes.model.decide import CELLS, bayes_error
from tallybayes.report.plain import to_text

RNG = np.random.default_rng(11)
N = 600
NAMES = ["ant", "bee", "cat", "dog", "eel"]  # the last is so rare that it is never predicted


def rows(n, seed):
    random = np.random.default_rng(seed)
    truth = random.choice(5, n, p=[0.4, 0.3, 0.2, 0.09, 0.01])
    frame = {
        "x": random.normal(truth % 4, 1.0),
        "u": [f"level {level}" for level in (truth + random.integers(0, 2, n)) % 3],
    }
    return frame, [NAMES[number] for number in truth]


SCHEMA = Schema({"x": Gaussian(), "u": Categorical()})
MODEL = Model.train(SCHEMA, *rows(N, 1))
FRAME, LABELS = rows(N, 2)
POSTERIOR = MODEL.posterior(FRAME)
DECIDED = MODEL.decide(FRAME)


def part(start, stop):
    return {name: values[start:stop] for name, values in FRAME.items()}, LABELS[start:stop]


def test_equals_sklearn():
    found = evaluate(MODEL, FRAME, LABELS)
    assert "eel" not in DECIDED
    assert (found.n, found.rejected, found.impossible, found.unknown) == (N, 0, 0, ())
    assert found.classes == tuple(NAMES)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(LABELS, DECIDED))
    assert found.error == pytest.approx(1.0 - found.accuracy)
    np.testing.assert_array_equal(found.confusion[:, :-1], metrics.confusion_matrix(LABELS, DECIDED, labels=NAMES))
    assert not found.confusion[:, -1].any()
    assert found.log_loss == pytest.approx(metrics.log_loss(LABELS, POSTERIOR, labels=NAMES))
    is_true = np.array(LABELS)[:, None] == np.array(NAMES)
    assert found.brier == pytest.approx(np.mean(np.sum((POSTERIOR - is_true) ** 2, axis=1)))
    assert found.expected_error == pytest.approx(bayes_error(POSTERIOR))
    scores = metrics.precision_recall_fscore_support(LABELS, DECIDED, labels=NAMES, zero_division=0)
    for name, wanted in zip(("precision", "recall", "f1", "n"), scores, strict=True):
        np.testing.assert_allclose([getattr(score, name) for score in found.per_class], wanted)
    wanted = metrics.precision_recall_fscore_support(LABELS, DECIDED, average="macro", zero_division=0)[:3]
    np.testing.assert_allclose(list(found.macro.values()), wanted)


def test_baselines_are_the_majority_class_and_the_prior():
    found = evaluate(MODEL, FRAME, LABELS)
    assert found.majority_class == max(NAMES, key=LABELS.count)
    assert found.baseline == LABELS.count(found.majority_class) / N
    prior = np.tile(list(MODEL.prior().values()), (N, 1))
    assert found.prior_log_loss == pytest.approx(metrics.log_loss(LABELS, prior, labels=NAMES))


def test_brier_score_of_two_classes_is_twice_sklearns():
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    share = model.posterior(FRAME)[:, 0]
    wanted = metrics.brier_score_loss([label == "ant" for label in two], share)
    assert evaluate(model, FRAME, two).brier == pytest.approx(2.0 * wanted)


def test_calibration_concerns_the_predicted_class():
    found = evaluate(MODEL, FRAME, LABELS)
    share = POSTERIOR.max(axis=1)
    right = np.array(DECIDED) == np.array(LABELS)
    apart = 0.0
    numbers = np.minimum((share * 15).astype(int), 14)
    assert len(found.calibration) == len(np.unique(numbers)) < 15
    for number, interval in zip(np.unique(numbers), found.calibration, strict=True):
        inside = numbers == number
        assert (interval.low, interval.high, interval.n) == (number / 15, (number + 1) / 15, inside.sum())
        assert interval.probability == pytest.approx(share[inside].mean())
        assert interval.accuracy == pytest.approx(right[inside].mean())
        apart += inside.mean() * abs(interval.probability - interval.accuracy)
    assert found.calibration_error == pytest.approx(apart)


def test_standard_errors_are_those_of_means():
    found = evaluate(MODEL, FRAME, LABELS).standard_errors
    is_true = np.array(LABELS)[:, None] == np.array(NAMES)
    by_row = {
        "accuracy": np.array(DECIDED) == np.array(LABELS),
        "log_loss": -np.log(POSTERIOR[is_true]),
        "brier": np.sum((POSTERIOR - is_true) ** 2, axis=1),
    }
    for name, values in by_row.items():
        assert found[name] == pytest.approx(np.std(values, ddof=1) / math.sqrt(N)), name
    assert math.isnan(found["roc_auc"])


def test_single_row_has_no_standard_error():
    found = evaluate(MODEL, *part(0, 1))
    assert all(math.isnan(error) for error in found.standard_errors.values())
    assert "±" not in repr(found)


def assert_same(one, other):
    """Up to rounding."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        for mine, others in zip(one, other, strict=True):
            assert_same(mine, others)
    else:
        assert one == (pytest.approx(other, rel=1e-12) if isinstance(other, float) else other)


@given(cuts=st.lists(st.integers(0, N), max_size=5).map(sorted), costly=st.booleans())
def test_batching_does_not_matter(cuts, costly):
    options = {"costs": {("dog", "ant"): 7.0}, "reject": 0.6} if costly else {}
    whole = evaluate(MODEL, FRAME, LABELS, **options).to_json()
    edges = [0, *cuts, N]
    parts = [part(a, b) for a, b in pairwise(edges)]
    assert_same(evaluate(MODEL, iter(parts), **options).to_json(), whole)
    assert_same(sum(evaluate(MODEL, *each, **options) for each in parts if each[1]).to_json(), whole)
    frames = (pa.table({**frame, "y": labels}) for frame, labels in parts if labels)
    assert_same(evaluate(MODEL, frames, "y", **options).to_json(), whole)


@pytest.mark.slow
def test_large_frame_is_evaluated_in_pieces():
    times = CELLS // (5 * N) + 10
    table = pa.table({**FRAME, "y": LABELS})
    many = pa.concat_tables([table] * times).combine_chunks()
    found, once = evaluate(MODEL, many, "y", threads=2), evaluate(MODEL, table, "y")
    np.testing.assert_array_equal(found.confusion, once.confusion * times)
    assert found.log_loss == pytest.approx(once.log_loss)
    row = many.num_rows - 7
    broken = many.set_column(0, "x", pa.array(["inf" if i == row else "1" for i in range(many.num_rows)]))
    with pytest.raises(ValueError, match=f"Column 'x', row {row}: "):
        evaluate(MODEL, broken, "y")


def test_label_column_from_the_schema():
    schema = Schema(SCHEMA.columns, label="y")
    frame = {**FRAME, "y": LABELS}
    model = Model.train(schema, frame)
    assert evaluate(model, frame).accuracy == evaluate(model, FRAME, LABELS).accuracy
    with pytest.raises(ValueError, match="No labels are given"):
        evaluate(MODEL, FRAME)
    with pytest.raises(ValueError, match="Column 'x' holds the labels; drop it"):
        evaluate(MODEL, FRAME, "x")


def test_unseen_class_is_an_error_and_reported():
    labels = ["yak", *LABELS[1:]]
    found = evaluate(MODEL, FRAME, labels, costs={("ant", "bee"): 9.0})
    assert found.classes == (*NAMES, "yak")
    assert (found.unknown, found.impossible) == (("yak",), 1)
    assert found.log_loss == math.inf
    assert found.log_loss_of_possible == pytest.approx(metrics.log_loss(LABELS[1:], POSTERIOR[1:], labels=NAMES))
    is_true = np.array(labels)[:, None] == np.array(NAMES)
    squares = np.sum((POSTERIOR - is_true) ** 2, axis=1)
    squares[0] += 1.0
    assert found.brier == pytest.approx(squares.mean())
    np.testing.assert_array_equal(found.confusion.sum(axis=1), [labels.count(label) for label in found.classes])
    assert found.per_class[-1][:3] == ("yak", 1, 0)
    assert (found.to_json()["log_loss"], found.to_json()["prior_log_loss"]) == ("inf", "inf")
    assert "The model has not seen 'yak'." in repr(found)
    assert "log-loss        inf            true class impossible in 1 row; 0." in repr(found)
    other = evaluate(Model.train(SCHEMA, FRAME, labels), FRAME, labels)
    assert (evaluate(MODEL, FRAME, labels) + other).unknown == ()
    first = {name: cells[:2] for name, cells in FRAME.items()}
    assert "true class impossible in 2 rows\n" in repr(evaluate(MODEL, first, ["yak"] * 2))


def test_underflowing_probability_is_not_impossible():
    model = Model.train({"t": Words()}, {"t": ["up " * 999, "down " * 999]}, ["a", "b"])
    found = evaluate(model, {"t": ["down " * 999, "up"]}, ["a", "a"])
    assert model.posterior({"t": ["down " * 999]})[0, 0] == 0.0
    joint = model.log_joint({"t": ["down " * 999, "up"]})
    wanted = np.logaddexp.reduce(joint, axis=1) - joint[:, 0]
    assert wanted[0] > 5000.0
    assert found.impossible == 0
    assert found.log_loss == pytest.approx(wanted.mean())


def test_impossible_truth_is_infinite_loss():
    model = Model.train({"u": Categorical(alpha=0.0)}, {"u": ["v", "w"]}, ["a", "b"])
    found = evaluate(model, {"u": ["w", "v", None]}, ["a", "a", "a"])
    assert found.impossible == 1
    assert found.log_loss == math.inf
    assert found.log_loss_of_possible == pytest.approx(math.log(2.0) / 2.0)


def test_impossible_rows_warn():
    both = {"u": ["a", "b"], "v": ["a", "b"]}
    model = Model.train({"u": Categorical(alpha=0.0), "v": Categorical(alpha=0.0)}, both, ["a", "b"])
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible in every class"):
        found = evaluate(model, {"u": ["a"], "v": ["b"]}, ["a"])
    assert found.log_loss == pytest.approx(math.log(2.0))


def test_scores_that_are_no_likelihood_are_evaluated_as_posteriors():
    texts = {"t": ["up up", "down", "up down", "down down"]}
    model = Model.train({"t": Words(reading="complement")}, texts, ["a", "b", "a", "b"])
    found = evaluate(model, texts, ["a", "b", "a", "b"])
    assert found.log_loss == pytest.approx(metrics.log_loss(["a", "b", "a", "b"], model.posterior(texts)))


def test_single_class_is_always_right():
    found = evaluate(Model.train(SCHEMA, FRAME, ["one"] * N), FRAME, ["one"] * N)
    assert (found.accuracy, found.log_loss, found.brier, found.expected_error) == (1.0, 0.0, 0.0, 0.0)
    assert math.copysign(1.0, found.log_loss) == 1.0
    assert found.calibration[-1].n == N
    assert found.confusion.tolist() == [[N, 0]]


@pytest.mark.parametrize(
    "labels", [[3, 1, 3, -70], [True, False, True, True], [0.5, 2.0, 0.5, 0.5], [b"u", b"", b"", b"u"]]
)
def test_labels_of_any_type(labels):
    model = Model.train({"u": Categorical()}, {"u": list("vwvw")}, labels)
    found = evaluate(model, {"u": list("vwvw")}, labels)
    assert found.classes == tuple(sorted(set(labels)))
    assert found.correct == sum(a == b for a, b in zip(model.decide({"u": list("vwvw")}), labels, strict=True))
    json.dumps(found.to_json(), allow_nan=False)
    assert to_text(max(set(labels))) in repr(found)


def test_invalid_arguments_are_errors():
    with pytest.raises(TypeError, match=r"The labels are of type int64; those of the model are of type string\. Give"):
        evaluate(MODEL, FRAME, list(range(N)))
    with pytest.raises(ValueError, match="1 of 2 rows have no label, the first in row 1"):
        evaluate(MODEL, part(0, 2)[0], ["ant", None])
    with pytest.raises(ValueError, match="no rows, so there is nothing to evaluate"):
        evaluate(MODEL, iter([]), "y")
    with pytest.raises(ValueError, match="has counted no rows"):
        evaluate(Model(SCHEMA), FRAME, LABELS)
    with pytest.raises(ValueError, match="give costs by"):
        evaluate(MODEL, FRAME, LABELS, costs={("yak", "ant"): 1.0})
    with pytest.raises(ValueError, match="reject=-1"):
        evaluate(MODEL, FRAME, LABELS, reject=-1)
    with pytest.raises(ValueError, match="threads=0"):
        evaluate(MODEL, FRAME, LABELS, threads=0)
    numbers = evaluate(Model.train(SCHEMA, *part(0, 2)[:1], [1, 2]), part(0, 2)[0], [1, 2])
    with pytest.raises(TypeError, match="labels have the same type"):
        numbers + evaluate(MODEL, FRAME, LABELS)
    with pytest.raises(TypeError):
        numbers + 1


def test_json_contains_everything():
    found = evaluate(MODEL, FRAME, LABELS, reject=0.3)
    again = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert again == found.to_json()
    assert again["accuracy"] == found.accuracy
    assert sum(each["n"] for each in again["confusion"]) == N
    assert {each["decision"] for each in again["confusion"]} == {None, "ant", "bee", "cat", "dog"}
    assert again["per_class"][0]["label"] == "ant"
    assert again["calibration"][0]["probability"] == found.calibration[0].probability
    nothing = evaluate(MODEL, FRAME, LABELS, reject=0.0).to_json()
    assert (nothing["accuracy"], nothing["calibration"]) == (None, [])


def test_no_other_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(MODEL, FRAME, LABELS, costs={("ant", "bee"): 2.0}, reject=0.1, threads=2)
