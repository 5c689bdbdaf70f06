"""Schemas that look at labels before they count are prepared, trained and weighed again for every fold."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from tallybayes import (
    Categorical,
    Gaussian,
    Model,
    ReadOptions,
    Schema,
    Trees,
    cross_validate,
    evaluate,
    folds,
    learning_curve,
    open_source,
    weigh,
)
from tallybayes.model.batches import Given
from tallybayes.model.validation.dealing import Deal
from tallybayes.model.validation.folds import Folds
from tallybayes.model.validation.retrained import folds_to_hold_out

RANDOM = np.random.default_rng(4)
N = 120
ONE, TWO = RANDOM.integers(0, 2, (2, N))
FRAME = pa.table({"one": ["uv"[i] for i in ONE], "two": (TWO + RANDOM.normal(0, 0.1, N)).round(3)})
LABELS = pa.array(np.where((ONE + TWO) % 2, "odd", "even"))
BLOCK = Schema({("one", "two"): Trees(n=8)})
BESIDE = Schema({"one": Categorical(), "two": Gaussian(), ("one", "two"): Trees(n=8)})


@pytest.mark.parametrize("schema", [BLOCK, BESIDE], ids=["a block", "weighed beside its columns"])
def test_each_fold_is_scored_by_a_model_trained_on_the_others(schema):
    found = cross_validate(schema, FRAME, LABELS, k=4, seed=3)
    where = Folds(schema, Deal(4, seed=3)).numbers(FRAME, LABELS)
    for fold, measured in enumerate(found.folds):
        others = pa.array(where != fold)
        rows, labels = FRAME.filter(others), LABELS.filter(others)
        model = Model.train(schema, rows, labels)
        model = weigh(model, rows, labels) if schema.overlaps else model
        held_out = pa.array(where == fold)
        wanted = evaluate(model, FRAME.filter(held_out), LABELS.filter(held_out))
        assert (measured.n, measured.accuracy) == (wanted.n, wanted.accuracy)
        assert measured.log_loss == pytest.approx(wanted.log_loss, rel=1e-12)


def test_held_out_labels_do_not_choose_questions():
    """Labels drawn at random cannot be known, however many questions are asked about a row's own values."""
    drawn = pa.array(RANDOM.choice(["odd", "even"], N))
    numbers = {"x": RANDOM.normal(size=N), "y": RANDOM.normal(size=N)}
    found = cross_validate({("x", "y"): Trees(n=40)}, numbers, drawn, k=4)
    assert found.log_loss > 0.95 * np.log(2)
    assert cross_validate(BLOCK, FRAME, LABELS, k=4).accuracy > 0.95


def test_several_beliefs_weights_groups_and_files(tmp_path):
    beliefs = {"plain": {}, "smooth": {"m": 5.0}}
    tried = cross_validate(BLOCK, FRAME, LABELS, k=3, beliefs=beliefs)
    assert tried["plain"].log_loss == cross_validate(BLOCK, FRAME, LABELS, k=3).log_loss != tried["smooth"].log_loss
    twice = cross_validate(BLOCK, FRAME, LABELS, k=3, weights=np.full(N, 2))
    assert 0 < twice.log_loss < tried["plain"].log_loss
    grouped = cross_validate(BLOCK, FRAME, LABELS, k=3, groups=[f"g{i % 9}" for i in range(N)])
    assert sum(fold.n for fold in grouped.folds) == N
    path = tmp_path / "rows.parquet"
    pa.parquet.write_table(FRAME.append_column("class", LABELS), path, row_group_size=17)
    read = cross_validate(BLOCK, lambda: open_source(path), "class", k=3)
    assert read.log_loss == pytest.approx(tried["plain"].log_loss, rel=1e-12)


def test_folds_that_are_subtracted_refuse_such_schemas():
    for work in (folds, learning_curve):
        with pytest.raises(ValueError, match="chooses its questions by the labels, including those of held-out rows"):
            work(BLOCK, FRAME, LABELS, k=4)


def test_bad_rows_are_named_or_skipped(tmp_path):
    path = tmp_path / "rows.parquet"
    bad = FRAME.set_column(1, "two", pa.array([*FRAME["two"].to_pylist()[:-1], np.inf])).append_column("class", LABELS)
    pa.parquet.write_table(bad, path)
    with pytest.raises(ValueError, match=f"row {N}.*infinite"):
        cross_validate(BLOCK, lambda: open_source(path), "class", k=3)
    skipping = ReadOptions(skip_bad_rows=True)
    found = cross_validate(BLOCK, lambda: open_source(path, skipping), "class", k=3)
    assert found.n == N - 1
    with pytest.raises(ValueError, match=f"row {N - 1}: the value is infinite"):
        cross_validate(BLOCK, bad.drop_columns("class"), LABELS, k=3)


def test_absent_columns_can_be_missing():
    schema = Schema({"three": Gaussian(), ("one", "two"): Trees(n=8)})
    with pytest.raises(ValueError, match="no column 'three'"):
        cross_validate(schema, FRAME, LABELS, k=3)
    found = cross_validate(schema, FRAME, LABELS, k=3, absent="missing")
    empty = FRAME.append_column("three", pa.nulls(N, pa.float64()))
    assert found.log_loss == cross_validate(schema, empty, LABELS, k=3).log_loss


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbers_in_blocks_are_intervals_in_every_fold_though_levels_by_themselves(tmp_path, kind):
    numbers = RANDOM.integers(2, 6, N)
    table, path = pa.table({"doors": numbers, "y": ["pq"[i % 2] for i in numbers]}), tmp_path / f"t.{kind}"
    table = table.append_column("size", pa.array((numbers + RANDOM.normal(size=N)).round(2)))
    (pyarrow.csv.write_csv if kind == "csv" else pyarrow.parquet.write_table)(table, path)
    schema = Schema({"doors": Categorical(), "size": Gaussian(), ("doors", "size"): Trees(n=8)})
    for data in (open_source(path), table):
        counted = folds_to_hold_out(schema, Given(data, "y"), Deal(4))
        for fold in range(4):
            (trained,) = counted.trained(fold, {"": schema}).values()
            doors, _ = trained.schema.columns["doors", "size"].codes
            assert doors == (2.5, 3.5, 4.5)
