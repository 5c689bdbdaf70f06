"""Options of `train`: columns, schemas, priors and labels."""

import pyarrow.csv
import pyarrow.parquet
import pytest

from tallybayes import Gaussian, Model, Schema, digest, load


def test_train_saves_the_same_model_as_the_library(tally, model):
    table = pyarrow.csv.read_csv("weather.csv")
    expected = Model.train(Schema.infer(table, "play"), table)
    assert load(model) == expected
    assert digest(load(model)) == digest(expected)


def test_train_reports_rows_and_file(tally, weather):
    ended = tally("train", weather.name, "--label", "play", "-o", "m.tally")
    assert ended == (0, "", "m.tally: 5 rows in 2 classes: no 2, yes 3\n")


def test_columns_are_overridden_one_by_one(tally, weather):
    tally(
        "train",
        weather,
        "-l",
        "play",
        "-o",
        "m",
        "--column",
        "temp=Gaussian(noise=0.5)",
        "--column",
        "outlook=left out",
    )
    assert load("m").schema == Schema({"temp": Gaussian(noise=0.5)}, label="play")


def test_settings_are_parsed_as_data(tally, weather):
    ended = tally("train", weather, "-l", "play", "-o", "m", "--column", "temp=__import__('os').system('touch hacked')")
    assert ended.code == 2
    assert not weather.with_name("hacked").exists()
    assert not weather.with_name("m").exists()


def test_schema_is_printed_edited_and_trained_with(tally, weather):
    printed = tally("schema", weather, "--label", "play")
    assert printed.code == 0
    weather.with_name("s.toml").write_text(printed.out.replace("Gaussian()", "Gaussian(noise=2.0)"))
    assert tally("train", weather, "--schema", "s.toml", "-o", "m").code == 0
    assert load("m").schema.columns["temp"] == Gaussian(noise=2.0)
    assert load("m").schema.label == "play"


def test_prior_option(tally, weather):
    tally("train", weather, "-l", "play", "-o", "m", "--prior", "uniform")
    assert load("m").prior() == {"no": 0.5, "yes": 0.5}
    tally("train", weather, "-l", "play", "-o", "m", "--prior", "1")
    assert load("m").prior() == pytest.approx({"no": 3 / 7, "yes": 4 / 7})


def test_labels_keep_their_type_unless_text_is_requested(tally, weather):
    weather.write_text("x,y\na,1\nb,2\n")
    tally("train", weather, "-l", "y", "-o", "m")
    assert load("m").classes == [1, 2]
    tally("train", weather, "-l", "y", "-o", "m", "--label-as-text")
    assert load("m").classes == ["1", "2"]
