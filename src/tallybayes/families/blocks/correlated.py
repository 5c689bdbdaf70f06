"""Numbers that vary together: linear and quadratic discriminant analysis, from exact sums of products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats, Indices
from tallybayes.counts.rows import class_sums
from tallybayes.counts.sums import concatenated, weighted_table
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families.base import Belief
from tallybayes.families.blocks.block import NumberBlock
from tallybayes.families.blocks.correlated_belief import CorrelatedBelief
from tallybayes.families.blocks.correlated_left_out import CorrelatedLeftOut
from tallybayes.families.blocks.moments import moments_of
from tallybayes.families.left_out import LeftOut, fold_by_fold
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.settings import setting

OWN, SHARED = "own", "shared"
FIELDS = {"columns": ("n", "x", "xx"), "pairs": ("n", "xy"), "apart": ("n", "x")}
AT_ONCE = 1 << 20  # products at a time


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlated(NumberBlock):
    """Several numbers that vary together: Gaussian with an unknown mean, and an unknown covariance.

    `covariance` is "own", one for every class (quadratic discriminant analysis), or "shared", one for all classes
    around their own means (linear discriminant analysis). The prior is worth `m` rows with the columns' variances over
    all classes, but no correlations: it shrinks means and covariances, and keeps them usable if there are more columns
    than rows. With mean and covariance integrated out, a new row has a multivariate Student's t distribution;
    `plugin=True` scores with the estimates instead, and `m=0` with it is maximum likelihood. `unbiased` divides an
    estimated covariance by n − 1, or a shared one by n minus the number of classes.

    If some cells of a row are missing, the others are counted, and scored by their marginal distribution. With one
    column, this is `Gaussian`.

    >>> from tallybayes import Model
    >>> rows = {"height": [1.6, 1.7, 1.8, 1.7], "weight": [60.0, 64.0, 72.0, 80.0]}
    >>> model = Model.train({("height", "weight"): Correlated(m=0, plugin=True)}, rows, ["a", "a", "a", "b"])
    >>> round(model.estimates(("height", "weight"))["covariance(height, weight)"]["a"], 12)
    0.4
    >>> model.counts(("height", "weight"))["pairs"]["height", "weight"]["xy"]["b"]
    136.0
    """

    covariance: str = setting(
        OWN,
        '"own": one for each class (quadratic discriminant analysis); "shared": one for all classes, around their own '
        "means (linear)",
        choices=(OWN, SHARED),
    )
    m: float = setting(1.0, "how many rows the prior is worth; 0 with `plugin` is maximum likelihood", least=0)
    plugin: bool = setting(False, "score with estimated parameters instead of integrating them out")
    unbiased: bool = setting(
        False,
        "with `plugin`, divide covariances by n − 1, or shared ones by n − the number of classes, as R's `MASS` does; "
        "otherwise by n",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unbiased and not self.plugin:
            raise ValueError("Correlated(unbiased=True) applies to estimated covariances; give plugin=True too.")

    @property
    def shared(self) -> bool:
        return self.covariance == SHARED

    def empty(self) -> Tallies:
        return Tallies({part: Tally.empty(fields) for part, fields in FIELDS.items()})

    def tally(self, cells: Floats, rows: Rows) -> Tallies:
        """`columns` has each column's own sums, `pairs` those of rows where two columns are both present, and `apart`
        those of one where the other is missing: empty if no cell is missing."""
        cells = np.ascontiguousarray(cells)
        n, x, xx = class_sums(cells, rows, True)
        assert xx is not None
        both = sum_products(cells, *np.triu_indices(len(self.columns), 1), rows)
        pairs = np.array(list(permutations(range(len(self.columns)), 2)), np.intp).reshape(-1, 2)
        apart = pairs[np.asarray(np.isnan(cells).any(axis=0))[pairs[:, 1]]]
        alone = sum_apart(cells, apart[:, 0], apart[:, 1], rows)
        names = [(self.columns[one], self.columns[other]) for one, other in apart.tolist()]
        return Tallies(
            {
                "columns": Tally(rows.classes, self.columns, {"n": n, "x": x, "xx": xx}),
                "pairs": Tally(rows.classes, self.pairs(), {"n": both.n, "xy": both.total}),
                "apart": Tally(rows.classes, names, {"n": alone.n, "x": alone.total}),
            }
        )

    def believe(self, tally: Tallies, classes: Sequence[Key]) -> Belief:
        return CorrelatedBelief(self, moments_of(self, tally, classes))

    def left_out(self, tally: Tallies, classes: Sequence[Key]) -> LeftOut:
        return CorrelatedLeftOut(self, tally, classes)

    def left_out_parts(self, tally: Tallies, classes: Sequence[Key], cells: Floats, rows: Rows) -> Floats:
        """Fold by fold: products of two columns would be subtracted for every row otherwise."""
        return fold_by_fold(self, tally, classes, cells, rows)[:, :, None]

    def takes(self, slots: Any) -> bool:
        possible = {"columns": self.columns, "pairs": self.pairs(), "apart": list(permutations(self.columns, 2))}
        return all(set(slots[part]) <= set(known) for part, known in possible.items())

    def present(self, tally: Tallies, classes: Sequence[Key]) -> Exact:
        """The largest number of cells of any column."""
        return tally["columns"].aligned(self.columns, classes).sums["n"]

    def impossible(self, tally: Tallies, touched: Tallies) -> str | None:
        cells = tally.touched(touched)
        return Gaussian().refusal(cells["columns"]) or self.refusal(cells["pairs"]) or self.refusal(cells["apart"])

    def discord(self, tally: Tallies, classes: Sequence[Key]) -> str | None:
        """Every cell is in a row where another column is either present or missing."""
        number = {column: i for i, column in enumerate(self.columns)}
        pairs = list(permutations(self.columns, 2))
        if not pairs:
            return None
        of_column = tally["columns"].aligned(self.columns, classes).sums["n"][[number[one] for one, _ in pairs]]
        both = {pair: i for i, pair in enumerate(self.pairs())}
        together = tally["pairs"].aligned(list(both), classes).sums["n"][[both[min(p, p[::-1])] for p in pairs]]
        wrong = np.argwhere((together + tally["apart"].aligned(pairs, classes).sums["n"]).differs(of_column, 4))
        if not len(wrong):
            return None
        one, other = pairs[wrong[0, 0]]
        return f"{one!r} would not be present as often as with and without {other!r}"


class PairSums(NamedTuple):
    """For each pair of columns and each class."""

    n: Exact  # how many rows, or their weight
    total: Exact


def sum_products(x: Floats, firsts: Indices, seconds: Indices, rows: Rows) -> PairSums:
    """Σxy for pairs of columns, over the rows in which both are present."""

    def work(some: slice) -> PairSums:
        return _products(x, firsts[some], seconds[some], rows)

    return _in_steps(work, len(firsts), rows)


def sum_apart(x: Floats, firsts: Indices, seconds: Indices, rows: Rows) -> PairSums:
    """Σx of the first of two columns, over the rows in which the second is missing."""

    def work(some: slice) -> PairSums:
        alone = np.where(np.isnan(x[:, seconds[some]]), x[:, firsts[some]], np.nan)
        n, total, _ = class_sums(np.ascontiguousarray(alone), rows, False)
        return PairSums(n, total)

    return _in_steps(work, len(firsts), rows)


def _in_steps(work: Callable[[slice], PairSums], pairs: int, rows: Rows) -> PairSums:
    """Some pairs at a time: all rows of all pairs are a large table."""
    step = max(AT_ONCE // max(len(rows), 1), 1)
    parts = [work(slice(at, min(at + step, pairs))) for at in range(0, pairs, step)]
    if not parts:
        return PairSums(*(Exact.zeros((0, len(rows.classes))) for _ in range(2)))
    return PairSums(concatenated([part.n for part in parts]), concatenated([part.total for part in parts]))


def _products(x: Floats, firsts: Indices, seconds: Indices, rows: Rows) -> PairSums:
    """A product of two doubles is the exact sum of two doubles, so the sum of products is the sum of two columns, which
    the kernels add at full speed. Near the ends of the range this does not hold, and weights make three factors: then
    the bits of every product are added one by one, with the same result."""
    pairs, classes = len(firsts), len(rows.classes)
    if rows.weights is None:
        products, exact = kernels.exact_products(x, firsts.astype(np.int32), seconds.astype(np.int32))
        if exact:
            n, total, _ = class_sums(products, rows, False)
            return PairSums(n[:pairs], total[:pairs] + total[pairs:])
    one, other = x[:, firsts], x[:, seconds]
    n, _, _ = class_sums(np.ascontiguousarray(np.where(np.isnan(one) | np.isnan(other), np.nan, 1.0)), rows, False)
    cells = (
        np.where(rows.codes >= 0, rows.codes, -classes * pairs) + classes * np.arange(pairs, dtype=np.int32)[:, None]
    )
    factors = [one.T.reshape(-1), other.T.reshape(-1)]
    if rows.weights is not None:
        factors.append(np.tile(rows.weights, pairs))
    return PairSums(n, weighted_table(factors, cells.reshape(-1).astype(np.int32), pairs, classes))
