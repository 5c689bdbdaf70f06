"""ROC AUC: equal to scikit-learn's for any batching, with bounded memory."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from test_evaluation import FRAME, LABELS, MODEL, NAMES, POSTERIOR, SCHEMA, N, part

from tallybayes import Model, Words, evaluate
from tallybayes.model.evaluation import ranks


def test_equals_sklearn():
    found = evaluate(MODEL, FRAME, LABELS)
    wanted = metrics.roc_auc_score(LABELS, POSTERIOR, multi_class="ovr", labels=NAMES)
    assert found.roc_auc == pytest.approx(wanted, rel=1e-12)
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    wanted = metrics.roc_auc_score(two, model.posterior(FRAME)[:, 1])
    assert evaluate(model, FRAME, two).roc_auc == pytest.approx(wanted, rel=1e-12)


def test_ties_and_probabilities_near_one_rank_as_in_sklearn():
    model = Model.train({"t": Words()}, {"t": ["up " * 9, "down " * 9]}, ["a", "b"])
    texts = ["up " * i + "down " * j for i in range(7) for j in range(7)]
    labels = ["a" if (7 * i + j) % 5 < 3 else "b" for i in range(7) for j in range(7)]
    share = model.posterior({"t": texts})[:, 1]
    assert len(np.unique(share)) < len(texts)
    assert share.max() > 1.0 - 1e-5
    found = evaluate(model, {"t": texts}, labels)
    assert found.roc_auc == pytest.approx(metrics.roc_auc_score(labels, share), rel=1e-12)


def test_unseen_class_is_never_found():
    two = Model.train(SCHEMA, FRAME, ["ant" if label == "ant" else "bee" for label in LABELS])
    found = evaluate(two, FRAME, LABELS)
    scores = np.column_stack([two.posterior(FRAME), np.zeros((N, 3))])
    wanted = [metrics.roc_auc_score(np.array(LABELS) == name, scores[:, i]) for i, name in enumerate(NAMES)]
    assert wanted[2:] == [0.5, 0.5, 0.5]
    assert found.roc_auc == pytest.approx(np.mean(wanted))
    both = found + evaluate(MODEL, FRAME, LABELS)
    scores = np.concatenate([scores, POSTERIOR])
    wanted = [metrics.roc_auc_score(np.array(LABELS * 2) == name, scores[:, i]) for i, name in enumerate(NAMES)]
    assert both.roc_auc == pytest.approx(np.mean(wanted))


def test_rows_of_one_class_have_no_auc():
    frame, labels = part(0, 1)
    found = evaluate(MODEL, frame, labels)
    assert math.isnan(found.roc_auc)
    assert found.to_json()["roc_auc"] is None


@settings(max_examples=10)
@given(st.data())
def test_memory_is_bounded_and_batching_does_not_matter(data):
    n = 3 * ranks.MOST
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    true = random.random(n) < 0.3
    share = 1.0 / (1.0 + np.exp(-random.normal(true * 2.0, 4.0, n)))
    whole = ranks.Ranks.of(share, true)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(1, n - 1), min_size=1, max_size=4, unique=True))), n]
    parts = [ranks.Ranks.of(share[a:b], true[a:b]) for a, b in pairwise(cuts)]
    total = parts[0]
    for each in parts[1:]:
        total += each
    np.testing.assert_array_equal(total.keys, whole.keys)
    np.testing.assert_array_equal(total.n, whole.n)
    assert total.dropped == whole.dropped > 0
    assert len(whole.keys) <= ranks.MOST
    assert whole.auc == pytest.approx(metrics.roc_auc_score(true, share), abs=1e-5)


def test_standard_error_is_delongs():
    two = [label if label == "ant" else "other" for label in LABELS]
    model = Model.train(SCHEMA, FRAME, two)
    share, true = model.posterior(FRAME)[:, 1], np.array(two) == "other"
    ordered = np.heaviside(share[true][:, None] - share[~true][None, :], 0.5)
    wanted = math.sqrt(sum(np.var(ordered.mean(axis=i), ddof=1) / ordered.shape[1 - i] for i in (0, 1)))
    assert evaluate(model, FRAME, two).standard_errors["roc_auc"] == pytest.approx(wanted)
