"""Data that lacks a column of the model: an error, or missing cells with --absent."""

import json
from pathlib import Path


def test_absent_column_is_an_error_that_suggests_an_option(tally, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlook,play\nrain,yes\n")
    sentence = (
        "new.csv has no column 'temp'; it has 'outlook', 'play'. Rename the column, or treat it as missing: "
        "absent='missing', or --absent missing.\n"
    )
    for verb in ("predict", "explain", "evaluate"):
        ended = tally(verb, model, "new.csv")
        assert (ended.code, ended.out, ended.err) == (2, "", f"tallybayes {verb}: {sentence}")


def test_absent_column_counts_as_missing_cells(tally, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlook,play\nrain,yes\nsunny,yes\n")
    (tmp_path / "blank.csv").write_text("outlook,temp,play\nrain,,yes\nsunny,,yes\n")
    (tmp_path / "full.csv").write_text("temp,play,outlook\n25,yes,sunny\n")
    for verb in "predict --proba", "predict --keep outlook", "predict --keep temp", "explain", "evaluate":
        name, *options = verb.split()
        for files in "new.csv", "new.csv full.csv", "full.csv new.csv":
            found = tally(name, model, *files.split(), "--absent", "missing", *options)
            assert found == tally(name, model, *files.replace("new", "blank").split(), *options)
            assert found.code == 0


def test_absent_column_in_json_lines(tally, model, tmp_path):
    (tmp_path / "new.jsonl").write_text(json.dumps({"outlook": "rain"}) + "\n")
    found = tally("predict", model, "new.jsonl", "--absent", "missing", "--format", "jsonl")
    assert json.loads(found.out)["play"] == "yes"


def test_data_without_any_model_column_is_always_an_error(tally, model, tmp_path):
    (tmp_path / "other.csv").write_text("Outlook\nrain\n")
    ended = tally("predict", model, "other.csv", "--absent", "missing")
    assert (ended.code, ended.err) == (
        2,
        "tallybayes predict: other.csv has no column 'outlook'; it has 'Outlook'.\n",
    )


def test_learn_and_forget_rows_without_a_column(tally, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlook,play\nrain,yes\nsunny,yes\n")
    (tmp_path / "blank.csv").write_text("outlook,temp,play\nrain,,yes\nsunny,,yes\n")
    before = Path(model).read_bytes()
    for verb in ("learn", "forget"):
        ended = tally(verb, model, "new.csv")
        assert ended.code == 2
        assert ended.err.endswith("Rename the column, or treat it as missing: absent='missing', or --absent missing.\n")
    assert Path(model).read_bytes() == before
    assert tally("learn", model, "new.csv", "--absent", "missing").code == 0
    assert Path(model).read_bytes() != before
    assert tally("forget", model, "blank.csv").code == 0
    assert Path(model).read_bytes() == before
