"""Pairs of columns: the laws in every structure, and textbook probabilities."""

from fractions import Fraction
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from slow_network import Rows, tree_weight

from tallybayes import MEstimate, Model, Pairs, Schema, digest, left_out, weigh
from tallybayes.testing import check_belief, check_family
from tennis import COLUMNS, DAYS

CODES = (("u", "v", "w"), (0.5, 2.0), ("u", "v"))
CELLS = st.tuples(
    st.sampled_from(["u", "v", "w", "new", None]),
    st.sampled_from([0.0, 1.0, 2.5, None]),
    st.sampled_from(["u", "v", None]),
)
STRUCTURES = ["naive", "tree", "k-dependence", "averaged", "auto", {"a": "b", "c": "b"}]
SETTINGS = [
    {},
    {"missing_cells": "ignored"},
    {"m": 0},
    {"m": 0, "alpha": 0},
    {"alpha": MEstimate(2.0, "overall")},
    {"alpha": MEstimate(3.0), "m": 0, "missing_cells": "ignored"},
    {"alone": ("c",)},
]
BLOCK = tuple(sorted(COLUMNS))
TABLE = DAYS.to_pandas()[list(BLOCK)].values.tolist()
LABELS = DAYS["play"].to_pylist()
KNOWN = Rows(TABLE, LABELS)


@pytest.mark.slow
@pytest.mark.thinned(5)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_obeys_the_laws(structure, settings):
    if settings.get("alone") and not isinstance(structure, str):
        structure = {"a": "b"}
    check = check_family if structure == "naive" else check_belief  # the structure is a belief about the same counts
    check(Pairs(structure=structure, codes=CODES, **settings), CELLS, columns=("a", "b", "c"), examples=6)


def tennis(**settings):
    return Model.train({BLOCK: Pairs(**settings)}, DAYS, "play")


def all_days():
    levels = [sorted(set(column)) for column in zip(*TABLE, strict=True)]
    return pd.MultiIndex.from_product(levels, names=BLOCK).to_frame(index=False)


@pytest.mark.parametrize("alpha", [0, 0.5, 1])
@pytest.mark.parametrize("m", [0, 2, 5])
def test_averaged_equals_the_formula(alpha, m):
    days, model = all_days(), tennis(structure="averaged", alpha=alpha, m=m)
    found = np.exp(model.evidence(days)[BLOCK])
    for row, said in zip(days.values.tolist(), found, strict=True):
        for label, value in zip(model.classes, said, strict=True):
            expected = (
                KNOWN.averaged(row, label, Fraction(alpha), Fraction(m)) if _is_known(row, label, alpha, m) else 0
            )
            assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-15)


def _is_known(row, label, alpha, m):
    """Whether the class has seen every level; otherwise, without smoothing, a denominator is zero."""
    return alpha or all(KNOWN.n(label, **{f"_{j}": level}) for j, level in enumerate(row))


@pytest.mark.parametrize("structure", ["naive", "tree", "k-dependence"])
@pytest.mark.parametrize(("alpha", "m"), [(1, 5), (0.5, 0), (1, 0)])
def test_network_equals_the_formula(structure, alpha, m):
    days, model = all_days(), tennis(structure=structure, alpha=alpha, m=m)
    parents = model.belief(BLOCK).parents
    numbers = [BLOCK.index(parents[column]) if column in parents else None for column in BLOCK]
    for row, said in zip(days.values.tolist(), np.exp(model.evidence(days)[BLOCK]), strict=True):
        for label, value in zip(model.classes, said, strict=True):
            expected = KNOWN.network(row, label, numbers, Fraction(alpha), Fraction(m))
            assert value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("structure", ["naive", "tree", "k-dependence", "averaged"])
@pytest.mark.parametrize("m", [0, 5])
def test_probabilities_of_all_rows_sum_to_one(structure, m):
    said = np.exp(tennis(structure=structure, m=m).evidence(all_days())[BLOCK])
    np.testing.assert_allclose(said.sum(axis=0), 1.0, rtol=1e-12)


def test_tree_has_maximum_information():
    parents = tennis(structure="tree").belief(BLOCK).parents
    assert len(parents) == len(BLOCK) - 1
    numbers = [BLOCK.index(parents[column]) if column in parents else None for column in BLOCK]
    best = tree_weight(KNOWN, numbers)
    each = [[None if p == j else p for p in range(len(BLOCK))] for j in range(len(BLOCK))]
    trees = [(a, b, c) for a in each[0] for b in each[1] for c in each[2]]
    weights = [tree_weight(KNOWN, [*some, None]) for some in trees if None not in some and _is_tree([*some, None])]
    assert len(weights) == 16  # the number of trees over four columns
    assert best == pytest.approx(max(weights), rel=1e-12)


def _is_tree(parents):
    for j in range(len(parents)):
        seen = set()
        while j is not None:
            if j in seen:
                return False
            seen.add(j)
            j = parents[j]
    return True


def test_structure_is_a_belief():
    model = tennis(structure="naive")
    for structure in STRUCTURES[:-1]:
        other = tennis(structure=structure)
        again = model.believing(structure=structure)
        assert digest(again) == digest(other)
        np.testing.assert_array_equal(again.log_joint(DAYS), other.log_joint(DAYS))
    own = model.believing(structure={BLOCK[-1]: "humidity"})
    assert list(own.belief(BLOCK).parents.values()) == ["humidity"]


@pytest.mark.parametrize("structure", ["tree", "k-dependence"])
def test_leave_one_out_keeps_the_network(structure):
    model = tennis(structure=structure)
    fixed = model.believing(structure=model.belief(BLOCK).parents)
    soon = left_out(model, DAYS, "play")
    np.testing.assert_allclose(soon.total(), left_out(fixed, DAYS, "play").total(), rtol=1e-12)
    np.testing.assert_allclose(soon.total(), left_out(fixed, DAYS, "play", choose_again=True).total(), rtol=1e-9)
    assert "depends on" in model.schema.columns[BLOCK].stays


def test_auto_minimises_the_leave_one_out_loss():
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, 400), random.integers(0, 2, 400)
    label = np.where(random.random(400) < 0.9, a ^ b, 1 - (a ^ b))
    frame = {"a": a.astype(str), "b": b.astype(str)}
    model = Model.train({("a", "b"): Pairs()}, frame, label)
    losses = {}
    for structure in ("naive", "tree", "k-dependence", "averaged"):
        total = left_out(model.believing(structure=structure), frame, label).total()
        own = total[np.arange(400), label]
        losses[structure] = float(np.mean(np.logaddexp.reduce(total, axis=1) - own))
    assert losses["naive"] > log(2) - 0.01 > 0.4 > losses["tree"]  # each column alone is uninformative
    chosen = weigh(model, frame, label).schema.columns["a", "b"].chosen
    assert losses[chosen] <= min(losses.values()) + 1e-9
    assert chosen != "naive"


def test_few_rows_give_fewer_intervals():
    random = np.random.default_rng(0)
    for rows, intervals in ((200, 5), (2000, 10)):
        frame = {"x": random.normal(size=rows), "y": random.normal(size=rows)}
        model = Model.train({("x", "y"): Pairs()}, frame, random.integers(0, 2, rows))
        assert [len(code) + 1 for code in model.schema.columns["x", "y"].codes] == [intervals, intervals]


def test_row_touches_only_its_own_cells():
    schema = Schema({("a", "b", "c"): Pairs(codes=CODES)})
    row = Model.train(schema, {"a": "u", "b": 1.0, "c": "v"}, ["yes"])
    assert len(row.columns["a", "b", "c"]) == 6
    assert row.counts(("a", "b", "c"))[2] == {"yes": 1}


def test_tree_equals_pyagrum():
    """pyAgrum 3.3.1, parameters with a smoothing prior of weight 1; pgmpy 1.1.2 finds the same tree."""
    days = Schema({BLOCK: Pairs(structure="tree", alpha=1, m=0)}, prior=1.0)
    model = Model.train(days, DAYS, "play")
    assert model.belief(BLOCK).parents == {"humidity": "temperature", "temperature": "outlook", "wind": "outlook"}
    theirs = [0.15625, 0.2173913043478261, 0.8264462809917357, 0.798004987531172, 0.8258064516129032]
    theirs += [0.2831858407079646, 0.8510638297872339, 0.35714285714285715, 0.6666666666666667, 0.9221902017291066]
    theirs += [0.7142857142857143, 0.7604562737642585, 0.9345794392523364, 0.24767801857585137]
    np.testing.assert_allclose(model.posterior(DAYS)[:, 1], theirs, rtol=1e-12)


@pytest.mark.parametrize(
    ("columns", "levels", "theirs"),
    [
        (("humidity", "wind"), 2, [0.5140664961636828, 0.3950617283950617, 0.8606557377049181, 0.631413612565445]),
        (("outlook", "temperature"), 3, [0.24, 0.24, 0.547945205479452, 0.547945205479452]),
    ],
)
def test_averaged_equals_weka(columns, levels, theirs):
    """Weka 3.6.14, whose P(class, parent) amounts to one pseudo-count per level for each class."""
    schema = Schema({columns: Pairs(structure="averaged", alpha=1, m=0)}, prior=float(levels))
    model = Model.train(schema, DAYS, "play")
    np.testing.assert_allclose(model.posterior(DAYS)[[0, 1, 4, 5], 1], theirs, rtol=1e-12)
