"""Leave-one-out of numbers: the exact sums without each value, and what the formulas make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Exact, Floats
from tallybayes.counts.sums import Square, sums_at, weighted_sums
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import alike, taken, weights_of

STEP = 1 << 18  # numbers that are worked out at once

Sums = Mapping[str, Exact]


class NumbersLeftOut:
    """A column's sums by class. Without a value, those of its class are others, and so are those of the whole column,
    which a prior may look at."""

    def __init__(self, family: Any, sums: Sums) -> None:
        self.family = family
        self.sums = {name: sums[name].carried() for name in family.fields()}
        self.whole = {name: array.sum()[None] for name, array in self.sums.items()}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self.each = family.read(self.sums)

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        said = np.zeros((len(rows), len(rows.classes)))
        there = np.flatnonzero(~np.isnan(cells))
        if not there.size:
            return said
        x, codes, weights = cells[there], rows.codes[there], weights_of(rows)[there]
        firsts, kinds = alike(x, Rows(rows.classes, codes, None if rows.weights is None else weights))
        step = max(STEP // len(rows.classes), 1)
        parts = (firsts[at : at + step] for at in range(0, len(firsts), step))
        said[there] = np.concatenate([self._said(x[part], codes[part], weights[part]) for part in parts])[kinds]
        return said

    def _said(self, x: Floats, codes: Codes, weights: Floats) -> Floats:
        family = self.family
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            each, total = self._left(self._own(x, weights), codes)
            s = family.updated(each, total)
            s = type(s)(*(np.broadcast_to(value, each.n.shape) for value in s))
        said = family.log_likelihood(s, x[:, None])
        alone = np.flatnonzero(~np.any(each.n > 0, axis=1))  # no other value was counted: see `NumericBelief.silent`
        if alone.size:
            silent = np.isneginf(family.log_likelihood(sums_at(s, alone), np.ones((1, 1)))).all(axis=1)
            said[alone[silent]] = 0.0
        return said

    def _own(self, x: Floats, weights: Floats) -> dict[str, Exact]:
        """What each value added to the sums."""
        each = np.arange(len(x), dtype=np.int32)
        found = {}
        for name, statistic in zip(self.sums, self.family.sufficient(x), strict=True):
            if isinstance(statistic, np.ndarray):
                found[name] = weighted_sums([weights, statistic], each, len(x))
            elif isinstance(statistic, Square):
                found[name] = weighted_sums([weights, statistic.of, statistic.of], each, len(x))
            else:
                found[name] = Exact.of(weights)
        return found

    def _left(self, own: Sums, codes: Codes) -> tuple[Any, Any]:
        """The sums of every class without each value, [value, class]; and of the whole column, [value, 1]."""
        mine = self.family.read(_without(self.sums, codes, own))
        rows = np.arange(len(codes))
        each = type(mine)(*(np.tile(value, (len(codes), 1)) for value in self.each))
        for left, value in zip(each, mine, strict=True):
            left[rows, codes] = value
        if not self.family.takes_total:
            return each, each
        whole = self.family.read(_without(self.whole, np.zeros(len(codes), np.intp), own))
        return each, sums_at(whole, (slice(None), None))


def _without(sums: Sums, at: Any, own: Sums) -> Sums:
    return without_traces({name: taken(array, at, own[name]) for name, array in sums.items()}, own)
