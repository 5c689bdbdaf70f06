"""`predict --interval`, `explain --ask` and `suspects`."""

import csv
import io
import json

from tallybayes import load


def test_interval_next_to_the_probability(tally, model):
    lines = list(csv.DictReader(io.StringIO(tally("predict", "weather.tally", "weather.csv", "--interval", "0.9").out)))
    for line in lines:
        assert 0.0 <= float(line["low"]) < float(line["high"]) <= 1.0
    ended = tally("predict", "weather.tally", "weather.csv", "--interval", "0.9", "--proba", "--format", "jsonl")
    first = json.loads(ended.out.splitlines()[0])
    assert {"P(no)", "P(no) low", "P(no) high", "P(yes)", "P(yes) low", "P(yes) high"} <= first.keys()


def test_interval_mass_is_strictly_between_0_and_1(tally, model):
    ended = tally("predict", "weather.tally", "weather.csv", "--interval", "1")
    assert (ended.code, "between 0 and 1" in ended.err) == (2, True)


def test_explain_ask_ranks_columns_by_information(tally, model):
    ended = tally("explain", "weather.tally", "--cell", "outlook=sunny", "--ask")
    assert ended.code == 0
    assert ended.out.split()[0] == "temp"
    ended = tally("explain", "weather.tally", "--cell", "outlook=sunny", "--ask", "--format", "json")
    (asked,) = json.loads(ended.out)["ask"]
    assert asked["column"] == "temp"
    assert (
        tally("explain", "weather.tally", "--cell", "outlook=sunny", "--cell", "temp=3", "--ask").out
        == "No cell is missing.\n"
    )


def test_explain_ask_needs_no_data(tally, model, tmp_path):
    ended = tally("explain", "weather.tally", "--ask")
    expected = load(tmp_path / "weather.tally").ask_next({})
    assert ended.code == 0
    assert [line.split() for line in ended.out.splitlines()] == [
        [name, f"{gain:.4f}", "nats"] for name, gain in expected
    ]
    assert tally("explain", "weather.tally").code == 2


def test_suspects_are_listed_by_row(tally, tmp_path):
    lines = ["x,y", *(f"{i % 2 * 10 + i / 10},{'ab'[i % 2]}" for i in range(20)), "10.5,a"]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    assert tally("train", "rows.csv", "--label", "y", "-o", "m.tally").code == 0
    ended = tally("suspects", "m.tally", "rows.csv", "--top", "1")
    (found,) = csv.DictReader(io.StringIO(ended.out))
    assert (found["row"], found["label"], found["likely"]) == ("21", "a", "b")


def test_rows_never_counted_cannot_be_suspects(tally, model, tmp_path):
    (tmp_path / "other.csv").write_text("outlook,temp,play\nhail,99,no\n")
    ended = tally("suspects", "weather.tally", "other.csv")
    assert ended.code == 2
    assert "cannot be left out" in ended.err


def test_suspects_of_no_rows_are_an_error(tally, model, tmp_path):
    header = (tmp_path / "weather.csv").read_text().splitlines()[0]
    (tmp_path / "none.csv").write_text(f"{header}\n")
    ended = tally("suspects", "weather.tally", "none.csv")
    assert (ended.code, ended.err) == (
        2,
        "tallybayes suspects: The data has no rows. Give rows that the model was trained on.\n",
    )
