"""The evidence of vectors of numbers: the sum over all positions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Indices, Mask
from tallybayes.counts.sums import sums_at
from tallybayes.families.belief import MANY_PARTS, Belief, Free
from tallybayes.families.numbers.numeric_belief import BeliefTable
from tallybayes.families.numbers.whole_numbers import WholeBelief, first_numbers, is_listed
from tallybayes.families.posteriors import Posterior
from tallybayes.families.vectors.matrix_cells import Columns, Dense, Sparse, Vectors, refuse_infinite

STEP = 1 << 18  # numbers computed at a time
FEW = 1 << 10  # positions: up to here each has a table of whole numbers


class EachBelief(Belief):
    """The beliefs of all positions, scored at once."""

    bound = MANY_PARTS

    def __init__(self, table: BeliefTable) -> None:
        self.table = table
        self.family, self.s, self.compiled = table.family, table.s, table.compiled
        self.size, self.width = self.s[0].shape
        by_kernel = np.zeros(self.size, bool) if self.compiled is None else self.compiled.fits
        self._by_kernel, self._by_formula = np.flatnonzero(by_kernel), np.flatnonzero(~by_kernel)

    def free(self) -> Free:
        one = len(self.estimates()) - self.family.in_common
        return Free(one * self.size, self.family.in_common * self.size)

    def add_evidence(self, cells: Vectors, scores: Floats) -> None:
        """Positions beyond those that were counted are no evidence."""
        if isinstance(cells, Sparse):
            refuse_infinite(cells, self.family.support.words)
            scores[:, : len(cells)] += self._sparse(cells)
        elif cells.width == self.size and not self._by_formula.size:
            self._add_kernel(cells, scores)
        else:
            refuse_infinite(cells, self.family.support.words)
            self._add_by_position(cells.turned().matrix[:, : self.size], scores)

    def _add_by_position(self, matrix: Floats, scores: Floats) -> None:
        """Some positions by the kernel, or by tables of whole numbers, and the others by the formula."""
        width = matrix.shape[1]
        if issubclass(self.family.belief, WholeBelief) and width == self.size <= FEW:
            if kernels.add_whole(list(np.ascontiguousarray(matrix.T)), self._tables, scores):
                self._add_formula(np.where(is_listed(matrix, len(self._tables[0])), np.nan, matrix), scores)
            return
        at = self._by_kernel[self._by_kernel < width]
        if at.size:
            self._add_kernel(Dense(np.ascontiguousarray(matrix[:, at])), scores, at)
        if at.size < width:
            self._add_formula(matrix, scores, self._by_formula[self._by_formula < width])

    def _add_kernel(self, cells: Dense | Columns, scores: Floats, at: Any = slice(None)) -> None:
        assert self.compiled is not None
        kind, settings = self.compiled.kind, [np.ascontiguousarray(each[at]) for each in self.compiled.settings]
        numbers = cells.matrix if isinstance(cells, Dense) else cells.columns
        if kind.kernel(numbers, *settings, scores, self.family.of_logs):  # some may be infinite or outside the support
            refuse_infinite(cells, self.family.support.words)
            self.family.outside(cells.values)

    @cached_property
    def _tables(self) -> list[Floats]:
        """The evidence of the first whole numbers in every position."""
        numbers = first_numbers(self.width)
        step = max(STEP // (self.width * len(numbers)), 1)
        found: list[Floats] = []
        for start in range(0, self.size, step):
            at = slice(start, start + step)
            logs = self.family.log_likelihood(sums_at(self.s, (at, slice(None), None)), numbers)
            found += list(np.ascontiguousarray(np.where(self._silent[at, None, None], 0.0, logs).swapaxes(1, 2)))
        return found

    def _add_formula(self, matrix: Floats, scores: Floats, at: Any = slice(None)) -> None:
        matrix = matrix[:, at]
        missing = self.family.outside(matrix.reshape(-1)).reshape(matrix.shape) | np.isnan(matrix)
        missing |= self._silent[at][: matrix.shape[1]]
        values = np.where(missing, 1.0, matrix)
        s = sums_at(sums_at(self.s, at), (slice(matrix.shape[1]), slice(None), None))
        step = max(STEP // max(self.size * self.width, 1), 1)
        for start in range(0, len(matrix), step):
            rows = slice(start, min(start + step, len(matrix)))
            logs = self.family.log_likelihood(s, np.ascontiguousarray(values[rows].T)[:, None, :])
            scores[:, rows] += np.where(missing[rows].T[:, None, :], 0.0, logs).sum(axis=0)

    def _sparse(self, cells: Sparse) -> Floats:
        """The evidence of a vector of zeros, corrected by every number that is stored."""
        zeros, impossible = self._zeros
        known = cells.positions < self.size
        rows, at, x = cells.rows[known], cells.positions[known], cells.values[known]
        missing = np.isnan(x) | self.family.outside(x)
        total = np.tile(zeros.sum(axis=0)[:, None], len(cells))
        left = np.tile(impossible.sum(axis=0)[:, None], len(cells))
        step = max(STEP // max(self.width, 1), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            logs = self._evidence(at[part], np.where(missing[part], 1.0, x[part]))
            instead = np.where(missing[part][:, None], 0.0, logs) - zeros[at[part]]
            for c in range(self.width):
                total[c] += np.bincount(rows[part], instead[:, c], len(cells))
                left[c] -= np.bincount(rows[part], impossible[at[part], c], len(cells))
        total[left > 0.5] = -np.inf
        total[:, cells.missing] = 0.0
        return total

    @cached_property
    def _silent(self) -> Mask:
        """The positions without counts or prior in any class."""
        logs = self.family.log_likelihood(self.s, np.ones((1, 1)))
        return ~self.table.counted & np.isneginf(logs).all(axis=1)

    @cached_property
    def _zeros(self) -> tuple[Floats, Floats]:
        """The evidence of a zero in each position, and where it is impossible (0 in the first)."""
        logs = self._evidence(np.arange(self.size), np.zeros(self.size))
        impossible = np.isneginf(logs)
        return np.where(impossible, 0.0, logs), impossible.astype(np.float64)

    def _evidence(self, at: NDArray[Any], x: Floats) -> Floats:
        """The evidence of numbers in these positions for every class, one row for each."""
        if not self._by_formula.size:
            return self._evidence_by_kernel(at, x)
        logs = self.family.log_likelihood(sums_at(self.s, at), x[:, None])
        logs = np.where(self._silent[at][:, None], 0.0, logs)
        if self.compiled is None or not self._by_kernel.size:
            return logs
        return np.where(self.compiled.fits[at][:, None], self._evidence_by_kernel(at, x), logs)

    def _evidence_by_kernel(self, at: NDArray[Any], x: Floats) -> Floats:
        assert self.compiled is not None
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            settings = [each[at] for each in self.compiled.settings]
            return self.compiled.kind.evidence(x[:, None], settings, self.family.of_logs)

    def estimates(self) -> dict[str, Floats]:
        """For each parameter and class, the values of all positions."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return {name: values.T for name, values in self.family.estimate(self.s).items()}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("A column of vectors has parameters for every position; use its estimates.")

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        drawn = [self.table.belief(i).draw(random, classes).cast(pa.float64()) for i in range(self.size)]
        numbers = np.stack([column.to_numpy(zero_copy_only=False) for column in drawn], axis=1)
        return pa.FixedSizeListArray.from_arrays(pa.array(numbers.reshape(-1), from_pandas=True), self.size)
