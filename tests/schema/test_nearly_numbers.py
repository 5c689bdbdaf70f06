"""A column of a DataFrame that is nearly numbers is texts, and a warning says why."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from tallybayes import Categorical, Model, NaiveBayes, Schema, counts_digest
from tallybayes.data.marks import MARKS

NUMBERS = [f"{value:.3f}" for value in np.random.default_rng(0).normal(size=200)]


def with_marks(*marks):
    return pd.DataFrame({"x": [*marks, *NUMBERS], "z": ["a", "b"] * 100 + ["a"] * len(marks)})


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (
            ["tba"],
            "Column 'x': nearly all numbers, the rest 'tba', so all cells are texts. If these are missing values",
        ),
        (["?", None, "unknown", "?"], "Column 'x': 99% numbers, the rest '?' and 'unknown', so all cells are texts"),
    ],
    ids=["one", "two"],
)
def test_texts_among_numbers_are_pointed_out(marks, said):
    with pytest.warns(UserWarning, match=re.escape(said)):
        NaiveBayes().fit(with_marks(*marks), np.arange(200 + len(marks)) % 2)


def test_advice_makes_the_column_one_of_numbers():
    frame = with_marks("tba")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Schema.infer(frame.replace({"tba": None})).columns["x"] == Schema.infer(with_marks()).columns["x"]


@pytest.mark.parametrize("mark", [*MARKS, " ? ", " "])
def test_marks_of_missing_numbers_are_those_of_files(mark):
    with_them, without = with_marks(mark, mark), with_marks(None, None)
    labels = np.arange(202) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = [NaiveBayes().fit(frame, labels).model_ for frame in (with_them, without)]
    assert counts_digest(models[0]) == counts_digest(models[1])
    asked = models[1].posterior({"x": [mark], "z": ["a"]})
    np.testing.assert_array_equal(asked, models[1].posterior({"x": [None], "z": ["a"]}))
    np.testing.assert_array_equal(asked, models[1].posterior({"x": mark, "z": "a"}))


def test_mark_is_a_level_of_a_category():
    cells = ["none", "1", "2", "3"] * 30
    assert Schema.infer({"x": cells}).columns["x"] == Categorical(alpha="fitted")
    model = Model.train(Schema.infer({"x": cells}), {"x": cells}, ["a", "b"] * 60)
    assert model.posterior({"x": ["none"]})[0, 0] > 0.9
    assert Schema.infer({"x": ["-", "none"] * 30}).columns["x"] == Categorical(alpha="fitted")


def test_decimal_commas_are_pointed_out_in_what_looks_like_lists_of_tags():
    written = [f"{value / 7:.2f}".replace(".", ",") for value in range(300)]
    with pytest.warns(UserWarning, match="Column 'x': numbers with a decimal comma are read as text"):
        schema = Schema.infer({"x": written})
    assert schema.columns["x"].is_text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Schema.infer({"x": ["1,2,7", "3", "3,5", "2,4,8,9", "1,9", "4,5,6"] * 50})


def test_infinite_number_among_marks_makes_texts():
    cells = ["?", "1e999", *NUMBERS]
    assert "x" not in Schema.infer({"x": cells, "kind": ["a", "b"] * (len(cells) // 2)}).columns


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ([f"${float(each) + 9:.2f}" for each in NUMBERS], "a currency are read as text. Write them as plain numbers."),
        ([f"{each[:-1]}%" for each in NUMBERS], "a percent sign"),
        ([each[:-1].replace(".", ",") for each in NUMBERS], "a decimal comma are read as text. Write them with a"),
        (
            [f"{each} kg" for each in NUMBERS],
            "numbers with the unit 'kg' are read as text. Write them as",
        ),
        ([f"{each[:-1]}°C" for each in NUMBERS], "the unit '°C'"),
    ],
    ids=["dollars", "percent", "comma", "kilograms", "degrees"],
)
def test_numbers_in_another_notation_are_pointed_out_if_left_out(written, said):
    with pytest.warns(UserWarning, match=re.escape(said)):
        schema = Schema.infer(pd.DataFrame({"x": written, "kind": ["a", "b"] * (len(written) // 2)}))
    assert "x" not in schema.columns


@pytest.mark.parametrize(
    "cells",
    [
        NUMBERS,
        ["", " ", *NUMBERS],
        ["9", "10", "11", "12"] * 50 + ["other"],  # a category, with or without
        ["10%", "20%"] * 100,
        ["007", "012"] * 100,
        [f"ID{i}" for i in range(200)],
        [f"{i}a" for i in range(200)],
        [f"{i}:30" for i in range(200)],
        [f"{i % 60} {'kg' if i % 3 else 'g'}" for i in range(200)],
        ["?", "none"] * 100,
        [None] * 200,
    ],
    ids=["numbers", "blanks", "grades", "levels", "codes", "ids", "mixtures", "times", "two units", "marks", "nothing"],
)
def test_other_columns_are_not(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Schema.infer(pd.DataFrame({"x": cells, "z": "a"}))
