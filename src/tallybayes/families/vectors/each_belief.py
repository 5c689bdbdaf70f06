"""What vectors of numbers say: every position by itself, added up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.sums import sums_at
from tallybayes.families.base import Belief, Free, Scorer
from tallybayes.families.numbers.compiled_belief import CompiledBelief
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.numbers.whole_numbers import WholeBelief
from tallybayes.families.posteriors import Posterior
from tallybayes.families.vectors.matrix_cells import Dense, Sparse, Vectors, refuse_infinite

STEP = 1 << 18  # so many numbers are worked out at once
FEW = 1 << 10  # positions, for each of which a table of whole numbers is kept


class EachBelief(Belief):
    """A belief for each position; where the family needs to know nothing of whole columns, one for all of them."""

    def __init__(self, family: Measured[Any], sums: Mapping[str, Exact]) -> None:
        self.family = family
        self.size, self.width = next(iter(sums.values())).shape
        self._single: list[Any] = []  # of every position
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self.s = family.read(sums)
            if family.settled():
                scorer = family.scorer(self.s)
                self._kind, self._settings = type(scorer), getattr(scorer, "settings", [])
                return
            total = family.read({name: array.sum(axis=1) for name, array in sums.items()})
            self._single = [family.believe_one(sums_at(total, i), sums_at(self.s, i)) for i in range(self.size)]
        kinds = {type(belief) for belief in self._single}
        self._kind = kinds.pop() if len(kinds) == 1 else Belief
        self._settings = self._kind.joined(self._single) if issubclass(self._kind, CompiledBelief) else []

    def belief(self, position: int) -> Any:
        """What is believed of one position."""
        return self._single[position] if self._single else self.family.scorer(sums_at(self.s, position))

    def free(self) -> Free:
        one = len(self.estimates()) - self.family.in_common
        return Free(one * self.size, self.family.in_common * self.size)

    def add_evidence(self, cells: Vectors, scores: Floats) -> None:
        if isinstance(cells, Sparse):
            refuse_infinite(cells, self.family.support.words)
            scores[:, : len(cells)] += self._sparse(cells)
            return
        if issubclass(self._kind, CompiledBelief) and cells.width == self.size:
            numbers = cells.matrix if isinstance(cells, Dense) else cells.columns
            extreme = self._kind.kernel(numbers, *self._settings, scores, self._kind.logs)
            if extreme:  # some may be infinite, or are not taken
                refuse_infinite(cells, self.family.support.words)
                self.family.outside(cells.values)
            return
        refuse_infinite(cells, self.family.support.words)
        matrix = cells.turned().matrix[:, : self.size]
        if issubclass(self._kind, WholeBelief) and matrix.shape[1] == self.size <= FEW:
            self._by_table(list(np.ascontiguousarray(matrix.T)), scores)
            return
        if not self._single and not issubclass(self._kind, CompiledBelief):
            self._add_formula(matrix, scores)
            return
        for position, column in enumerate(matrix.T):  # positions beyond those that were counted say nothing
            self.belief(position).add_evidence(np.ascontiguousarray(column), scores)

    @cached_property
    def _by_table(self) -> Scorer:
        """Whole numbers of every position, each looked up in its own table."""
        return WholeBelief.together([self.belief(position) for position in range(self.size)])

    def _add_formula(self, matrix: Floats, scores: Floats) -> None:
        missing = self.family.outside(matrix.reshape(-1)).reshape(matrix.shape) | np.isnan(matrix)
        missing |= self._silent[: matrix.shape[1]]
        values = np.where(missing, 1.0, matrix)
        s = sums_at(self.s, (slice(matrix.shape[1]), slice(None), None))
        step = max(STEP // max(self.size * self.width, 1), 1)
        for start in range(0, len(matrix), step):
            rows = slice(start, min(start + step, len(matrix)))
            said = self.family.log_likelihood(s, values[rows].T[:, None, :])
            scores[:, rows] += np.where(missing[rows].T[:, None, :], 0.0, said).sum(axis=0)

    def _sparse(self, cells: Sparse) -> Floats:
        """What vectors of zeros say, and of every number that is stored what it says instead."""
        zeros, impossible = self._zeros
        known = cells.positions < self.size
        rows, at, x = cells.rows[known], cells.positions[known], cells.values[known]
        missing = np.isnan(x) | self.family.outside(x)
        total = np.tile(zeros.sum(axis=0)[:, None], len(cells))
        left = np.tile(impossible.sum(axis=0)[:, None], len(cells))
        step = max(STEP // max(self.width, 1), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            said = self._said(at[part], np.where(missing[part], 1.0, x[part]))
            instead = np.where(missing[part][:, None], 0.0, said) - zeros[at[part]]
            for c in range(self.width):
                total[c] += np.bincount(rows[part], instead[:, c], len(cells))
                left[c] -= np.bincount(rows[part], impossible[at[part], c], len(cells))
        total[left > 0.5] = -np.inf
        total[:, cells.missing] = 0.0
        return total

    @cached_property
    def _silent(self) -> NDArray[np.bool_]:
        """The positions in which nothing was counted in any class, and nothing is assumed."""
        said = self.family.log_likelihood(self.s, np.ones((1, 1)))
        return ~np.any(self.s.n > 0, axis=1) & np.isneginf(said).all(axis=1)

    @cached_property
    def _zeros(self) -> tuple[Floats, Floats]:
        """What a zero says in each position, and where it is impossible (and here says nothing)."""
        said = self._said(np.arange(self.size), np.zeros(self.size))
        impossible = np.isneginf(said)
        return np.where(impossible, 0.0, said), impossible.astype(np.float64)

    def _said(self, at: NDArray[Any], x: Floats) -> Floats:
        """What numbers in these positions say about every class, one row for each."""
        if issubclass(self._kind, CompiledBelief):
            return self._kind.said(x[:, None], [each[at] for each in self._settings])
        if not self._single:
            said = self.family.log_likelihood(sums_at(self.s, at), x[:, None])
            return np.where(self._silent[at][:, None], 0.0, said)
        said = np.zeros((len(at), self.width))
        for position in np.unique(at).tolist():
            here = at == position
            scores = np.zeros((self.width, int(here.sum())))
            self._single[position].add_evidence(np.ascontiguousarray(x[here]), scores)
            said[here] = scores.T
        return said

    def estimates(self) -> dict[str, Floats]:
        """For each parameter and class, the values of all positions."""
        if self._single:
            found = [belief.estimates() for belief in self._single]
            return {name: np.stack([each[name] for each in found], axis=1) for name in found[0]}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return {name: values.T for name, values in self.family.estimate(self.s).items()}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("A column of vectors has parameters for every position; ask for its estimates.")

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        drawn = [self.belief(i).draw(random, classes).cast(pa.float64()) for i in range(self.size)]
        numbers = np.stack([column.to_numpy(zero_copy_only=False) for column in drawn], axis=1)
        return pa.FixedSizeListArray.from_arrays(pa.array(numbers.reshape(-1), from_pandas=True), self.size)
