"""`train --unlabelled` and `--clusters`."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import tallybayes
from tallybayes import EM, Gaussian, Model, Schema, open_source


@pytest.fixture
def rows(tmp_path):
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 120)
    lines = ["x,c,y"]
    for at, y in enumerate(truth):
        lines.append(
            f"{random.normal(3.0 * y):.3f},{'uv'[y if random.random() < 0.8 else 1 - y]},{'ab'[y] if at < 15 else ''}"
        )
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_bad_rows_are_skipped_in_every_pass_of_em(tally, rows):
    lines = rows.read_text().splitlines()
    lines[60] = "inf,u,"
    rows.write_text("\n".join(lines) + "\n")
    line = ("train", "rows.csv", "--label", "y", "--column", "x=Gaussian", "--unlabelled", "-o", "m.tally")
    assert tally(*line).code == 2
    ended = tally(*line, "--skip-bad-rows")
    assert ended.code == 0, ended.err
    assert "15 labelled and 104 unlabelled rows" in ended.err


def test_unlabelled_rows_are_counted_by_em(tally, rows):
    ended = tally("train", "rows.csv", "--label", "y", "--unlabelled", "--unlabelled-weight", "1", "-o", "m.tally")
    assert ended.code == 0
    assert "m.tally: 120 rows in 2 classes: a " in ended.err
    assert "15 labelled and 105 unlabelled rows; " in ended.err
    found = tallybayes.load("m.tally")
    source = open_source("rows.csv")
    expected = Model.train(Schema.infer(source, "y"), open_source("rows.csv"), "y", unlabelled=EM())
    assert found.rows == expected.rows
    assert found.columns == expected.columns


@pytest.mark.long
def test_weight_is_chosen_unless_given(tally, rows):
    ended = tally("train", "rows.csv", "--label", "y", "--unlabelled", "-o", "m.tally")
    assert ended.code == 0
    assert "Log-loss of held-out rows by the weight of a row without a label: 0 0." in ended.err
    given = ("--label", "y", "--column", "x=Gaussian", "--unlabelled", "--components", "2")
    ended = tally("train", "rows.csv", *given, "-o", "m.tally")
    assert ended.code == 0
    assert "Log-loss of held-out rows by the weight of a row without a label: 0 0." in ended.err


def test_clusters_need_no_labels(tally, rows):
    ended = tally("train", "rows.csv", "--clusters", "2", "--column", "y=left out", "-o", "m.tally")
    assert ended.code == 0
    assert tallybayes.load("m.tally").classes == [0, 1]
    assert "the best of 10 starts" in ended.err
    answers = tally("predict", "m.tally", "rows.csv", "--format", "jsonl").out.splitlines()
    assert {json.loads(line)["class"] for line in answers} == {0, 1}


def test_clusters_far_apart_are_found_in_numbers(tally, tmp_path):
    """Neither are histograms, which know no neighbours, nor is the prior worth so much that a cluster dies."""
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 300)
    frame = pd.DataFrame({"a": random.normal(8.0 * (truth == 1)), "b": random.normal(8.0 * (truth == 2))})
    frame.to_csv(tmp_path / "far.csv", index=False)
    assert tally("train", "far.csv", "--clusters", "3", "--column", "b=Gaussian(m=0.2)", "-o", "m.tally").code == 0
    model = tallybayes.load(tmp_path / "m.tally")
    assert model.schema.columns == {"a": Gaussian(m=0.1), "b": Gaussian(m=0.2)}
    found = np.array(model.decide(frame))
    counts = np.array([np.bincount(found[truth == cluster], minlength=3) for cluster in range(3)])
    assert sorted(counts.argmax(axis=1)) == [0, 1, 2]
    assert counts.max(axis=1).sum() > 297


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Where a mixture model is kept between tests."""
    return tmp_path_factory.mktemp("components") / "m.tally"


@pytest.fixture
def mixture(tally, rows, trained):
    if not trained.exists():
        given = ("--label", "y", "--column", "x=Gaussian", "--unlabelled", "--components", "2")
        ended = tally("train", "rows.csv", *given, "--unlabelled-weight", "1", "-o", trained)
        assert (ended.code, "120 rows in 4 classes: a/1 " in ended.err) == (0, True)
    shutil.copy(trained, rows.with_name("m.tally"))
    rows.with_name("known.csv").write_text("".join(rows.read_text().splitlines(keepends=True)[:16]))


def test_mixtures_are_queried_by_class(tally, mixture):
    asked = tallybayes.Mixture(tallybayes.load("m.tally"))
    answers = tally("predict", "m.tally", "rows.csv", "--proba", "--format", "jsonl", "--find", "b")
    first = json.loads(answers.out.splitlines()[0])
    assert (answers.code, list(first)) == (0, ["y", "probability", "P(a)", "P(b)"])
    assert first["P(b)"] == pytest.approx(asked.posterior(pd.read_csv("rows.csv")[:1])[0, 1])
    report = json.loads(tally("evaluate", "m.tally", "known.csv", "--format", "json").out)
    assert report["accuracy"] >= 0.8
    told = tally("explain", "m.tally", "--cell", "x=5", "--class", "b").out
    assert told.startswith("b 0.")
    assert "a/1" in tally("show", "m.tally").out


@pytest.mark.parametrize(
    "given",
    [
        ("learn", "m.tally", "known.csv"),
        ("forget", "m.tally", "known.csv"),
        ("weigh", "m.tally", "known.csv"),
        ("suspects", "m.tally", "known.csv"),
        ("evaluate", "m.tally", "known.csv", "--leave-one-out"),
        ("predict", "m.tally", "known.csv", "--interval", "0.9"),
        ("explain", "m.tally", "known.csv", "--ask"),
        ("sample", "m.tally", "3"),
    ],
)
def test_unsupported_operations_on_mixtures_are_errors(tally, mixture, given):
    ended = tally(*given)
    assert ended.code == 2
    assert "component" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--components", "2"], "--components says how EM counts rows; give --unlabelled as well"),
        (["--clusters", "2", "--components", "2"], "give one of the two"),
        (["--unlabelled", "--components", "2", "--weigh"], "components of classes cannot be weighed"),
        (["--unlabelled-weight", "1"], "give --unlabelled as well"),
        (["--unlabelled", "--unlabelled-weight", "much"], "--unlabelled-weight much: give a number from 0 to 1"),
        (["--unlabelled", "--unlabelled-weight", "2"], "--unlabelled-weight 2: give a number from 0 to 1"),
        (["--clusters", "3"], r"EM(classes=3): there are rows of 2 classes ('a', 'b')"),
    ],
)
def test_contradictory_options_are_errors(tally, rows, options, message):
    ended = tally("train", "rows.csv", "--label", "y", "-o", "m.tally", *options)
    assert ended.code == 2
    assert message in ended.err


def test_pipe_cannot_be_read_again(program, rows):
    given = (
        "train",
        "-",
        "--input",
        "csv",
        "--label",
        "y",
        "--unlabelled",
        "--unlabelled-weight",
        "1",
        "-o",
        "m.tally",
    )
    ended = program(*given, stdin=rows.read_bytes())
    assert (ended.code, "A pipe can be read only once" in ended.err) == (2, True)


def test_bad_row_is_named_by_its_line(tally, rows):
    rows.write_text(rows.read_text().replace("\n", "\n-1.0,u,a\n", 1))
    given = ("train", "rows.csv", "--label", "y", "--column", "x=Gamma", "--unlabelled", "-o", "m.tally")
    ended = tally(*given)
    assert ended.code == 2
    assert "rows.csv, line 2" in ended.err
    assert "Traceback" not in ended.err
