"""Columns of one family are believed together, as one table: to the last bit what each is believed by itself."""

import numpy as np
import pytest

from tallybayes import Bernoulli, Categorical, Gaussian, Histogram, LogNormal, Model, Poisson, Schema
from tallybayes.families.smoothing import FITTED

RNG = np.random.default_rng(5)
ROWS = 120
NUMBERS = [
    RNG.normal(size=ROWS),
    RNG.normal(1e6, 1e5, ROWS),
    RNG.lognormal(0, 5, ROWS),
    np.full(ROWS, 3.0),
    np.full(ROWS, np.nan),
    np.where(np.arange(ROWS) < 60, np.nan, RNG.normal(size=ROWS)),
]
COUNTS = [RNG.poisson(rate, ROWS) for rate in (0.1, 3.0, 200.0)]
TEXTS = [RNG.choice(levels, ROWS) for levels in (["a"], ["a", "b"], list("abcdefghij"))] + [np.full(ROWS, None)]
TRUTHS = [RNG.random(ROWS) < share for share in (0.0, 0.1, 0.5)]
LABELS = np.arange(ROWS) // 30
COLUMNS = [
    (Gaussian(), NUMBERS),
    (Gaussian(), NUMBERS[:3]),
    (Gaussian(m=0.0, plugin=True), NUMBERS[:3]),
    (Gaussian(shared=True, noise=0.5), NUMBERS[:3]),
    (LogNormal(), [np.abs(column) + 1e-9 for column in NUMBERS]),
    (Poisson(), COUNTS),
    (Histogram(), NUMBERS),
    (Histogram(method="equal count", alpha=FITTED, bits=16), NUMBERS),
    (Histogram(method="mdl", alpha=0.0), NUMBERS),
    (Categorical(), TEXTS),
    (Categorical(alpha=FITTED), TEXTS),
    (Categorical(alpha=0.0, levels=("a", "z")), TEXTS),
    (Bernoulli(alpha=FITTED), TRUTHS),
]


@pytest.mark.parametrize(
    ("family", "columns"), COLUMNS, ids=lambda value: repr(value) if not isinstance(value, list) else ""
)
def test_columns_believed_together_are_believed_as_each_by_itself(family, columns):
    frame = {str(i): column for i, column in enumerate(columns)}
    model = Model.train(Schema(dict.fromkeys(frame, family)), frame, LABELS)
    together = model.evidence(frame)
    for name, column in frame.items():
        alone = Model.train(Schema({name: family}), {name: column}, LABELS)
        np.testing.assert_array_equal(together.columns[name], alone.evidence({name: column}).columns[name])
        assert repr(model.estimates(name)) == repr(alone.estimates(name))


def test_a_model_that_learned_row_by_row_answers_to_the_last_bit_as_one_trained_at_once():
    families = [Gaussian(), LogNormal(), Poisson(), Histogram(alpha=FITTED), Categorical(alpha=FITTED), Bernoulli()]
    columns = [NUMBERS[0], np.abs(NUMBERS[0]) + 1.0, COUNTS[1], NUMBERS[2], TEXTS[2], TRUTHS[2]]
    schema = Schema({str(i): family for i, family in enumerate(families)})
    frame = {str(i): column for i, column in enumerate(columns)}
    model = Model(schema)
    for row in range(ROWS):
        one = {name: column[row].item() for name, column in frame.items()}
        model += Model.train(schema, one, [int(LABELS[row])])
        model.posterior(one)
    np.testing.assert_array_equal(model.log_joint(frame), Model.train(schema, frame, LABELS).log_joint(frame))
