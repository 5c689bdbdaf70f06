"""Inputs are not overwritten, every row is counted, and kept cells are unchanged."""

import csv
import io
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest


@pytest.mark.parametrize(
    "line",
    [
        "train weather.csv --label play -o weather.csv",
        "train weather.csv --label play -o link.csv",
        "train weather.csv --schema s.toml -o s.toml",
        "train weath*.csv --label play -o weather.csv",
        "predict weather.tally weather.csv -o weather.csv",
        "predict weather.tally weather.csv -o weather.tally",
        "predict weather.tally --cell outlook=rain -o weather.tally",
        "sample weather.tally 3 -o weather.tally",
    ],
)
def test_input_files_are_not_overwritten(tally, model, weather, line):
    os.symlink("weather.csv", weather.with_name("link.csv"))
    weather.with_name("s.toml").write_text(tally("schema", "weather.csv", "--label", "play").out)
    before = {path.name: path.read_bytes() for path in weather.parent.iterdir()}
    ended = tally(*line.split())
    assert ended.code == 2
    assert f"--output {line.split()[-1]}: this is an input file, which would be overwritten." in ended.err
    assert {path.name: path.read_bytes() for path in weather.parent.iterdir()} == before


def test_merge_into_one_of_the_inputs(tally, model):
    assert tally("merge", model, model, "-o", model).code == 0
    assert "10 rows" in tally("show", model).out


@pytest.mark.slow
def test_every_row_of_a_wide_table_is_counted_and_answered_once(tally, tmp_path):
    rows = 20_000
    cells = {f"c{i}": np.arange(float(rows)) % (i + 2) for i in range(150)}
    ids, labels = [f"{i:0300}" for i in range(rows)], np.array(["p", "q"])[np.arange(rows) % 2]
    pyarrow.parquet.write_table(pa.table({**cells, "id": ids, "y": labels}), tmp_path / "wide.parquet")
    trained = tally("train", "wide.parquet", "--label", "y", "-o", "m.tally", "--column", "id=left out")
    assert "m.tally: 20,000 rows in 2 classes: p 10,000, q 10,000" in trained.err + trained.out
    answers = tally("predict", "m.tally", "wide.parquet", "--keep", "id").out.splitlines()
    assert [line.partition(",")[0] for line in answers] == ["id", *ids]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_model_without_columns_answers_every_row(tally, tmp_path, name):
    tmp_path.joinpath("t.csv").write_text("y\np\nq\np\n")
    tmp_path.joinpath("t.jsonl").write_text('{"y": "p"}\n{"y": "q"}\n{"y": "p"}\n')
    pyarrow.parquet.write_table(pa.table({"y": ["p", "q", "p"]}), tmp_path / "t.parquet")
    assert tally("train", name, "--label", "y", "-o", "m.tally").code == 0
    assert tally("predict", "m.tally", name).out.split() == ["y,probability", *["p,0.6666666666666666"] * 3]


def test_kept_columns_are_unchanged_even_if_counted_as_numbers(tally, tmp_path):
    tmp_path.joinpath("t.csv").write_text("id,v,y\n9007199254740993,1.50,p\n9007199254740995, 2.5,q\n0,NA,q\n")
    assert tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--column", "v=Gaussian").code == 0
    plain = list(csv.DictReader(io.StringIO(tally("predict", "m.tally", "t.csv").out)))
    found = list(csv.DictReader(io.StringIO(tally("predict", "m.tally", "t.csv", "--keep", "id", "--keep", "v").out)))
    assert [(row["id"], row["v"]) for row in found] == [
        ("9007199254740993", "1.50"),
        ("9007199254740995", "2.5"),
        ("0", ""),
    ]
    assert [(row["y"], row["probability"]) for row in found] == [(row["y"], row["probability"]) for row in plain]


def test_parquet_integers_keep_all_digits(tally, tmp_path):
    ids = [9007199254740993, 9007199254740995, 3]
    pyarrow.parquet.write_table(pa.table({"id": ids, "y": ["p", "q", "q"]}), tmp_path / "t.parquet")
    assert tally("train", "t.parquet", "--label", "y", "-o", "m.tally", "--column", "id=Gaussian").code == 0
    found = tally("predict", "m.tally", "t.parquet", "--keep", "id").out.splitlines()[1:]
    assert [int(line.split(",")[0]) for line in found] == ids


def test_decimal_commas_are_kept(tally, tmp_path):
    tmp_path.joinpath("t.csv").write_text("v;y\n1,50;p\n2,5;q\n")
    assert tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--decimal", ",").code == 0
    found = list(csv.reader(io.StringIO(tally("predict", "m.tally", "t.csv", "--decimal", ",", "--keep", "v").out)))
    plain = list(csv.reader(io.StringIO(tally("predict", "m.tally", "t.csv", "--decimal", ",").out)))
    assert [row[0] for row in found] == ["v", "1,50", "2,5"]
    assert [row[1:] for row in found] == plain
