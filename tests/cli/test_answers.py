"""Output of predictions: every cell type, name clashes, no rows."""

import csv
import datetime
import decimal
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from calling import WEATHER

from tallybayes import Categorical, Each, Gaussian, Model, Schema, save

KEPT = {
    "binary": [b"ham", b"\xe9t\xe9"],
    "view": pa.array(["a", "b\x1b[2J"], pa.string_view()),
    "large": pa.array(["=1+1", "c,d"], pa.large_string()),
    "list": [[1.0, float("nan")], None],
    "struct": [{"a": 1}, {"a": 2}],
    "decimal": [decimal.Decimal("1.50"), None],
    "day": [datetime.date(2024, 1, 2), None],
    "nothing": pa.nulls(2),
    "lasted": [datetime.timedelta(hours=25), None],
    "every": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
    "uuid": pa.array([bytes(16), None], pa.uuid()),
    "run": pa.RunEndEncodedArray.from_arrays(pa.array([2]), pa.array(["a"])),
}


@pytest.fixture
def typed(model):
    table = pa.table({"outlook": ["sunny", "rain"], "temp": [30.0, float("nan")], **KEPT})
    with pa.ipc.new_file(model.with_name("typed.arrow"), table.schema) as file:
        file.write_table(table)
    return [part for name in KEPT for part in ("--keep", name)]


def test_cells_of_every_type_in_csv(tally, model, typed):
    ended = tally("predict", model, "typed.arrow", *typed)
    first, second = csv.DictReader(io.StringIO(ended.out))
    expected = {"binary": "ham", "view": "a", "large": "'=1+1", "list": "[1.0, null]", "struct": '{"a": 1}'}
    assert first.items() >= {**expected, "decimal": "1.50", "day": "2024-01-02", "nothing": ""}.items()
    assert (first["lasted"], first["every"], first["run"]) == ("1 day, 1:00:00", "[1, 2, 3]", "a")
    assert (first["uuid"], second["uuid"]) == ("00000000-0000-0000-0000-000000000000", "")
    assert second["binary"] == "\\xe9t\\xe9"
    assert second["large"] == "c,d"


def test_cells_of_every_type_in_valid_json(tally, model, typed):
    lines = tally("predict", model, "typed.arrow", *typed, "--keep", "temp", "-f", "jsonl").out.splitlines()
    first, second = (json.loads(line, parse_constant=pytest.fail) for line in lines)
    assert first["list"] == [1.0, None]
    assert first["struct"] == {"a": 1}
    assert (first["lasted"], first["every"], second["every"]) == ("1 day, 1:00:00", [1, 2, 3], None)
    assert (first["uuid"], second["uuid"]) == ("00000000-0000-0000-0000-000000000000", None)
    assert second["temp"] is None
    assert second["view"] == "b\x1b[2J"


def test_tables_contain_no_control_characters(tally, model, typed):
    assert "\x1b" not in tally("predict", model, "typed.arrow", *typed, "-f", "table").out


def test_sampled_vectors_are_written(tally, tmp_path):
    save(Model.train(Schema({"x": Each(Gaussian())}), {"x": [[1.0, 2.0], [3.0, 5.0]]}, ["a", "b"]), "m.tally")
    rows = list(csv.reader(io.StringIO(tally("sample", "m.tally", "3").out)))
    assert rows[0] == ["x", "class"]
    assert [len(json.loads(row[0])) for row in rows[1:]] == [2, 2, 2]


def test_answer_columns_do_not_clash_with_data_columns(tally, model, weather):
    weather.write_text(WEATHER.replace("temp", "probability"))
    assert tally("train", weather, "-l", "play", "-o", model).code == 0
    keep = ("--keep", "play", "--keep", "probability", "--keep", "play")
    names = ["play", "probability", "predicted play", "predicted probability"]
    assert tally("predict", model, weather, *keep).out.splitlines()[0] == ",".join(names)
    assert list(json.loads(tally("predict", model, weather, *keep, "-f", "jsonl").out.splitlines()[0])) == names
    assert tally("predict", model, weather, *keep, "-f", "parquet", "-o", "a.parquet").code == 0
    assert pyarrow.parquet.read_table("a.parquet")["play"].to_pylist() == ["no", "no", "yes", "yes", "yes"]


def test_data_column_named_class_is_not_the_answer(tally, tmp_path):
    save(Model.train({"class": Categorical()}, {"class": ["1st", "2nd"]}, ["a", "b"]), "m.tally")
    assert tally("sample", "m.tally", "1").out.splitlines()[0] == "class,predicted class"


@pytest.mark.parametrize("form", ["csv", "jsonl", "table", "parquet"])
def test_no_rows_yield_a_header(tally, model, weather, form):
    weather.write_text("outlook,temp\n")
    assert tally("predict", model, weather, "--keep", "temp", "-f", form, "-o", "a").code == 0
    if form == "parquet":
        assert pyarrow.parquet.read_table("a").schema.names == ["temp", "play", "probability"]
    else:
        names = [] if form == "jsonl" else ["temp", "play", "probability"]
        assert weather.with_name("a").read_text().replace(",", " ").split() == names


def test_table_columns_align_by_display_width(tally, model, weather):
    weather.write_text(WEATHER.replace("overcast", "曇り").replace("rain", "re\u0301gen"))
    lines = tally("predict", model, weather, "--keep", "outlook", "-f", "table").out.splitlines()
    assert lines[3].startswith("曇り     ")
    assert lines[4].startswith("re\u0301gen    ")


def test_dash_means_standard_output(tally, model, weather):
    assert tally("predict", model, weather, "-o", "-") == tally("predict", model, weather)
    assert not weather.with_name("-").exists()


PEAK = """
import sys
from pathlib import Path
from tallybayes.cli import main
try:
    main()
finally:
    print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_many_answers_of_many_classes_take_little_memory(tmp_path):
    classes, rows = 1000, 100_000
    codes = [f"c{number % 7}" for number in range(classes)]
    save(Model.train({"x": Categorical()}, {"x": codes}, list(range(classes))), tmp_path / "many.tally")
    (tmp_path / "rows.csv").write_text("x\n" + "c3\n" * rows)
    asked = [sys.executable, "-c", PEAK, "predict", "many.tally", "rows.csv", "-o", "answers.csv"]
    ended = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "answers.csv").read_text().count("\n") == rows + 1
    kilobytes = int(ended.stderr.split()[-1])  # not ru_maxrss, which a child inherits from the process that forks it
    assert kilobytes * 1024 < rows * classes * 8 / 2  # half of what all probabilities would take
