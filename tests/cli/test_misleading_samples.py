"""Families inferred from a misleading sample: training restarts, or an error says what to do."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

from tallybayes import Categorical, Histogram, load

pytestmark = pytest.mark.slow

ODD = ((8 << 20) + 400_000) // 46  # beyond the first block, and between the sampled places


@pytest.fixture
def odd(tmp_path):
    """One text late in a numeric column, where no sample sees it."""
    rows = [f"{i % 90 + 10}.{'5' * 40},{'pq'[i % 2]}\n" for i in range(400_000)]  # 46 bytes each
    rows[ODD] = "unknown,q\n"
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(rows))
    return path


def test_late_text_in_a_numeric_column_restarts_training(tally, tmp_path, odd):
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert ended.code == 0
    assert f"t.csv, line {ODD + 2}, column 'x': 'unknown' is not a number" in ended.err
    assert "Starting again with the column 'x' as a category." in ended.err
    model = load(tmp_path / "m.tally")
    assert model.n == 400_000
    assert model.schema.columns == {"x": Categorical(alpha="fitted")}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_continuous_column_with_a_text_is_left_out_wherever_the_text_is(tally, tmp_path, late, packed):
    numbers = np.random.default_rng(1).random(400_000)
    rows = [f"{x:.40f},{'pq'[i % 2]},{'uv'[i % 3 > 0]}\n" for i, x in enumerate(numbers)]
    assert len(rows[0]) == 47
    at = ODD * 46 // 47 if late else 0  # the first row is in every sample
    rows[at] = "unknown,q,u\n"
    data = ("x,y,z\n" + "".join(rows)).encode()
    tmp_path.joinpath("t.csv").write_bytes(gzip.compress(data, 1) if packed else data)
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert ended.code == 0
    assert "--missing unknown" in ended.err
    assert ("Starting again without the column 'x': as texts, it has" in ended.err) == late
    assert "Left out: x (" in ended.err
    assert "different texts in" in ended.err
    model = load(tmp_path / "m.tally")
    assert model.n == 400_000
    assert model.schema.columns == {"z": Categorical(alpha="fitted")}
    assert tally("evaluate", "t.csv", "--label", "y", "--folds", "2", "--brief").code == 0


@pytest.mark.parametrize("dependence", ["pairs", "trees"])
def test_late_text_among_few_numbers_restarts_training_and_validation_of_blocks(tally, tmp_path, dependence):
    """By themselves these numbers are levels, which takes any text, but blocks count their intervals."""
    rows = [f"{i % 4},{i % 3},{'pq'[i % 2]}{' ' * 38}\n" for i in range(400_000)]
    assert set(map(len, rows)) == {44}
    rows[ODD * 46 // 44] = "rotary,1,q\n"
    tmp_path.joinpath("t.csv").write_text("x,z,y\n" + "".join(rows))
    given = ("t.csv", "--label", "y", "--dependence", dependence)
    for verb in (("train", *given, "-o", "m.tally"), ("evaluate", *given, "--folds", "2", "--format", "json")):
        ended = tally(*verb)
        assert ended.code == 0
        assert "'rotary' is not a number" in ended.err
        assert "Starting again with the column 'x' as a category." in ended.err
    assert json.loads(ended.out)["pooled"]["accuracy"] > 0.99
    model = load(tmp_path / "m.tally")
    assert model.n == 400_000
    assert model.schema.columns["x", "z"].codes[0] == ("0", "1", "2", "3")


def test_explicit_family_is_kept(tally, tmp_path, odd):
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--column", "x=Histogram")
    assert ended.code == 2
    assert "'unknown' is not a number" in ended.err
    assert not tmp_path.joinpath("m.tally").exists()


def test_skipped_bad_rows_do_not_restart_training(tally, tmp_path, odd):
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally", "--skip-bad-rows")
    assert ended.code == 0
    model = load(tmp_path / "m.tally")
    assert model.n == 399_999
    assert isinstance(model.schema.columns["x"], Histogram)


def test_misleading_pipe_is_an_error_that_says_what_to_do(tmp_path, odd):
    command = f"cat t.csv | {sys.executable} -m tallybayes train - --label y -o m.tally"
    ended = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "'unknown' is not a number" in ended.stderr
    assert "--missing unknown" in ended.stderr


def test_late_text_among_booleans_restarts_training(tally, tmp_path):
    rows = [f'{{"x": {("false", "true ")[i % 3 > 0]}, "y": "{"pq"[i % 2]}"}}{" " * 23}\n' for i in range(400_000)]
    assert set(map(len, rows)) == {46}
    rows[ODD] = '{"x": "maybe", "y": "q"}\n'
    tmp_path.joinpath("t.jsonl").write_text("".join(rows))
    ended = tally("train", "t.jsonl", "--label", "y", "-o", "m.tally")
    assert f"t.jsonl, line {ODD + 1}, column 'x': 'maybe' is neither true nor false" in ended.err
    assert "Starting again with the column 'x' as a category." in ended.err
    assert load(tmp_path / "m.tally").schema.columns == {"x": Categorical(alpha="fitted")}


def test_text_in_another_encoding_does_not_restart_training(tally, tmp_path):
    tmp_path.joinpath("t.csv").write_bytes(b"x,y\ncaf\xe9,p\nbar,q\n")
    ended = tally("train", "t.csv", "--label", "y", "-o", "m.tally")
    assert ended.code == 2
    assert ended.err.count("is not UTF-8. Give the encoding of the file, like --encoding latin-1") == 1
    assert "Starting again" not in ended.err


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("cells", [[f"some words of a longer text {i}" for i in range(300)], [1.5, 2.5, 3.5] * 100])
def test_cell_that_no_family_can_count_ends_training(tally, tmp_path, cells):
    """A lone surrogate is no text either, so starting again would never end."""
    rows = [json.dumps({"x": cell, "y": "ab"[i % 2]}) for i, cell in enumerate(cells)]
    (tmp_path / "t.jsonl").write_text("\n".join([*rows, r'{"x": "\ud800 oops", "y": "a"}']))
    ended = tally("train", "t.jsonl", "--label", "y", "-o", "m.tally")
    assert ended.code == 2
    assert "t.jsonl, line 301, column 'x': the text '\\ud800 oops' contains a lone surrogate" in ended.err
    assert not (tmp_path / "m.tally").exists()


def test_late_text_among_labels_is_an_error_that_names_the_option(tally, tmp_path):
    rows = [f"{'uv'[i % 3 > 0]},{i % 2}{' ' * 42}\n" for i in range(400_000)]
    assert set(map(len, rows)) == {46}
    rows[ODD] = "u,other\n"
    tmp_path.joinpath("t.csv").write_text("x,y\n" + "".join(rows))
    for given in (("train", "t.csv", "-o", "m.tally"), ("evaluate", "t.csv", "--folds", "2")):
        ended = tally(*given, "--label", "y")
        assert ended.code == 2
        assert f"t.csv, line {ODD + 2}, column 'y': 'other' is not a whole number." in ended.err
        assert "give --label-as-text" in ended.err
    assert tally("train", "t.csv", "-o", "m.tally", "--label", "y", "--label-as-text").code == 0
    assert load(tmp_path / "m.tally").classes == ["0", "1", "other"]


@pytest.mark.filterwarnings("default")
def test_label_that_is_no_text_either_is_an_error_without_that_advice(tally, tmp_path):
    rows = [json.dumps({"x": i % 7, "y": i % 2}) for i in range(300)]
    (tmp_path / "t.jsonl").write_text("\n".join([*rows, r'{"x": 1, "y": "\ud800"}']))
    ended = tally("train", "t.jsonl", "--label", "y", "--label-as-text", "-o", "m.tally")
    assert ended.code == 2
    assert "t.jsonl, line 301, column 'y': the text '\\ud800' contains a lone surrogate." in ended.err
    assert "--label-as-text" not in ended.err
