"""Priors in options and in schema files: the same names and the same errors."""

from fractions import Fraction

import pytest

from tallybayes import load

TRUTHS = "x,y\n1,a\n1,a\n1,b\n"


@pytest.fixture
def truths(tmp_path):
    (tmp_path / "t.csv").write_text(TRUTHS)
    return "t.csv"


@pytest.mark.parametrize("alpha", ["{1: 2, 0: 5}", "{'true': 2, 'no': 5}", "{'1': 2, 'false': 5}"])
def test_booleans_are_named_as_in_cells(tally, truths, alpha):
    assert tally("train", truths, "--label", "y", "--column", f"x=Bernoulli(alpha={alpha})", "-o", "m.tally").code == 0
    found = load("m.tally").estimates("x")["true"]
    assert {label: Fraction(p).limit_denominator(100) for label, p in found.items()} == {
        "a": Fraction(4, 9),
        "b": Fraction(3, 8),
    }


@pytest.mark.parametrize("names", ["1: 0.25, 0: 0.75", "'yes': 0.25, 'no': 0.75"])
def test_m_estimate_of_a_column(tally, truths, names):
    column = f"x=Bernoulli(alpha=MEstimate(8, {{{names}}}))"
    assert tally("train", truths, "--label", "y", "--column", column, "-o", "m.tally").code == 0
    assert load("m.tally").estimates("x")["true"] == pytest.approx({"a": 4 / 10, "b": 3 / 9})


def test_impossible_level_in_a_prior_is_an_error_before_counting(tally, truths, tmp_path):
    ended = tally("train", truths, "--label", "y", "--column", "x=Bernoulli(alpha={'tru': 2})", "-o", "m.tally")
    assert ended.code == 2
    assert "Bernoulli(alpha={'tru': 2}): 'tru' is neither true nor false (1 or 0)" in ended.err
    (tmp_path / "s.toml").write_text('label = "y"\n[columns]\nx = "Bernoulli(alpha={\'tru\': 2})"\n')
    ended = tally("train", truths, "--schema", "s.toml", "-o", "m.tally")
    assert ended.code == 2
    assert "s.toml: Column 'x': Bernoulli(alpha={'tru': 2}): 'tru' is neither true nor false (1 or 0)" in ended.err
    assert not (tmp_path / "m.tally").exists()


def test_prior_for_unknown_classes_is_reported_in_training(program, tally, truths, tmp_path):
    schema = 'label = "y"\n[columns]\nx = "Bernoulli()"\n[prior]\n'
    (tmp_path / "s.toml").write_text(schema + "a = 0.5\nb = 0.25\nc = 0.25\n")
    ended = program("train", truths, "--schema", "s.toml", "-o", "m.tally")
    assert ended.code == 0
    assert "Note: The prior is {'a': 0.5, 'b': 0.25, 'c': 0.25}, but no row has the class 'c'" in ended.err
    (tmp_path / "s.toml").write_text(schema + "a = 0.5\nbb = 0.5\n")
    ended = tally("train", truths, "--schema", "s.toml", "-o", "n.tally")
    assert ended.code == 2
    assert "The prior gives no probability for class 'b'" in ended.err
    assert "no row has the class 'bb'" in ended.err
    assert not (tmp_path / "n.tally").exists()
