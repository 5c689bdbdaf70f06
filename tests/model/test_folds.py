"""Folds: the total minus a fold is, to the byte, the model of the other rows; the seed decides the folds."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from family_values import family_of, names, rows_of
from tallybayes import Categorical, Correlated, Each, Gaussian, Model, Schema, Words, digest, folds

ARGUMENTS = {"Each": (Gaussian(),)}
N = 400
RANDOM = np.random.default_rng(5)
LABELS = RANDOM.choice(["ant", "bee", "cat"], N, p=[0.6, 0.3, 0.1])
FRAME = {
    "x": np.where(RANDOM.random(N) < 0.1, np.nan, RANDOM.normal(size=N)),
    "z": RANDOM.normal(1e9, 1.0, N),
    "u": [None if i % 17 == 0 else f"level {i % 5}" for i in range(N)],
    "t": [f"word{i % 7} and word{i % 11}" for i in range(N)],
    "subject": [f"s{i % 37}" for i in range(N)],
}
SCHEMA = Schema({"u": Categorical(), ("x", "z"): Correlated(), "t": Words()})


def kept(frame, rows):
    return {name: np.array(cells, object if name in "ut" else None)[rows].tolist() for name, cells in frame.items()}


def test_total_minus_fold_is_the_model_of_the_other_rows():
    found = folds(SCHEMA, FRAME, LABELS, 7)
    where = found.numbers(FRAME, LABELS)
    assert digest(found.total) == digest(Model.train(SCHEMA, FRAME, LABELS))
    for fold in range(7):
        assert digest(found.models[fold]) == digest(
            Model.train(SCHEMA, kept(FRAME, where == fold), LABELS[where == fold])
        )
        assert digest(found.without(fold)) == digest(
            Model.train(SCHEMA, kept(FRAME, where != fold), LABELS[where != fold])
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names)
@settings(max_examples=some(50))
@given(data=st.data())
def test_folds_of_every_family_can_be_subtracted(name, data):
    rows = data.draw(rows_of(name, least=3))
    cells, labels = [cell for cell, _ in rows], [label for _, label in rows]
    weights = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 0.3]), min_size=len(rows), max_size=len(rows)))
    schema = Schema({"x": family_of(name, *ARGUMENTS.get(name, ()))})
    found = folds(
        schema, {"x": cells}, labels, 2, weights=weights, groups=["a", "b", *map(str, range(2, len(rows)))], seed=1
    )
    where = found.numbers({"x": cells}, labels, groups=["a", "b", *map(str, range(2, len(rows)))])
    for fold in (0, 1):
        others = np.flatnonzero(where != fold)
        wanted = Model.train(
            schema,
            {"x": [cells[i] for i in others]},
            [labels[i] for i in others],
            weights=None if weights is None else [weights[i] for i in others],
        )
        assert digest(found.without(fold)) == digest(wanted)


@settings(max_examples=some(100))
@given(
    st.lists(st.sampled_from("abc"), min_size=12, max_size=80),
    st.integers(2, 12),
    st.integers(0, 3),
    st.booleans(),
    st.data(),
)
def test_batching_does_not_matter_and_folds_are_stratified(labels, k, seed, stratify, data):
    cells = np.arange(len(labels)) % 3
    cut = data.draw(st.integers(1, len(labels) - 1))
    parts = [({"u": cells[:cut]}, labels[:cut]), ({"u": cells[cut:]}, labels[cut:])]
    how = {"k": k, "seed": seed, "stratify": stratify}
    schema = Schema({"u": Categorical()})
    whole, streamed = folds(schema, {"u": cells}, labels, **how), folds(schema, iter(parts), **how)
    for fold in range(k):
        assert digest(streamed.models[fold]) == digest(whole.models[fold])
    where = whole.numbers({"u": cells}, labels)
    for chosen in (np.array(labels) == label for label in ("abc" if stratify else ())):
        sizes = np.bincount(where[chosen], minlength=k)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(where, minlength=k)
    np.testing.assert_array_equal(whole.sizes, sizes)
    assert stratify or sizes.max() - sizes.min() <= 1


def test_seed_decides_the_folds():
    first, again, other = (folds(SCHEMA, FRAME, LABELS, seed=seed).numbers(FRAME, LABELS) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert 0.75 < np.mean(first != other) < 1.0


def test_folds_are_random_and_not_cyclic():
    where = folds({"u": Categorical()}, {"u": np.zeros(20_000)}, np.zeros(20_000, int), 5).numbers(
        {"u": np.zeros(20_000)}, np.zeros(20_000, int)
    )
    first = where.reshape(-1, 5)[:, 0]
    np.testing.assert_allclose(np.bincount(first) / len(first), 0.2, atol=0.03)
    assert (np.sort(where.reshape(-1, 5), axis=1) == np.arange(5)).all()


def test_rows_of_a_group_share_a_fold():
    found = folds(SCHEMA, FRAME, LABELS, 5, groups="subject")
    where = found.numbers(FRAME, LABELS, groups="subject")
    group = np.array(FRAME["subject"])
    fold_of = {name: set(where[group == name]) for name in set(group)}
    assert all(len(each) == 1 for each in fold_of.values())
    assert len({fold for each in fold_of.values() for fold in each}) == 5
    order = np.random.default_rng(1).permutation(N)
    shuffled = folds(SCHEMA, kept(FRAME, order), LABELS[order], 5, groups=group[order])
    assert [digest(model) for model in shuffled.models] == [digest(model) for model in found.models]


def test_group_is_identified_by_its_text():
    frame = {"u": ["a"] * 60}
    labels = ["yes", "no"] * 30
    whole = folds({"u": Categorical()}, frame, labels, 4, groups=list(range(60)))
    texts = folds({"u": Categorical()}, frame, labels, 4, groups=pa.array(map(str, range(60))).dictionary_encode())
    assert [digest(model) for model in whole.models] == [digest(model) for model in texts.models]


def test_threads_do_not_matter():
    one, two = (folds(SCHEMA, FRAME, LABELS, threads=threads) for threads in (1, 3))
    assert [digest(model) for model in one.models] == [digest(model) for model in two.models]


def test_folds_of_a_model_with_other_rows():
    more = Model.train(SCHEMA, FRAME, LABELS) + Model.train(SCHEMA, FRAME, LABELS)
    found = folds(more, FRAME, LABELS, 4)
    assert digest(found.without(2) + found.models[2]) == digest(more)
    with pytest.raises(ValueError, match="The model has not counted these rows, so they cannot be left out"):
        folds(found.models[0], FRAME, LABELS, 4).without(1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, "k=1: give a whole number of at least 2"),
        ({"k": 2.5}, "k=2.5: give a whole number"),
        ({"k": 5}, r"5 folds of 4 rows: some would be empty. Give 4 folds or fewer \(k=4, or --folds 4\)."),
        ({"seed": -1}, "seed=-1: give a whole number of at least 0"),
        ({"k": 2, "groups": ["a"] * 4}, "All 4 rows fell into one fold"),
        ({"k": 2, "groups": ["a"] * 3}, "There are 3 groups for 4 rows"),
        ({"k": 2, "groups": "who"}, "no column 'who'; it has 'u'. Give the name of the column that holds the groups"),
        ({"k": 2, "groups": ["a", "b", None, "d"]}, "Row 2 has no group"),
    ],
)
def test_invalid_folds_are_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        folds({"u": Categorical()}, {"u": list("abab")}, list("yyyn"), **settings)


def test_stream_has_its_groups_in_a_column():
    with pytest.raises(ValueError, match="give the name of the column that holds the groups"):
        folds(SCHEMA, iter([(FRAME, LABELS)]), groups=["a"])


def test_single_row_is_an_error():
    with pytest.raises(ValueError, match=r"A single row cannot be divided into folds\. Give at least 2 rows\."):
        folds({"u": Categorical()}, {"u": ["a"]}, ["y"])


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="The data has no rows"):
        folds({"u": Categorical()}, {"u": []}, [])


def test_bad_cell_is_named_by_its_row():
    with pytest.raises(ValueError, match="row 3"):
        folds({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0, np.inf]}, list("abab"), 2)


def test_fold_out_of_range_is_an_error():
    with pytest.raises(IndexError, match="There is no fold 4; there are 4, counted from 0"):
        folds(SCHEMA, FRAME, LABELS, 4).without(4)


def test_matrix_has_the_folds_of_a_table():
    matrix = np.column_stack([FRAME["z"], FRAME["z"]])
    found = folds({"m": Each(Gaussian())}, matrix, LABELS, 3)
    where = found.numbers(matrix, LABELS)
    assert digest(found.without(1)) == digest(
        Model.train({"m": Each(Gaussian())}, matrix[where != 1], LABELS[where != 1])
    )
