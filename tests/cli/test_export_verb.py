"""`tallybayes export`."""

import sqlite3
from contextlib import closing

import pytest


def test_printed_sql_runs(tally, model):
    printed = tally("export", "weather.tally", "--to", "sql", "--dialect", "sqlite", "--table", "days")
    assert (printed.code, printed.err) == (0, "")
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE days (outlook TEXT, temp REAL)")
        database.execute("INSERT INTO days VALUES ('rain', 18.25)")
        database.executescript(printed.out)
        row = database.execute("SELECT * FROM days_scored").fetchone()
    assert row[:3] == ("rain", 18.25, "yes")
    answer = tally("predict", "weather.tally", "--cell", "outlook=rain", "--cell", "temp=18.25").out
    assert float(answer.split(",")[-1]) == pytest.approx(row[3], abs=1e-12)


def test_files_are_written_atomically(tally, model, tmp_path):
    assert tally("export", "weather.tally", "--to", "onnx", "-o", "m.onnx").code == 0
    assert b"tallybayes" in (tmp_path / "m.onnx").read_bytes()
    assert tally("export", "weather.tally", "--to", "sql", "--table", "shop.days", "-o", "m.sql").out == ""
    assert 'VIEW "shop"."days_scored"' in (tmp_path / "m.sql").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "sql"], "--to sql needs --table"),
        (["--to", "onnx", "--table", "days"], "--table goes with --to sql"),
        (["--to", "sql", "--table", ""], "'' is not a valid SQL name"),
        (["--to", "sql", "--table", "t", "-o", "weather.tally"], "this is an input file, which would be overwritten"),
    ],
)
def test_invalid_exports_are_errors(tally, model, arguments, said):
    ended = tally("export", "weather.tally", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == ""


def test_column_that_cannot_be_exported_is_named(tally, tmp_path):
    (tmp_path / "mails.csv").write_text("text,class\nfree money for you now,spam\ndear sir I write to you,ham\n")
    family = "text=Words(unit='characters')"
    assert tally("train", "mails.csv", "-l", "class", "--column", family, "-o", "m.tally").code == 0
    ended = tally("export", "m.tally", "--to", "sql", "--table", "mails")
    assert ended.code == 2
    assert "Column 'text' (Words) cannot be written as SQL" in ended.err
