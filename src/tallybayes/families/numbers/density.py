"""Numbers of any distribution: kernel density estimation over the values counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Exact, Floats, Indices
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families.belief import Belief, by_class
from tallybayes.families.events import NOTHING_COUNTED, UNKNOWN, Event, NoJointError
from tallybayes.families.left_out import LeftOut, equal_rows, taken, weights_of
from tallybayes.families.numbers.numeric_belief import log_between
from tallybayes.families.numbers.stretched import Stretched
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import Values, least_of_keys, value_keys, values_of_keys
from tallybayes.families.posteriors import Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

RULE = "rule"
LEFT_OUT = "leave one out"
NARROWEST = 1e-3  # of the width that all classes together would have
ENOUGH = 20  # different values, to tell how heavy the tails are
ALONE = 1e-2  # of a value's own bump: if the others add up to less, they are summed without it
LOOKED_AT = 1 << 12  # values of a class that are left out, one by one, to choose a bandwidth


@dataclass(frozen=True, kw_only=True, repr=False)
class Density(Values):
    """A number with a smooth density: a kernel density estimate, with a heavy tail beyond the values counted.

    Every value has a Gaussian kernel. Its `bandwidth` is a number, "rule" (Silverman's, from the spread and the number
    of values of each class), or "leave one out" (that rule times one factor for all classes, under which the other
    values of its class best predict each value). Unless it is a number, kernels grow wider away from the middle of the
    column, the more so the heavier its tails. `m` pseudo-values from a Cauchy distribution around the median of all
    classes are added to each class, so that no class rules a value out.

    >>> from tallybayes import Model
    >>> model = Model.train({"x": Density(bandwidth=0.5)}, {"x": [1.0, 1.5, 7.0, 8.0]}, ["a", "a", "b", "b"])
    >>> model.posterior({"x": [1.2, 7.4]}).round(2).tolist()
    [[0.97, 0.03], [0.05, 0.95]]
    """

    bandwidth: float | str = setting(
        RULE, 'a number, "rule" (Silverman\'s), or "leave one out"', choices=(RULE, LEFT_OUT), above=0
    )
    m: float = setting(
        1.0, "how many pseudo-values of a heavy-tailed distribution each class gets; 0: kernels alone", least=0
    )

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return DensityBelief(self, *self.counted([tally], classes)[:2])

    @property
    def stays(self) -> str:
        return "the bandwidths, and the median and the spread of the column"

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        known = DensityBelief(self, *self.counted([tally], classes)[:2])
        n = tally.aligned(tally.slots, classes).sums["n"].sum()
        return lambda cells, rows: known.left_out(n, cells, rows)


class DensityBelief(Belief):
    """Values, their counts by class, and the widths of each class's bumps."""

    def __init__(self, family: Density, values: Floats, counts: Floats) -> None:
        self.family = family
        self.fixed = not isinstance(family.bandwidth, str)
        self.scale = Stretched.of(values, counts.sum(axis=1))
        if not self.fixed:
            self.scale = stretched_enough(self.scale, values, counts.sum(axis=1), family.m)
        self.places = np.ascontiguousarray(self._place(values))
        self.counts = np.ascontiguousarray(counts.T)
        self.totals = self.counts.sum(axis=1)
        self.m = family.m if self.totals.any() else 0.0
        self.widths = self._widths(values)
        self.bumps = [
            kernels.Bumps(self.places[own > 0], own[own > 0] / own.sum(), width) if own.any() else None
            for own, width in zip(self.counts, self.widths, strict=True)
        ]

    def _place(self, x: Floats) -> Floats:
        """The scale on which bumps are Gaussian: that of the numbers themselves if the bandwidth is given."""
        return x if self.fixed else self.scale.stretched(x)

    def _log_slope(self, x: Floats) -> Floats:
        return np.zeros(len(x)) if self.fixed else self.scale.log_slope(x)

    def _widths(self, values: Floats) -> Floats:
        """The bandwidth of each class: at least half a step of the rounding, and a thousandth of that for all classes
        together."""
        if not isinstance(self.family.bandwidth, str):
            return np.full(len(self.counts), float(self.family.bandwidth))
        steps = np.diff(self._place(_cell_edges(values, self.family.bits)), axis=0)
        least = 0.5 * float(steps.max(initial=0.0))
        pooled = max(silverman(self.places, self.counts.sum(axis=0)) or 1.0, least)
        least = max(least, pooled * NARROWEST)
        rules = np.array([max(silverman(self.places, own) or pooled, least) for own in self.counts])
        if self.family.bandwidth == RULE:
            return rules
        assumed = assumed_density(self.scale, values, self.m)

        def score(factor: float) -> float:
            return sum(
                left_out_score(self.places, own, assumed, max(rule * factor, least))
                for own, rule in zip(self.counts, rules, strict=True)
            )

        coarse = max(2.0 ** np.arange(-4.0, 3.0), key=score)
        factor = max(coarse * 2.0 ** np.array([0.0, -0.5, 0.5]), key=score)
        return np.maximum(rules * factor, least)

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        missing = np.isnan(cells)
        x, back = np.unique(cells[~missing], return_inverse=True)
        if not x.size or not self.totals.any():
            return
        at = np.flatnonzero(~missing)
        place, slope = np.ascontiguousarray(self._place(x)), self._log_slope(x)
        with np.errstate(divide="ignore"):
            assumed = np.log(self.m) + self.scale.log_cauchy(x)
            for c, (n, bumps) in enumerate(zip(self.totals, self.bumps, strict=True)):
                own = np.full(len(x), -np.inf)
                if bumps is not None:
                    own = np.log(bumps.sum(place)) + slope + np.log(n) - log_area(self.widths[c])
                logs = np.logaddexp(own, assumed) - np.log(n + self.m if n + self.m > 0 else 1.0)
                scores[c, at] += logs[back]

    def left_out(self, totals: Exact, cells: Floats, rows: Rows) -> Floats:
        """The evidence of values that were counted, each without its own bump; `totals` is how many values each class
        has."""
        logs = np.zeros((len(rows), len(rows.classes)))
        there = np.flatnonzero(~np.isnan(cells))
        some = rows.take(there)
        firsts, kinds = equal_rows(cells[there], some)
        x, codes, own = cells[there][firsts], some.codes[firsts], weights_of(some)[firsts]
        n = np.tile(self.totals, (len(x), 1))
        n[np.arange(len(x)), codes] = taken(totals, codes, Exact.of(own)).round()
        logs[there] = np.where(n.any(axis=1, keepdims=True), self._without(x, codes, own, n), 0.0)[kinds]
        return logs

    def _without(self, x: Floats, codes: Codes, weights: Floats, n: Floats) -> Floats:
        """The same for distinct values, of which n[value, class] are left."""
        place, found = self._place(x), np.empty(n.shape)
        own = self._place(values_of_keys(value_keys(x, self.family.bits), self.family.bits))
        slope, assumed = self._log_slope(x), self.scale.log_cauchy(x)
        with np.errstate(divide="ignore"):
            for c in range(len(self.totals)):
                sums = self._bumps(c, place)
                mine = np.flatnonzero(codes == c)
                sums[mine] = self._others(c, place[mine], own[mine], weights[mine], sums[mine])
                bumps = np.log(sums) + slope - log_area(self.widths[c])
                found[:, c] = np.logaddexp(np.where(n[:, c] > 0, bumps, -np.inf), np.log(self.m) + assumed)
            return found - np.log(np.where(n + self.m > 0, n + self.m, 1.0))

    def _bumps(self, c: int, place: Floats) -> Floats:
        """The sum of a class's bumps at these places, each weighted by its count."""
        bumps = self.bumps[c]
        if bumps is None:
            return np.zeros(len(place))
        different, back = np.unique(place, return_inverse=True)
        return bumps.sum(different)[back.reshape(-1)] * self.totals[c]

    def _others(self, c: int, place: Floats, own: Floats, weights: Floats, all_bumps: Floats) -> Floats:
        """The same without a value's own bump; summed again where hardly anything else is left."""
        bump = weights * np.exp(-0.5 * ((place - own) / self.widths[c]) ** 2)
        left = all_bumps - bump
        filled = np.flatnonzero(self.counts[c] > 0)
        for at in np.flatnonzero(left < ALONE * bump):
            away = np.exp(-0.5 * ((place[at] - self.places[filled]) / self.widths[c]) ** 2)
            counts = self.counts[c, filled] - weights[at] * (self.places[filled] == own[at])
            left[at] = np.sum(np.maximum(counts, 0.0) * away)
        return left

    def log_within(self, event: Event) -> Floats:
        if event.is_empty:
            return np.full(len(self.totals), -np.inf)
        return log_between(self._shares(event.low), self._shares(event.high))

    def _shares(self, x: float) -> tuple[Floats, Floats]:
        """P(≤ x) and P(> x), of the bumps and the heavy tail."""
        if not self.totals.any():
            raise NoJointError(NOTHING_COUNTED)
        tail = np.arctan((x - self.scale.median) / self.scale.spread) / np.pi
        place = np.sign(x) * np.inf if np.isinf(x) else float(self._place(np.array([x]))[0])
        z = (place - self.places) / self.widths[:, None]
        below, beyond = ((self.counts * special.ndtr(each)).sum(axis=1) for each in (z, -z))
        whole = self.totals + self.m
        if not whole.all():
            raise NoJointError(f"a class {UNKNOWN}")
        return (below + self.m * (0.5 + tail)) / whole, (beyond + self.m * (0.5 - tail)) / whole

    def estimates(self) -> dict[str, Floats]:
        """The bandwidth in the middle of the column."""
        return {"bandwidth": self.widths * (1.0 if self.fixed else self.scale.spread)}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("Density has no parameters, so there is no posterior; see Histogram.")

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """A value from one of the class's bumps, or from the m pseudo-values."""
        drawn = np.full(len(classes), np.nan)
        for number, rows in by_class(classes):
            n = self.totals[number]
            if n + self.m <= 0:
                continue
            with np.errstate(over="ignore"):  # what is too large is cut off below
                drawn[rows] = self._drawn(random, number, len(rows))
        return pa.array(np.clip(drawn, -LARGEST, LARGEST), from_pandas=True)

    def _drawn(self, random: np.random.Generator, number: int, size: int) -> Floats:
        n = self.totals[number]
        tail = self.scale.median + self.scale.spread * random.standard_cauchy(size)
        if n <= 0:
            return tail
        bump = random.choice(self.places, size, p=self.counts[number] / n)
        found = random.normal(bump, self.widths[number])
        own = found if self.fixed else self.scale.back(found)
        return np.where(random.random(size) < n / (n + self.m), own, tail)


def log_area(width: float) -> float:
    """The logarithm of the area under a bump of height one."""
    return float(np.log(width) + 0.5 * np.log(2.0 * np.pi))


def assumed_density(scale: Stretched, values: Floats, m: float) -> Floats:
    """The density of the heavy tail at these values, on the stretched scale."""
    return np.asarray(m * np.exp(scale.log_cauchy(values) - scale.log_slope(values)))


def stretched_enough(scale: Stretched, values: Floats, counts: Floats, m: float) -> Stretched:
    """This scale, or the one stretched twice if on that the values, whatever their class, predict each other better. A
    few values cannot tell how heavy the tails are."""
    if len(values) < ENOUGH:
        return scale

    def score(scale: Stretched) -> float:
        places = np.ascontiguousarray(scale.stretched(values))
        width = silverman(places, counts) or 1.0
        slopes = float(np.sum(counts * scale.log_slope(values)))
        return left_out_score(places, counts, assumed_density(scale, values, m), width) + slopes

    return max(scale, replace(scale, again=True), key=score)


def left_out_score(places: Floats, counts: Floats, assumed: Floats, width: float) -> float:
    """Σ log density of each value under the others (leave-one-out). Copies of a value predict each other. Of many
    values, a sample is taken."""
    filled = np.flatnonzero(counts > 0)
    some = filled[:: len(filled) // LOOKED_AT + 1]
    own = np.minimum(counts[some], 1.0)
    others = kernels.Bumps(places[filled], counts[filled], width).sum(places[some]) - own
    density = np.maximum(others, 0.0) * np.exp(-log_area(width)) + assumed[some]
    return float(np.sum(counts[some] * np.log(np.maximum(density, 1e-300)))) * len(filled) / max(len(some), 1)


def silverman(values: Floats, counts: Floats) -> float:
    """0.9·min(sd, interquartile range / 1.34)·n^(−1/5); 0 if all values are equal."""
    values, counts = values[counts > 0], counts[counts > 0]
    if len(values) < 2 or not values.any():  # different values may be the same place
        return 0.0
    n, unit = counts.sum(), float(np.abs(values).max())
    values = values / unit  # so that no square overflows
    mean = np.sum(counts * values) / n
    sd = float(np.sqrt(np.sum(counts * (values - mean) ** 2) / n))
    low, high = values[np.searchsorted(np.cumsum(counts), [n * 0.25, n * 0.75]).clip(0, len(values) - 1)]
    spread = min(sd, (high - low) / 1.34) or sd
    return float(0.9 * spread * n**-0.2 * unit)


def _cell_edges(values: Floats, bits: int) -> Floats:
    """The least number that is rounded to each value, and the least beyond those."""
    keys = value_keys(values, bits)
    return np.stack([least_of_keys(keys, bits), least_of_keys(keys + 1, bits)])
