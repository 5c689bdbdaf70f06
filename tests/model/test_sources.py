"""Training, evaluation and inference from a source equal those from a frame."""

import os

import pyarrow as pa
import pytest

from tallybayes import Gaussian, Model, ReadOptions, Schema, Words, digest, evaluate, open_source
from tallybayes.sources import SourceError

ROWS = {
    "x": [1.5, 2.5, None, 4.0, 3.0, 2.0],
    "text": ["win a prize", "lunch", "a prize", "monday", "win win", "lunch on monday"],
    "weight": [1, 2, 1, 3, 1, 1],
    "y": ["1", "0", "1", "0", "1", "0"],
}
COLUMNS = {"x": Gaussian(), "text": Words()}
SCHEMA = Schema(COLUMNS, label="y")
AS_TEXT = {"label_type": pa.string()}


@pytest.fixture
def path(tmp_path):
    cells = zip(*(["" if cell is None else str(cell) for cell in column] for column in ROWS.values()), strict=True)
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([",".join(ROWS), *map(",".join, cells)]) + "\n")
    return path


def in_small_blocks(path, **options):
    return open_source(path, ReadOptions(block_bytes=32, **options))


def test_source_frame_stream_and_single_rows_give_the_same_model(path):
    expected = digest(Model.train(SCHEMA, ROWS))
    rows = [dict(zip(ROWS, cells, strict=True)) for cells in zip(*ROWS.values(), strict=True)]
    assert digest(Model.train(SCHEMA, in_small_blocks(path), **AS_TEXT)) == expected
    assert digest(Model.train(SCHEMA, iter([pa.table(ROWS)]))) == expected
    assert digest(sum(Model.train(SCHEMA, row, [row["y"]]) for row in rows)) == expected


def test_labels_are_read_as_the_requested_type(path):
    assert Model.train(SCHEMA, in_small_blocks(path)).classes == [0, 1]
    assert Model.train(SCHEMA, in_small_blocks(path), **AS_TEXT).classes == ["0", "1"]
    frame = {**ROWS, "y": [1, 0, 1, 0, 1, 0]}
    for labels in ("y", frame["y"]):
        assert digest(Model.train(SCHEMA, frame, labels, **AS_TEXT)) == digest(Model.train(SCHEMA, ROWS))
    one = Model.train(COLUMNS, {"x": 1.0, "text": "win"}, [1], **AS_TEXT)
    assert one.classes == ["1"]


def test_weights_may_be_a_column_of_the_source(path):
    expected = Model.train(SCHEMA, ROWS, weights="weight")
    assert digest(Model.train(SCHEMA, in_small_blocks(path), weights="weight", **AS_TEXT)) == digest(expected)


def test_one_label_for_all_rows(path):
    spam = pa.scalar("spam")
    expected = digest(Model.train(COLUMNS, ROWS, ["spam"] * 6))
    for data in (in_small_blocks(path), ROWS, iter([ROWS])):
        assert digest(Model.train(COLUMNS, data, spam)) == expected


def test_label_column_defaults_to_that_of_the_source(tmp_path):
    for name, text in (("ham", "lunch on monday"), ("spam", "win a prize")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(text)
    schema = Schema.infer(open_source(tmp_path))
    model = Model.train(schema.columns, open_source(tmp_path))
    assert (schema.label, model.classes) == ("class", ["ham", "spam"])


def test_source_is_evaluated_like_its_rows(path):
    model = Model.train(SCHEMA, ROWS)
    found, expected = evaluate(model, in_small_blocks(path)), evaluate(model, ROWS)
    assert (found.pairs, found.n) == (expected.pairs, 6)
    assert found.log_loss == pytest.approx(expected.log_loss)


def test_inferring_a_schema_consumes_no_rows(path):
    source = open_source(path)
    assert Schema.infer(source, "y", hints={"text": Words(), "weight": None}).columns.keys() == {"x", "text"}
    assert Model.train(SCHEMA, source).n == 6


def test_refused_rows_are_named_by_line_or_skipped(path):
    with path.open("a") as file:
        file.write("inf,x,1,1\n7,x,1,\n8,x,1,0\n")
    with pytest.raises(SourceError, match=r"rows\.csv, line 9: the row has no label"):
        Model.train(SCHEMA, open_source(path))
    source = in_small_blocks(path, skip_bad_rows=True)
    assert (Model.train(SCHEMA, source, **AS_TEXT).n, source.skipped) == (7, 2)
    source = in_small_blocks(path, skip_bad_rows=True)
    assert (evaluate(Model.train(SCHEMA, ROWS), source).n, source.skipped) == (7, 2)


def test_unknown_label_and_weight_columns_are_refused(path):
    with pytest.raises(ValueError, match="names of the columns that hold the labels"):
        Model.train(COLUMNS, open_source(path), ROWS["y"])
    with pytest.raises(ValueError, match=r"Which column holds the classes\? There are 'x', 'text', 'weight', 'y'"):
        Model.train(COLUMNS, open_source(path))


CHANGES = {
    "appended": lambda path: path.write_text(path.read_text() + "5,a\n"),
    "touched": lambda path: os.utime(path, ns=(0, 0)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_rows_needed_several_times_must_not_change_in_between(tmp_path, change):
    """Otherwise rows would be scored by models that have counted them, without a word."""
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n" * 100)
    source = open_source(path)
    assert sum(map(len, source.again().batches())) == 200
    second = source.again()
    CHANGES[change](path)
    for read in (lambda: list(second.batches()), source.again, second.again):
        with pytest.raises(SourceError, match=r"rows\.csv has changed since it was first read.* Give a copy"):
            read()
    assert sum(map(len, source.batches())) == 200  # of a file that is read once, what is there is counted


def test_weights_may_be_a_column_of_frames_that_come_with_their_labels():
    frames = [({"x": [1.0, 2.0], "w": [2, 3]}, ["p", "q"]), ({"x": [4.0], "w": [5]}, ["p"])]
    found = Model.train({"x": Gaussian()}, iter(frames), weights="w")
    expected = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 4.0]}, ["p", "q", "p"], weights=[2, 3, 5])
    assert digest(found) == digest(expected)
