"""Triples of columns: the laws, and probabilities from the formulas."""

from itertools import combinations

import numpy as np
import pytest
from test_pairs import BLOCK, CELLS, CODES, all_days

from tallybayes import Model, Pairs, Schema, Tuples, left_out
from tallybayes.families.blocks import networks
from tallybayes.testing import check_belief, check_family
from tennis import DAYS

STRUCTURES = ["naive", "k-dependence", "averaged", {"a": ("b", "c")}, {"a": "b", "c": ("b", "a")}]
SETTINGS = [{}, {"missing_cells": "ignored"}, {"m": 0}, {"m": 0, "alpha": 0}, {"alone": ("c",)}]


@pytest.mark.slow
@pytest.mark.thinned(4)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_obeys_the_laws(structure, settings):
    if settings.get("alone") and not isinstance(structure, str):
        structure = {"a": "b"}
    check = check_family if structure == "naive" else check_belief  # the structure is a belief about the same counts
    check(Tuples(structure=structure, codes=CODES, **settings), CELLS, columns=("a", "b", "c"), examples=6)


def count(rows, label, **levels):
    return sum(
        own == label and all(row[column] == level for column, level in levels.items())
        for row, own in zip(rows, DAYS["play"].to_pylist(), strict=True)
    )


def given(rows, label, row, child, parents, m, levels):
    """P(child | class, parents), shrunk towards the same without the second parent, and so on."""
    own, known = {child: row[child]}, {parent: row[parent] for parent in parents}
    if not parents:
        return (count(rows, label, **own) + 1) / (count(rows, label) + len(levels[child]))
    if m == 0:
        return (count(rows, label, **own, **known) + 1) / (count(rows, label, **known) + len(levels[child]))
    if len(parents) == 1:
        alone = given(rows, label, row, child, (), m, levels)
    else:
        each = [given(rows, label, row, child, (parent,), m, levels) for parent in parents]
        alone = sum(each) / 2
    return (count(rows, label, **own, **known) + m * alone) / (count(rows, label, **known) + m)


@pytest.mark.parametrize("m", [0, 5])
def test_averaged_two_dependence_equals_the_formula(m):
    rows, days = DAYS.select(list(BLOCK)).to_pylist(), all_days()
    levels = {column: set(days[column]) for column in BLOCK}
    model = Model.train({BLOCK: Tuples(structure="averaged", m=m)}, DAYS, "play")
    found = np.exp(model.evidence(days)[BLOCK])
    for row, said in zip(days.to_dict("records"), found, strict=True):
        for label, value in zip(model.classes, said, strict=True):
            each = []
            for p, q in combinations(BLOCK, 2):
                product = given(rows, label, row, p, (), m, levels) * given(rows, label, row, q, (p,), m, levels)
                for child in set(BLOCK) - {p, q}:
                    product *= given(rows, label, row, child, (p, q), m, levels)
                each.append(product)
            assert value == pytest.approx(np.mean(each), rel=1e-9)
    np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-12)


def test_interactions_of_two_columns_are_learned():
    random = np.random.default_rng(0)
    frame = {name: random.integers(0, 2, 3000).astype(str) for name in "abc"}
    label = np.where((frame["a"] == frame["b"]) ^ (frame["c"] == "1"), "odd", "even")
    tuples, pairs = (Model.train({tuple("abc"): family()}, frame, label) for family in (Tuples, Pairs))
    assert (np.array(tuples.decide(frame)) == label).all()
    assert (np.array(pairs.decide(frame)) == label).mean() < 0.65
    dependent = tuples.believing(structure={"c": ("a", "b")})
    assert dependent.belief("c").parents == {"c": ("a", "b")}
    assert (np.array(dependent.decide(frame)) == label).all()
    sample = tuples.sample(2000, seed=0)
    assert (np.array(tuples.decide(sample.rows)) == np.array(sample.labels)).mean() > 0.98
    parts = tuples.evidence({name: cells[:1] for name, cells in frame.items()})
    np.testing.assert_allclose(sum(part.evidence for part in parts.words()), parts[tuple("abc")][0], rtol=1e-12)


@pytest.mark.parametrize("block", [BLOCK, BLOCK[:3], BLOCK[1:]])
def test_tree_equals_that_of_pairs(block):
    tuples, pairs = (Model.train({block: family(structure="tree")}, DAYS, "play") for family in (Tuples, Pairs))
    assert tuples.belief(block).parents == pairs.belief(block).parents
    np.testing.assert_array_equal(tuples.log_joint(DAYS), pairs.log_joint(DAYS))


@pytest.mark.parametrize("missing", ["level", "ignored"])
def test_information_equals_that_of_pairs(missing):
    random = np.random.default_rng(0)
    frame = {name: random.choice(["u", "v", None], 300) for name in "abcd"}
    label = random.integers(0, 2, 300)
    for structure in ("naive", "tree"):
        settings = {"structure": structure, "missing_cells": missing}
        tuples, pairs = (Model.train({tuple("abcd"): family(**settings)}, frame, label) for family in (Tuples, Pairs))
        np.testing.assert_array_equal(tuples.log_joint(frame), pairs.log_joint(frame))
    found = [networks.conditional_information(model.belief("a").counts) for model in (tuples, pairs)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-11)


@pytest.mark.parametrize("structure", ["k-dependence", "averaged"])
def test_order_one_equals_pairs(structure):
    one = Model.train({BLOCK: Tuples(k=1, structure=structure)}, DAYS, "play")
    pairs = Model.train({BLOCK: Pairs(structure=structure)}, DAYS, "play")
    np.testing.assert_array_equal(one.log_joint(DAYS), pairs.log_joint(DAYS))
    again = one.schema.columns[BLOCK], pairs.schema.columns[BLOCK]
    assert again[0].layout.size == again[1].layout.size


def test_k_dependence_has_two_parents():
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 4000)
    a = np.where(random.random(4000) < 0.9, label, 1 - label)
    b = np.where(random.random(4000) < 0.5, a, random.integers(0, 2, 4000))
    c = np.where(random.random(4000) < 0.4, a, np.where(random.random(4000) < 0.6, b, random.integers(0, 2, 4000)))
    frame = {"a": a.astype(str), "b": b.astype(str), "c": c.astype(str)}
    model = Model.train({tuple("abc"): Tuples(structure="k-dependence")}, frame, label)
    assert any(isinstance(some, tuple) for some in model.belief("a").parents.values())
    assert any("(and " in line for line in model.belief("a").drawing())
    fixed = model.believing(structure=model.belief("a").parents)
    few = {name: cells[:40] for name, cells in frame.items()}
    left, again = (left_out(one, few, label[:40], choose_again=one is fixed).total() for one in (model, fixed))
    np.testing.assert_allclose(left, again, rtol=1e-9)


def test_contradictory_triple_counts_are_detected():
    model = Model.train({BLOCK: Tuples()}, DAYS, "play")
    family, tally = model.schema.columns[BLOCK], model.columns[BLOCK]
    one = type(tally)(["yes"], [family.layout.size - 1], {"n": tally.aligned([2], ["yes"]).sums["n"]})
    assert family.discord(tally, model.keys()) is None
    assert "would not add up to those of their triples" in family.discord(tally + one, model.keys())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"structure": {"a": ("b", "c", "d")}}, "counted together with up to 2 others"),
        ({"structure": {"a": ("b", "b")}}, "counted together with up to 2 others"),
        ({"k": 3}, "k must be a whole number from 1 to 2"),
    ],
)
def test_invalid_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        Schema({tuple("abcd"): Tuples(**settings)})


def test_many_columns_are_not_averaged():
    with pytest.raises(ValueError, match="at most 16 columns, not 26"):
        Schema({tuple("abcdefghijklmnopqrstuvwxyz"): Tuples(structure="averaged")})
