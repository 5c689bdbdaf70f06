"""Belief options on the command line: class priors, text settings, parameter counts."""

import json

import pytest

from tallybayes import Dirichlet, Words, load


def test_show_counts_parameters_against_the_full_joint_table(tally, model):
    count = load(model).parameter_count()
    assert f"\nparameters\n  {count}\n" in tally("show", model).out
    found = json.loads(tally("show", model, "--format", "json").out)["parameter_count"]
    assert (found["total"], found["tabled"], found["joint"]) == (count.total, [*count.tabled], count.joint)
    columns = json.loads(tally("show", model, "--format", "json").out)["columns"]
    assert {column["column"]: column["parameter_count"] for column in columns} == count.columns
    assert json.loads(tally("show", model, "--class", "no", "--format", "json").out)["parameter_count"] is None


def test_joint_table_too_large_for_json_is_given_by_size_only(tally, tmp_path):
    (tmp_path / "words.csv").write_text("text,class\n" + f"{' '.join(f'w{i}' for i in range(100))},a\nfree,b\n")
    column = "text=Words(reading='bernoulli')"
    assert tally("train", "words.csv", "--label", "class", "--column", column, "-o", "w.tally").code == 0
    found = json.loads(tally("show", "w.tally", "--format", "json").out)["parameter_count"]
    assert (found["total"], found["joint"]) == (1 + 2 * 101, None)
    assert found["joint_log10"] == pytest.approx(102 * 0.30102999566)


@pytest.mark.parametrize("written", ["{'no': 2, 'yes': 5}", "Dirichlet({'no': 2, 'yes': 5})"])
def test_prior_by_class(tally, weather, written):
    assert tally("train", weather, "--label", "play", "--prior", written, "-o", "m.tally").code == 0
    found = load(weather.with_name("m.tally"))
    assert found.schema.prior == Dirichlet({"no": 2.0, "yes": 5.0})
    assert found.parameters() == Dirichlet({"no": 4.0, "yes": 8.0})
    assert "classes in 'play' (Dirichlet(alpha={'no': 2.0, 'yes': 5.0}))" in tally("show", "m.tally").out
    given = tally("train", weather, "--label", "play", "--prior", "{'no': 0.25, 'yes': 0.75}", "-o", "m.tally")
    assert given.code == 0
    assert load(weather.with_name("m.tally")).schema.prior == {"no": 0.25, "yes": 0.75}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{'no': 0.5, 'yes': 0.6}", "adding up to 1. Pseudo-counts are given as a Dirichlet({class: number, …})."),
        ("{'no': 2", "\"{'no': 2\" cannot be read as a prior; at character 9, expected ',' or '}', found the end"),
        ("unifrom", "prior='unifrom': give 'frequencies', 'uniform', a number, or a mapping from classes to numbers."),
        ("-1", "as a number, the prior must be finite and at least 0."),
        ("Gaussian()", "prior=Gaussian(): give 'frequencies', 'uniform'"),
    ],
)
def test_impossible_prior_is_an_error(tally, weather, written, message):
    ended = tally("train", weather, "--label", "play", f"--prior={written}", "-o", "m.tally")
    assert ended.code == 2
    assert message in ended.err
    assert not weather.with_name("m.tally").exists()


def test_punctuation_setting_of_a_column(tally, tmp_path):
    (tmp_path / "mails.csv").write_text("text,class\nfree money!!!,spam\nsee you at lunch,ham\n")
    column = "text=Words(punctuation=True)"
    assert tally("train", "mails.csv", "--label", "class", "--column", column, "-o", "m.tally").code == 0
    model = load(tmp_path / "m.tally")
    assert model.schema.columns == {"text": Words(punctuation=True)}
    assert model.counts("text")["!"]["n"] == {"ham": 0, "spam": 3}
    assert tally("predict", "m.tally", "--text", "wow!").out.splitlines()[1].startswith("spam")
