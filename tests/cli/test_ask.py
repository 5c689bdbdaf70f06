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


def test_scores_are_refused_with_advice_that_helps(tally, tmp_path):
    (tmp_path / "t.csv").write_text("text,sky,y\na b,sun,p\nb c,rain,q\n")
    train = ["train", "t.csv", "--label", "y", "-o", "t.tally", "--column"]
    assert tally(*train, "text=Words(reading='auto')").code == 0
    ended = tally("ask", "t.tally", "sky=sun")
    assert ended.code == 2
    assert ended.err.endswith("or give it a family with probabilities, like Words(reading='multinomial').\n")
    assert tally(*train, "text=Words(reading='multinomial')").code == 0
    assert tally("ask", "t.tally", "sky=sun").out == "0.5\n"
