"""Verbs that read from databases."""

import sqlite3
from contextlib import closing

import pytest

DAYS = [("sunny", 30.5, "no"), ("sunny", 29.0, "no"), ("overcast", 25.0, "yes"), ("rain", 18.25, "yes")]


@pytest.fixture
def days(tmp_path):
    with closing(sqlite3.connect(tmp_path / "days.db")) as connection:
        connection.execute("CREATE TABLE days (outlook TEXT, temp REAL, play TEXT)")
        connection.executemany("INSERT INTO days VALUES (?, ?, ?)", [*DAYS, ("rain", None, "yes")])
        connection.commit()


ALL = ("--database", "days.db", "--query", "SELECT * FROM days")


def test_database_and_file_give_the_same_model(tally, days, model, tmp_path):
    ended = tally("train", *ALL, "--label", "play", "-o", "days.tally")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "days.tally: 5 rows in 2 classes: no 2, yes 3\n"
    assert (tmp_path / "days.tally").read_bytes() == model.read_bytes()


def test_sql_over_files(tally, weather):
    query = "SELECT outlook, play FROM 'weather.csv' WHERE temp > 20"
    ended = tally("train", "--sql", query, "--label", "play", "--label-as-text", "-o", "warm.tally")
    assert ended.err == "warm.tally: 3 rows in 2 classes: false 2, true 1\n"


def test_model_of_a_query_replaces_an_older_one(tally, weather):
    for query in ("SELECT 'a' AS x, 'u' AS y", "SELECT 'a' AS x, 'v' AS y"):
        ended = tally("train", "--sql", query, "--column", "x=Categorical()", "--label", "y", "-o", "again.tally")
        assert ended.err == f"again.tally: 1 row in 1 class: {query[-7]} 1\n"


def test_every_reading_verb_accepts_a_database(tally, days, model):
    assert tally("predict", "weather.tally", *ALL).out.count("\n") == 6
    assert tally("evaluate", "weather.tally", *ALL, "--brief").code == 0
    assert "outlook" in tally("schema", *ALL, "--label", "play").out
    assert "learned 5 rows" in tally("learn", "weather.tally", *ALL).err
    assert "forgot 5 rows" in tally("forget", "weather.tally", *ALL).err
    assert tally("explain", "weather.tally", *ALL, "--rows", "1").code == 0
    assert tally("weigh", "weather.tally", *ALL).code == 0
    assert tally("suspects", "weather.tally", *ALL, "--label", "play").out.count("\n") == 6
    assert "5 of 5 right" in tally("report", "weather.tally", *ALL, "--format", "text").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "--database", "days.db", "-o", "m.tally"], "--database goes with --query"),
        (["train", "days.csv", *ALL, "-o", "m.tally"], "--query gives all rows, and days.csv is given as well"),
        (["train", *ALL, "-l", "play", "-o", "days.db"], "this is an input file, which would be overwritten"),
        (["train", *ALL[:3], "SELECT * FROM no", "-l", "play", "-o", "m.tally"], "days.db: no such table: no."),
        (["train", *ALL[:3], "SELECT 1 AS play LIMIT 0", "-l", "play", "-o", "m.tally"], "There are no rows"),
        (["train", *ALL, "-o", "m.tally"], "Which column holds the classes?"),
        (["train", "-o", "m.tally"], "There is no data: give files, folders, - for standard input, or --query."),
        (
            ["predict", "weather.tally"],
            "There is no data: give files, folders, - for standard input, --query, --text or --cell.",
        ),
        (["choose", "weather.tally", *ALL], "the answer to a query can be read only once"),
        (["evaluate", "weather.tally", *ALL, "--folds", "2"], "the answer to a query can be read only once"),
        (["predict", "weather.tally", *ALL, "--text", "x"], "--text and --cell describe one row"),
    ],
)
def test_errors_write_nothing(tally, days, model, tmp_path, arguments, said):
    ended = tally(*arguments)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "m.tally").exists()


def test_column_with_late_text_becomes_a_category_on_retry(tally, tmp_path):
    with closing(sqlite3.connect(tmp_path / "codes.db")) as connection:
        connection.execute("CREATE TABLE codes (code TEXT, y TEXT)")
        rows = ((str(i * 7 % 1009), "no" if i % 2 else "yes") for i in range(200_000))
        connection.executemany("INSERT INTO codes VALUES (?, ?)", rows)
        connection.execute("INSERT INTO codes VALUES ('A7', 'yes')")
        connection.commit()
    ended = tally("train", "--database", "codes.db", "--query", "SELECT * FROM codes", "-l", "y", "-o", "m.tally")
    assert ended.code == 0, ended.err
    assert "200,001 rows" in ended.err
    assert "Starting again with the column 'code' as a category." in ended.err
