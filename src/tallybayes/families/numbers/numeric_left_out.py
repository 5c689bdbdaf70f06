"""Leave-one-out of numbers: the formulas, applied to the exact sums without each value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Counts, Exact, Floats, Mask
from tallybayes.counts.sums import Square, sums_at, weighted_sums
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import distinct, equal_rows, taken, weights_of
from tallybayes.families.numbers.numeric_belief import can_score

STEP = 1 << 18  # numbers computed at a time

Sums = Mapping[str, Exact]


class NumbersLeftOut:
    """The sums of columns by class. Leaving a value out changes the sums of its class, and those of the whole column,
    which a prior may use."""

    def __init__(self, family: Any, sums: Sums) -> None:
        self.family = family
        self.sums = {name: sums[name].carried() for name in family.fields()}  # [column, class]
        self.whole = {name: array.sum(axis=1).carried() for name, array in self.sums.items()}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self.each = family.read(self.sums)

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        return self.evidence(cells, np.zeros(len(cells), np.int64), rows)[0]

    def evidence(self, cells: Floats, columns: Counts, rows: Rows) -> tuple[Floats, Mask]:
        """The evidence of values in these columns, [value, class], and which of them are the only one in their
        column."""
        evidence, alone = np.zeros((len(rows), len(rows.classes))), np.zeros(len(rows), bool)
        there = np.flatnonzero(~np.isnan(cells))
        if not there.size:
            return evidence, alone
        x, column, codes, weights = cells[there], columns[there], rows.codes[there], weights_of(rows)[there]
        key = distinct(x)[1] * len(next(iter(self.whole.values()))) + column
        firsts, kinds = equal_rows(key, Rows(rows.classes, codes, None if rows.weights is None else weights))
        step = max(STEP // len(rows.classes), 1)
        parts = (firsts[at : at + step] for at in range(0, len(firsts), step))
        found = [self._evidence(x[part], column[part], codes[part], weights[part]) for part in parts]
        evidence[there] = np.concatenate([logs for logs, _ in found])[kinds]
        alone[there] = np.concatenate([none for _, none in found])[kinds]
        return evidence, alone

    def _evidence(self, x: Floats, columns: Counts, codes: Codes, weights: Floats) -> tuple[Floats, Mask]:
        family = self.family
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            each, total = self._left(self._own(x, weights), columns, codes)
            s = family.updated(each, total)
            s = type(s)(*(np.broadcast_to(value, each.n.shape) for value in s))
        evidence = family.log_likelihood(s, x[:, None])
        unknown = ~can_score(each.n, s)
        if unknown.any():  # as in `NumericBelief.silent`
            silent = np.isneginf(family.log_likelihood(sums_at(s, unknown), np.ones((1, 1)))).all(axis=1)
            evidence[np.flatnonzero(unknown)[silent]] = 0.0
        return evidence, ~np.any(each.n > 0, axis=1)

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

    def _left(self, own: Sums, columns: Counts, codes: Codes) -> tuple[Any, Any]:
        """The sums of every class without each value, [value, class], and those of its whole column, [value, 1]."""
        mine = self.family.read(_without(self.sums, (columns, codes), own))
        each = type(mine)(*(value[columns] for value in self.each))
        for left, value in zip(each, mine, strict=True):
            left[np.arange(len(codes)), codes] = value
        if not self.family.takes_total:
            return each, each
        whole = self.family.read(_without(self.whole, columns, own))
        return each, sums_at(whole, (slice(None), None))


def _without(sums: Sums, at: Any, own: Sums) -> Sums:
    return without_traces({name: taken(array, at, own[name]) for name, array in sums.items()}, own)
