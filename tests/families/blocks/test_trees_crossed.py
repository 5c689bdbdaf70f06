"""Trees that ask about two columns at a time."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tallybayes import Model, Schema, Trees, load, prepare, save
from tallybayes.families.blocks.crossing import NO_PAIRS, pairs_of, with_pairs
from tallybayes.families.blocks.questions import Filed, Questions
from tallybayes.files import from_bytes, to_bytes

BLOCK = ("one", "two")
LEVELS = ("a", "b", "c", "d", "e")


def table(rows=2_000):
    """The sum of two levels, as numbers, tells the class; neither tells it alone."""
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 5, (2, rows))
    frame = pd.DataFrame({"one": np.array(LEVELS)[one], "two": np.array(LEVELS)[two]})
    return frame, np.where((one + two) % 5 < 2, "yes", "no")


FRAME, ASKED = table()
CROSSED = Model.train({BLOCK: Trees(n=20, crossed=1)}, FRAME, ASKED)


def test_pairs_are_all_that_have_few_codes():
    three, many = ("x", "y", "z"), tuple(f"{number:03}" for number in range(60))
    assert pairs_of((three, (0.5,), three), 3).tolist() == [[0, 1, 3], [0, 2, 5], [1, 2, 5]]
    assert pairs_of((many, None, None), 3).tolist() == [[0, 1, 2], [0, 2, 2], [1, 2, 2]]


@pytest.mark.parametrize(
    ("coding", "most"),
    [
        ((("x",), ("y",)), 0),
        ((("x",), ("y",), ("z",)), 2),
        ((("x",), ("y",), tuple(map(float, range(254)))), 9),  # the numbers are in no pair
        ((("x",),), 9),
    ],
)
def test_no_pairs_if_there_are_too_many_or_a_column_is_in_none(coding, most):
    assert len(pairs_of(coding, most)) == 0


def test_codes_of_pairs_follow_those_of_columns():
    codes = np.array([[0, 0, 0], [4, 1, 3], [255, 255, 255]], np.uint8)
    crossed = np.array([[0, 1, 2], [1, 2, 256]], np.int32)
    assert with_pairs(codes, crossed).tolist() == [[0, 0, 0, 0, 0], [4, 1, 3, 9, 255], [255] * 5]
    assert with_pairs(codes, NO_PAIRS) is codes


def asking_about_the_pair(grown):
    """The trees whose first question is about the pair."""
    return [tree for tree, root in enumerate(grown.roots.tolist()) if grown.question(root).column == 2]


def test_one_question_separates_pairs_of_levels():
    grown = CROSSED.schema.columns[BLOCK].grown
    assert grown.kinds == {"best": (0, 10), "drawn": (10, 20)}
    trees = asking_about_the_pair(grown)
    assert len(trees) > 3  # each tries two of three
    assert max(trees) < 10  # other kinds ask about columns
    sizes = np.diff([*grown.first_leaves, grown.leaves])
    assert set(sizes[trees]) == {2}
    assert sizes[10:].min() > 10
    assert (np.array(CROSSED.classes)[CROSSED.posterior(FRAME).argmax(axis=1)] == ASKED).all()


def test_question_about_a_pair_as_text():
    family = CROSSED.schema.columns[BLOCK]
    root = family.grown.roots[asking_about_the_pair(family.grown)[0]]
    text = family.grown.text(family.grown.question(root), BLOCK, family.codes)
    listed, number = re.fullmatch(r"\(one, two\) is \((.*)\) … \((\d+) in all\)", text).groups()
    named = [pair.split(", ") for pair in listed.split(") or (")]
    assert int(number) > 4
    numbers = {(LEVELS.index(a) + LEVELS.index(b)) % 5 for a, b in named if {a, b} <= set(LEVELS)}
    assert len(named) == 4
    assert len(numbers) > 0
    assert numbers <= {0, 1} or numbers.isdisjoint({0, 1})


def test_evidence_of_a_pair_is_shared_by_its_columns():
    grown = CROSSED.schema.columns[BLOCK].grown
    found = grown.by_column(np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]]))
    assert found.tolist() == [[6.0, 12.0], [8.0, 14.0]]


def test_row_order_does_not_change_the_schema():
    order = np.random.default_rng(1).permutation(len(FRAME))
    other = prepare({BLOCK: Trees(n=20, crossed=1)}, FRAME.iloc[order], ASKED[order])
    assert other == CROSSED.schema


def test_files_and_pickles_keep_pairs(tmp_path):
    save(CROSSED, tmp_path / "trees.tally")
    again = load(tmp_path / "trees.tally")
    assert again.schema.columns[BLOCK].grown.crossed.tolist() == [[0, 1, 7]]
    assert to_bytes(again) == to_bytes(CROSSED) == to_bytes(pickle.loads(pickle.dumps(CROSSED)))
    np.testing.assert_array_equal(again.posterior(FRAME), CROSSED.posterior(FRAME))


def test_filed_questions_name_what_they_hold():
    for crossed, drawn in ((0, None), (0, 0), (3, None), (3, 2)):
        told = Filed(1, "x", drawn, crossed).to_json()
        assert told == {
            "best": 1,
            "sha256": "x",
            **({} if drawn is None else {"drawn": drawn}),
            **({"crossed": crossed} if crossed else {}),
        }


@pytest.mark.parametrize("pairs", [[[0, 2, 7]], [[1, 0, 7]], [[-1, 1, 7]], [[0, 1, 0]], [[0, 1, 257]], [[0, 1]]])
def test_pairs_of_other_columns_are_refused(pairs):
    arrays = CROSSED.schema.columns[BLOCK].grown.arrays()
    with pytest.raises(ValueError, match="these are not the questions of a forest"):
        Questions(**{**arrays, "crossed": np.array(pairs, np.int32)}, best=10)


@pytest.mark.parametrize("width", [1, 6, 8, 256])
def test_file_whose_pairs_have_other_codes_is_refused(width):
    family = CROSSED.schema.columns[BLOCK]
    crossed = np.array([[0, 1, width]], np.int32)
    grown = Questions(**{**family.grown.arrays(), "crossed": crossed}, best=family.grown.best, drawn=family.grown.drawn)
    other = CROSSED.copy()
    other.schema = Schema({BLOCK: replace(family, grown=grown).over(BLOCK)})
    with pytest.raises(ValueError, match="its questions refer to other columns"):
        from_bytes(to_bytes(other))


def test_many_rows_are_coded_like_few():
    family = CROSSED.schema.columns[BLOCK]
    codes = np.random.default_rng(0).integers(0, 7, (5_000, 2)).astype(np.uint8)
    apart = [family.grown.ranked(codes[at : at + 100]) for at in range(0, 5_000, 100)]
    np.testing.assert_array_equal(family.grown.ranked(codes), np.concatenate(apart))


def test_pairs_are_part_of_the_digest():
    grown = CROSSED.schema.columns[BLOCK].grown
    other = Questions(**{**grown.arrays(), "crossed": np.array([[0, 1, 8]], np.int32)}, best=10)
    assert other != grown


def test_random_questions_are_about_columns():
    family = prepare({BLOCK: Trees(n=20, crossed=1, questions="random")}, FRAME, ASKED).columns[BLOCK]
    assert family.grown.crossed.tolist() == []
