"""Columns that some files or rows lack: with absent="missing" they are missing there, and nowhere else."""

import json
import os
import threading

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writing import write

from examples import some
from tallybayes import Categorical, Gaussian, Model, Pairs, ReadOptions, Schema, digest, open_source, weigh
from tallybayes.sources import SourceError

VALUES = {"x": st.integers(0, 9).map(float), "z": st.sampled_from(["u", "v"])}
SCHEMA = Schema({"x": Gaussian(), "z": Categorical()}, label="y")
LABEL = st.sampled_from(["a", "b"])
COLUMNS = st.sampled_from([["x"], ["z"], ["x", "z"], ["z", "x"]])


@st.composite
def tables(draw):
    names = draw(COLUMNS)
    row = st.fixed_dictionaries({name: VALUES[name] for name in names} | {"y": LABEL})
    return draw(st.lists(row, min_size=1, max_size=6))


FORMATS = ["csv", "jsonl", "parquet", "arrow"]


@settings(max_examples=some(60))
@given(files=st.lists(st.tuples(tables(), st.sampled_from(FORMATS)), min_size=1, max_size=4), sampled=st.booleans())
def test_files_may_lack_different_columns(tmp_path_factory, files, sampled):
    folder = tmp_path_factory.mktemp("absent")
    paths = [folder / f"{i}.{kind}" for i, (_, kind) in enumerate(files)]
    for path, (rows, _) in zip(paths, files, strict=True):
        write(path, pa.Table.from_pylist(rows), 2)
    everything = [{"x": None, "z": None} | row for rows, _ in files for row in rows]
    expected = Model.train(SCHEMA, everything, [row["y"] for row in everything])
    source = open_source(paths, ReadOptions(block_bytes=40))
    if sampled:
        source.sample()
    assert digest(Model.train(SCHEMA, source, absent="missing")) == digest(expected)


@settings(max_examples=some(30))
@given(files=st.lists(tables(), min_size=2, max_size=3))
@example(files=[[{"x": 1.0, "y": "a"}, {"x": 2.0, "y": "b"}], [{"x": 1.0, "z": "u", "y": "a"}]])
def test_blocks_are_prepared_as_if_the_columns_were_there_and_empty(tmp_path_factory, files):
    folder, schema = tmp_path_factory.mktemp("blocks"), Schema({("x", "z"): Pairs()}, label="y")
    lacking, empty = ([folder / f"{name} {i}.csv" for i in range(len(files))] for name in ("lacking", "empty"))
    for i, rows in enumerate(files):
        write(lacking[i], pa.Table.from_pylist(rows * 20))
        write(empty[i], pa.Table.from_pylist([{"x": None, "z": None} | row for row in rows] * 20))
    found = Model.train(schema, open_source(lacking), absent="missing")
    assert digest(found) == digest(Model.train(schema, open_source(empty)))


@settings(max_examples=some(30))
@given(files=st.lists(tables(), min_size=2, max_size=3))
def test_evidence_is_weighed_as_if_the_columns_were_there_and_empty(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("weighed")
    lacking, empty = ([folder / f"{name} {i}.csv" for i in range(len(files))] for name in ("lacking", "empty"))
    for i, rows in enumerate(files):
        write(lacking[i], pa.Table.from_pylist(rows * 9))
        write(empty[i], pa.Table.from_pylist([{"x": None, "z": None} | row for row in rows] * 9))
    found, expected = (Model.train(SCHEMA, open_source(paths), absent="missing") for paths in (lacking, empty))
    assert digest(weigh(found, open_source(lacking), absent="missing")) == digest(weigh(expected, open_source(empty)))


@given(rows=st.lists(st.fixed_dictionaries({"y": LABEL}, optional=VALUES), min_size=1, max_size=9))
def test_fields_may_appear_late_in_a_pipe_of_json_lines(tmp_path_factory, rows):
    rows = [{"z": "u", "y": "a"}, *rows]
    pipe = tmp_path_factory.mktemp("late") / "rows.jsonl"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_text, args=["\n".join(map(json.dumps, rows))], daemon=True).start()
    found = Model.train(SCHEMA, open_source(pipe, ReadOptions(block_bytes=1)), absent="missing")
    expected = Model.train(SCHEMA, [{"x": None, "z": None} | row for row in rows], [row["y"] for row in rows])
    assert digest(found) == digest(expected)


@pytest.mark.parametrize("kind", FORMATS)
def test_column_that_is_not_used_may_be_absent_from_a_later_file(tmp_path, kind):
    paths = [tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"]
    write(paths[0], pa.Table.from_pylist([{"x": 1.5, "unused": "u", "y": "a"}, {"x": 2.5, "unused": "u", "y": "b"}]))
    write(paths[1], pa.Table.from_pylist([{"x": 3.5, "y": "a"}]))
    source = open_source(paths)
    assert source.sample().to_pylist()[-1] == {"x": 3.5, "unused": None, "y": "a"}
    assert Model.train(Schema({"x": Gaussian()}, label="y"), source).n == 3


@pytest.mark.parametrize("kind", FORMATS)
def test_file_without_any_column_or_without_labels_or_weights_is_an_error(tmp_path, kind):
    paths = [tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"]
    write(paths[0], pa.Table.from_pylist([{"x": 1.5, "z": "u", "y": "a"}]))
    for second, said in ({"w": 1, "y": "a"}, "no column 'x'; it has 'w', 'y'"), ({"x": 1.5}, "no column 'y'; it has"):
        write(paths[1], pa.Table.from_pylist([second]))
        with pytest.raises(SourceError, match=f"2.{kind} has {said}"):
            Model.train(SCHEMA, open_source(paths), absent="missing")
    write(paths[0], pa.Table.from_pylist([{"x": 1.5, "w": 2, "y": "a"}]))
    for second in {"x": 1.5, "y": "a"}, {"w": 2, "y": "a"}:
        write(paths[1], pa.Table.from_pylist([second]))
        with pytest.raises(SourceError, match=f"2.{kind} has no column '{'w' if 'x' in second else 'x'}'"):
            Model.train(SCHEMA, open_source(paths), weights="w", absent="missing")
    write(paths[0], pa.Table.from_pylist([{"x": 1.5, "z": "u", "y": "a"}]))
    write(paths[1], pa.Table.from_pylist([{"x": 1.5, "y": "a"}]))
    with pytest.raises(SourceError, match=f"2.{kind} has no column 'z'"):
        Model.train(SCHEMA, open_source(paths))
