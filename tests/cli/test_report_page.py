"""`tallybayes report`: the library's report, on standard output or to a file."""

import json

import pyarrow.csv
import pytest

from tallybayes import load, model_report

pytestmark = pytest.mark.slow


def test_report_equals_that_of_the_library(tally, model, weather, tmp_path):
    table = pyarrow.csv.read_csv(weather)
    report = model_report(load(model), table, "play", title=model.name)
    ended = tally("report", model, weather, "-o", "report.html")
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / "report.html").read_text() == report.html() + "\n"
    plain = model_report(load(model), table, "play", title=model.name, pictures=False)
    assert json.loads(tally("report", model, weather, "-f", "json").out) == plain.to_json()
    assert tally("report", model, weather, "-f", "text").out == plain.text() + "\n"


def test_report_without_data(tally, model):
    ended = tally("report", model)
    assert ended.code == 0
    assert "No test rows were given" in ended.out


def test_errors_write_nothing(tally, model, weather, tmp_path):
    before = weather.read_text()
    ended = tally("report", model, weather, "-o", weather)
    assert (ended.code, ended.out) == (2, "")
    assert "this is an input file, which would be overwritten" in ended.err
    assert weather.read_text() == before
    ended = tally("report", model, "none.csv", "-o", "report.html")
    assert (ended.code, ended.err) == (2, "tallybayes report: There is no file none.csv.\n")
    assert not (tmp_path / "report.html").exists()
