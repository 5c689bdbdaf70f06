"""Evaluations: the numbers are scikit-learn's, whatever the batches, and nothing that rows can hold is a surprise."""

import json
import math
import warnings
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from tallybayes import Categorical, Evaluation, Gaussian, Model, Schema, Words, evaluate
from tallybayes.model.decide import bayes_error
from tallybayes.model.evaluation import CELLS, ranks
from tallybayes.report.plain import spoken

RNG = np.random.default_rng(11)
N = 600
NAMES = ["ant", "bee", "cat", "dog", "eel"]  # the last is so rare that it is never decided


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


def test_it_is_what_scikit_learn_says():
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


def test_the_area_under_the_roc_curve_is_that_of_scikit_learn():
    found = evaluate(MODEL, FRAME, LABELS)
    wanted = metrics.roc_auc_score(LABELS, POSTERIOR, multi_class="ovr", labels=NAMES)
    assert found.roc_auc == pytest.approx(wanted, rel=1e-12)
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    wanted = metrics.roc_auc_score(two, model.posterior(FRAME)[:, 1])
    assert evaluate(model, FRAME, two).roc_auc == pytest.approx(wanted, rel=1e-12)


def test_probabilities_that_tie_or_lie_near_one_are_ranked_as_scikit_learn_ranks_them():
    model = Model.train({"t": Words()}, {"t": ["up " * 9, "down " * 9]}, ["a", "b"])
    texts = ["up " * i + "down " * j for i in range(7) for j in range(7)]
    labels = ["a" if (7 * i + j) % 5 < 3 else "b" for i in range(7) for j in range(7)]
    share = model.posterior({"t": texts})[:, 1]
    assert len(np.unique(share)) < len(texts)
    assert share.max() > 1.0 - 1e-5
    found = evaluate(model, {"t": texts}, labels)
    assert found.roc_auc == pytest.approx(metrics.roc_auc_score(labels, share), rel=1e-12)


def test_baselines_are_the_commonest_class_and_the_prior():
    found = evaluate(MODEL, FRAME, LABELS)
    assert found.commonest == max(NAMES, key=LABELS.count)
    assert found.baseline == LABELS.count(found.commonest) / N
    prior = np.tile(list(MODEL.prior().values()), (N, 1))
    assert found.prior_log_loss == pytest.approx(metrics.log_loss(LABELS, prior, labels=NAMES))


def test_a_class_that_the_model_never_met_is_never_found():
    two = Model.train(SCHEMA, FRAME, ["ant" if label == "ant" else "bee" for label in LABELS])
    found = evaluate(two, FRAME, LABELS)
    scores = np.column_stack([two.posterior(FRAME), np.zeros((N, 3))])
    wanted = [metrics.roc_auc_score(np.array(LABELS) == name, scores[:, i]) for i, name in enumerate(NAMES)]
    assert wanted[2:] == [0.5, 0.5, 0.5]
    assert found.roc_auc == pytest.approx(np.mean(wanted))
    both = found + evaluate(MODEL, FRAME, LABELS)
    scores = np.concatenate([scores, POSTERIOR])
    wanted = [metrics.roc_auc_score(np.array(LABELS * 2) == name, scores[:, i]) for i, name in enumerate(NAMES)]
    assert both.roc_auc == pytest.approx(np.mean(wanted))


def test_rows_of_one_class_rank_nothing():
    frame, labels = part(0, 1)
    found = evaluate(MODEL, frame, labels)
    assert math.isnan(found.roc_auc)
    assert found.to_json()["roc_auc"] is None


@settings(max_examples=10)
@given(st.data())
def test_ranks_of_many_probabilities_are_bounded_and_the_same_for_any_batches(data):
    n = 3 * ranks.MOST
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    true = random.random(n) < 0.3
    share = 1.0 / (1.0 + np.exp(-random.normal(true * 2.0, 4.0, n)))
    whole = ranks.Ranks.of(share, true)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(1, n - 1), min_size=1, max_size=4, unique=True))), n]
    parts = [ranks.Ranks.of(share[a:b], true[a:b]) for a, b in pairwise(cuts)]
    total = parts[0]
    for each in parts[1:]:
        total += each
    np.testing.assert_array_equal(total.keys, whole.keys)
    np.testing.assert_array_equal(total.n, whole.n)
    assert total.dropped == whole.dropped > 0
    assert len(whole.keys) <= ranks.MOST
    assert whole.auc == pytest.approx(metrics.roc_auc_score(true, share), abs=1e-5)


def test_of_two_classes_the_brier_score_is_twice_that_of_scikit_learn():
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    share = model.posterior(FRAME)[:, 0]
    wanted = metrics.brier_score_loss([label == "ant" for label in two], share)
    assert evaluate(model, FRAME, two).brier == pytest.approx(2.0 * wanted)


def test_calibration_is_that_of_the_class_decided():
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
        assert interval.right == pytest.approx(right[inside].mean())
        apart += inside.mean() * abs(interval.probability - interval.right)
    assert found.calibration_error == pytest.approx(apart)


def test_standard_errors_are_those_of_means_over_rows():
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


def test_the_standard_error_of_the_area_is_that_of_delong():
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    share, true = model.posterior(FRAME)[:, 1], np.array(two) == "other"
    ordered = np.heaviside(share[true][:, None] - share[~true][None, :], 0.5)
    wanted = math.sqrt(sum(np.var(ordered.mean(axis=i), ddof=1) / ordered.shape[1 - i] for i in (0, 1)))
    assert evaluate(model, FRAME, two).standard_errors["roc_auc"] == pytest.approx(wanted)


def test_of_a_single_row_no_standard_error_is_known():
    found = evaluate(MODEL, *part(0, 1))
    assert all(math.isnan(error) for error in found.standard_errors.values())
    assert "±" not in repr(found)


def assert_same(one, other):
    """To rounding."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        for mine, others in zip(one, other, strict=True):
            assert_same(mine, others)
    else:
        assert one == (pytest.approx(other, rel=1e-12) if isinstance(other, float) else other)


@given(cuts=st.lists(st.integers(0, N), max_size=5).map(sorted), costly=st.booleans())
def test_any_batches_give_the_same(cuts, costly):
    options = {"costs": {("dog", "ant"): 7.0}, "reject": 0.6} if costly else {}
    whole = evaluate(MODEL, FRAME, LABELS, **options).to_json()
    edges = [0, *cuts, N]
    parts = [part(a, b) for a, b in pairwise(edges)]
    assert_same(evaluate(MODEL, iter(parts), **options).to_json(), whole)
    assert_same(sum(evaluate(MODEL, *each, **options) for each in parts if each[1]).to_json(), whole)
    frames = (pa.table({**frame, "y": labels}) for frame, labels in parts if labels)
    assert_same(evaluate(MODEL, frames, "y", **options).to_json(), whole)


def test_a_large_frame_is_looked_at_in_pieces():
    times = CELLS // (5 * N) + 10
    table = pa.table({**FRAME, "y": LABELS})
    many = pa.concat_tables([table] * times).combine_chunks()
    found, once = evaluate(MODEL, many, "y", threads=2), evaluate(MODEL, table, "y")
    np.testing.assert_array_equal(found.confusion, once.confusion * times)
    assert found.log_loss == pytest.approx(once.log_loss)
    row = many.num_rows - 7
    broken = many.set_column(0, "x", pa.array(["?" if i == row else "1" for i in range(many.num_rows)]))
    with pytest.raises(ValueError, match=f"Column 'x', row {row}: "):
        evaluate(MODEL, broken, "y")


def test_the_schema_may_know_where_the_labels_are():
    schema = Schema(SCHEMA.columns, label="y")
    frame = {**FRAME, "y": LABELS}
    model = Model.train(schema, frame)
    assert evaluate(model, frame).accuracy == evaluate(model, FRAME, LABELS).accuracy
    with pytest.raises(ValueError, match="No labels are given"):
        evaluate(MODEL, FRAME)
    with pytest.raises(ValueError, match="Column 'x' holds the labels; drop it"):
        evaluate(MODEL, FRAME, "x")


def test_costs_are_those_of_the_decisions():
    costs = {("dog", "ant"): 7.0, ("ant", "bee"): 0.5}
    found = evaluate(MODEL, FRAME, LABELS, costs=costs)
    decided = MODEL.decide(FRAME, costs=costs)
    assert decided != DECIDED
    paid = [costs.get(pair, float(pair[0] != pair[1])) for pair in zip(LABELS, decided, strict=True)]
    assert found.cost == pytest.approx(np.mean(paid))
    matrix = np.array([[costs.get((a, b), float(a != b)) for b in NAMES] for a in NAMES])
    assert found.expected_cost == pytest.approx(np.mean(np.min(POSTERIOR @ matrix, axis=1)))
    assert found.accuracy == pytest.approx(metrics.accuracy_score(LABELS, decided))
    mine = POSTERIOR[np.arange(N), [NAMES.index(label) for label in decided]]
    assert found.expected_error == pytest.approx(1.0 - mine.mean())
    assert evaluate(MODEL, FRAME, LABELS).cost is None
    with pytest.raises(ValueError, match="both have costs, or neither"):
        found + evaluate(MODEL, FRAME, LABELS)


def test_rejected_rows_are_neither_right_nor_wrong():
    found = evaluate(MODEL, FRAME, LABELS, reject=0.3)
    decided = MODEL.decide(FRAME, reject=0.3)
    pairs = [(truth, label) for truth, label in zip(LABELS, decided, strict=True) if label is not None]
    right = sum(a == b for a, b in pairs)
    assert found.rejected == N - len(pairs) > 0
    assert found.accuracy == pytest.approx(right / len(pairs))
    assert found.error == pytest.approx(1.0 - right / len(pairs))
    assert found.confusion[:, -1].sum() == found.rejected
    assert found.per_class[0].recall == pytest.approx(pairs.count(("ant", "ant")) / LABELS.count("ant"))
    assert found.cost == pytest.approx((len(pairs) - right + 0.3 * found.rejected) / N)
    nothing = evaluate(MODEL, FRAME, LABELS, reject=0.0)
    assert nothing.rejected == N
    assert math.isnan(nothing.accuracy)
    assert "600 rows rejected" in repr(nothing)


def test_a_class_never_met_is_an_error_and_said_to_be():
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
    assert "The model has never met 'yak'." in repr(found)
    assert "log-loss        inf            in 1 row the truth was impossible; 0." in repr(found)
    other = evaluate(Model.train(SCHEMA, FRAME, labels), FRAME, labels)
    assert (evaluate(MODEL, FRAME, labels) + other).unknown == ()
    first = {name: cells[:2] for name, cells in FRAME.items()}
    assert "in 2 rows the truth was impossible\n" in repr(evaluate(MODEL, first, ["yak"] * 2))


def test_a_truth_too_improbable_for_a_number_is_not_impossible():
    model = Model.train({"t": Words()}, {"t": ["up " * 999, "down " * 999]}, ["a", "b"])
    found = evaluate(model, {"t": ["down " * 999, "up"]}, ["a", "a"])
    assert model.posterior({"t": ["down " * 999]})[0, 0] == 0.0
    joint = model.log_joint({"t": ["down " * 999, "up"]})
    wanted = np.logaddexp.reduce(joint, axis=1) - joint[:, 0]
    assert wanted[0] > 5000.0
    assert found.impossible == 0
    assert found.log_loss == pytest.approx(wanted.mean())


def test_a_truth_that_is_impossible_is():
    model = Model.train({"u": Categorical(alpha=0.0)}, {"u": ["v", "w"]}, ["a", "b"])
    found = evaluate(model, {"u": ["w", "v", None]}, ["a", "a", "a"])
    assert found.impossible == 1
    assert found.log_loss == math.inf
    assert found.log_loss_of_possible == pytest.approx(math.log(2.0) / 2.0)


def test_rows_that_no_class_allows_warn_as_they_always_do():
    both = {"u": ["a", "b"], "v": ["a", "b"]}
    model = Model.train({"u": Categorical(alpha=0.0), "v": Categorical(alpha=0.0)}, both, ["a", "b"])
    with pytest.warns(UserWarning, match="1 rows are impossible in every class"):
        found = evaluate(model, {"u": ["a"], "v": ["b"]}, ["a"])
    assert found.log_loss == pytest.approx(math.log(2.0))


def test_scores_that_are_no_likelihoods_are_evaluated_as_they_are_asked():
    texts = {"t": ["up up", "down", "up down", "down down"]}
    model = Model.train({"t": Words(reading="complement")}, texts, ["a", "b", "a", "b"])
    found = evaluate(model, texts, ["a", "b", "a", "b"])
    assert found.log_loss == pytest.approx(metrics.log_loss(["a", "b", "a", "b"], model.posterior(texts)))


def test_a_single_class_is_always_right_and_sure_of_it():
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
    assert found.right == sum(a == b for a, b in zip(model.decide({"u": list("vwvw")}), labels, strict=True))
    json.dumps(found.to_json(), allow_nan=False)
    assert spoken(max(set(labels))) in repr(found)


def test_what_cannot_be_evaluated_is_said():
    with pytest.raises(TypeError, match=r"The labels are of type int64; those of the model are of type string\. Give"):
        evaluate(MODEL, FRAME, list(range(N)))
    with pytest.raises(ValueError, match="1 of 2 rows have no label, the first in row 1"):
        evaluate(MODEL, part(0, 2)[0], ["ant", None])
    with pytest.raises(ValueError, match="no rows, so there is nothing to evaluate"):
        evaluate(MODEL, iter([]), "y")
    with pytest.raises(ValueError, match="has counted no rows"):
        evaluate(Model(SCHEMA), FRAME, LABELS)
    with pytest.raises(ValueError, match="give costs of"):
        evaluate(MODEL, FRAME, LABELS, costs={("yak", "ant"): 1.0})
    with pytest.raises(ValueError, match="reject=-1"):
        evaluate(MODEL, FRAME, LABELS, reject=-1)
    with pytest.raises(ValueError, match="threads=0"):
        evaluate(MODEL, FRAME, LABELS, threads=0)
    numbers = evaluate(Model.train(SCHEMA, *part(0, 2)[:1], [1, 2]), part(0, 2)[0], [1, 2])
    with pytest.raises(TypeError, match="labels are of one type"):
        numbers + evaluate(MODEL, FRAME, LABELS)
    with pytest.raises(TypeError):
        numbers + 1


def test_json_holds_all_of_it():
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


def counted(pairs):
    """An evaluation of such (truth, decision) pairs."""
    classes = sorted({label for pair in pairs for label in pair if label is not None})
    right = sum(n for (a, b), n in pairs.items() if a == b)
    n = sum(pairs.values())
    intervals = np.zeros((15, 3))
    intervals[11] = n, 0.75 * n, right
    sums = (0.5 * n, 0.3 * n, 0.6 * n, 0, 0.25 * n, 0.25 * n, 0.25 * n)
    return Evaluation(tuple(classes), (), pairs, intervals, {}, *sums, None, None)


def test_it_reads_well():
    found = counted({("no", "no"): 4, ("no", "yes"): 1, ("yes", "yes"): 8, ("yes", "no"): 1})
    assert repr(found).splitlines() == [
        "accuracy     0.8571  ± 0.0971  12 of 14 right",
        "  baseline   0.6429            always yes, the commonest class",
        "error        0.1429            the model expects 0.2500",
        "log-loss     0.5000  ± 0.0620",
        "  baseline   0.6000            the prior alone",
        "Brier score  0.2500  ± 0.1201",
        "ROC AUC      0.5000  ± 0.0000",
        "ECE          0.1071            the expected calibration error",
        "",
        "classes",
        "  class        rows  decided  precision  recall     F1",
        "  no              5        5      0.800   0.800  0.800",
        "  yes             9        9      0.889   0.889  0.889",
        "  (all, mean)    14       14      0.844   0.844  0.844",
        "",
        "confusion",
        "  truth \\ decision  no  yes",
        "  no                 4    1",
        "  yes                1    8",
        "",
        "calibration",
        "  probability   rows   mean  right",
        "  0.73 to 0.80    14  0.750  0.857",
    ]


def test_of_many_classes_the_worst_and_their_confusions_are_shown():
    names = [f"class {i:03}" for i in range(150)]
    pairs = {(name, name): 100 for name in names} | {(names[i], names[i + 1]): 50 - i for i in range(20)}
    text = repr(counted(pairs))
    assert "\nthe 12 worst of 150 classes, by F1\n" in text
    table = "  truth      decision   rows\n  class 000  class 001    50\n"
    assert f"\nerrors, the 12 most frequent of 20\n{table}" in text
    assert "class 011  class 012    39\n" in text
    assert "class 149" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 45
    assert "No decision is wrong." in repr(counted({(name, name): 1 for name in names}))


def test_names_of_classes_do_no_harm():
    names = ["\x1b[31m", "a\nb", "long " * 100, *(f"a rather long name {i}" for i in range(8))]
    text = repr(counted({(a, b): 1 for a in names for b in names}))
    assert "\\x1b[31m" in text
    assert "a\\nb" in text
    assert "long long long long lon…" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert max(map(len, text.splitlines())) <= 100
    assert "errors, the 12 most frequent of 110" in text


def test_nothing_else_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(MODEL, FRAME, LABELS, costs={("ant", "bee"): 2.0}, reject=0.1, threads=2)
