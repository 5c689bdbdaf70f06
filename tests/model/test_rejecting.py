"""Decision costs and rejection."""

import math

import numpy as np
import pytest
from sklearn import metrics
from test_evaluation import DECIDED, FRAME, LABELS, MODEL, NAMES, POSTERIOR, N

from tallybayes import evaluate


def test_cost_of_decisions():
    costs = {("dog", "ant"): 7.0, ("ant", "bee"): 0.5}
    found = evaluate(MODEL, FRAME, LABELS, costs=costs)
    decided = MODEL.decide(FRAME, costs=costs)
    assert decided != DECIDED
    paid = [costs.get(pair, float(pair[0] != pair[1])) for pair in zip(LABELS, decided, strict=True)]
    assert found.cost == pytest.approx(np.mean(paid))
    matrix = np.array([[costs.get((a, b), float(a != b)) for b in NAMES] for a in NAMES])
    assert found.expected_cost == pytest.approx(np.mean(np.min(POSTERIOR @ matrix, axis=1)))
    assert found.accuracy == pytest.approx(metrics.accuracy_score(LABELS, decided))
    mine = POSTERIOR[np.arange(N), [NAMES.index(label) for label in decided]]
    assert found.expected_error == pytest.approx(1.0 - mine.mean())
    assert evaluate(MODEL, FRAME, LABELS).cost is None
    with pytest.raises(ValueError, match="both have costs, or neither"):
        found + evaluate(MODEL, FRAME, LABELS)


@pytest.mark.parametrize("costs", ["x", {("dog", "ant"): "x"}, [["x"]], {("dog", "ant"): None}, [[1.0], [1.0, 2.0]]])
def test_costs_that_are_no_numbers_are_an_error(costs):
    with pytest.raises(ValueError, match=r"costs=.*: give numbers by \(truth, decision\), or a matrix of them|need"):
        MODEL.decide(FRAME, costs=costs)


def test_rejected_rows_are_neither_right_nor_wrong():
    found = evaluate(MODEL, FRAME, LABELS, reject=0.3)
    decided = MODEL.decide(FRAME, reject=0.3)
    pairs = [(truth, label) for truth, label in zip(LABELS, decided, strict=True) if label is not None]
    right = sum(a == b for a, b in pairs)
    assert found.rejected == N - len(pairs) > 0
    assert found.accuracy == pytest.approx(right / len(pairs))
    assert found.error == pytest.approx(1.0 - right / len(pairs))
    assert found.confusion[:, -1].sum() == found.rejected
    assert found.per_class[0].recall == pytest.approx(pairs.count(("ant", "ant")) / LABELS.count("ant"))
    assert found.cost == pytest.approx((len(pairs) - right + 0.3 * found.rejected) / N)
    nothing = evaluate(MODEL, FRAME, LABELS, reject=0.0)
    assert nothing.rejected == N
    assert math.isnan(nothing.accuracy)
    assert "600 rows rejected" in repr(nothing)
