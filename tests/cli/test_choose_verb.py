"""`choose`: settings compared by cross-validation on the rows of the model."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from tallybayes import Density, Histogram, choose, digest, load

RANDOM = np.random.default_rng(4)
N = 300
TRUTH = RANDOM.integers(0, 2, N)
TABLE = pa.table(
    {
        "x=y": RANDOM.gamma(1.0 + TRUTH, 1.0).round(2),
        "u": [f"level {level}" for level in (TRUTH + RANDOM.integers(0, 30, N))],
        "class": np.where(TRUTH, "yes", "no"),
    }
)


@pytest.fixture
def trained(tally, tmp_path):
    pa.csv.write_csv(TABLE, tmp_path / "data.csv")
    told = ("--column", "u=Categorical", "--column", "x=y=Histogram")
    assert tally("train", "data.csv", "-l", "class", *told, "-o", "m.tally").code == 0
    return tmp_path / "m.tally"


def test_choice_equals_that_of_the_library(tally, trained):
    before = load(trained)
    tried = (
        "--try",
        "alpha=0.01",
        "--try",
        "alpha=30",
        "--try",
        "x=y=Density()",
        "--try",
        "x=y=Histogram(method='mdl')",
    )
    ended = tally("choose", "m.tally", "data.csv", *tried, "--folds", 5, "-o", "best.tally", "--format", "json")
    assert (ended.code, ended.err) == (0, "best.tally: changed\n")
    wanted = choose(
        before,
        TABLE.drop_columns(["class"]),
        TABLE["class"],
        {"alpha": [0.01, 30.0], "x=y": [Density(), Histogram(method="mdl")]},
        k=5,
    )
    assert digest(load(trained.with_name("best.tally"))) == digest(wanted.model)
    facts = json.loads(ended.out)
    assert facts["log_loss"] == pytest.approx(wanted.log_loss)
    assert [trial["log_loss"] for trial in facts["tried"]] == pytest.approx([trial.log_loss for trial in wanted.tried])
    assert digest(load(trained)) == digest(before)


def test_model_is_replaced_unless_an_output_is_named(tally, trained):
    before = load(trained)
    ended = tally("choose", "m.tally", "data.csv", "--try", "alpha=2")
    assert ended.code == 0
    assert ended.out.startswith("held-out log-loss, ± its standard error\n")
    after = load(trained)
    assert after.schema == before.schema.believing({"alpha": 2.0})
    assert digest(after.believing(alpha=1.0)) == digest(before)
    again = tally("choose", "m.tally", "data.csv", "--try", "prior={'no': 0.999, 'yes': 0.001}")
    assert again.err == "m.tally: unchanged\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--try", "alpha"), "--try 'alpha': write SETTING=VALUE, like alpha=0.5."),
        (("--try", "beta=1"), "beta=1 is not a belief of this schema"),
        (("--try", "u=Gausian()"), "There is no family 'Gausian'. Did you mean Gaussian?"),
        (("--try", "u=Gaussian()"), "these count differently"),
        (("--folds", 400), "The model has not counted"),
    ],
)
def test_invalid_choices_are_errors(tally, trained, arguments, message):
    (trained.parent / "other.csv").write_text("x=y,u,class\n1,never,yes\n2,met,no\n")
    before = trained.read_bytes()
    data = "other.csv" if "--folds" in arguments else "data.csv"
    ended = tally("choose", "m.tally", data, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert trained.read_bytes() == before


def test_pipe_is_refused(program, trained):
    ended = program("choose", "m.tally", "-", stdin=(trained.parent / "data.csv").read_bytes())
    assert ended.code == 2
    assert "standard input can be read only once" in ended.err
