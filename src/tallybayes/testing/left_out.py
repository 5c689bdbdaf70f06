"""The law of leave-one-out: a left-out row is scored as by a model trained without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families import Family
from tallybayes.model import Model
from tallybayes.model.evidence import Evidence
from tallybayes.model.left_out import left_out
from tallybayes.testing.rows import Row, frame_of, name_of, schema_of

NEAR = 1e-9


def left_out_is_trained_without(family: Family, rows: list[Row], weighted: bool) -> None:
    """Settings that a family chooses from all rows are chosen again."""
    model = _trained(family, rows, weighted)
    frame, labels = frame_of(family, rows)
    weights = [weight for _, _, weight in rows] if weighted else None
    again = left_out(model, frame, labels, weights=weights, choose_again=True)
    soon = left_out(model, frame, labels, weights=weights)
    assert not np.isnan(soon.total()).any(), "every answer about a row left out is a number"
    for row in range(len(rows)):
        _check_row(family, rows, row, weighted, again)
        if family.stays is None:
            _check_row(family, rows, row, weighted, soon)


def _trained(family: Family, rows: Sequence[Row], weighted: bool) -> Model:
    weights = [weight for _, _, weight in rows] if weighted else None
    return Model.train(schema_of(family), *frame_of(family, rows), weights=weights)


def _check_row(family: Family, rows: list[Row], row: int, weighted: bool, found: Evidence) -> None:
    without = _trained(family, rows[:row] + rows[row + 1 :], weighted)
    left = [found.classes.index(label) for label in without.classes]
    gone = np.delete(found.priors[row], left)
    assert np.isneginf(gone).all(), "a class of which the only row is left out is gone"
    if not left:
        return
    expected = without.evidence(frame_of(family, rows[row : row + 1])[0])
    assert _near(found.priors[row, left], expected.prior), "the prior is left out as if trained without"
    name = name_of(family)
    assert _near(found[name][row, left], expected[name][0]), "left out is trained without"


def _near(a: Floats, b: Floats) -> bool:
    return bool(np.allclose(a, b, rtol=NEAR, atol=NEAR))
