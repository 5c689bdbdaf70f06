"""`ask` on the command line: the library's answers, and readable errors."""

import pytest
from calling import WEATHER

from tallybayes import load


@pytest.fixture
def model(tally, tmp_path):
    (tmp_path / "w.csv").write_text(WEATHER)
    assert tally("train", "w.csv", "--label", "play", "-o", "m.tally").code == 0
    return "m.tally"


def test_query_is_answered(tally, model):
    known = load(model)
    for question in ("outlook=sunny | play=yes", "play=no | temp > 28", "20 < temp <= 26"):
        ended = tally("ask", model, question)
        assert (ended.code, ended.err) == (0, "")
        assert float(ended.out) == pytest.approx(known.probability(question), rel=1e-11)


def test_the_most_probable_row(tally, model):
    ended = tally("ask", model, "play=yes, temp=20", "--row")
    assert ended.code == 0
    assert ended.out.splitlines() == ["outlook=rain", "temp=20", "play=yes"]


@pytest.mark.parametrize("question", ["outlook=", "outlok=sunny", "outlook=suny", "temp", "temp=20", "x|y|z", ""])
def test_invalid_query_is_an_error(tally, model, question):
    ended = tally("ask", model, question)
    assert ended.code == 2
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert ended.err
