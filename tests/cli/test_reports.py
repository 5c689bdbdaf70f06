"""The command line prints the library's reports: as text, JSON and HTML."""

import json
import math

import pyarrow.csv
import pytest

from tallybayes import evaluate, load, report_on


def test_every_report_equals_that_of_the_library(tally, model, weather):
    found, table = load(model), pyarrow.csv.read_csv(weather)
    evidence = report_on(found.evidence(table), cells=table.to_pydict(), rows=3)
    reports = {"show": report_on(found), "evaluate": report_on(evaluate(found, table))}
    for verb, report in reports.items():
        line = [verb, model] if verb == "show" else [verb, model, weather]
        assert tally(*line).out == report.text() + "\n"
        assert json.loads(tally(*line, "--format", "json").out) == report.to_json()
        assert tally(*line, "--format", "html").out == report.html() + "\n"
    assert tally("evaluate", model, weather, "--brief").out == reports["evaluate"].brief().text() + "\n"
    first = [json.loads(line) for line in tally("explain", model, weather, "-f", "json").out.splitlines()]
    assert first == evidence.to_json()["rows"]
    assert "<details><summary>logarithms</summary>" in tally("explain", model, weather, "-f", "html").out


def test_row_that_no_class_allows_is_reported(tally, weather):
    columns = ("--column", "outlook=Categorical(alpha=0)", "--column", "temp=Categorical(alpha=0)")
    assert tally("train", weather, "-l", "play", *columns, "-o", "m").code == 0
    asked = ("explain", "m", "--cell", "outlook=sunny", "--cell", "temp=25")
    ended = tally(*asked)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == "yes 0.600   no 0.400"
    assert lines[1] == "The row is impossible in every class, so the answer is the prior. Smoothing avoids this."
    assert lines[-1].startswith("all together ")
    assert lines[-1].endswith(" no evidence")
    found = json.loads(tally(*asked, "-f", "json").out)
    assert not found["possible"]
    assert [column["evidence"]["yes"] for column in found["columns"]][1:] == ["-inf", pytest.approx(math.log(0.5))]
