"""Any history of learning, forgetting and queries gives the bytes of `fit` on the remaining rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bernoulli, Categorical, Gaussian, Model, NaiveBayes, Schema, Words, digest

SCHEMA = Schema({"x": Gaussian(), "level": Categorical(), "truth": Bernoulli(), "text": Words()})
ROW = st.tuples(
    st.none() | st.floats(-1e6, 1e6),
    st.none() | st.sampled_from("abc"),
    st.none() | st.booleans(),
    st.none() | st.sampled_from(["one word", "two words", "", "word word word"]),
    st.sampled_from(["yes", "no", "maybe"]),
    st.sampled_from([1.0, 2.0, 0.5, 0.1]),
)
BATCHES = st.lists(st.lists(ROW, min_size=1, max_size=5), min_size=1, max_size=5)


def parts(rows):
    """The columns of some rows, their labels and weights."""
    *cells, labels, weights = (list(values) for values in zip(*rows, strict=True))
    return dict(zip(SCHEMA.columns, cells, strict=True)), labels, weights


@pytest.mark.slow
@given(kept=BATCHES, forgotten=BATCHES, alpha=st.sampled_from([None, 0.5, 2.0]))
@settings(max_examples=some(60))
def test_forgotten_is_never_seen_and_parts_equal_the_whole(kept, forgotten, alpha):
    """Counts are compared: only `fit` weighs evidence, if there are 20 rows."""
    estimator = NaiveBayes(SCHEMA)
    for batch in [*forgotten, *kept]:
        columns, labels, weights = parts(batch)
        estimator.partial_fit(columns, labels, sample_weight=weights)
        assert estimator.predict(columns).shape == (len(labels),)
    estimator.set_params(alpha=alpha)
    for batch in forgotten:
        columns, labels, weights = parts(batch)
        estimator.forget(columns, labels, sample_weight=weights)
    columns, labels, weights = parts([row for batch in kept for row in batch])
    whole = NaiveBayes(SCHEMA, alpha=alpha, weigh=False).fit(columns, labels, sample_weight=weights)
    model = Model.train(SCHEMA, columns, labels, weights=weights)
    assert digest(estimator.model_) == digest(whole.model_)
    assert digest(whole.model_) == digest(model if alpha is None else model.believing(alpha=alpha))
    assert estimator.classes_.tolist() == sorted(set(labels))
    np.testing.assert_array_equal(estimator.predict_proba(columns), whole.predict_proba(columns))
