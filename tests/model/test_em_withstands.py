"""Rows without labels: what EM is told, what it must withstand, clusters."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from em_rows import FRAME, PLAY, SCHEMA, mixed_rows, written

from tallybayes import (
    EM,
    FAMILIES,
    Categorical,
    Gaussian,
    Histogram,
    Mixture,
    Model,
    Poisson,
    Schema,
    Weights,
    Words,
    digest,
    prepare,
)


def test_a_source_is_read_again_at_every_step(tmp_path):
    table, labels, _ = mixed_rows(300)
    schema = Schema({"level": Categorical(), "number": Gaussian()}, label="y")
    settings = EM(iterations=5)
    held = Model.train(schema, table, labels, unlabelled=settings)
    small = Model.train(schema, written(tmp_path / "small.csv", table, labels), unlabelled=settings)
    large = written(tmp_path / "large.csv", table, labels, "x" * (1 << 15))
    read = Model.train(schema, large, unlabelled=settings)
    assert digest(small) == digest(read) == digest(held)
    np.testing.assert_array_equal(small.fitted.shares, held.fitted.shares)
    with pytest.raises(ValueError, match="was not kept"):
        _ = read.fitted.shares


def test_rows_without_labels_are_an_error_unless_asked_for():
    with pytest.raises(ValueError, match=r"5 of 14 rows have no label, the first in row 9.*unlabelled=EM\(\)"):
        Model.train(SCHEMA, FRAME, PLAY)
    with pytest.raises(TypeError, match=r"unlabelled=True: give EM\(\)"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=True)


LABELS = ["a", "a", "b", "b", None, None]
KINDS_OF_NULLS = {
    "NaN": [*LABELS[:4], np.nan, float("nan")],
    "NA and NaT": [*LABELS[:4], pd.NA, pd.NaT],
    "pandas objects": pd.Series(LABELS),
    "pandas strings": pd.Series(LABELS, dtype="string"),
    "pandas categories": pd.Series(LABELS, dtype="category"),
    "polars": pl.Series(LABELS),
    "polars categories": pl.Series(LABELS, dtype=pl.Categorical),
    "large strings": pa.array(LABELS, pa.large_string()),
    "string views": pa.array(LABELS, pa.string_view()),
    "a dictionary": pa.array(LABELS).dictionary_encode(),
}


@pytest.mark.parametrize("name", KINDS_OF_NULLS)
def test_a_label_of_no_kind_is_no_label(name):
    frame, schema = {"x": [0.0, 0.5, 9.0, 9.5, 0.2, 9.2]}, {"x": Gaussian()}
    expected = Model.train(schema, frame, LABELS, unlabelled=EM())
    assert digest(Model.train(schema, frame, KINDS_OF_NULLS[name], unlabelled=EM())) == digest(expected)
    with pytest.raises(ValueError, match="2 of 6 rows have no label, the first in row 4"):
        Model.train(schema, frame, KINDS_OF_NULLS[name])


def test_frames_of_polars_may_lack_labels():
    frame = pl.DataFrame({"c": list("uuvvuv"), "y": LABELS})
    model = Model.train(Schema({"c": Categorical()}, label="y"), frame, unlabelled=EM())
    assert digest(model) == digest(Model.train(model.schema, {"c": list("uuvvuv")}, LABELS, unlabelled=EM()))


def test_rows_that_all_have_labels_leave_nothing_to_em():
    model = Model.train({"c": Categorical()}, {"c": ["u", "v"]}, ["a", "b"], unlabelled=EM())
    assert model.fitted.told() == "2 labelled and 0 unlabelled rows; every row has a label"


def test_a_stream_cannot_be_passed_over_again():
    with pytest.raises(ValueError, match="a stream can be read only once"):
        Model.train(SCHEMA, iter([(FRAME, PLAY)]), unlabelled=EM())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": 1.5}, "give a number from 0 to 1, or 'chosen'"),
        ({"weight": "much"}, "give a number from 0 to 1, or 'chosen'"),
        ({"iterations": 0}, "a whole number of at least 1"),
        ({"components": 0}, "a whole number of at least 1"),
        ({"tolerance": -1.0}, "a number of at least 0"),
        ({"classes": 0}, "how many clusters there are, or the labels"),
        ({"classes": "ab"}, "how many clusters there are, or the labels"),
        ({"seed": -1}, "a whole number of at least 0"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        EM(**settings)


def test_rows_that_count_nothing_change_nothing():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(weight=0.0))
    assert digest(model) == digest(Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9]))
    assert "count nothing" in model.fitted.told()
    assert Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9], unlabelled=EM()) == model


def test_minus_one_is_a_label_like_any_other():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0]}, [-1, 1, None], unlabelled=EM())
    assert model.classes == [-1, 1]


def test_a_class_may_be_named_that_no_row_has():
    table, labels, truth = mixed_rows(600)
    partly = [None if label == 2 else label for label in labels]
    schema = {"number": Gaussian(), "count": Poisson()}
    settings = EM(classes=[0, 1, 2], seed=1, restarts=2, iterations=40)
    model = Model.train(schema, table, partly, unlabelled=settings)
    assert model.classes == [0, 1, 2]
    assert (model.most_probable(table) == truth).mean() > 0.75
    assert model == Model.train(schema, table, partly, unlabelled=settings)


def test_one_labelled_row_of_each_class_is_enough_to_begin():
    frame = {"x": [0.0, 10.0, *np.linspace(-1, 1, 20), *np.linspace(9, 11, 20)]}
    model = Model.train({"x": Gaussian()}, frame, ["a", "b", *[None] * 40], unlabelled=EM())
    assert model.rows_by_class()["a"] == pytest.approx(21.0, abs=1e-3)


def test_rows_that_are_all_alike_tell_nothing():
    model = Model.train({"x": Categorical()}, {"x": ["u", "v", *["u"] * 30]}, ["a", "b", *[None] * 30], unlabelled=EM())
    assert model.n == 32.0
    assert (np.diff(model.fitted.curve) >= 0).all()


def test_rows_that_no_class_allows_are_shared_alike_and_then_allowed():
    frame = {"x": ["u", "v", "w"]}
    model = Model.train({"x": Categorical(alpha=0.0)}, frame, ["a", "b", None], unlabelled=EM())
    assert model.fitted.shares[2].tolist() == [0.5, 0.5]


def test_weights_of_evidence_are_not_what_em_scores_by_and_stay():
    table, labels, _ = mixed_rows(100)
    schema = {"number": Gaussian(), "level": Categorical()}
    weighed = Schema(schema, weights=Weights(columns={"number": 0.5, "level": 0.5}))
    model = Model.train(weighed, table, labels, unlabelled=EM(iterations=3))
    assert model.schema.weights is not None
    assert model.believing(weights=None) == Model.train(schema, table, labels, unlabelled=EM(iterations=3))


def test_scores_that_are_no_likelihood_are_read_as_one():
    table, labels, _ = mixed_rows(100)
    settings = EM(iterations=3)
    given, plain = ({"text": Words(reading=reading)} for reading in ("complement", "multinomial"))
    model = Model.train(given, table, labels, unlabelled=settings)
    assert model.columns == Model.train(plain, table, labels, unlabelled=settings).columns


def test_what_must_be_settled_before_counting_is_settled_first():
    table, labels, _ = mixed_rows(100)
    known = [i for i, label in enumerate(labels) if label is not None]
    schema = Schema({("number", "count"): FAMILIES["Pairs"]()})
    chosen = prepare(schema, table.take(pa.array(known)), [labels[i] for i in known])
    model = Model.train(schema, table, labels, unlabelled=EM(iterations=3))
    assert model.schema.columns == chosen.columns
    with pytest.raises(ValueError, match="There are no labelled rows to choose intervals, levels or questions from"):
        Model.train(schema, table, unlabelled=EM(classes=2))


BLOCKS = {
    "Pairs": {("level", "count"): FAMILIES["Pairs"]()},
    "Tuples": {("level", "count", "number"): FAMILIES["Tuples"]()},
    "Trees": {("level", "count", "number"): FAMILIES["Trees"](n=3)},
    "Correlated": {("count", "number"): FAMILIES["Correlated"]()},
    "Crossed": {("level", "kind"): FAMILIES["Crossed"]()},
    "Several": {("level", "count"): FAMILIES["Several"](members=(FAMILIES["Trees"](n=3), FAMILIES["Pairs"]()))},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_counted_in_shares_like_any_column(name):
    table, labels, truth = mixed_rows(200)
    table = table.append_column("kind", pa.array(["xyz"[y] for y in truth]))
    settings = EM(iterations=4)
    model = Model.train(BLOCKS[name], table, labels, unlabelled=settings)
    assert model.n == 200.0
    assert (np.diff(model.fitted.curve) >= 0).all()
    assert Model.train(model.schema, table, model.fitted.soft_labels) == model
    order = np.random.default_rng(1).permutation(200)
    shuffled, other = table.take(pa.array(order)), [labels[i] for i in order]
    assert digest(Model.train(BLOCKS[name], shuffled, other, unlabelled=settings, threads=2)) == digest(model)


def test_blocks_are_counted_too():
    table, labels, truth = mixed_rows(300)
    filled = {"a": table["count"].cast(pa.float64()), "b": np.random.default_rng(5).normal(truth)}
    model = Model.train({("a", "b"): FAMILIES["Correlated"]()}, pa.table(filled), labels, unlabelled=EM(iterations=5))
    assert (np.diff(model.fitted.curve) >= 0).all()
    assert model.n == 300.0


def test_intervals_of_values_are_counted_too():
    table, labels, _ = mixed_rows(100)
    model = Model.train({"number": Histogram()}, table, labels, unlabelled=EM(iterations=5))
    assert model.n == 100.0


def test_rows_that_weigh_nothing_are_as_if_they_were_not_there():
    frame, labels = {"x": [0.0, 1.0, 9.0, 10.0, 0.5, 9.5]}, ["a", "a", "b", "b", None, None]
    schema = {"x": Gaussian()}
    model = Model.train(schema, frame, labels, weights=[1, 1, 1, 1, 0, 0], unlabelled=EM())
    assert digest(model) == digest(Model.train(schema, {"x": frame["x"][:4]}, labels[:4]))
    none = Model.train(schema, frame, labels, weights=[0] * 6, unlabelled=EM())
    assert none.n == 0.0
    no_b = Model.train(schema, frame, labels, weights=[1, 1, 0, 0, 1, 1], unlabelled=EM(restarts=2))
    assert (no_b.n, no_b.classes) == (4.0, ["a", "b"])


def test_rows_too_heavy_for_the_grid_are_refused():
    frame, labels, schema = {"x": [0.0, 1.0, 9.0, 10.0, 0.5]}, ["a", "a", "b", "b", None], {"x": Gaussian()}
    heavy = Model.train(schema, frame, labels, weights=[1e12] * 4 + [2.0**21], unlabelled=EM())
    assert heavy.n == 4e12 + 2.0**21
    with pytest.raises(ValueError, match="A row weighs 1e\\+12, and EM shares rows that weigh up to 2,097,152"):
        Model.train(schema, frame, labels, weights=[1e12] * 5, unlabelled=EM())


def test_rows_of_which_every_cell_is_missing_are_shared_as_the_classes_are():
    frame = {"x": [0.0, 0.5, 9.0, None, None, None]}
    model = Model.train({"x": Gaussian()}, frame, ["a", "a", "b", None, None, None], unlabelled=EM(tolerance=1e-9))
    np.testing.assert_allclose(model.fitted.shares[3:], [[2 / 3, 1 / 3]] * 3, atol=1e-6)


@pytest.mark.slow
def test_a_million_rows_beside_ten_that_have_labels():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 1_000_000)
    level = np.array(["u", "v"])[np.where(random.random(len(truth)) < 0.8, truth, 1 - truth)]
    table = pa.table({"x": random.normal(4.0 * truth), "c": level})
    labels = np.full(len(truth), None, object)
    labels[:10] = truth[:10]
    model = Model.train({"x": Gaussian(), "c": Categorical()}, table, labels.tolist(), unlabelled=EM())
    assert model.n == 1_000_000.0
    assert (model.most_probable(table) == truth).mean() > 0.98


def test_a_component_that_no_row_needs_leaves_its_class_whole():
    mixture = Mixture.train({"x": Categorical()}, {"x": ["u"] * 5 + ["v"] * 5}, ["a"] * 5 + ["b"] * 5, EM(components=4))
    assert mixture.rows_by_class() == {"a": 5.0, "b": 5.0}
    assert mixture.decide({"x": ["u", "v"]}) == ["a", "b"]


def test_progress_is_told_of_every_step():
    told = []
    model = Model.train(
        SCHEMA, FRAME, PLAY, unlabelled=EM(progress=lambda step, objective: told.append((step, objective)))
    )
    assert told == list(enumerate(model.fitted.curve, 1))


def test_clusters_are_classes_that_nobody_named():
    table, _, truth = mixed_rows(300)
    schema = {"number": Gaussian(), "count": Poisson(), "level": Categorical(), "text": Words()}
    model = Model.train(schema, table, unlabelled=EM(classes=3, restarts=4, seed=7))
    assert model.classes == [0, 1, 2]
    assert model.fitted.starts == 4
    cluster = model.most_probable(table)
    together = [np.bincount(truth[cluster == k], minlength=3).max() for k in range(3)]
    assert sum(together) / 300 > 0.85
    order = np.random.default_rng(2).permutation(300)
    shuffled = Model.train(schema, table.take(pa.array(order)), unlabelled=EM(classes=3, restarts=4, seed=7), threads=2)
    assert digest(shuffled) == digest(model)


def test_no_labels_and_no_number_of_clusters_is_an_error():
    with pytest.raises(ValueError, match=r"how many clusters there are to be: EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, unlabelled=EM())
    with pytest.raises(ValueError, match=r"No row has a label.*EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, [None, None], unlabelled=EM())
    with pytest.raises(ValueError, match=r"there are rows of 2 classes \('no', 'yes'\)"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=3))
    with pytest.raises(TypeError, match="the labels of rows are of type string, these of int64"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=[1, 2]))


def test_a_cluster_that_no_row_is_left_to_is_gone_and_that_is_said():
    frame = {"x": ["u"] * 5}
    model = Model.train({"x": Categorical()}, frame, unlabelled=EM(classes=3, restarts=2))
    assert model.n == 5.0
    for note in model.fitted.notes:
        assert "No row was left to class" in note
    assert len(model.classes) + len(model.fitted.notes) == 3
