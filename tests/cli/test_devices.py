"""Pipes and devices as models and outputs, and closed standard streams."""

import os
import stat
import subprocess
import threading

import pytest
from calling import PROGRAM

import tallybayes

pytestmark = pytest.mark.slow


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_output_pipe_is_written_to_and_not_replaced(program, model, weather, pipe):
    read = []
    reader = threading.Thread(target=lambda: read.append(os.read(os.open(pipe, os.O_RDONLY), 1000)), daemon=True)
    reader.start()
    assert program("predict", "weather.tally", "weather.csv", "-o", "pipe").code == 0
    reader.join(120)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert read[0].startswith(b"play,probability\n")


def test_model_and_answers_through_devices(program, model, weather):
    saved = subprocess.run(
        [PROGRAM, "train", "weather.csv", "-l", "play", "-o", "/dev/stdout"],
        cwd=model.parent,
        capture_output=True,
        check=True,
    )
    assert saved.stdout == model.read_bytes()
    shown = program("predict", "/dev/stdin", "weather.csv", "-o", "/dev/stdout", stdin=saved.stdout)
    assert shown == program("predict", "weather.tally", "weather.csv")


def test_pipe_that_is_no_model_is_not_read_to_its_end(program, model, weather):
    ended = program("show", "/dev/zero")
    assert ended.code == 2
    assert "/dev/zero: This is not a tallybayes model" in ended.err


CLOSED = "exec {}; exec " + PROGRAM + " {}"


def closed(streams, line, folder):
    return subprocess.run(
        ["sh", "-c", CLOSED.format(streams, line)], cwd=folder, capture_output=True, check=False, text=True
    )


@pytest.mark.parametrize(
    "line",
    [
        "predict weather.tally weather.csv",
        "predict weather.tally weather.csv -f parquet",
        "show weather.tally",
        "evaluate weather.tally weather.csv",
        "explain weather.tally weather.csv -f json",
        "demo",
        "--help",
    ],
)
def test_closed_standard_output_is_an_error(model, line):
    ended = closed(">&-", line, model.parent)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_all_streams_closed_output_file_holds_only_answers(program, model):
    assert closed("<&- >&- 2>&-", "predict weather.tally weather.csv -o a.csv", model.parent).returncode == 0
    assert (model.parent / "a.csv").read_text() == program("predict", "weather.tally", "weather.csv").out
    assert closed("<&- >&- 2>&-", "learn weather.tally weather.csv", model.parent).returncode == 0
    assert program("show", "weather.tally").out.startswith("10 rows")


def test_messages_never_go_to_standard_output(model):
    ended = closed("2>&-", "learn weather.tally weather.csv", model.parent)
    assert (ended.returncode, ended.stdout) == (0, "")
    ended = closed("2>&-", "learn weather.tally nothing.csv", model.parent)
    assert (ended.returncode, ended.stdout) == (2, "")


def test_unencodable_characters_are_escaped(model, weather):
    weather.write_text("outlook,play\nsönnig,はい\nregen,nein\n")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for line in ("train weather.csv -l play -o m", "show m", "explain m weather.csv", "evaluate m weather.csv"):
        command = [PROGRAM, *line.split()]
        ended = subprocess.run(command, cwd=model.parent, capture_output=True, check=False, env=ascii_only)
        assert ended.returncode == 0
        assert b"\\u306f\\u3044" in ended.stdout + ended.stderr


def test_schema_round_trips_in_any_encoding(model, weather):
    weather.write_text("größe,play\n1.5,はい\n2.5,nein\n")
    command = [PROGRAM, "schema", "weather.csv", "--label", "play"]
    other = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    written = subprocess.run(command, cwd=model.parent, capture_output=True, check=True, env=other).stdout
    assert tallybayes.schema_from_toml(written.decode("utf-8")).columns.keys() == {"größe"}


@pytest.mark.parametrize(
    "verb", [("train", "weather.csv", "--label", "play"), ("merge", "a.tally"), ("weigh", "a.tally")]
)
def test_model_is_not_saved_in_a_file_called_dash(tally, tmp_path, verb):
    ended = tally(*verb, "-o", "-")
    assert ended.code == 2
    assert "a model is saved in a file" in ended.err
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "table"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_answers_cut_short_are_never_a_success(model, weather, form, unbuffered):
    """Without a buffer, a write that ends in the middle is no error."""
    header, *rows = model.parent.joinpath("weather.csv").read_text().splitlines()
    many = [f"{rows[i % len(rows)]},{i * 7919}" for i in range(40_000)]
    model.parent.joinpath("many.csv").write_text("\n".join([f"{header},number", *many]))
    command = [PROGRAM, "predict", model.name, "many.csv", "--proba", "--keep", "number", "--format", form]
    given = {"cwd": model.parent, "env": os.environ | {"PYTHONUNBUFFERED": unbuffered}}
    with subprocess.Popen(command, stdout=subprocess.PIPE, **given) as running:
        assert len(running.stdout.read(10)) == 10
        running.stdout.close()
    assert running.returncode == 141
    whole = subprocess.run(command, stdout=subprocess.PIPE, check=True, **given).stdout
    assert len(whole) > 100_000
    assert whole == subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=model.parent).stdout
