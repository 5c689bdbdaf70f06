"""`evaluate` without a model: cross-validation and leave-one-out on files of any size."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from tallybayes import Gaussian, Schema, cross_validate

RANDOM = np.random.default_rng(8)
N = 300
TRUTH = RANDOM.integers(0, 2, N)
TABLE = pa.table(
    {
        "x": RANDOM.normal(TRUTH, 1.0).round(3),
        "u": [f"level {level}" for level in (TRUTH + RANDOM.integers(0, 2, N)) % 3],
        "subject": [f"s{i % 29}" for i in range(N)],
        "class": np.where(TRUTH, "yes", "no"),
    }
)


@pytest.fixture
def table(tmp_path):
    pa.csv.write_csv(TABLE, tmp_path / "data.csv")
    pa.parquet.write_table(TABLE, tmp_path / "data.parquet", row_group_size=70)
    return tmp_path / "data.csv"


def facts(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_folds_of_a_file_equal_those_of_the_frame(tally, table):
    found = facts(tally("evaluate", table, "--label", "class", "--folds", 5, "--format", "json"))
    frame = TABLE.drop_columns(["class"])
    schema = Schema.infer(TABLE, "class")
    wanted = cross_validate(schema, frame, TABLE["class"], k=5)
    assert [each["n"] for each in found["folds"]] == [each.n for each in wanted.folds]
    for name in ("accuracy", "log_loss", "brier", "roc_auc", "calibration_error", "baseline", "prior_log_loss"):
        assert found["pooled"][name] == pytest.approx(getattr(wanted, name)), name
    assert found["pooled"]["standard_errors"] == pytest.approx(wanted.standard_errors)
    again = facts(tally("evaluate", table.with_suffix(".parquet"), "-l", "class", "--folds", 5, "--format", "json"))
    assert again["pooled"]["log_loss"] == pytest.approx(found["pooled"]["log_loss"])


def test_repeats_and_seeds_change_the_folds(tally, table):
    def loss(*more):
        ended = tally("evaluate", table, "-l", "class", "--folds", 4, *more, "--format", "json")
        return facts(ended)["pooled"]["log_loss"]

    assert loss("--seed", 1, "--repeats", 2) == pytest.approx((loss("--seed", 1) + loss("--seed", 2)) / 2)
    assert loss("--seed", 1) != loss("--seed", 2)


def test_group_column_is_not_counted_by_default(tally, table):
    grouped = ("evaluate", table, "-l", "class", "--folds", 4, "--groups", "x", "--brief")
    plain = tally(*grouped)
    told = "4 folds, groups kept together, seed 0; every row is scored by a model without its fold.\n"
    assert plain.out.startswith(told)
    assert tally(*grouped, "--column", "x=left out").out == plain.out
    counted = tally(*grouped, "--column", "x=Gaussian").out
    assert counted.startswith(told)
    assert counted != plain.out


def test_schema_can_be_given(tally, table):
    written = tally("schema", table, "-l", "class", "--column", "subject=left out", "--column", "x=Gaussian")
    (table.parent / "schema.toml").write_text(written.out)
    found = facts(tally("evaluate", table, "--schema", "schema.toml", "--folds", 5, "--format", "json"))
    told = ("--column", "subject=left out", "--column", "x=Gaussian")
    wanted = facts(tally("evaluate", table, "-l", "class", *told, "--folds", 5, "--format", "json"))
    assert found == wanted


def test_each_training_set_is_weighed_separately(tally, table):
    found = facts(tally("evaluate", table, "-l", "class", "--folds", 5, "--weigh", "--format", "json"))
    frame, schema = TABLE.drop_columns(["class"]), Schema.infer(TABLE, "class")
    wanted = cross_validate(schema, frame, TABLE["class"], k=5, weigh=True)
    assert found["pooled"]["log_loss"] == pytest.approx(wanted.log_loss)
    assert wanted.log_loss < cross_validate(schema, frame, TABLE["class"], k=5).log_loss
    ended = tally("evaluate", table, "-l", "class", "--leave-one-out", "--weigh")
    assert ended.code == 2
    assert "--weigh goes with --folds" in ended.err


def test_folds_subtracted_from_a_model(tally, table):
    assert tally("train", table, "-l", "class", "-o", "m.tally").code == 0
    found = tally("evaluate", "m.tally", table, "--folds", 5)
    assert found.code == 0
    assert found.out == tally("evaluate", table, "-l", "class", "--folds", 5).out
    (table.parent / "other.csv").write_text("x,u,subject,class\n9999,level 7,s0,yes\n1,level 1,s1,no\n")
    ended = tally("evaluate", "m.tally", "other.csv", "--folds", 2)
    assert (ended.code, ended.out) == (2, "")
    assert "The model has not counted these rows, so they cannot be left out: " in ended.err
    told = tally("evaluate", "m.tally", table, "--folds", 5, "--column", "x=Gaussian")
    assert "--column: m.tally is a model, which is used as it is. Give the data alone." in told.err


def test_bad_rows_are_skipped_in_both_passes(tally, table):
    lines = table.read_text().splitlines()
    lines[100:100] = ["x,level 1,s1,yes", ',"level 1","s1",']
    table.write_text("\n".join(lines))
    told = ("--column", "x=Gaussian", "--column", "subject=left out")
    ended = tally("evaluate", table, "-l", "class", *told, "--folds", 5, "--skip-bad-rows", "--brief")
    assert ended.code == 0
    assert ended.err.count("2 rows were skipped") == 2
    pa.csv.write_csv(TABLE, table)
    assert ended.out == tally("evaluate", table, "-l", "class", *told, "--folds", 5, "--brief").out


def test_pipe_cannot_be_read_twice(program, table):
    ended = program("evaluate", "-", "--label", "class", "--folds", "5", stdin=table.read_bytes())
    assert (ended.code, ended.out) == (2, "")
    assert "Rows are read twice" in ended.err
    assert "standard input can be read only once. Save it in a file first." in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "This is not a tallybayes model, or it is truncated. To evaluate data without a model, give --folds 10"),
        (
            ("--folds", 400, "-l", "class"),
            "400 folds of 300 rows: some would be empty. Give 300 folds or fewer (k=300, or --folds 300).",
        ),
        (("--folds", 5), "Which column holds the classes? Give --label"),
        (("--folds", 5, "-l", "class", "--groups", "who"), "no column 'who'"),
        (("--leave-one-out", "-l", "class", "--groups", "subject"), "--groups goes with --folds"),
    ],
)
def test_invalid_validation_options_are_errors(tally, table, arguments, message):
    ended = tally("evaluate", table, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_fold_options_are_refused_with_a_model(tally, table):
    assert tally("train", table, "-l", "class", "-o", "m.tally").code == 0
    ended = tally("evaluate", "m.tally", table, "--groups", "subject")
    assert "--groups goes with --folds or --leave-one-out; a model is used as it is." in ended.err


def test_minimum_accuracy_sets_the_exit_code(tally, table):
    ended = tally("evaluate", table, "-l", "class", "--folds", 5, "--at-least", 0.99, "--brief")
    assert ended.code == 1
    assert "below 0.99" in ended.err


def test_costs_may_name_the_classes_of_all_rows(tally, table):
    ended = tally("evaluate", table, "-l", "class", "--folds", 5, "--costs", "yes:no=4", "--reject", 0.3, "--brief")
    assert ended.code == 0
    assert "\ncost " in ended.out


@pytest.mark.slow
def test_leave_one_out_equals_n_folds(tally, table):
    told = ("-l", "class", "--column", "subject=left out", "--column", "x=Gaussian")
    found = facts(tally("evaluate", table, *told, "--leave-one-out", "--format", "json"))
    schema = Schema.infer(TABLE, "class", hints={"subject": None, "x": Gaussian()})
    wanted = cross_validate(schema, TABLE, k=N, stratify=False)
    for name in ("accuracy", "log_loss", "brier", "roc_auc", "prior_log_loss"):
        assert found[name] == pytest.approx(getattr(wanted, name), abs=1e-9), name
    assert tally("train", table, *told, "-o", "m.tally").code == 0
    assert facts(tally("evaluate", "m.tally", table, "--leave-one-out", "--format", "json")) == found


def test_figures_of_training_rows_are_not_taken_for_those_of_new_rows(tally, table):
    tally("train", table, "-l", "class", "--weigh", "-o", "m.tally")
    assert "trained on these rows, the figures are too good" in tally("evaluate", "m.tally", table).err
    pa.csv.write_csv(TABLE[: N - 1], table)
    assert "too good" not in tally("evaluate", "m.tally", table).err
    refused = tally("evaluate", "m.tally", table, "--leave-one-out")
    assert (refused.code, refused.out) == (2, "")
    assert "--leave-one-out cannot score weighed evidence. Give --folds 10 instead." in refused.err
    noted = tally("evaluate", "m.tally", table, "--folds", 5).err
    assert "Note: the weights of the model were chosen by its rows and stay" in noted
