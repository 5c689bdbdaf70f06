"""Pairs of columns: too many levels or columns, empty classes, missing and redundant columns."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Model, Pairs, Schema, left_out, prepare, weigh
from tallybayes.files import to_bytes
from tallybayes.model.plausible import why_discordant

STRUCTURES = ["naive", "tree", "k-dependence", "averaged"]
ROWS = {"a": ["u", "v", "u", "v", "u", None], "b": [1.0, 2.0, 1.0, 7.0, 2.0, 7.0], "c": ["x", "x", "y", "y", "y", "x"]}
LABELS = ["yes", "no", "yes", "no", "yes", "no"]
BLOCK = ("a", "b", "c")


def test_column_with_too_many_levels_is_counted_alone():
    rows = 2000
    frame = {"id": [f"no. {i}" for i in range(rows)], "a": ["u", "v"] * 1000, "b": ["x", "x", "y", "y"] * 500}
    model = Model.train({("a", "b", "id"): Pairs(structure="tree")}, frame, ["n", "y"] * 1000)
    assert model.schema.columns["a", "b", "id"].alone == ("id",)
    assert "'id' alone: 2,000 levels in 2,000 rows, more than 254" in repr(model.schema)
    assert model.belief("id").parents == {"b": "a"}
    np.testing.assert_allclose(model.posterior(frame).sum(axis=1), 1.0)
    model -= Model.train(model.schema, {name: cells[:1] for name, cells in frame.items()}, ["n"])
    assert "2,000" not in repr(model.schema)


def test_fifty_thousand_levels():
    frame = pd.DataFrame({"id": np.arange(50_000).astype(str), "a": np.tile(["u", "v"], 25_000)})
    model = Model.train({("a", "id"): Pairs()}, frame, np.tile([0, 1], 25_000))
    assert model.schema.columns["a", "id"].layout.size < 300
    assert len(to_bytes(model)) < 50_000


def test_too_many_pairs_leave_the_widest_columns_alone():
    random = np.random.default_rng(0)
    frame = {f"x{j:02}": random.integers(0, 200, 3000).astype(str) for j in range(20)}
    frame |= {f"y{j}": random.integers(0, 3, 3000).astype(str) for j in range(5)}
    labels = random.integers(0, 2, 3000)
    schema = prepare({tuple(frame): Pairs()}, frame, labels)
    alone = schema.columns[tuple(sorted(frame))].alone
    assert 0 < len(alone) < 20
    assert not any(name.startswith("y") for name in alone)
    assert schema.columns[tuple(sorted(frame))].layout.size <= 3_000_000
    assert f"'{alone[0]}' alone: 202 codes, and all columns together would be too many" in repr(schema)
    codes = schema.columns[tuple(sorted(frame))].codes
    with pytest.raises(ValueError, match=r"Pairs of these 25 columns .* Name columns of many levels in alone="):
        Schema({tuple(frame): Pairs(codes=codes)})


def test_two_hundred_columns():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{j:03}": random.integers(0, 3, 500).astype(str) for j in range(200)})
    labels = random.integers(0, 2, 500)
    model = Model.train({tuple(frame): Pairs()}, frame, labels)
    assert len(model.belief(tuple(frame)).parents) == 199  # a tree, where averaging would be slow
    assert np.isfinite(left_out(model, frame[:20], labels[:20]).total()).all()
    with pytest.raises(ValueError, match=r"at most 60 columns, not 200: .* Use 'tree' or 'k-dependence'"):
        model.believing(structure="averaged")


@pytest.mark.parametrize("structure", STRUCTURES)
def test_class_of_one_row(structure):
    model = Model.train({BLOCK: Pairs(structure=structure)}, ROWS, ["yes", "no", "yes", "no", "yes", "maybe"])
    assert np.isfinite(model.log_joint(ROWS)).all()
    left = left_out(model, ROWS, ["yes", "no", "yes", "no", "yes", "maybe"])
    assert np.isneginf(left.total()[5, model.classes.index("maybe")])
    assert np.isfinite(left.total()[:5]).all()


@pytest.mark.parametrize("cells", ["level", "ignored"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_column_with_only_missing_cells(structure, cells):
    nothing = {**ROWS, "d": [None] * 6}
    settings = {"structure": structure, "missing_cells": cells}
    found = Model.train({(*BLOCK, "d"): Pairs(**settings)}, nothing, LABELS)
    without = Model.train({BLOCK: Pairs(**settings)}, ROWS, LABELS)
    if structure == "averaged" and cells == "level":  # as a parent it is one more naive Bayes
        assert np.isfinite(found.log_joint(nothing)).all()
    else:
        np.testing.assert_allclose(found.log_joint(nothing), without.log_joint(ROWS), rtol=1e-12)
    assert np.isfinite(found.log_joint({**ROWS, "d": ["new"] * 6})).all()


@pytest.mark.parametrize("structure", STRUCTURES)
def test_unseen_levels_are_ignored(structure):
    model = Model.train({BLOCK: Pairs(structure=structure)}, {**ROWS, "a": ["u", "v", "u", "v", "u", "v"]}, LABELS)
    asked = {"a": ["never met"], "b": [2.0], "c": ["x"]}
    missing = model.believing(missing_cells="ignored").evidence({**asked, "a": [None]})
    np.testing.assert_allclose(model.evidence(asked)[BLOCK], missing[BLOCK], rtol=1e-12)
    assert (model.evidence({"a": ["?"], "b": [None], "c": ["?"]})[BLOCK] == 0).all()


def test_identical_columns_count_once():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 2000)
    a = np.where(random.random(2000) < 0.8, labels, 1 - labels).astype(str)
    b = random.integers(0, 2, 2000).astype(str)
    frame = {"a": a, "copy of a": a, "other": b}
    twice = Model.train({tuple(frame): Pairs(structure="tree", m=0, alpha=0)}, frame, labels)
    once = Model.train({("a", "other"): Pairs(structure="tree", m=0, alpha=0)}, frame, labels)
    parents = twice.belief("a").parents
    assert parents.get("copy of a") == "a" or parents.get("a") == "copy of a"
    np.testing.assert_allclose(twice.posterior(frame), once.posterior(frame), atol=1e-9)
    naive = twice.believing(structure="naive").posterior(frame)
    assert naive.max() > twice.posterior(frame).max() + 0.05  # which counts it twice
    smoothed = twice.believing(m=5, alpha=1).posterior(frame).max()
    assert smoothed < once.believing(m=5, alpha=1).posterior(frame).max() + 0.01


@pytest.mark.parametrize("structure", STRUCTURES[:3])
def test_constant_columns_are_uninformative(structure):
    found = Model.train({(*BLOCK, "d"): Pairs(structure=structure)}, {**ROWS, "d": ["same"] * 6}, LABELS)
    without = Model.train({BLOCK: Pairs(structure=structure)}, ROWS, LABELS)
    np.testing.assert_allclose(found.posterior({**ROWS, "d": ["same"] * 6}), without.posterior(ROWS), rtol=1e-9)


def test_models_with_different_intervals_do_not_merge():
    one = Model.train({BLOCK: Pairs()}, ROWS, LABELS)
    other = Model.train({BLOCK: Pairs()}, {**ROWS, "b": [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}, LABELS)
    with pytest.raises(ValueError, match=r"The intervals or levels of 'b' differ\. .* prepare\(schema, rows, labels\)"):
        one += other
    one += Model.train(one.schema, ROWS, LABELS)
    assert one.n == 12


def test_rows_never_counted_cannot_be_forgotten():
    model = Model.train({BLOCK: Pairs()}, ROWS, LABELS)
    with pytest.raises(ValueError, match="a count would be negative"):
        model -= Model.train(model.schema, {"a": ["u"], "b": [7.0], "c": ["x"]}, ["yes"])


def test_contradictory_counts_are_detected():
    model = Model.train({BLOCK: Pairs()}, ROWS, LABELS)
    family, tally = model.schema.columns[BLOCK], model.columns[BLOCK]
    assert why_discordant(model) is None
    single = type(tally)(["yes"], [int(family.layout.singles[1])], {"n": tally.aligned([2], ["yes"]).sums["n"]})
    assert "'b' would not have as many cells as 'a'" in family.discord(tally + single, model.keys())
    pair = type(tally)(["yes"], [family.layout.size - 1], {"n": tally.aligned([2], ["yes"]).sums["n"]})
    assert "counts of 'b' and 'c' would not add up" in family.discord(tally + pair, model.keys())
    assert not family.takes([family.layout.size])
    assert not family.takes(["u"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"structure": "forest"}, "structure must be one of 'naive', 'tree'"),
        ({"structure": {"a": "z"}}, "there is no column 'z'; there are 'a', 'b', 'c'"),
        ({"structure": {"a": "b", "b": "c", "c": "a"}}, "has a cycle: 'a' → 'b' → 'c' → 'a'"),
        ({"structure": {"a": "b"}, "alone": ("b",)}, "'b' is counted alone"),
        ({"alone": ("z",)}, "alone must be some of 'a', 'b', 'c'"),
        ({"alpha": {"u": 1.0}}, "alpha must be a number of at least 0, or MEstimate"),
        ({"codes": [None]}, "one entry for each of 'a', 'b', 'c'"),
    ],
)
def test_invalid_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        Schema({BLOCK: Pairs(**settings)})


@pytest.mark.parametrize("structure", STRUCTURES)
def test_evidence_of_columns_adds_up_and_rows_can_be_sampled(structure):
    model = Model.train({BLOCK: Pairs(structure=structure)}, ROWS, LABELS)
    evidence = model.evidence(ROWS)
    for row in range(6):
        said = sum(part.evidence for part in evidence.words(row))
        np.testing.assert_allclose(said, evidence[BLOCK][row], rtol=1e-12)
    sample = model.sample(4000, seed=0)
    again = Model.train(model.schema, *sample)
    shares, drawn = model.believing(structure="naive").estimates(BLOCK), again.believing(structure="naive", alpha=0)
    for level, value in drawn.estimates(BLOCK).items():
        if level.startswith("c"):  # none of whose cells is missing
            assert value["yes"] == pytest.approx(shares[level]["yes"], abs=0.05)


def test_weighed_as_one_piece_of_evidence():
    random = np.random.default_rng(1)
    frame = {name: random.integers(0, 3, 600).astype(str) for name in ("a", "b")}
    labels = np.where((frame["a"] == frame["b"]) ^ (random.random(600) < 0.1), "same", "other")
    model = weigh(Model.train({("a", "b"): Pairs()}, frame, labels), frame, labels)
    assert model.schema.weights is not None
    assert (np.array(model.decide(frame)) == labels).mean() > 0.85
    assert model.belief("a").parents in ({"b": "a"}, {"a": "b"}, {})
