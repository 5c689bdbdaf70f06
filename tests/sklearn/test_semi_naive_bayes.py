"""SemiNaiveBayes: dependent columns are counted jointly."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

from tallybayes import MEstimate, NaiveBayes, Schema, SemiNaiveBayes, counts_digest
from tallybayes.files import to_bytes


def board(rows=400, seed=0):
    """Nine fields and whether a line of three is taken, as in tic-tac-toe."""
    random = np.random.default_rng(seed)
    fields = random.choice(["x", "o", "b"], (rows, 9), p=[0.5, 0.4, 0.1])
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 4, 8), (2, 4, 6)]
    labels = np.any([(fields[:, line] == "x").all(axis=1) for line in lines], axis=0)
    return pd.DataFrame(fields, columns=list("abcdefghi")), np.where(labels, "won", "open")


def parity(rows=200, seed=0):
    random = np.random.default_rng(seed)
    one, two = random.integers(0, 2, (2, rows))
    return pd.DataFrame({"one": one.astype(str), "two": two, "noise": random.normal(size=rows)}), one ^ two


def halves(frame, labels):
    middle = len(labels) // 2
    return frame[:middle], labels[:middle], frame[middle:], labels[middle:]


def loss(estimator, data):
    frame, labels, asked, wanted = halves(*data)
    return log_loss(wanted, estimator.fit(frame, labels).predict_proba(asked))


@pytest.mark.parametrize("data", [board(), parity()], ids=["a board", "parity"])
def test_interactions_are_learned(data):
    assert loss(SemiNaiveBayes(), data) < loss(NaiveBayes(), data) - 0.1


def test_parity_is_learned_from_a_hundred_rows():
    frame, labels, asked, wanted = halves(*parity())
    assert SemiNaiveBayes().fit(frame, labels).score(asked, wanted) > 0.95


@pytest.mark.parametrize("dependence", ["auto", "trees", "pairs", "none"])
def test_learning_and_forgetting_cancel(dependence):
    frame, labels, more, others = halves(*board(200))
    estimator = SemiNaiveBayes(dependence=dependence).fit(frame, labels)
    before = to_bytes(estimator.model_)
    estimator.partial_fit(more, others)
    changed = counts_digest(estimator.model_)
    estimator.forget(more, others)
    assert counts_digest(estimator.model_) != changed
    assert to_bytes(estimator.model_) == before


def test_partial_fit_equals_fit():
    frame, labels, more, others = halves(*parity())
    estimator = SemiNaiveBayes().partial_fit(frame, labels, classes=[0, 1])
    schema = estimator.schema_
    estimator.partial_fit(more, others)
    whole = SemiNaiveBayes(schema).fit(pd.concat([frame, more]), [*labels, *others])
    assert counts_digest(estimator.model_) == counts_digest(whole.model_)
    assert estimator.schema_.weights == schema.weights


def test_row_order_does_not_matter():
    frame, labels = parity()
    order = np.random.default_rng(1).permutation(len(labels))
    one = SemiNaiveBayes().fit(frame, labels)
    other = SemiNaiveBayes().fit(frame.iloc[order], labels[order])
    assert to_bytes(one.model_) == to_bytes(other.model_)


def test_two_identical_columns_are_no_more_certain_than_one():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 600)
    told = np.where(random.random(600) < 0.8, labels, 1 - labels).astype(str)
    noise = random.integers(0, 3, 600).astype(str)
    once = pd.DataFrame({"told": told, "noise": noise})
    twice = once.assign(again=told)
    one, two = (SemiNaiveBayes().fit(rows, labels).predict_proba(rows[:50]) for rows in (once, twice))
    np.testing.assert_allclose(one, two, atol=0.02)
    assert np.abs(one.max(axis=1) - 0.8).max() < 0.08


def test_without_dependence_it_is_naive_bayes():
    frame, labels = board()
    semi, naive = SemiNaiveBayes(dependence="none").fit(frame, labels), NaiveBayes().fit(frame, labels)
    assert semi.schema_ == naive.schema_
    assert semi.schema_.weights == naive.schema_.weights
    np.testing.assert_array_equal(semi.predict_proba(frame), naive.predict_proba(frame))


@pytest.mark.parametrize("alpha", [0.5, "fitted", MEstimate(2.0)], ids=str)
def test_every_documented_alpha_is_taken(alpha):
    frame, labels = parity()
    fitted = SemiNaiveBayes(alpha=alpha).fit(frame, labels)
    assert fitted.schema_.columns["one"].alpha == alpha
    assert fitted.score(frame, labels) > 0.9


def test_schema_shows_the_blocks():
    frame, labels = parity()
    block = ("noise", "one", "two")
    names = {"auto": "Several", "trees": "Trees", "pairs": "Pairs"}
    for dependence, name in names.items():
        schema = SemiNaiveBayes(dependence=dependence).fit(frame, labels).schema_
        assert type(schema.columns[block]).__name__ == name
        assert set(schema.columns) == {*frame, block} | ({("noise", "two")} if dependence == "auto" else set())
        assert schema.reasons[block]


def test_more_than_sixty_columns_have_no_pairs():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 3, (60, 61)).astype(str), columns=[f"x{j:02}" for j in range(61)])
    schema = Schema.infer(frame, dependence="auto")
    assert type(schema.columns[tuple(frame)]).__name__ == "Trees"
    assert "no pairs of columns, since there are more than 60" in schema.reasons[tuple(frame)]
    assert tuple(frame) not in Schema.infer(frame, dependence="pairs").columns


def test_small_tables_have_more_trees():
    few, many = (Schema.infer(parity(rows)[0], dependence="trees").columns for rows in (4_999, 5_000))
    assert repr(few["noise", "one", "two"]) == "Trees(n=300, random=150, crossed=200)"
    assert repr(many["noise", "one", "two"]) == "Trees(crossed=50)"


@pytest.mark.parametrize("dependence", ["forest", "", None, 1])
def test_unknown_dependence_is_an_error(dependence):
    with pytest.raises(ValueError, match=r"give one of 'none', 'auto', 'trees', 'pairs'"):
        SemiNaiveBayes(dependence=dependence).fit(*parity(30))


@pytest.mark.parametrize("rows", [2, 3, 5, 12, 19])
def test_few_rows_suffice(rows):
    frame, labels = parity(rows)
    estimator = SemiNaiveBayes().fit(frame, labels)
    found = estimator.predict_proba(frame)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert list(estimator.classes_) == sorted(set(labels.tolist()))


def test_single_class_and_single_column():
    frame, labels = parity(30)
    assert (SemiNaiveBayes().fit(frame, ["a"] * 30).predict(frame) == "a").all()
    one = SemiNaiveBayes().fit(frame[["one"]], labels)
    assert list(one.schema_.columns) == ["one"]


def test_class_of_one_row_and_empty_columns():
    frame, labels = parity(60)
    frame = frame.assign(empty=np.nan, same=1.0, none=pd.Series([None] * 60, dtype="string"))
    estimator = SemiNaiveBayes().fit(frame, [9, *labels[1:]])
    assert np.isfinite(estimator.predict_proba(frame)).all()
    asked = frame.iloc[:2].assign(one="never met", two=[np.nan, 1e12])
    np.testing.assert_allclose(estimator.predict_proba(asked).sum(axis=1), 1.0)


def test_clone_and_cross_validation():
    frame, labels = parity()
    assert clone(SemiNaiveBayes(dependence="trees")).dependence == "trees"
    assert cross_val_score(SemiNaiveBayes(), frame, labels, cv=3).mean() > 0.95


def test_infinite_number_is_an_error_that_names_the_column():
    numbers = np.random.default_rng(0).normal(size=(100, 2))
    numbers[5, 1] = np.inf
    found = (
        r"^Column 'z', row 5: the value is infinite; Histogram expects a finite number\. Give .* or leave .* missing"
    )
    with pytest.raises(ValueError, match=found):
        SemiNaiveBayes().fit({"x": numbers[:, 0], "z": numbers[:, 1]}, ["p", "q"] * 50)
