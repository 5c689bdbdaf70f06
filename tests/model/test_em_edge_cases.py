"""Semi-supervised EM: settings, edge cases and clusters."""

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
    Mixture,
    Model,
    Poisson,
    Schema,
    Weights,
    Words,
    digest,
    prepare,
)


def test_source_is_reread_at_every_step(tmp_path):
    table, labels, _ = mixed_rows(300)
    schema = Schema({"level": Categorical(), "number": Gaussian()}, label="y")
    settings = EM(iterations=5)
    held = Model.train(schema, table, labels, unlabelled=settings)
    small = Model.train(schema, written(tmp_path / "small.csv", table, labels), unlabelled=settings)
    large = written(tmp_path / "large.csv", table, labels, "x" * (1 << 15))
    read = Model.train(schema, large, unlabelled=settings)
    assert digest(small) == digest(read) == digest(held)
    np.testing.assert_array_equal(small.fitted.responsibilities, held.fitted.responsibilities)
    with pytest.raises(ValueError, match="were not kept"):
        _ = read.fitted.responsibilities


def test_unlabelled_rows_are_an_error_by_default():
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
def test_every_kind_of_null_is_no_label(name):
    frame, schema = {"x": [0.0, 0.5, 9.0, 9.5, 0.2, 9.2]}, {"x": Gaussian()}
    expected = Model.train(schema, frame, LABELS, unlabelled=EM())
    assert digest(Model.train(schema, frame, KINDS_OF_NULLS[name], unlabelled=EM())) == digest(expected)
    with pytest.raises(ValueError, match="2 of 6 rows have no label, the first in row 4"):
        Model.train(schema, frame, KINDS_OF_NULLS[name])


def test_polars_frame_with_missing_labels():
    frame = pl.DataFrame({"c": list("uuvvuv"), "y": LABELS})
    model = Model.train(Schema({"c": Categorical()}, label="y"), frame, unlabelled=EM())
    assert digest(model) == digest(Model.train(model.schema, {"c": list("uuvvuv")}, LABELS, unlabelled=EM()))


def test_all_labelled_leaves_nothing_to_em():
    model = Model.train({"c": Categorical()}, {"c": ["u", "v"]}, ["a", "b"], unlabelled=EM())
    assert model.fitted.summary() == "2 labelled and 0 unlabelled rows; every row has a label"


def test_stream_cannot_be_read_again():
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
        ({"classes": 0}, "the number of clusters, or the labels"),
        ({"classes": "ab"}, "the number of clusters, or the labels"),
        ({"seed": -1}, "a whole number of at least 0"),
    ],
)
def test_invalid_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        EM(**settings)


def test_weight_zero_equals_labelled_rows_alone():
    model = Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(weight=0.0))
    assert digest(model) == digest(Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9]))
    assert "count nothing" in model.fitted.summary()
    assert Model.train(SCHEMA, FRAME.slice(0, 9), PLAY[:9], unlabelled=EM()) == model


def test_minus_one_is_an_ordinary_label():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0]}, [-1, 1, None], unlabelled=EM())
    assert model.classes == [-1, 1]


def test_class_without_labelled_rows_can_be_named():
    table, labels, truth = mixed_rows(600)
    partly = [None if label == 2 else label for label in labels]
    schema = {"number": Gaussian(), "count": Poisson()}
    settings = EM(classes=[0, 1, 2], seed=1, restarts=2, iterations=40)
    model = Model.train(schema, table, partly, unlabelled=settings)
    assert model.classes == [0, 1, 2]
    assert (model.most_probable(table) == truth).mean() > 0.75
    assert model == Model.train(schema, table, partly, unlabelled=settings)


def test_one_labelled_row_per_class_suffices():
    frame = {"x": [0.0, 10.0, *np.linspace(-1, 1, 20), *np.linspace(9, 11, 20)]}
    model = Model.train({"x": Gaussian()}, frame, ["a", "b", *[None] * 40], unlabelled=EM())
    assert model.rows_by_class()["a"] == pytest.approx(21.0, abs=1e-3)


def test_identical_rows_are_uninformative():
    model = Model.train({"x": Categorical()}, {"x": ["u", "v", *["u"] * 30]}, ["a", "b", *[None] * 30], unlabelled=EM())
    assert model.n == 32.0
    assert (np.diff(model.fitted.curve) >= 0).all()


def test_impossible_rows_are_shared_equally_at_first():
    frame = {"x": ["u", "v", "w"]}
    model = Model.train({"x": Categorical(alpha=0.0)}, frame, ["a", "b", None], unlabelled=EM())
    assert model.fitted.responsibilities[2].tolist() == [0.5, 0.5]


def test_evidence_weights_are_kept_and_not_used_by_em():
    table, labels, _ = mixed_rows(100)
    schema = {"number": Gaussian(), "level": Categorical()}
    weighed = Schema(schema, weights=Weights(columns={"number": 0.5, "level": 0.5}))
    model = Model.train(weighed, table, labels, unlabelled=EM(iterations=3))
    assert model.schema.weights is not None
    assert model.believing(weights=None) == Model.train(schema, table, labels, unlabelled=EM(iterations=3))


def test_scores_that_are_no_likelihood_become_multinomial():
    table, labels, _ = mixed_rows(100)
    settings = EM(iterations=3)
    given, plain = ({"text": Words(reading=reading)} for reading in ("complement", "multinomial"))
    model = Model.train(given, table, labels, unlabelled=settings)
    assert model.columns == Model.train(plain, table, labels, unlabelled=settings).columns


def test_unprepared_families_are_prepared_first():
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
def test_blocks_are_counted_with_shares(name):
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


def test_rows_of_weight_zero_are_ignored():
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


def test_empty_rows_are_shared_like_the_class_prior():
    frame = {"x": [0.0, 0.5, 9.0, None, None, None]}
    model = Model.train({"x": Gaussian()}, frame, ["a", "a", "b", None, None, None], unlabelled=EM(tolerance=1e-9))
    np.testing.assert_allclose(model.fitted.responsibilities[3:], [[2 / 3, 1 / 3]] * 3, atol=1e-6)


@pytest.mark.slow
def test_million_rows_with_ten_labels():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 1_000_000)
    level = np.array(["u", "v"])[np.where(random.random(len(truth)) < 0.8, truth, 1 - truth)]
    table = pa.table({"x": random.normal(4.0 * truth), "c": level})
    labels = np.full(len(truth), None, object)
    labels[:10] = truth[:10]
    model = Model.train({"x": Gaussian(), "c": Categorical()}, table, labels.tolist(), unlabelled=EM())
    assert model.n == 1_000_000.0
    assert (model.most_probable(table) == truth).mean() > 0.98


def test_unused_component_leaves_its_class_intact():
    mixture = Mixture.train({"x": Categorical()}, {"x": ["u"] * 5 + ["v"] * 5}, ["a"] * 5 + ["b"] * 5, EM(components=4))
    assert mixture.rows_by_class() == {"a": 5.0, "b": 5.0}
    assert mixture.decide({"x": ["u", "v"]}) == ["a", "b"]


def test_progress_is_reported_at_every_step():
    told = []
    model = Model.train(
        SCHEMA, FRAME, PLAY, unlabelled=EM(progress=lambda step, objective: told.append((step, objective)))
    )
    assert told == list(enumerate(model.fitted.curve, 1))


def test_clusters_are_unnamed_classes():
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
    with pytest.raises(ValueError, match=r"the number of clusters: EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, unlabelled=EM())
    with pytest.raises(ValueError, match=r"No row has a label.*EM\(classes=3\)"):
        Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, [None, None], unlabelled=EM())
    with pytest.raises(ValueError, match=r"there are rows of 2 classes \('no', 'yes'\)"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=3))
    with pytest.raises(TypeError, match="these are of type int64, the labels of rows of string"):
        Model.train(SCHEMA, FRAME, PLAY, unlabelled=EM(classes=[1, 2]))


def test_empty_cluster_is_dropped_with_a_note():
    frame = {"x": ["u"] * 5}
    model = Model.train({"x": Categorical()}, frame, unlabelled=EM(classes=3, restarts=2))
    assert model.n == 5.0
    for note in model.fitted.notes:
        assert "has no rows left" in note
    assert len(model.classes) + len(model.fitted.notes) == 3


def test_class_without_words_has_a_likelihood_without_smoothing():
    frame = {"t": ["aa bb", "", "cc", "", None], "x": [1.0, 2.0, 3.0, 4.0, 5.0]}
    schema, labels = {"t": Words(reading="poisson", alpha=0.0), "x": Gaussian()}, ["a", "b", "a", None, None]
    curve = Model.train(schema, frame, labels, unlabelled=EM()).fitted.curve
    assert len(curve) > 2
    assert np.all(np.diff(curve) > -1e-9)
