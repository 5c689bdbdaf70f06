"""Numbers that vary together: linear and quadratic discriminant analysis, from exact sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.rows import class_sums
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families.base import Belief
from tallybayes.families.blocks.block import NumberBlock
from tallybayes.families.blocks.correlated_belief import CorrelatedBelief
from tallybayes.families.blocks.correlated_left_out import CorrelatedLeftOut
from tallybayes.families.blocks.moments import moments_of
from tallybayes.families.blocks.products import sum_apart, sum_products
from tallybayes.families.left_out import LeftOut
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.settings import setting

OWN, SHARED = "own", "shared"
FIELDS = {"columns": ("n", "x", "xx"), "pairs": ("n", "xy"), "apart": ("n", "x")}


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
        rest = of_column - together - tally["apart"].aligned(pairs, classes).sums["n"]
        trace = 4 * TRACE * (1.0 + of_column.round())
        wrong = np.argwhere(rest.is_below(trace) | (-rest).is_below(trace))
        if not len(wrong):
            return None
        one, other = pairs[wrong[0, 0]]
        return f"{one!r} would not be present as often as with and without {other!r}"
