"""Weighing on the command line: during or after training, the same bytes."""

import numpy as np
import pytest

from tallybayes import counts_digest, load


@pytest.fixture
def copies(tmp_path):
    """One informative column, three times."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 400)
    told = np.where(random.random(400) < 0.8, labels, 1 - labels)
    rows = [f"{'ab'[x]},{'ab'[x]},{'ab'[x]},{('no', 'yes')[y]}" for x, y in zip(told, labels, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["p,q,r,play", *rows, ""]))
    return "t.csv"


def test_weighing_during_and_after_training_agree(tally, copies, tmp_path):
    assert tally("train", copies, "--label", "play", "-o", "plain.tally").code == 0
    ended = tally("train", copies, "--label", "play", "--weigh", "-o", "at_once.tally")
    assert ended.code == 0
    assert "weighed by 400 rows left out, log-loss 0.8161 → 0.4999" in ended.err
    assert tally("weigh", "plain.tally", copies, "-o", "after.tally").code == 0
    assert (tmp_path / "after.tally").read_bytes() == (tmp_path / "at_once.tally").read_bytes()
    assert load("plain.tally").schema.weights is None
    assert tally("weigh", "plain.tally", copies).code == 0
    assert (tmp_path / "plain.tally").read_bytes() == (tmp_path / "at_once.tally").read_bytes()


def test_weighing_from_a_pipe(program, copies, tmp_path):
    given = (tmp_path / copies).read_bytes()
    assert program("train", "-", "--input", "csv", "--label", "play", "--weigh", "-o", "m.tally", stdin=given).code == 0
    assert load(tmp_path / "m.tally").schema.weights is not None


def test_weights_are_shown_and_survive_learn_and_forget(tally, copies, tmp_path):
    assert tally("train", copies, "--label", "play", "--weigh", "-o", "m.tally").code == 0
    before = load("m.tally")
    assert "× 0." in tally("show", "m.tally").out
    row = ("--cell", "p=a", "--cell", "q=a", "--cell", "r=a", "--class", "no")
    assert tally("learn", "m.tally", *row).code == 0
    assert load("m.tally").schema.weights == before.schema.weights
    assert counts_digest(load("m.tally")) != counts_digest(before)
    assert tally("forget", "m.tally", *row).code == 0
    assert load("m.tally") == before


def test_weighing_on_uncounted_rows_is_an_error_and_changes_nothing(tally, copies, tmp_path):
    assert tally("train", copies, "--label", "play", "-o", "m.tally").code == 0
    before = (tmp_path / "m.tally").read_bytes()
    (tmp_path / "other.csv").write_text("p,q,r,play\nz,z,z,yes\n")
    ended = tally("weigh", "m.tally", "other.csv")
    assert ended.code == 2
    assert "has not counted these rows" in ended.err
    assert (tmp_path / "m.tally").read_bytes() == before
