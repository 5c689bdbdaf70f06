"""--dependence on the command line: dependent columns are counted jointly, reported and used."""

import json
from pathlib import Path

import numpy as np
import pytest

from tallybayes import load


@pytest.fixture
def parity(tally):
    random = np.random.default_rng(0)
    one, two = random.integers(0, 2, (2, 120))
    rows = [f"{'uv'[a]},{b},{'same' if a == b else 'other'}" for a, b in zip(one, two, strict=True)]
    Path("parity.csv").write_text("\n".join(["one,two,y", *rows, ""]))
    return ("train", "parity.csv", "--label", "y", "-o", "m.tally")


def test_dependent_columns_are_counted_jointly_and_reported(tally, parity):
    ended = tally(*parity, "--dependence", "auto")
    assert ended.code == 0
    (line,) = [line for line in ended.err.splitlines() if line.startswith("Together: ")]
    assert "2 columns by Several(members=(Trees(n=300, random=150, crossed=200), Pairs(structure='averaged')))" in line
    assert "columns that may depend on each other; their evidence is weighed" in line
    assert "best mean of logs × " in line
    assert "Pairs × " in line
    assert "weighed by 120 rows left out" in ended.err


@pytest.mark.parametrize(
    ("kind", "name"), [("trees", "Trees(n=300, random=150, crossed=200)"), ("pairs", "Pairs(structure='averaged')")]
)
def test_trees_or_pairs_alone(tally, parity, kind, name):
    ended = tally(*parity, "--dependence", kind)
    assert f"Together: 2 columns by {name}" in ended.err
    assert "Together" not in tally(*parity, "--dependence", "none").err
    assert "Together" not in tally(*parity).err


@pytest.mark.parametrize("kind", ["trees", "pairs", "auto"])
def test_rows_are_held_out_as_training_counts_and_weighs_them(tally, parity, kind):
    found = tally("evaluate", "parity.csv", "--label", "y", "--dependence", kind, "--folds", "4", "--format", "json")
    assert json.loads(found.out)["pooled"]["accuracy"] == 1.0
    assert tally("evaluate", "parity.csv", "--label", "y", "--folds", "4", "--brief", "--at-least", "0.9").code == 1


def test_predict_explain_show_and_learn(tally, parity):
    assert tally(*parity, "--dependence", "auto").code == 0
    code, out, _ = tally("evaluate", "m.tally", "parity.csv", "--format", "json")
    assert code == 0
    assert json.loads(out)["accuracy"] == 1.0
    code, out, _ = tally("predict", "m.tally", "--cell", "one=u", "--cell", "two=1")
    assert (code, "other" in out) == (0, True)
    code, out, _ = tally("explain", "m.tally", "--cell", "one=u", "--cell", "two=0", "--format", "json")
    assert code == 0
    said = [entry["column"] for entry in json.loads(out)["columns"]]
    assert {"one", "two", "one, two"} <= set(said)
    code, out, _ = tally("show", "m.tally")
    assert code == 0
    assert "one, two" in out
    before = load("m.tally")
    row = ("--cell", "one=u", "--cell", "two=0", "--class", "same")
    assert tally("learn", "m.tally", *row).code == 0
    assert load("m.tally").n == before.n + 1
    assert tally("forget", "m.tally", *row).code == 0
    assert load("m.tally") == before


def test_dependence_with_a_schema_is_an_error(tally, parity):
    code, out, _ = tally("schema", "parity.csv", "--label", "y")
    assert code == 0
    Path("schema.toml").write_text(out)
    ended = tally(*parity, "--schema", "schema.toml", "--dependence", "auto")
    assert ended.code == 2
    assert "--dependence is for inferred schemas; a given schema has its own blocks." in ended.err
    assert not Path("m.tally").exists()


def test_folds_of_guided_trees_are_trained_again(tally, parity):
    held_out = ("evaluate", "parity.csv", "--label", "y", "--folds", "5", "--format", "json")
    found = {}
    for name, given in {
        "naive": (),
        "guided": ("--column", "one,two=Trees(n=5)"),
        "random": ("--column", "one,two=Trees(n=5,questions='random')"),
        "auto": ("--dependence", "auto"),
    }.items():
        ended = tally(*held_out, *given)
        assert ended.code == 0, ended.err
        found[name] = json.loads(ended.out)["pooled"]["accuracy"]
    assert found["naive"] < 0.7
    assert found["guided"] == found["auto"] == 1.0


def test_bad_rows_are_skipped_in_every_pass(tally, parity):
    lines = Path("parity.csv").read_text().splitlines()
    lines[50] += ",one cell too many"
    Path("parity.csv").write_text("\n".join([*lines, ""]))
    held_out = ("evaluate", "parity.csv", "--label", "y", "--folds", "3", "--dependence", "auto", "--format", "json")
    assert tally(*held_out).code == 2
    ended = tally(*held_out, "--skip-bad-rows")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["pooled"]["n"] == 119


def test_dependence_is_evaluated_by_folds(tally, parity):
    one_by_one = tally("evaluate", "parity.csv", "--label", "y", "--leave-one-out", "--dependence", "auto")
    assert (one_by_one.code, one_by_one.out) == (2, "")
    assert "--dependence goes with --folds" in one_by_one.err
    assert tally(*parity).code == 0
    of_a_model = tally("evaluate", "m.tally", "parity.csv", "--folds", "5", "--dependence", "auto")
    assert of_a_model.code == 2
    assert "--dependence: m.tally is a model, which is used as it is" in of_a_model.err


def test_unknown_dependence_is_an_error(tally, parity):
    ended = tally(*parity, "--dependence", "forest")
    assert ended.code == 2
    assert "forest" in ended.err
