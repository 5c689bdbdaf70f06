"""Queries about the joint distribution, against enumeration with fractions and against the model's own scores."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import joint_reference
from tallybayes import Categorical, Model, Pairs, Schema, Tuples, Words
from tennis import COLUMNS, DAYS, tennis

ROWS = list(zip(*(DAYS.column(name).to_pylist() for name in COLUMNS), strict=True))
PLAY = DAYS.column("play").to_pylist()
NAMES = [*COLUMNS, "class"]
NEAR = 1e-12


def written(conditions):
    return ", ".join(f"'{name}'='{level}'" for name, level in conditions)


def check_all(model, joint, names):
    """Every marginal of up to three columns, and every conditional of one or two given the others."""
    sums = joint_reference.marginals(joint, names)
    for conditions, p in sums.items():
        assert model.probability(written(conditions)) == pytest.approx(float(p), abs=NEAR)
        for asked in range(1, len(conditions)):
            known = conditions[asked:]
            expected = float(p / sums[known]) if known in sums else None
            found = model.probability(written(conditions[:asked]), given=written(known))
            assert found == pytest.approx(expected, abs=NEAR)


def test_naive_bayes_is_the_product_of_its_columns():
    check_all(tennis(1.0), joint_reference.joint_of(ROWS, PLAY), NAMES)


def in_order(columns):
    """The columns of a block in its sorted order, and the rows in that order."""
    order = sorted(range(len(columns)), key=columns.__getitem__)
    return [columns[j] for j in order], [tuple(row[j] for j in order) for row in ROWS]


@pytest.mark.parametrize("structure", ["naive", "tree", "k-dependence"])
def test_networks_are_the_product_of_their_tables(structure):
    columns, rows = in_order(COLUMNS)
    model = Model.train({tuple(columns): Pairs(structure=structure)}, DAYS, "play")
    named = model.belief(tuple(columns)).parents
    parents = [columns.index(named[column]) if column in named else None for column in columns]
    assert any(parent is not None for parent in parents) == (structure == "tree" or bool(named))
    check_all(model, joint_reference.joint_of(rows, PLAY, parents), [*columns, "class"])


@pytest.mark.slow
def test_averaged_networks_are_a_mixture():
    columns, rows = in_order(COLUMNS)
    model = Model.train({tuple(columns): Pairs(structure="averaged")}, DAYS, "play")
    stars = [[None if j == p else p for j in range(len(columns))] for p in range(len(columns))]
    joint = joint_reference.mixed([joint_reference.joint_of(rows, PLAY, star) for star in stars])
    check_all(model, joint, [*columns, "class"])


LEVEL = st.sampled_from(["a", "b", "c", None])


@settings(deadline=None)
@example([("a", "b", "a", "x"), (None, None, None, "x"), ("b", "a", None, "y")], None)
@given(st.lists(st.tuples(LEVEL, LEVEL, LEVEL, st.sampled_from("xy")), min_size=2, max_size=12), st.data())
def test_trees_of_any_rows_with_missing_cells(rows, data):
    cells, labels, names = [row[:3] for row in rows], [row[3] for row in rows], ["p", "q", "r"]
    columns = {name: [row[j] for row in cells] for j, name in enumerate(names)}
    if not all(any(values) for values in columns.values()):
        return
    model = Model.train({tuple(names): Pairs(structure="tree")}, columns, labels)
    named = model.belief(tuple(names)).parents
    parents = [names.index(named[name]) if name in named else None for name in names]
    sums = joint_reference.marginals(joint_reference.joint_of(cells, labels, parents), [*names, "class"])
    for conditions in sums if data is None else [data.draw(st.sampled_from(sorted(sums)))]:
        assert model.probability(written(conditions)) == pytest.approx(float(sums[conditions]), abs=NEAR)


def test_class_query_equals_the_posterior():
    for model in (tennis(1.0), Model.train({tuple(COLUMNS): Pairs(structure="averaged")}, DAYS, "play")):
        row = dict(zip(COLUMNS, ROWS[0], strict=True))
        expected = model.posterior({name: [level] for name, level in row.items()})[0]
        found = [model.probability({"class": label}, given=row) for label in model.classes]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("structure", ["tree", "k-dependence", "averaged"])
def test_two_parents_agree_with_scoring(structure):
    model = Model.train({tuple(COLUMNS): Tuples(structure=structure)}, DAYS, "play")
    row = dict(zip(COLUMNS, ROWS[3], strict=True))
    expected = np.exp(model.log_joint({name: [level] for name, level in row.items()})[0])
    found = [model.probability({"class": label, **row}) for label in model.classes]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    levels = sorted({each[1] for each in ROWS})
    both = [model.probability({"outlook": "rain", COLUMNS[1]: level}) for level in levels]
    assert sum(both) == pytest.approx(model.probability("outlook=rain"), abs=NEAR)


def test_negated_and_multiple_levels():
    model = tennis(1.0)
    sunny, rain = (model.probability({"outlook": level}) for level in ("sunny", "rain"))
    assert model.probability("outlook != overcast") == pytest.approx(sunny + rain)
    assert model.probability({"outlook": ["sunny", "rain"]}) == pytest.approx(sunny + rain)
    assert model.probability("outlook=sunny, outlook=rain") == 0.0
    assert model.probability("outlook=sunny | outlook != rain") == pytest.approx(sunny / (1 - rain))


def test_label_name_from_the_schema():
    schema = Schema({name: Categorical(alpha=1.0) for name in COLUMNS}, label="play")
    model = Model.train(schema, DAYS)
    assert model.probability("outlook=sunny | play=yes, wind=strong") == pytest.approx(0.25)
    assert model.most_probable_row("play=no")["play"] == "no"
    booleans = Model.train({"x": Categorical()}, {"x": ["a", "b"]}, [True, False])
    assert booleans.probability("class=true | x=a") == booleans.probability({"class": True}, given={"x": "a"})


@pytest.mark.parametrize("structure", [None, "naive", "tree"])
def test_most_probable_row_maximises_the_joint(structure):
    columns, rows = in_order(COLUMNS)
    if structure is None:
        model, parents = tennis(1.0), None
    else:
        model = Model.train({tuple(columns): Pairs(structure=structure)}, DAYS, "play")
        named = model.belief(tuple(columns)).parents
        parents = [columns.index(named[column]) if column in named else None for column in columns]
    joint = joint_reference.joint_of(rows, PLAY, parents)
    for known in ({}, {"class": "no"}, {"outlook": "rain"}, {"wind": "strong", "humidity": "high"}):
        found = model.most_probable_row(known)
        kept = {
            cell: p
            for cell, p in joint.items()
            if all(cell[[*columns, "class"].index(name)] == level for name, level in known.items())
        }
        assert joint[(*(found[column] for column in columns), found["class"])] == max(kept.values())
        assert found.items() >= known.items()


@pytest.mark.slow
def test_two_hundred_columns():
    random = np.random.default_rng(0)
    names = [f"c{j:03}" for j in range(200)]
    cells = random.integers(0, 3, (60, 200)).astype(str)
    frame = {name: cells[:, j].tolist() for j, name in enumerate(names)}
    labels = random.integers(0, 2, 60).astype(str).tolist()
    chain = {name: before for before, name in pairwise(names)}
    model = Model.train({tuple(names): Pairs(structure=chain)}, frame, labels)
    both = [model.probability({names[0]: "1", names[-1]: level}) for level in "012"]
    assert sum(both) == pytest.approx(model.probability({names[0]: "1"}))
    row = model.most_probable_row({names[100]: "2"})
    assert row[names[100]] == "2"
    assert len(row) == 201
    whole = {name: row[name] for name in names}
    joint = model.log_joint({name: [level] for name, level in whole.items()})[0].max()
    assert np.log(model.probability({**whole, "class": row["class"]})) == pytest.approx(joint, rel=1e-9)


def test_texts_and_scores_are_refused():
    texts = Model.train({"text": Words()}, ["a prize", "a lunch"], ["spam", "ham"])
    assert texts.probability("class=spam") == pytest.approx(0.5)
    with pytest.raises(TypeError, match=r"Column 'text' \(Words\) cannot be asked about: questions can only be"):
        texts.probability("text=prize")
    weighed = tennis(1.0).believing(weights={"outlook": 0.5})
    with pytest.raises(TypeError, match="believing\\(weights=None\\)"):
        weighed.probability("outlook=sunny")
    averaged = Model.train({tuple(COLUMNS): Pairs(structure="averaged")}, DAYS, "play")
    with pytest.raises(TypeError, match="use 'tree'"):
        averaged.most_probable_row()
