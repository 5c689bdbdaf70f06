"""Folds left out by a family itself: the evidence equals that of counting each fold and subtracting it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Bernoulli, Categorical, Histogram
from tallybayes.counts.tally import Rows
from tallybayes.families.base import Belief
from tallybayes.families.centring import centred
from tallybayes.families.left_out import LeftOutFolds
from tallybayes.families.smoothing import MEstimate

pytestmark = pytest.mark.filterwarnings("ignore:.*are counted in steps")  # few bits

FAMILIES = [
    Categorical(),
    Categorical(alpha="fitted"),
    Categorical(alpha={"a": 2.0, "z": 1.0}),
    Categorical(alpha=MEstimate(3.0, "overall"), levels=("b", "q")),
    Bernoulli(alpha="fitted"),
    Histogram(intervals=3),
    Histogram(method="fitted", alpha="fitted", bits=3),
    Histogram(method="equal count", intervals=4, bits=52),
    Histogram(method="mdl", alpha=0.5),
    Histogram(method="auto", alpha="fitted"),
]


def cells_for(family, random, rows):
    missing = random.random(rows) < 0.1
    if isinstance(family, Histogram):
        return np.where(missing, np.nan, random.normal(size=rows) ** 3)
    if isinstance(family, Bernoulli):
        return pa.array(random.random(rows) < 0.3, mask=missing)
    return pa.array(np.array(list("abcdef"))[random.geometric(0.4, rows) % 6], mask=missing)


def fold_by_fold(family, tally, cells, rows, at):
    expected = np.zeros((len(rows.classes), len(rows)))
    for fold in at:
        taken = cells.take(pa.array(fold)) if isinstance(cells, pa.Array) else cells[fold]
        weights = None if rows.weights is None else rows.weights[fold]
        rest = tally - family.tally(taken, Rows(rows.classes, rows.codes[fold], weights))
        logs = np.zeros((len(rows.classes), len(fold)))
        family.believe(rest, rows.classes).add_evidence(taken, logs)
        expected[:, fold] = centred(logs, Belief.bound)
    return expected


@pytest.mark.parametrize("family", FAMILIES, ids=str)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 4), st.booleans())
def test_evidence_is_that_of_counting_and_subtracting_each_fold(family, seed, classes, count, weighted):
    random = np.random.default_rng(seed)
    size = int(random.integers(20, 60))
    keys = list(range(classes))[::-1]
    codes = random.integers(0, classes, size).astype(np.int32)
    codes[:classes] = np.arange(classes)  # in no fold, so that no class is ever gone
    weights = random.integers(1, 4, size).astype(float) if weighted else None
    columns = [family.encode(pa.array(cells_for(family, random, size))) for _ in range(3)]
    rows = Rows(keys, codes, weights)
    tallies = [family.tally(cells, rows) for cells in columns]
    left = np.arange(classes, size)
    number = random.integers(0, count, len(left))
    at = [fold for fold in (np.flatnonzero(number == i) for i in range(count)) if len(fold)]
    taken = [cells.take(pa.array(left)) if isinstance(cells, pa.Array) else cells[left] for cells in columns]
    counted = Rows(keys, codes[left], None if weights is None else weights[left])
    found = family.evidence_without(tallies, taken, LeftOutFolds(counted, at))
    for tally, cells, evidence in zip(tallies, taken, found, strict=True):
        np.testing.assert_allclose(evidence, fold_by_fold(family, tally, cells, counted, at), rtol=1e-9, atol=1e-9)
