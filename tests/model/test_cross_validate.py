"""Cross-validation equals retraining for every fold, and handles any data."""

import json
import math
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from sklearn import metrics
from sklearn.model_selection import PredefinedSplit, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB

from tallybayes import (
    Categorical,
    Each,
    Gaussian,
    Model,
    Pairs,
    Schema,
    Words,
    cross_validate,
    digest,
    evaluate,
    folds,
    open_source,
)

N = 500
RANDOM = np.random.default_rng(3)
TRUTH = RANDOM.choice(3, N, p=[0.5, 0.3, 0.2])
NAMES = np.array(["ant", "bee", "cat"])
LABELS = NAMES[TRUTH].tolist()
FRAME = {
    "x": RANDOM.normal(TRUTH, 1.0).tolist(),
    "u": [f"level {level}" for level in (TRUTH + RANDOM.integers(0, 2, N)) % 3],
    "subject": [f"s{i % 41}" for i in range(N)],
}
DOORS = RANDOM.integers(2, 6, 200)
DOORS = pa.table(
    {"doors": DOORS, "size": (DOORS + RANDOM.normal(0, 1, 200)).round(2), "y": ["pq"[number % 2] for number in DOORS]}
)
SCHEMA = Schema({"x": Gaussian(), "u": Categorical()})


def kept(rows):
    return {name: [cells[i] for i in np.flatnonzero(rows)] for name, cells in FRAME.items()}


def refitted(where, schema=SCHEMA, labels=LABELS):
    """The evaluation of each fold by a model trained on the others."""
    labels = np.array(labels)
    for fold in np.unique(where):
        held = where == fold
        yield evaluate(Model.train(schema, kept(~held), labels[~held]), kept(held), labels[held])


def test_folds_equal_retraining():
    found = cross_validate(SCHEMA, FRAME, LABELS, k=6)
    where = folds(SCHEMA, FRAME, LABELS, 6).numbers(FRAME, LABELS)
    assert len(found.folds) == 6
    for one, wanted in zip(found.folds, refitted(where), strict=True):
        assert one.pairs == wanted.pairs
        for measure in ("accuracy", "log_loss", "brier", "roc_auc", "calibration_error", "prior_log_loss"):
            assert getattr(one, measure) == pytest.approx(getattr(wanted, measure), rel=1e-12), measure
    assert found.per_fold("accuracy") == [fold.accuracy for fold in found.folds]


def test_equals_sklearn():
    matrix = RANDOM.normal(TRUTH[:, None], [1.0, 2.0, 3.0], (N, 3))
    schema = Schema({"m": Each(Gaussian())})
    where = folds(schema, matrix, LABELS, 5).numbers(matrix, LABELS)
    found = cross_validate(schema, matrix, LABELS, k=5)
    wanted = cross_val_score(GaussianNB(), matrix, LABELS, cv=PredefinedSplit(where))
    np.testing.assert_allclose(found.per_fold("accuracy"), wanted, atol=0.02)
    share = np.empty((N, 3))
    for fold in range(5):
        trained = Model.train(schema, matrix[where != fold], NAMES[TRUTH[where != fold]])
        share[where == fold] = trained.posterior(matrix[where == fold])
    assert found.log_loss == pytest.approx(metrics.log_loss(LABELS, share, labels=list(NAMES)))
    assert found.accuracy == metrics.accuracy_score(LABELS, NAMES[share.argmax(axis=1)])
    assert found.roc_auc == pytest.approx(metrics.roc_auc_score(LABELS, share, multi_class="ovr"))
    is_true = np.eye(3)[TRUTH]
    assert found.brier == pytest.approx(np.mean(np.sum((share - is_true) ** 2, axis=1)))
    theirs = cross_val_predict(GaussianNB(), matrix, LABELS, cv=PredefinedSplit(where), method="predict_proba")
    assert found.log_loss == pytest.approx(metrics.log_loss(LABELS, theirs, labels=list(NAMES)), rel=0.01)


def test_several_beliefs_share_the_counts():
    tried = {
        "none": {},
        "strong": {"alpha": 50.0},
        "levels": {"u": Categorical(alpha=0.25)},
        "even": {"prior": "uniform"},
    }
    found = cross_validate(SCHEMA, FRAME, LABELS, k=4, beliefs=tried)
    assert [*found] == [*tried]
    for name, changes in tried.items():
        alone = cross_validate(SCHEMA.believing(changes), FRAME, LABELS, k=4)
        assert found[name].log_loss == alone.log_loss
        assert found[name].pooled.pairs == alone.pooled.pairs
    assert len({each.log_loss for each in found.values()}) == 4


def test_repeats_reshuffle_and_do_not_shrink_standard_errors():
    once = [cross_validate(SCHEMA, FRAME, LABELS, k=5, seed=seed) for seed in (3, 4)]
    twice = cross_validate(SCHEMA, FRAME, LABELS, k=5, repeats=2, seed=3)
    assert twice.n == 2 * N
    assert twice.per_fold("log_loss") == once[0].per_fold("log_loss") + once[1].per_fold("log_loss")
    assert twice.log_loss == pytest.approx((once[0].log_loss + once[1].log_loss) / 2)
    for name, error in twice.standard_errors.items():
        assert error == pytest.approx(np.mean([each.standard_errors[name] for each in once]), rel=0.1), name


def test_standard_errors_over_rows_or_groups():
    plain = cross_validate(SCHEMA, FRAME, LABELS, k=5)
    assert plain.standard_errors["log_loss"] == plain.pooled.standard_errors["log_loss"]
    areas = plain.per_fold("roc_auc")
    assert plain.standard_errors["roc_auc"] == pytest.approx(np.std(areas, ddof=1) / math.sqrt(5))
    grouped = cross_validate(SCHEMA, FRAME, LABELS, k=5, groups="subject")
    losses = grouped.per_fold("log_loss")
    assert grouped.standard_errors["log_loss"] == pytest.approx(np.std(losses, ddof=1) / math.sqrt(5))


def test_row_is_never_scored_by_a_model_that_has_seen_its_group():
    subject = np.arange(60) % 30
    frame = {"u": [f"of {each}" for each in subject], "subject": subject}
    labels = np.where(subject * 7 % 11 < 5, "yes", "no").tolist()
    schema = Schema({"u": Categorical(alpha=0.01)})
    assert cross_validate(schema, frame, labels, k=30).accuracy > 0.8  # the duplicate gives it away
    assert cross_validate(schema, frame, labels, k=30, groups="subject").accuracy < 0.7


def test_mistaken_beliefs_are_refused_before_anything_is_read():
    def unread():
        raise AssertionError("rows were read")
        yield

    for data in (unread(), unread):
        with pytest.raises(ValueError, match="alhpa=1 is not a belief"):
            cross_validate(SCHEMA, data, k=2, beliefs={"a": {"alhpa": 1}})


def test_stream_is_opened_twice():
    table = pa.table({**FRAME, "label": LABELS})
    opened = []

    def stream():
        opened.append(True)
        return (table.slice(start, 37) for start in range(0, N, 37))

    found = cross_validate(SCHEMA, stream, "label", k=5, repeats=2)
    assert len(opened) == 4
    whole = cross_validate(SCHEMA, FRAME, LABELS, k=5, repeats=2)
    assert found.pooled.pairs == whole.pooled.pairs
    assert found.log_loss == pytest.approx(whole.log_loss)
    with pytest.raises(ValueError, match=r"a stream or a source can be read only once\. Give a function that opens it"):
        cross_validate(SCHEMA, stream(), "label")


def test_labels_and_groups_may_be_iterators():
    found = cross_validate(SCHEMA, FRAME, iter(LABELS), k=5, groups=iter(FRAME["subject"]))
    assert found.log_loss == cross_validate(SCHEMA, FRAME, LABELS, k=5, groups="subject").log_loss


def test_data_that_changes_between_passes_is_an_error():
    tables = iter([pa.table({**FRAME, "label": LABELS}), pa.table({**FRAME, "label": LABELS}).slice(1)])
    with pytest.raises(
        ValueError, match=r"The data changed while it was read: fold \d had \d+ rows when they were counted"
    ):
        cross_validate(SCHEMA, lambda: next(tables), "label", k=5)


def test_model_is_unchanged_by_its_folds():
    model = Model.train(SCHEMA, FRAME, LABELS)
    before = digest(model)
    found = cross_validate(model, FRAME, LABELS, k=5)
    assert found.log_loss == cross_validate(SCHEMA, FRAME, LABELS, k=5).log_loss
    assert digest(model) == before


def test_class_of_one_row_is_reported_as_impossible():
    labels = ["rare", *LABELS[1:]]
    found = cross_validate(SCHEMA, FRAME, labels, k=5)
    assert (found.impossible, found.unseen_classes) == (1, {"rare": 1})
    assert found.log_loss == math.inf
    assert math.isfinite(found.log_loss_of_possible)
    assert math.isfinite(found.standard_errors["log_loss"])
    assert found.pooled.pairs["rare", "rare"] == 0
    text = repr(found)
    assert "the model had none of it: rare (1).\nThey count as errors in which the true class was impossible.\n" in text
    assert "nan" not in text
    assert found.to_json()["unseen_classes"] == {"rare": 1}


def test_two_rows_of_two_classes_are_impossible():
    found = cross_validate({"u": Categorical()}, {"u": ["a", "b"]}, ["no", "yes"], k=2, stratify=False)
    assert (found.n, found.impossible, found.accuracy, found.log_loss) == (2, 2, 0.0, math.inf)
    json.dumps(found.to_json(), allow_nan=False)


def test_single_class_is_always_right():
    found = cross_validate({"u": Categorical()}, {"u": list("abcd")}, ["yes"] * 4, k=4)
    assert (found.accuracy, found.log_loss, found.brier, found.calibration_error) == (1.0, 0.0, 0.0, 0.0)
    assert math.isnan(found.roc_auc)


def test_empty_rows_get_the_prior():
    frame = {"u": [None] * 8, "t": [None] * 8}
    found = cross_validate({"u": Categorical(), "t": Words()}, frame, ["yes", "yes", "yes", "no"] * 2, k=2)
    assert found.log_loss == pytest.approx(found.prior_log_loss)
    assert found.accuracy == found.baseline == 0.75


def test_costs_equal_those_of_evaluate():
    costs = {("ant", "bee"): 5.0}
    found = cross_validate(SCHEMA, FRAME, LABELS, k=3, costs=costs, reject=0.4)
    assert found.rejected > 0
    assert found.cost == pytest.approx(sum(each.paid for each in found.folds) / N)


def test_weights_count_in_training_and_held_out_rows_count_once():
    weights = np.where(np.arange(N) % 2, 3.0, 1.0)
    found = cross_validate(SCHEMA, FRAME, LABELS, k=4, weights=weights)
    where = folds(SCHEMA, FRAME, LABELS, 4).numbers(FRAME, LABELS)
    trained = Model.train(SCHEMA, kept(where != 0), NAMES[TRUTH[where != 0]], weights=weights[where != 0])
    wanted = evaluate(trained, kept(where == 0), NAMES[TRUTH[where == 0]])
    assert (found.n, found.folds[0].log_loss) == (N, pytest.approx(wanted.log_loss, rel=1e-12))


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"repeats": 0}, ValueError, "repeats=0: give a whole number of at least 1"),
        ({"beliefs": {}}, ValueError, "give names and changes, like"),
        ({"beliefs": {"a": 0.5}}, TypeError, "'a' is 0.5; give arguments of `believing`"),
        ({"beliefs": {"a": {"alpha": -1.0}}}, ValueError, "alpha"),
    ],
)
def test_invalid_arguments_are_errors(settings, error, message):
    with pytest.raises(error, match=message):
        cross_validate(SCHEMA, FRAME, LABELS, k=3, **settings)


def test_text_form():
    found = cross_validate(SCHEMA, FRAME, LABELS, k=3, repeats=2, groups="subject")
    lines = repr(found).splitlines()
    assert (
        lines[0] == "3 folds, 2 times, groups kept together, seed 0; every row is scored by a model without its fold."
    )
    assert lines[1] == "± is the standard error over folds."
    assert lines[3].startswith("accuracy     0.")
    assert "folds\n  fold  rows  accuracy  log-loss  Brier score  ROC AUC     ECE\n     0  " in repr(found)
    assert "<table" in found._repr_html_()


def test_source_equals_frame(tmp_path):
    path = tmp_path / "rows.csv"
    pa.csv.write_csv(pa.table({**FRAME, "label": LABELS}), path)
    for how in ({}, {"groups": "subject"}):
        found = cross_validate(SCHEMA, lambda: open_source(path), "label", k=5, **how)
        whole = cross_validate(SCHEMA, FRAME, LABELS, k=5, **how)
        assert found.pooled.pairs == whole.pooled.pairs
        assert found.log_loss == pytest.approx(whole.log_loss)
    with pytest.raises(ValueError, match="a stream or a source can be read only once"):
        cross_validate(SCHEMA, open_source(path), "label")
    with pytest.raises(ValueError, match="With a source, give the name of the column that holds the groups"):
        folds(SCHEMA, open_source(path), "label", groups=FRAME["subject"])


def test_weighed_schema_is_scored_with_its_weights():
    model = Model.train(SCHEMA, FRAME, LABELS)
    weighed = model.believing(weights={"x": 0.5, "u": 0.25})
    found = cross_validate(weighed, FRAME, LABELS, k=4, beliefs={"weighed": {}, "naive": {"weights": None}})
    assert found["naive"].log_loss == pytest.approx(cross_validate(SCHEMA, FRAME, LABELS, k=4).log_loss)
    where = folds(SCHEMA, FRAME, LABELS, 4).numbers(FRAME, LABELS)
    assert found["weighed"].log_loss == pytest.approx(sum(each.losses for each in refitted(where, weighed.schema)) / N)


@pytest.mark.parametrize("dependence", ["none", "pairs", "trees", "auto"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_inferred_schemas_are_validated_from_files_and_frames(tmp_path, dependence, form):
    table, path = DOORS, tmp_path / f"t.{form}"
    (pa.csv.write_csv if form == "csv" else pa.parquet.write_table)(table, path)
    schema = Schema.infer(open_source(path), "y", dependence=dependence)
    assert schema == Schema.infer(table, "y", dependence=dependence)
    assert schema.overlaps == (dependence != "none")  # and so the evidence is weighed, if it is not said
    wanted = cross_validate(schema, table, "y", k=4)
    found = cross_validate(schema, partial(open_source, path), "y", k=4)
    assert found.log_loss == pytest.approx(wanted.log_loss, rel=0.1)
    assert found.accuracy == wanted.accuracy > 0.9


@pytest.mark.parametrize("structure", ["tree", "averaged"])
def test_blocks_of_pairs_are_validated_under_several_beliefs(structure):
    block = {("doors", "size"): Pairs(structure=structure)}
    found = cross_validate(block, DOORS, "y", k=4, beliefs={"as it is": {}, "smooth": {"m": 500.0}})
    assert found["as it is"].log_loss == cross_validate(block, DOORS, "y", k=4).log_loss < found["smooth"].log_loss
