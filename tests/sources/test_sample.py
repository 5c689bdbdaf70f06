"""Samples come from the whole input and consume no rows."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from writing import write

from tallybayes import EM, Histogram, Model, ReadOptions, Schema, digest, open_source
from tallybayes.sources import SourceError

ROWS = 60_000
SORTED = {  # sorted by class; the first two thirds are constant
    "late": np.r_[np.full(ROWS * 2 // 3, 7.5), np.random.default_rng(1).normal(5, 1, ROWS - ROWS * 2 // 3)].round(3),
    "word": np.r_[np.full(ROWS * 2 // 3, "same"), np.resize(["left", "right"], ROWS - ROWS * 2 // 3)],
    "class": np.r_[np.full(ROWS * 2 // 3, "a"), np.full(ROWS - ROWS * 2 // 3, "b")],
}
SMALL = ReadOptions(block_bytes=1 << 16)


def written(kind, folder, together=5000):
    return write(folder / f"t.{kind}", pa.table(SORTED), together)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_sample_covers_a_file(kind, tmp_path):
    source = open_source(written(kind, tmp_path), SMALL)
    assert source.sample().column("class").unique().to_pylist() == ["a", "b"]
    assert not source.is_sampled_whole()
    schema = Schema.infer(source, "class")
    assert isinstance(schema.columns["late"], Histogram)
    model = Model.train(schema, source)
    assert model.n == ROWS
    assert model.posterior({"late": [5.0, 7.5], "word": ["left", "same"]}).argmax(axis=1).tolist() == [1, 0]


def test_column_constant_at_the_start_of_a_pipe_is_counted(tmp_path, monkeypatch):
    with subprocess.Popen(["cat", written("csv", tmp_path)], stdout=subprocess.PIPE) as running:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(running.stdout))
        _check_pipe(open_source("-", SMALL))


def _check_pipe(source):
    assert source.sample().column("class").unique().to_pylist() == ["a"]
    schema = Schema.infer(source, "class")
    assert list(schema.columns) == ["late", "word"]
    model = Model.train(schema, source)
    assert model.posterior({"late": [5.0, 7.5], "word": ["left", "same"]}).argmax(axis=1).tolist() == [1, 0]


PACKED = {
    "plain": lambda text: text.encode(),
    "marked": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: text.encode("utf-16"),
    "gzip": lambda text: gzip.compress(text.encode(), 1),
    "members": lambda text: gzip.compress(text[:70_000].encode(), 1) + gzip.compress(text[70_000:].encode(), 1),
    "bz2": lambda text: bz2.compress(text.encode(), 1),
    "xz": lambda text: lzma.compress(text.encode()),
    "zstd": lambda text: pa.Codec("zstd").compress(text.encode(), asbytes=True),
    "utf-16 in gzip": lambda text: gzip.compress(text.encode("utf-16"), 1),
}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("rows", [9, 1_500, 20_000, 90_000])  # less than a block, one piece, several, too many
def test_packing_changes_neither_sample_nor_model(kind, rows, tmp_path, monkeypatch):
    numbers = np.random.default_rng(rows).normal(size=rows).cumsum().round(3).tolist()
    row = "{:.60f},{}\n" if kind == "csv" else '{{"é": {:.60f}, "y": "{}"}}\n'
    text = "é,y\n" * (kind == "csv") + "".join(row.format(x, "pq"[x > 0]) for x in numbers)
    path, found = tmp_path / f"t.{kind}", set()
    for pack in PACKED.values():
        path.write_bytes(pack(text))
        for standard_input in (False, True):
            with open(path) as file:
                monkeypatch.setattr(sys, "stdin", file)
                source = open_source("-" if standard_input else path, replace(SMALL, format=kind))
                sample = source.sample()
                model = Model.train(Schema.infer(source, "y"), source)
            found.add((tuple(sample.column("é").to_pylist()), digest(model)))
    assert model.n == rows
    assert len(found) == 1


def test_sample_covers_several_files(tmp_path):
    paths = [tmp_path / f"{number}.csv" for number in range(40)]
    for number, path in enumerate(paths):
        path.write_text("x,y\n" + f"{number},p\n" * 9)
    paths[7].write_text("x,y\n")
    paths[-1].write_text("x,y\n12,p\nunknown,q\n")
    sample = open_source(paths).sample()
    assert sample.schema.field("x").type == pa.string()
    found = sample.column("x").to_pylist()
    assert {"0", "unknown"} <= set(found)
    assert len(set(found)) > 10


def test_small_file_after_a_large_one(tmp_path):
    (tmp_path / "large.csv").write_text("x,y\n" + "".join(f"{row / 7},p\n" for row in range(9000)))
    (tmp_path / "small.csv").write_text("x,y\n1.5,p\n")
    sample = open_source([tmp_path / "large.csv", tmp_path / "small.csv"]).sample()
    assert len(sample) == 9001


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("parts", [1, 2, 14])
def test_few_large_parts_are_sampled_in_the_middle(kind, parts, tmp_path):
    sample = open_source(written(kind, tmp_path, -(-ROWS // parts)), SMALL).sample()
    assert sample.column("class").unique().to_pylist() == ["a", "b"]
    assert len(set(sample.column("late").to_pylist())) > 1000


def test_small_row_groups_are_sampled_and_counted_together(tmp_path):
    source = open_source(written("parquet", tmp_path, 20), ReadOptions(block_bytes=1 << 18))
    sample = source.sample()
    assert len(sample) > 10_000
    assert sample.column("class").unique().to_pylist() == ["a", "b"]
    assert min(map(len, source.batches({"late": pa.float64()}))) > 5000


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("rows", [30, 700, 2500, 60_000])
def test_no_row_is_sampled_twice(kind, rows, tmp_path):
    table = pa.table({"row": np.arange(ROWS), "y": np.resize(["p", "q"], ROWS)})
    path = write(tmp_path / f"t.{kind}", table, rows)
    for reading in (ReadOptions(), SMALL):
        found = open_source(path, reading).sample().column("row").to_numpy()
        assert (np.diff(found) > 0).all()


def test_column_with_later_text_is_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1.50,p\n" * 20_000 + "unknown,q\n" * 20_000)
    source = open_source(path, SMALL)
    assert source.sample().column("x").unique().to_pylist() == ["1.50", "unknown"]
    assert Model.train(Schema.infer(source, "y"), source).counts("x").slots == ["1.50", "unknown"]


def test_fields_absent_from_the_first_objects_are_columns(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"x": 1, "y": "p"}\n' * 9000 + '{"z": "late", "y": "q"}\n' * 9000)
    source = open_source(path, SMALL)
    assert source.names == ["x", "y", "z"]
    assert Model.train(Schema.infer(source, "y"), source).counts("z").slots == ["late"]


def test_sampling_inside_a_quoted_cell(tmp_path):
    path = tmp_path / "t.csv"
    cell = '"' + "a,1\nb,2,3\n" * 900 + '"'
    path.write_text("text,y\n" + f"{cell},p\n" * 200)
    source = open_source(path, SMALL)
    assert set(source.sample().column("y").to_pylist()) == {"p"}
    assert Model.train(Schema.infer(source, "y", hints={"text": None}), source).n == 200


CELLS = st.sampled_from(["", "1", "-3", "0.5", "9007199254740993", "-9223372036854775808", "1e22", "a", "é", "007"])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@given(cells=st.lists(CELLS, min_size=1, max_size=30), block_bytes=st.integers(1, 100))
@example(cells=["9007199254740993"] * 9 + ["0.5"] * 9, block_bytes=40)
@example(cells=["1"] * 9 + ["a"] * 9, block_bytes=40)
def test_cells_of_any_types_in_several_places_are_one_column(tmp_path_factory, kind, cells, block_bytes):
    path = tmp_path_factory.mktemp("sample") / f"data.{kind}"
    numbers = {cell: json.loads(cell) for cell in cells if cell not in ("", "a", "é", "007")}
    if kind == "csv":
        path.write_text("x,y\n" + "".join(f"{cell},z\n" for cell in cells))
    else:
        path.write_text("".join(json.dumps({"x": numbers.get(cell, cell), "y": "z"}) + "\n" for cell in cells))
    sample = open_source(path, ReadOptions(block_bytes=block_bytes)).sample()
    assert set(sample["y"].to_pylist()) <= {"z"}
    expected = {float(cell) for cell in cells if cell not in ("", "a", "é")}
    found = sample["x"].drop_null().cast(pa.string()).to_pylist()
    assert {float(cell) for cell in found if cell not in ("", "a", "é")} <= expected


@pytest.mark.parametrize(
    ("name", "first", "same", "odd"),
    [
        ("t.csv", b"x,y\n", b"caf,p\ncaf,q\n", b"caf\xe9,q\n"),
        ("t.tsv", b"x\ty\n", b"caf\tp\ncaf\tq\n", b"caf\xe9\tq\n"),
        ("t.csv", b"x,y\n", b"1,p\n1,q\n", b"1,q,2\n"),
        ("t.jsonl", b"", b'{"x": "caf", "y": "p"}\n{"x": "caf", "y": "q"}\n', b'{"x": "caf\xe9", "y": "q"}\n'),
    ],
)
def test_column_is_constant_only_if_every_row_can_be_read(tmp_path, name, first, same, odd):
    path = tmp_path / name
    path.write_bytes(first + same * 30)
    assert Schema.infer(open_source(path), "y").columns == {}
    path.write_bytes(first + same * 30 + odd)
    source = open_source(path)
    schema = Schema.infer(source, "y")
    assert schema.reasons["x"] == "every cell of the sample is the same"
    with pytest.raises(SourceError, match=r"line 6[12]"):
        Model.train(schema, source)
    assert Model.train(schema, open_source(path, ReadOptions(skip_bad_rows=True))).n == 60


def test_skipped_rows_do_not_change_what_is_found_in_rows_without_labels(tmp_path):
    random = np.random.default_rng(8)
    rows = [
        f"{x:.2f},{'p' if x > 4 else 'q'}\n" if i % 3 else f"{x:.2f},\n" for i, x in enumerate(random.normal(4, 1, 90))
    ]
    (tmp_path / "good.csv").write_text("x,y\n" + "".join(rows))
    (tmp_path / "bad.csv").write_text("x,y\n" + "".join([*rows[:40], "1,2,3\n", *rows[40:]]))
    reading = ReadOptions(skip_bad_rows=True)
    schema = Schema.infer(open_source(tmp_path / "good.csv"), "y")
    found = [
        Model.train(schema, open_source(tmp_path / name, reading), unlabelled=EM(weight="chosen"))
        for name in ("good.csv", "bad.csv")
    ]
    assert digest(found[0]) == digest(found[1])
    assert found[0].fitted.held_out == found[1].fitted.held_out != {}
