"""Families of numeric columns chosen by held-out log-loss, each column by itself.

Several families count a sample, and the one with the lowest held-out log-loss is taken. Unlike the rules, this may
choose a family that takes only some numbers: for `LogNormal`, a zero in a later row is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import tallybayes
from tallybayes.data import frames
from tallybayes.families import Density, Family, Gamma, Gaussian, Histogram, LogNormal, NegativeBinomial
from tallybayes.schema.infer import choose
from tallybayes.schema.infer.choice import Choice
from tallybayes.schema.infer.numbers import UNKNOWN

MOST_ROWS = 20_000  # that families are tried on
LEAST_ROWS = 20
FOLDS = 5


def choose_for(cells: pa.Array, name: str, whole: bool, labels: pa.Array | None) -> Choice:
    """By the rules, or if labels are given for a numeric column, by held-out log-loss."""
    found = choose(cells, name=name, whole=whole)
    if labels is None or not isinstance(found.family, (Gaussian, Histogram)):
        return found
    return _by_loss(found, cells, labels)


def _by_loss(inferred: Choice, cells: pa.Array, labels: pa.Array) -> Choice:
    """The family of the lowest held-out log-loss, the inferred one if none is lower; and what the losses were."""
    if len(cells) < LEAST_ROWS:
        return inferred
    step = -(-len(cells) // MOST_ROWS)
    some = pa.array(np.arange(0, len(cells), step))
    cells, labels = cells.take(some), labels.take(some)
    assert inferred.family is not None
    losses = {family: _loss(family, cells, labels) for family in _rivals(inferred.family, cells)}
    best = min(losses, key=losses.__getitem__)  # the first one on a tie
    told = ", ".join(f"{_name(family)} {loss:.4f}" for family, (_, loss) in sorted(losses.items(), key=lambda x: x[1]))
    return Choice(best, f"{inferred.reason}; held-out log-loss: {told}")


def _rivals(inferred: Family, cells: pa.Array) -> list[Family]:
    x = frames.numbers(cells)
    x = x[np.isfinite(x)]
    intervals = inferred if isinstance(inferred, Histogram) else UNKNOWN
    found = [inferred, Gaussian(), intervals, Density(bits=intervals.bits)]
    if len(x) and x.min() > 0.0:
        found += [LogNormal(), Gamma()]
    if len(x) and x.min() >= 0.0 and (x == np.floor(x)).all():
        found += [NegativeBinomial()]
    return list(dict.fromkeys(found))


def _loss(family: Family, cells: pa.Array, labels: pa.Array) -> tuple[int, float]:
    found: Any = tallybayes.cross_validate({"x": family}, {"x": cells}, labels, k=FOLDS)
    return found.impossible, found.log_loss_of_possible


def _name(family: Family) -> str:
    return type(family).__name__
