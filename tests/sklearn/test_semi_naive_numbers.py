"""SemiNaiveBayes: numbers may be correlated."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from tallybayes import Correlated, Schema, SemiNaiveBayes, Several, counts_digest
from tallybayes.files import to_bytes

LINEAR = repr(Correlated(covariance="shared"))


def sizes(rows, seed=0, **more):
    """Two measures of size, and a class that depends on their difference."""
    random = np.random.default_rng(seed)
    size, shape = random.normal(size=(2, rows))
    frame = pd.DataFrame({"length": 9.0 * size + shape, "width": 9.0 * size - shape})
    return frame.assign(**{name: values(random, rows) for name, values in more.items()}), np.where(shape > 0, "b", "o")


def levels(random, rows):
    return random.choice(["x", "y", "z"], rows)


def members(schema):
    """The families of each block, as text."""
    blocks = {name: family for name, family in schema.columns.items() if type(name) is tuple}
    return {name: [repr(each) for each in getattr(family, "members", (family,))] for name, family in blocks.items()}


def test_numbers_are_a_block_beside_that_of_all_columns():
    frame, _ = sizes(60, colour=levels)
    found = members(Schema.infer(frame, dependence="auto"))
    assert found[("length", "width")] == [LINEAR]
    assert LINEAR not in found[("colour", "length", "width")]


def test_if_all_columns_are_numbers_they_are_one_block():
    frame, _ = sizes(60)
    schema = Schema.infer(frame, dependence="auto")
    assert type(schema.columns[("length", "width")]) is Several
    assert LINEAR in members(schema)[("length", "width")]


@pytest.mark.parametrize(("rows", "dependence"), [(19, "auto"), (60, "trees"), (60, "pairs"), (60, "none")])
def test_too_few_rows_or_another_dependence_have_no_correlated_numbers(rows, dependence):
    frame, _ = sizes(rows)
    assert not any(LINEAR in each for each in members(Schema.infer(frame, dependence=dependence)).values())


def grades(rows, columns=9, seed=0):
    """Answers from 1 to 5, and whether their sum is high."""
    answers = np.random.default_rng(seed).integers(1, 6, (rows, columns))
    return pd.DataFrame(answers).add_prefix("q"), np.where(answers.sum(axis=1) > 3 * columns, "high", "low")


@pytest.mark.parametrize("rows", [149, 150])
def test_whole_numbers_of_few_values_are_among_them_from_150_rows_on(rows):
    frame, _ = grades(rows, columns=2)
    found = members(Schema.infer(frame, dependence="auto"))
    assert (LINEAR in found[("q0", "q1")]) == (rows == 150)


def test_names_of_groups_and_truths_are_not_among_them():
    frame, _ = sizes(200, group_id=lambda random, rows: random.integers(0, 20, rows))
    frame["is_new"] = frame.length > 0
    assert members(Schema.infer(frame, dependence="auto"))[("length", "width")] == [LINEAR]


def test_if_all_numbers_are_too_many_those_of_few_values_are_left_out():
    frame, _ = sizes(200)
    answers, _ = grades(200, columns=19)
    found = members(Schema.infer(frame.join(answers), dependence="auto"))
    assert found[("length", "width")] == [LINEAR]


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_cells_are_no_value_of_a_whole_number(missing):
    frame, _ = grades(300, columns=2)
    frame["q0"] = np.arange(300) % 10
    frame = frame.astype(object)
    frame.loc[::9, "q0"] = missing
    frame["q0"] = frame["q0"].astype(float)
    found = members(Schema.infer(frame.assign(q1=frame.q1.astype(int)), dependence="auto"))
    assert LINEAR in found[("q0", "q1")]


def test_a_sum_of_whole_numbers_is_learned():
    """The evidence of each level is known less well than that of a number."""
    frame, labels = grades(1200)
    model = SemiNaiveBayes().fit(frame[:200], labels[:200])
    assert log_loss(labels[200:], model.predict_proba(frame[200:])) < 0.15
    apart = SemiNaiveBayes().fit(frame[:200].astype(str), labels[:200])
    assert log_loss(labels[200:], apart.predict_proba(frame[200:].astype(str))) > 0.2


@pytest.mark.parametrize("more", [{}, {"colour": levels}], ids=["numbers", "mixed"])
def test_a_difference_of_numbers_is_learned(more):
    """Trees would need many rows: at every size, the boundary is elsewhere."""
    frame, labels = sizes(400, **more)
    model = SemiNaiveBayes().fit(frame[:150], labels[:150])
    assert log_loss(labels[150:], model.predict_proba(frame[150:])) < 0.2
    trees = SemiNaiveBayes(dependence="trees").fit(frame[:150], labels[:150])
    assert log_loss(labels[150:], trees.predict_proba(frame[150:])) > 0.3


@pytest.mark.parametrize("more", [{}, {"colour": levels}], ids=["numbers", "mixed"])
def test_order_of_rows_does_not_matter_and_forgotten_rows_were_never_seen(more):
    frame, labels = sizes(120, **more)
    frame.loc[::7, "width"] = np.nan
    model = SemiNaiveBayes().fit(frame, labels)
    order = np.random.default_rng(1).permutation(len(frame))
    again = SemiNaiveBayes().fit(frame.iloc[order].reset_index(drop=True), labels[order])
    assert to_bytes(again.model_) == to_bytes(model.model_)
    before = counts_digest(model.model_)
    more_rows, others = sizes(30, seed=1, **more)
    model.partial_fit(more_rows, others)
    assert counts_digest(model.model_) != before
    assert counts_digest(model.forget(more_rows, others).model_) == before


@pytest.mark.parametrize("more", [{}, {"colour": levels}], ids=["numbers", "mixed"])
def test_class_of_one_row_and_huge_numbers_give_probabilities(more):
    frame, labels = sizes(60, **more)
    labels = np.where(np.arange(60) == 0, "alone", labels)
    frame["length"] *= 1e300
    given = SemiNaiveBayes().fit(frame, labels).predict_proba(frame)
    np.testing.assert_allclose(given.sum(axis=1), 1.0)


@pytest.mark.parametrize(("scale", "mean"), [(1e-320, 0.0), (1e-300, 0.0), (1e300, 0.0), (100.0, 1e15), (10.0, 1e15)])
def test_numbers_of_any_size(scale, mean):
    """Their products are beyond doubles, or their neighbours are hardly different numbers."""
    numbers = np.random.default_rng(0).normal(size=(200, 3))
    labels = np.where(numbers[:, 0] > 0, "b", "o")
    model = SemiNaiveBayes().fit(numbers * scale + mean, labels)
    assert model.score(numbers * scale + mean, labels) > 0.95


def test_suspects_of_columns_beside_their_block():
    frame, labels = sizes(80, colour=levels)
    found = SemiNaiveBayes().fit(frame, labels).model_.suspects(frame, labels, top=3)
    assert len(found) == 3
    assert all(each.probability < 0.5 for each in found)
