"""Columns of one family believed as one table: the same bits as each alone."""

import numpy as np
import pytest

from tallybayes import (
    Bernoulli,
    Categorical,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    NegativeBinomial,
    Poisson,
    Schema,
)
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
def test_columns_believed_together_equal_each_alone(family, columns):
    frame = {str(i): column for i, column in enumerate(columns)}
    model = Model.train(Schema(dict.fromkeys(frame, family)), frame, LABELS)
    together = model.evidence(frame)
    for name, column in frame.items():
        alone = Model.train(Schema({name: family}), {name: column}, LABELS)
        np.testing.assert_array_equal(together.columns[name], alone.evidence({name: column}).columns[name])
        assert repr(model.estimates(name)) == repr(alone.estimates(name))


def test_row_by_row_learning_answers_to_the_last_bit_like_batch_training():
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


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(),
        LogNormal(),
        Gamma(),
        Exponential(),
        Poisson(),
        Geometric(),
        NegativeBinomial(),
        Gaussian(shared=True),
    ],
    ids=repr,
)
def test_left_out_rows_are_not_in_the_prior_either(family):
    """In one batch: the sums without each row are a column of one table."""
    values, labels = [1.0, 2.0, 9.0, 4.0, 1.0, 30.0], list("aabbcc")
    schema = Schema({"x": family})
    every = Model.train(schema, {"x": values}, labels)
    others = [every - Model.train(schema, {"x": [x]}, [label]) for x, label in zip(values, labels, strict=True)]
    beliefs = family.believe_each([model.columns["x"] for model in others], ["a", "b", "c"])
    for row, belief in enumerate(beliefs):
        scores = np.zeros((3, 1))
        belief.add_evidence(np.array(values[row : row + 1]), scores)
        kept = [i for i in range(6) if i != row]
        model = Model.train(schema, {"x": [values[i] for i in kept]}, [labels[i] for i in kept])
        np.testing.assert_array_equal(scores[:, 0], model.evidence({"x": values[row]})["x"][0])


def test_shorter_vectors_score_like_their_columns():
    family = Gaussian(m=0.0, plugin=True)
    matrix = np.stack([np.arange(8.0), np.full(8, 3.0), np.arange(8.0) ** 2, np.arange(8.0)[::-1]], axis=1)
    labels = list("aaaabbbb")
    model = Model.train(Schema({"x": Each(family)}), matrix, labels)
    columns = {str(i): column for i, column in enumerate(matrix.T)}
    apart = Model.train(Schema(dict.fromkeys(columns, family)), columns, labels).evidence(columns)
    for width in (1, 2, 3, 4):
        said = sum(apart[str(i)] for i in range(width))
        np.testing.assert_allclose(model.evidence(matrix[:, :width])["x"], said, rtol=1e-12)
