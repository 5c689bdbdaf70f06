"""Numeric families: a family is a few formulas, and everything else follows from them here.

`sufficient` defines what to sum; `log_predictive` scores a new value with the parameters integrated out; `estimate` and
`log_density` do the same with the parameters estimated (`plugin=True`); `draw` samples values. The base class handles
summing, missing values, classes, merging and forgetting.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args, get_origin

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import TRACE, Exact, Floats, Mask
from tallybayes.counts.row_tally import RowTally
from tallybayes.counts.rows import class_sums
from tallybayes.counts.sums import InfiniteError, Square, concatenated, mean, sums_at
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, numbers
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError, warn
from tallybayes.families.base import Family
from tallybayes.families.belief import Belief, NotLinearError
from tallybayes.families.events import NoJointError
from tallybayes.families.left_out import LeftOut
from tallybayes.families.numbers.numeric_belief import BeliefTable, Compiled, NumericBelief, can_score
from tallybayes.families.numbers.numeric_left_out import NumbersLeftOut
from tallybayes.families.numbers.support import LARGEST, REAL, Support
from tallybayes.families.portable import ByFormula, NotPortableError
from tallybayes.families.posteriors import Posterior
from tallybayes.families.settings import setting

S = TypeVar("S", bound=tuple[Any, ...])
SMALL = 1 << 14  # numbers: up to here one matrix is faster than summing column by column
ONLY = {"": 0}  # the slot of numbers, which has no name
FURTHEST = {"x": LARGEST, "log_x": 746.0, "log_xx": 746.0**2}  # the largest means of numbers, or of their logarithms


@dataclass(frozen=True, kw_only=True, repr=False)
class Numeric(Family, Generic[S]):
    """A column of numbers. `plugin=True` scores with the estimated parameters instead of integrating them out."""

    reads: ClassVar[pa.DataType | None] = pa.float64()
    takes_shares: ClassVar[bool] = True
    sums: ClassVar[Any]  # a NamedTuple: the names of the sums, `n` first; the S of Numeric[S]
    support: ClassVar[Support] = REAL
    of_logs: ClassVar[bool] = False  # whether its parameters are those of log x
    belief: ClassVar[type[NumericBelief]] = NumericBelief  # scores by the formulas
    plugin: bool = setting(False, "score with estimated parameters instead of integrating them out")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in vars(cls).get("__orig_bases__", ()):
            if isinstance(get_origin(base), type) and issubclass(get_origin(base), Numeric):
                (cls.sums,) = get_args(base)

    @abstractmethod
    def sufficient(self, x: Floats) -> S:
        """What to sum: 1 for "how many", the values themselves, functions of them, or their exact `Square`."""

    @abstractmethod
    def log_predictive(self, s: Any, x: Floats) -> Floats:
        """log p(x | the sums), parameters integrated out."""

    @abstractmethod
    def estimate(self, s: Any) -> dict[str, Floats]:
        """Point estimates of the parameters."""

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        """log p(x | parameters), for `plugin=True`."""
        raise TypeError(f"{type(self).__name__} has no density at estimated parameters; leave plugin=False.")

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        """The log-likelihood of these parameters from the prior's pseudo-values: `estimate` maximises its sum with that
        of the counted values. `total` is the whole column. 0 if `estimate` is not a maximum."""
        return 0.0

    def posterior(self, s: Any) -> Posterior:
        """The posterior of the parameters, from the sums of one class."""
        raise TypeError(f"{type(self).__name__} has no posterior distribution of its parameters.")

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        """(weight, constant) with log p(x | parameters) = weight · x + constant, up to a term that all classes
        share."""
        raise NotLinearError(f"{type(self).__name__} is not linear in the value; leave the column out of the schema.")

    def portable(self, s: Any) -> ByFormula:
        """The same as a formula that other programs can compute, up to a term that all classes share."""
        raise NotPortableError(f"{type(self).__name__} has no formula that other programs can compute.")

    @property
    def in_common(self) -> int:
        """How many of the parameters are shared by all classes."""
        return 0

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        """Values drawn at these parameters, one for each set of them."""
        raise TypeError(f"{type(self).__name__} does not implement draw.")

    def draw_parameters(self, s: Any, random: np.random.Generator, size: int) -> dict[str, Floats]:
        """The parameters of one class to draw values at: the estimates, or draws from the posterior, which integrates
        them out."""
        if self.plugin:
            return {name: np.full(size, value) for name, value in self.estimate(s).items()}
        return self.posterior(s).draw(random, size)

    def draw_for_classes(self, s: Any, random: np.random.Generator) -> dict[str, Floats]:
        """The parameters of every class, drawn once from their posterior."""
        each = [self.posterior(sums_at(s, index)).draw(random, 1) for index in range(len(s[0]))]
        return {name: np.concatenate([one[name] for one in each]) for name in each[0]}

    def read(self, sums: Mapping[str, Exact]) -> Any:
        """Exact sums → what the formulas take: by default each sum rounded once."""
        return self.sums(**{name: np.clip(sums[name].round(), -LARGEST, LARGEST) for name in self.sums._fields})

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        if self.support.lowest == 0.0 and "x" in cells and cells["x"].is_below(TRACE).any():
            return "a sum of non-negative numbers would be negative"
        return "a mean would exceed the largest double" if self._too_far(cells) else None

    def _too_far(self, cells: Mapping[str, Exact]) -> bool:
        """Whether a mean of numbers, or of their logarithms, is impossibly large."""
        n = cells["n"].round()
        for name in FURTHEST.keys() & cells.keys():
            with np.errstate(over="ignore"):
                far = (n > TRACE) & ~(np.abs(cells[name].round()) < np.minimum(n * FURTHEST[name] / 2.0, LARGEST))
            if far.any() and np.any(np.abs(mean(cells["n"][far], cells[name][far])) > FURTHEST[name]):
                return True
        return False

    def updated(self, s: Any, total: Any) -> Any:
        """The argument `s` of the formulas: the sums of each class, along the last axis, with whatever the prior takes
        from the whole column, `total`. By default the sums alone."""
        return s

    @property
    def takes_total(self) -> bool:
        """Whether `updated` uses the whole column."""
        return type(self).updated is not Numeric.updated

    def compiled(self, s: Any) -> Compiled | None:
        """A kernel that scores columns faster than the formulas, with its parameters for each, if there is one."""
        return None

    @classmethod
    def statistics(cls) -> str:
        return str(cls.sums.__name__)

    def fields(self) -> tuple[str, ...]:
        return tuple(self.sums._fields)

    def takes(self, slots: Sequence[Any]) -> bool:
        return set(slots) <= {""}

    def encode(self, cells: Cells) -> Floats:
        return numbers(cells)

    def check(self, x: Floats) -> None:
        """Checks a column or a matrix; if any finite number is allowed, infinities are found when summing."""
        if not self.support.takes_all(x):
            first = np.flatnonzero(self.support.outside(x))[0]
            row, value = first // (x.size // len(x)), x.reshape(-1)[first]
            raise CellError(int(row), self.support.refusal(value, self))

    def outside(self, x: Floats) -> Mask:
        """Where new values are outside the support: they add nothing, with a warning. An infinity is an error."""
        bad = self.support.outside(x)
        if bad.any():
            if np.isinf(x).any():
                self.check(np.where(np.isinf(x), x, np.nan))
            value = x[np.flatnonzero(bad)[0]]
            warn(
                f"{value} is not {self.support.words}, as {type(self).__name__} expects; "
                f"such cells ({bad.sum()}) are treated as missing."
            )
        return bad

    def tally(self, cells: Floats, rows: Rows) -> Tally:
        return self.tally_each([cells], rows)[0]

    def tally_each(self, columns: Sequence[Floats], rows: Rows) -> list[Tally]:
        """The columns of a few rows as one matrix, otherwise each as a matrix of one column."""
        if rows.only is not None:
            return self._row_tallies(np.concatenate(columns), rows, rows.only)
        if len(columns) == 1 or len(rows) * len(columns) > SMALL:
            return [self._tallies(cells[:, None], rows)[0] for cells in columns]
        return self._tallies(np.ascontiguousarray(np.array(columns).T), rows)

    def _row_tallies(self, cells: Floats, rows: Rows, key: Key) -> list[Tally]:
        """The tallies of a single row's cells; a cell that is missing or invalid is handled as in a batch."""
        wanted, names = self.sufficient(cells), self.sums._fields
        found, finite = kernels.row_values(wanted, len(cells), key, names, self._squares)
        if finite and (self.support is REAL or self.support.takes_all(cells)):
            return list(map(RowTally, found))
        takes = self.support.takes
        return [
            RowTally(row) if isfinite(sum(row[3])) and takes(x) else self._tallies(np.array([[x]]), rows)[0]
            for x, row in zip(cells.tolist(), found, strict=True)
        ]

    @cached_property
    def _squares(self) -> tuple[bool, ...]:
        """Which of the sums are those of exact squares."""
        return tuple(isinstance(each, Square) for each in self.sufficient(np.zeros(0)))

    def _tallies(self, matrix: Floats, rows: Rows) -> list[Tally]:
        """The tally of every column."""
        if self.support is not REAL:
            self.check(matrix)
        try:
            sums = self.sums_of(matrix, rows)
        except InfiniteError as infinite:
            reason = f"{INFINITE}; {type(self).__name__} expects {self.support.words}. {FINITE_INSTEAD}"
            raise CellError(infinite.row, reason) from None
        arrays = [(name, array.limbs, array.low) for name, array in sums.items()]
        return [
            Tally(rows.numbers, ONLY, {name: Exact(limbs[i : i + 1], low) for name, limbs, low in arrays})
            for i in range(matrix.shape[1])
        ]

    def sums_of(self, matrix: Floats, rows: Rows) -> dict[str, Exact]:
        """Each statistic's sum by class, of every column; a value and its square in one pass."""
        wanted = self.sufficient(matrix)
        squared = {id(value.of) for value in wanted if isinstance(value, Square)}
        passes = {
            id(value): class_sums(_present(value, matrix), rows, id(value) in squared)
            for value in wanted
            if isinstance(value, np.ndarray)
        }
        n = next(iter(passes.values())).n
        result: dict[str, Exact] = {}
        for name, value in zip(self.sums._fields, wanted, strict=True):
            if isinstance(value, Square):
                square = passes[id(value.of)].xx
                assert square is not None
                result[name] = square
            else:
                result[name] = passes[id(value)].x if isinstance(value, np.ndarray) else n
        return result

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return self.believe_each([tally], classes)[0]

    def believe_each(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> list[Belief]:
        known = [tally.read([""], classes) for tally in tallies]
        sums = {name: concatenated([each[name] for each in known]) for name in self.sums._fields}
        table = self.table(sums)
        return [table.belief(column) for column in range(len(tallies))]

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        return NumbersLeftOut(self, tally.read([""], classes))

    def table(self, sums: Mapping[str, Exact]) -> BeliefTable:
        """The beliefs of several columns, from their sums by class."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            each = total = self.read(sums)
            if self.takes_total:
                whole = {name: array.sum(axis=1) for name, array in sums.items()}
                total = sums_at(self.read(whole), (slice(None), None))
            s = self.updated(each, total)
            s = type(s)(*(np.broadcast_to(value, each.n.shape) for value in s))
            return BeliefTable(self, s, can_score(each.n, s), self.compiled(s))

    def settled(self, belief: Any) -> Self:
        return self if type(self).log_density is Numeric.log_density else replace(self, plugin=True)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_pseudo_of(self, tally.read([""], classes))

    def shares(self, s: Any, x: float) -> tuple[Floats, Floats]:
        """P(≤ x) and P(> x) of a continuous number, under the density that scores."""
        raise NoJointError(f"{type(self).__name__} has no probabilities of intervals.")

    def log_likelihood(self, s: Any, x: Floats) -> Floats:
        """The log density that scores; −∞ without counts or prior."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs = self.log_density(x, **self.estimate(s)) if self.plugin else self.log_predictive(s, x)
        return np.where(np.isnan(logs), -np.inf, logs)


def _present(value: Floats, cells: Floats) -> Floats:
    """A statistic of the cells that are present."""
    return value if value is cells else np.where(np.isnan(cells), np.nan, value)


def log_pseudo_of(family: Any, sums: Mapping[str, Exact]) -> float:
    """The log density of the priors of several columns at the estimates from their sums by class."""
    with np.errstate(all="ignore"):
        each = family.read(sums)
        total = sums_at(family.read({name: array.sum(axis=1) for name, array in sums.items()}), (slice(None), None))
        density = family.log_pseudo(total, **family.estimate(family.updated(each, total)))
    return float(np.sum(np.where(np.isnan(density), 0.0, density)))
