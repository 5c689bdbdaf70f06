"""Data without a column that the model has: an error that says what to do, or missing cells where somebody says so."""

import json
from pathlib import Path


def test_a_column_that_is_not_there_is_an_error_that_offers_to_take_it_as_missing(tally, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlook,play\nrain,yes\n")
    sentence = (
        "new.csv has no column 'temp'; it has 'outlook', 'play'. Rename the column, or treat it as missing: "
        "absent='missing', or --absent missing.\n"
    )
    for verb in ("predict", "explain", "evaluate"):
        ended = tally(verb, model, "new.csv")
        assert (ended.code, ended.out, ended.err) == (2, "", f"tallybayes {verb}: {sentence}")


def test_taken_as_missing_it_is_as_if_every_cell_were(tally, model, tmp_path):
    (tmp_path / "new.csv").write_text("outlook,play\nrain,yes\nsunny,yes\n")
    (tmp_path / "blank.csv").write_text("outlook,temp,play\nrain,,yes\nsunny,,yes\n")
    for verb in (["predict", "--proba"], ["predict", "--keep", "outlook"], ["explain"], ["evaluate"]):
        name, *options = verb
        found = tally(name, model, "new.csv", "--absent", "missing", *options)
        assert found == tally(name, model, "blank.csv", *options)
        assert found.code == 0


def test_json_lines_likewise(tally, model, tmp_path):
    (tmp_path / "new.jsonl").write_text(json.dumps({"outlook": "rain"}) + "\n")
    found = tally("predict", model, "new.jsonl", "--absent", "missing", "--format", "jsonl")
    assert json.loads(found.out)["play"] == "yes"


def test_data_that_has_none_of_the_columns_is_an_error_in_any_case(tally, model, tmp_path):
    (tmp_path / "other.csv").write_text("Outlook\nrain\n")
    ended = tally("predict", model, "other.csv", "--absent", "missing")
    assert (ended.code, ended.err) == (
        2,
        "tallybayes predict: other.csv has no column 'outlook'; it has 'Outlook'.\n",
    )


def test_rows_are_learned_and_forgotten_without_a_column(tally, model, tmp_path):
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
