"""choose: the lowest cross-validated loss among the settings tried, from the same counts, never above the start."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallybayes import (
    Categorical,
    Density,
    Gaussian,
    Histogram,
    Model,
    Schema,
    Words,
    choose,
    cross_validate,
    digest,
    report_on,
)

N = 400
RANDOM = np.random.default_rng(21)
TRUTH = RANDOM.integers(0, 2, N)
LABELS = np.where(TRUTH, "yes", "no").tolist()
FRAME = {
    "x": RANDOM.gamma(1.0 + 2.0 * TRUTH, 1.0).round(2),
    "u": [f"level {level}" for level in (3 * TRUTH + RANDOM.integers(0, 40, N))],
    "t": [
        f"word{a} word{b}"
        for a, b in zip(5 * TRUTH + RANDOM.integers(0, 30, N), RANDOM.integers(0, 99, N), strict=True)
    ],
}
SCHEMA = Schema({"x": Histogram(), "u": Categorical(), "t": Words()})
MODEL = Model.train(SCHEMA, FRAME, LABELS)


def loss(schema):
    return cross_validate(schema, FRAME, LABELS, k=5).log_loss


def test_each_trial_is_a_cross_validation_and_the_lowest_wins():
    values = [0.01, 0.3, 5.0, 40.0]
    found = choose(MODEL, FRAME, LABELS, {"alpha": values}, k=5)
    assert found.start.log_loss == pytest.approx(loss(SCHEMA), rel=1e-12)
    wanted = [loss(SCHEMA.believing({"alpha": value})) for value in values]
    assert [trial.log_loss for trial in found.tried] == pytest.approx(wanted, rel=1e-12)
    best = values[int(np.argmin(wanted))]
    assert found.beliefs == {"alpha": best}
    assert found.model.schema == SCHEMA.believing({"alpha": best})
    assert found.log_loss == pytest.approx(min(wanted), rel=1e-12)
    errors = cross_validate(SCHEMA.believing({"alpha": 5.0}), FRAME, LABELS, k=5).standard_errors
    assert found.tried[2].standard_error == pytest.approx(errors["log_loss"])


@pytest.mark.parametrize("how", [{"groups": "x"}, {"stratify": False}, {"seed": 3, "threads": 2}])
def test_rows_are_dealt_as_for_cross_validation(how):
    weights = (1.0 + TRUTH).tolist()
    model = Model.train(SCHEMA, FRAME, LABELS, weights=weights)
    found = choose(model, FRAME, LABELS, {"alpha": [5.0]}, k=4, weights=weights, **how)
    expected = cross_validate(model, FRAME, LABELS, k=4, weights=weights, **how)
    assert found.start.log_loss == pytest.approx(expected.log_loss, rel=1e-12)


def test_counts_stay_the_same():
    before = digest(MODEL)
    found = choose(MODEL, FRAME, LABELS, {"alpha": [5.0]}, k=5)
    assert digest(MODEL) == before
    assert digest(found.model.believing(alpha=1.0)) == before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column 't' gives complement scores")
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_several_settings_are_never_worse_than_the_start(data):
    values = {
        "alpha": [0.01, 1.0, 20.0],
        "reading": ["bernoulli", "binary", "complement"],
        "x": [Histogram(method="mdl"), Histogram(alpha=3.0), Density()],
        "prior": ["uniform", {"no": 0.9, "yes": 0.1}],
    }
    order = data.draw(st.permutations(sorted(values)))
    some = {name: values[name] for name in order[: data.draw(st.integers(1, 4))]}
    found = choose(MODEL, FRAME, LABELS, some, k=3)
    assert found.log_loss <= found.start.log_loss
    schema = SCHEMA
    for setting, value in found.beliefs.items():
        schema = schema.believing({setting: value})
    assert found.model.schema == schema
    assert found.log_loss == min(found.start.log_loss, *(trial.log_loss for trial in found.tried))
    chosen = cross_validate(schema, FRAME, LABELS, k=3)
    assert found.log_loss == pytest.approx(chosen.log_loss, rel=1e-12)


def test_nothing_better_changes_nothing():
    found = choose(MODEL, FRAME, LABELS, {"prior": [{"no": 0.999, "yes": 0.001}]}, k=5)
    assert (found.beliefs, found.model.schema) == ({}, SCHEMA)
    assert "No other setting is better" in repr(found)


def test_settings_that_rule_out_the_truth_lose():
    found = choose(MODEL, FRAME, LABELS, {"alpha": [0.0, 1.0]}, k=5)
    assert found.tried[0].impossible > 0
    assert found.start.impossible == 0
    assert 0.0 not in found.beliefs.values()
    certain = choose(MODEL.believing(alpha=0.0), FRAME, LABELS, {"alpha": [0.0, 1.0]}, k=5)
    assert certain.beliefs == {"alpha": 1.0}


def test_default_grid_of_alpha():
    model = Model.train({"u": Categorical()}, FRAME, LABELS)
    found = choose(model, FRAME, LABELS, k=5)
    assert [trial.value for trial in found.tried] == [0.01, 0.1, 0.5, "fitted"]  # 1.0 is the start
    with pytest.raises(ValueError, match=r"nothing to choose\. Give candidates for .*variance.*, a column's family"):
        choose(Model.train({"x": Gaussian()}, FRAME, LABELS), FRAME, LABELS)


def test_uncounted_rows_are_an_error():
    part = Model.train(SCHEMA, {name: cells[:50] for name, cells in FRAME.items()}, LABELS[:50])
    with pytest.raises(ValueError, match="The model has not counted these rows"):
        choose(part, FRAME, LABELS, {"alpha": [0.5]}, k=5)


@pytest.mark.parametrize("times", [1, 2])
def test_rows_of_which_each_fold_might_have_been_counted_are_an_error(times):
    """Other numbers, or every row twice."""
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0, 4.0] * 5}, ["a", "b"] * 10)
    rows, labels = {"x": [1.5, 2.5, 3.0, 4.0] * 5 if times == 1 else [1.0, 2.0, 3.0, 4.0] * 10}, ["a", "b"] * 10 * times
    with pytest.raises(ValueError, match="The model has not counted these rows"):
        choose(model, rows, labels, {"m": [0.5]}, k=5)
    with pytest.raises(ValueError, match="The model has not counted these rows"):
        model.influence({"x": 1.0}, rows, labels)


def test_subset_of_the_counted_rows():
    found = choose(MODEL, {name: cells[:100] for name, cells in FRAME.items()}, LABELS[:100], {"alpha": [5.0]}, k=5)
    assert found.model.n == N


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ({}, "give values by setting"),
        ({"alpha": 0.5}, "The candidates of 'alpha' are 0.5; give a list of values"),
        ({"alpha": []}, "give a list of values"),
        ({"reading": "binary"}, "give a list of values"),
        ({"alpha": [0.5, -1.0]}, "alpha"),
        ({"beta": [0.5]}, "beta=0.5 is not a belief of this schema"),
        ({"x": [Gaussian()]}, "these count differently"),
    ],
)
def test_impossible_settings_are_errors(candidates, message):
    with pytest.raises(ValueError, match=message):
        choose(MODEL, FRAME, LABELS, candidates)


def test_result_lists_the_trials():
    found = choose(MODEL, FRAME, LABELS, {"alpha": [0.01, 20.0], "x": [Density()]}, k=5)
    text, facts = repr(found), json.loads(json.dumps(report_on(found).to_json(), allow_nan=False))
    assert text.startswith("held-out log-loss, ± its standard error\n")
    assert f"{facts['start']['log_loss']:.4f}  ± {facts['start']['standard_error']:.4f}" in text
    assert [trial["value"] for trial in facts["tried"][:3]] == ["0.01", "20.0", "Density()"]
    assert f"(log-loss {found.start.log_loss:.4f} → {found.log_loss:.4f})." in text
    assert "<table" in found._repr_html_()
