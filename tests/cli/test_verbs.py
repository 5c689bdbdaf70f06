"""Every verb prints what the library returns."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from tallybayes import Categorical, Model, Words, digest, load, save


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_prints_the_class_and_its_probability(tally, model, weather):
    ended = tally("predict", model, weather)
    expected = load(model).posterior(pyarrow.csv.read_csv(weather))
    found = rows(ended.out)
    assert [row["play"] for row in found] == load(model).decide(pyarrow.csv.read_csv(weather))
    np.testing.assert_allclose([float(row["probability"]) for row in found], expected.max(axis=1), rtol=1e-12)
    assert ended.err == ""


def test_predict_prints_every_probability_in_every_format(tally, model, weather):
    expected = load(model).posterior(pyarrow.csv.read_csv(weather))
    lines = tally("predict", model, weather, "--proba", "--format", "jsonl").out.splitlines()
    np.testing.assert_allclose([[json.loads(line)[f"P({c})"] for c in ("no", "yes")] for line in lines], expected)
    assert tally("predict", model, weather, "--proba", "-f", "parquet", "-o", "a.parquet").out == ""
    table = pyarrow.parquet.read_table("a.parquet")
    np.testing.assert_allclose(np.column_stack([table["P(no)"], table["P(yes)"]]), expected)
    drawn = tally("predict", model, weather, "--proba", "--format", "table").out.splitlines()
    assert drawn[0].split() == ["play", "probability", "P(no)", "P(yes)"]
    assert len(drawn) == 6


def test_predict_keeps_columns(tally, model, weather):
    found = rows(tally("predict", model, weather, "--keep", "temp").out)
    assert [row["temp"] for row in found] == ["30.5", "29", "25", "18.25", ""]


def test_costs_and_rejection(tally, model, weather):
    table = pyarrow.csv.read_csv(weather)
    costly = rows(tally("predict", model, weather, "--costs", "yes:no=50").out)
    assert [row["play"] for row in costly] == load(model).decide(table, costs={("yes", "no"): 50.0})
    unsure = rows(tally("predict", model, weather, "--reject", "0.01").out)
    assert [row["play"] or None for row in unsure] == load(model).decide(table, reject=0.01)
    assert [row["probability"] == "" for row in unsure] == [row["play"] == "" for row in unsure]


def test_row_given_by_cells(tally, model):
    (row,) = rows(tally("predict", model, "--cell", "outlook=rain", "--cell", "temp=20").out)
    posterior = load(model).posterior({"outlook": "rain", "temp": 20.0})
    assert row["play"] == "yes"
    assert float(row["probability"]) == pytest.approx(posterior.max())


def test_cells_not_given_are_missing(tally, model):
    (row,) = rows(tally("predict", model, "--cell", "outlook=rain").out)
    assert float(row["probability"]) == pytest.approx(load(model).posterior({"outlook": "rain", "temp": None}).max())


def test_find_exits_like_grep(tally, model):
    assert tally("predict", model, "--cell", "outlook=rain", "--find", "yes").code == 0
    assert tally("predict", model, "--cell", "outlook=rain", "--find", "no").code == 1


def test_explain_as_json_adds_up(tally, model):
    found = json.loads(tally("explain", model, "--cell", "outlook=rain", "--cell", "temp=20", "--format", "json").out)
    evidence = load(model).evidence({"outlook": "rain", "temp": 20.0})
    assert found["class"] == "yes"
    assert found["against"] == "no"
    said = {column["column"]: column for column in found["columns"]}
    assert said["outlook"]["evidence"] == pytest.approx(dict(zip(("no", "yes"), evidence["outlook"][0], strict=True)))
    total = evidence.total()[0]
    assert sum(column["log_odds"] for column in found["columns"]) == pytest.approx(total[1] - total[0])


@pytest.fixture
def spam(tally, tmp_path):
    texts = {"text": ["free money, claim your free prize", "lunch on Monday?", "you won money", "Monday's agenda"]}
    save(Model.train({"text": Words()}, texts, ["spam", "ham", "spam", "ham"]), tmp_path / "spam.tally")
    return tmp_path / "spam.tally"


def test_explain_shows_each_word_as_a_bar(tally, spam):
    lines = tally("explain", spam, "--text", "free lunch, free money").out.splitlines()
    assert lines[0] == "spam 0.847   ham 0.153"
    free = next(line for line in lines if "free ×2" in line)
    lunch = next(line for line in lines if "lunch" in line)
    assert "█" in free
    assert free.endswith("× for spam")
    assert "░" in lunch
    assert lunch.endswith("× for ham")
    assert lines[-1].startswith("all together")
    assert lines[-1].endswith("5.5 × for spam")


def test_explain_prints_integers_without_a_point(tally, model):
    shown = tally("explain", model, "--cell", "temp=20").out
    assert "temp = 20 " in shown
    assert "temp = 20.5 " in tally("explain", model, "--cell", "temp=20.5").out


def test_explain_abbreviates_uninformative_columns(tally, tmp_path):
    frame = {name: ["u", "v"] for name in "abcde"}
    save(Model.train(dict.fromkeys(frame, Categorical()), frame, ["no", "yes"]), tmp_path / "m")
    lines = tally("explain", "m", "--cell", "a=u").out.splitlines()
    assert [line.split("  ")[0] for line in lines[2:]] == ["(class)", "a = u", "each of 4 others", "all together"]
    assert lines[4].endswith("no evidence")


def test_explain_lists_words_only_if_they_have_evidence(tally, tmp_path):
    frame = {"said": ["free money", "lunch money"], "by": ["ann", "ann"]}
    save(Model.train({"said": Words(), "by": Words()}, frame, ["spam", "ham"]), tmp_path / "m")
    lines = tally("explain", "m", "--cell", "said=free money", "--cell", "by=ann").out.splitlines()
    named = [line.split("   ")[0] for line in lines[2:]]
    assert named == ["(class)", "said", "  free", "  1 more word", "by", "all together"]
    assert [line.endswith("no evidence") for line in lines[2:]] == [True, False, False, True, True, False]


def test_explain_compares_other_classes(tally, spam):
    found = json.loads(tally("explain", spam, "--text", "free", "--class", "ham", "--format", "json").out)
    assert (found["class"], found["against"]) == ("ham", "spam")
    assert tally("explain", spam, "--text", "free", "--class", "ham", "--against", "ham").code == 2


def test_evaluate_prints_accuracy(tally, model, weather):
    weather.with_name("test.csv").write_text("outlook,temp,play\nsunny,30,no\nrain,18,yes\nrain,18,no\n")
    found = json.loads(tally("evaluate", model, "test.csv", "--format", "json").out)
    assert found["n"] == 3
    assert found["accuracy"] == pytest.approx(2 / 3)
    posterior = load(model).posterior(pyarrow.csv.read_csv("test.csv"))
    assert found["log_loss"] == pytest.approx(-np.log(posterior[[0, 1, 2], [0, 1, 0]]).mean())
    assert "0.667" in tally("evaluate", model, "test.csv").out.replace("66.7", "0.667")


def test_learn_and_forget_cancel(tally, model, weather):
    before = model.read_bytes()
    weather.with_name("more.csv").write_text("play,outlook,temp\nyes,snow,-3\n")
    learned = tally("learn", model, "more.csv")
    assert learned.code == 0
    assert load(model).n == 6
    assert "learned 1 row," in learned.err
    assert tally("forget", model, "more.csv").code == 0
    assert model.read_bytes() == before


def test_rows_never_learned_are_not_forgotten(tally, model, weather):
    before = model.read_bytes()
    weather.with_name("more.csv").write_text("play,outlook,temp\nyes,snow,-3\n")
    ended = tally("forget", model, "more.csv")
    assert ended.code == 2
    assert "cannot be forgotten" in ended.err
    assert model.read_bytes() == before


def test_learn_and_forget_a_text_with_its_class(tally, spam):
    before = spam.read_bytes()
    assert tally("learn", spam, "--text", "a prize for you", "--class", "spam").code == 0
    assert load(spam).n == 5
    assert tally("forget", spam, "--text", "a prize for you", "--class", "spam").code == 0
    assert spam.read_bytes() == before


def test_learn_a_row_given_by_cells(tally, model):
    before = model.read_bytes()
    assert tally("learn", model, "--cell", "outlook=snow", "--class", "no").code == 0
    assert load(model).counts("outlook").slots == ["overcast", "rain", "snow", "sunny"]
    assert tally("forget", model, "--cell", "outlook=snow", "--class", "no").code == 0
    assert model.read_bytes() == before
    assert "they need --class" in tally("learn", model, "--cell", "outlook=snow").err


def test_learn_a_new_class(tally, spam):
    assert tally("learn", spam, "--text", "your invoice", "--class", "bill").code == 0
    assert load(spam).classes == ["bill", "ham", "spam"]


def test_merged_models_equal_the_model_of_all_rows(tally, weather):
    header, *days = weather.read_text().splitlines()
    schema = ("--column", "outlook=Categorical", "--column", "temp=Gaussian")
    for name, part in (("a", days[:2]), ("b", days[2:]), ("all", days)):
        weather.with_name(f"{name}.csv").write_text("\n".join([header, *part, ""]))
        assert tally("train", f"{name}.csv", "-l", "play", "-o", f"{name}.tally", *schema).code == 0
    assert tally("merge", "a.tally", "b.tally", "-o", "both.tally").code == 0
    assert weather.with_name("both.tally").read_bytes() == weather.with_name("all.tally").read_bytes()


def test_merging_models_of_different_columns_is_an_error(tally, model, spam):
    ended = tally("merge", model, spam, "-o", "both.tally")
    assert ended.code == 2
    assert "The columns differ" in ended.err
    assert not model.with_name("both.tally").exists()


def test_show_prints_classes_columns_and_digest(tally, model):
    out = tally("show", model).out
    assert digest(load(model)) in out
    assert "outlook  Categorical(alpha='fitted')" in out
    found = json.loads(tally("show", model, "--format", "json").out)
    assert found["classes"] == {"no": 2, "yes": 3}
    assert found["sha256"] == digest(load(model))
    assert found["parameters"]["temp"]["mean"]["no"] == load(model).estimates("temp")["mean"]["no"]


def test_show_a_column(tally, model, spam):
    shown = tally("show", model, "--column", "temp").out
    assert "mean" in shown
    assert "outlook" not in shown
    assert "no words or values stand out" not in shown
    assert "free" in tally("show", spam, "--column", "text").out
    assert tally("show", model, "--column", "weather").code == 2


def test_show_the_heaviest_evidence_for_a_class(tally, spam):
    found = json.loads(tally("show", spam, "--class", "spam", "--top", "2", "--format", "json").out)
    expected = load(spam).words("spam", 2)
    assert [(word["value"], word["n"]) for word in found["heaviest"]["spam"]] == [(w.word, w.n) for w in expected]


def test_sample_prints_the_rows_of_the_library(tally, model):
    drawn = load(model).sample(4, seed=7)
    found = rows(tally("sample", model, "4", "--seed", "7").out)
    assert [row["outlook"] for row in found] == drawn.rows["outlook"].to_pylist()
    assert [float(row["temp"]) for row in found] == drawn.rows["temp"].to_pylist()
    assert [row["play"] for row in found] == drawn.labels.to_pylist()


def test_sampled_rows_can_be_trained_on(tally, model):
    assert tally("sample", model, "50", "-o", "made-up.csv").out == ""
    assert tally("train", "made-up.csv", "-l", "play", "-o", "m").code == 0
    assert load("m").n == 50


def test_model_without_a_label_needs_the_option(tally, tmp_path, weather):
    save(Model.train({"outlook": Categorical()}, {"outlook": ["rain", "sunny"]}, ["yes", "no"]), tmp_path / "m.tally")
    assert "Which column holds the classes?" in tally("learn", "m.tally", weather).err
    assert tally("learn", "m.tally", weather, "--label", "play").code == 0
    assert load("m.tally").n == 7
    assert list(rows(tally("predict", "m.tally", weather).out)[0]) == ["class", "probability"]


def test_wide_integers_and_booleans_as_labels(tally, weather):
    pyarrow.parquet.write_table(pa.table({"x": ["a", "b"], "y": [True, False]}), "t.parquet")
    assert tally("train", "t.parquet", "-l", "y", "-o", "m").code == 0
    assert load("m").classes == [False, True]
    assert [row["y"] for row in rows(tally("predict", "m", "t.parquet").out)] == ["true", "false"]
    assert tally("predict", "m", "t.parquet", "--find", "True").code == 0


def test_sample_texts_of_the_binary_reading(tally, tmp_path):
    texts = ["free money for you", "lunch on Monday", "you won money today", "the agenda for Monday"]
    once = Words(reading="binary", alpha="fitted")
    save(Model.train({"text": once}, texts, ["spam", "ham", "spam", "ham"]), tmp_path / "m.tally")
    ended = tally("sample", "m.tally", "5")
    assert ended.code == 0
    assert "drawn from the word counts" in ended.err
    words = {word for text in texts for word in text.lower().split()}
    assert all(set(row["text"].split()) <= words for row in rows(ended.out))


@pytest.mark.parametrize("verb", ["learn", "forget"])
def test_rows_without_a_class_suggest_giving_it(tally, model, weather, verb):
    weather.write_text("outlook,temp\nsunny,30.5\n")
    ended = tally(verb, model, weather)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith(
        "has no column 'play'; it has 'outlook', 'temp'. If all rows are of one class, give it with --class.\n"
    )


def test_a_number_in_a_cell_is_written_or_missing_as_in_a_file(tally, model):
    missing = rows(tally("predict", model, "--cell", "outlook=rain").out)
    for mark in ("", " ", "NA", "-", "None", "nan"):
        assert rows(tally("predict", model, "--cell", "outlook=rain", "--cell", f"temp={mark}").out) == missing
    plain = tally("predict", model, "--cell", "temp=20").out
    assert tally("predict", model, "--cell", "temp= 2e1 ").out == plain
    for wrong in ("1,5", "warm", "0x14"):
        ended = tally("predict", model, "--cell", f"temp={wrong}")
        assert (ended.code, ended.err) == (2, f"tallybayes predict: --cell temp={wrong}: this is not a number.\n")
