"""Counts of events: the Poisson family with a Gamma prior on its rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.statistics import Totals
from tallybayes.families.numbers.support import COUNT, NOT_NEGATIVE, Support
from tallybayes.families.numbers.whole_numbers import WholeBelief
from tallybayes.families.portable import ByFormula, negative_binomial, straight
from tallybayes.families.posteriors import GammaRate, Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

LARGE = 2.0**53  # for larger rates, Poisson is normal to the last digit of a double


@dataclass(frozen=True, kw_only=True, repr=False)
class Poisson(Numeric[Totals]):
    """A whole number of events, Poisson with an unknown rate.

    The rate has a Gamma(`shape`, `rate`) prior: `shape` events already seen in `rate` units. Both 0 with `plugin`:
    maximum likelihood. With the rate integrated out, a new value is negative binomial. `whole=False` takes any number
    of at least 0, such as a weighted count: the formula interpolates between whole numbers, but no longer sums to one.

    >>> Poisson().estimate(Totals(n=np.array([9.0]), x=np.array([29.0])))
    {'rate': array([3.])}
    """

    belief: ClassVar[type[Any]] = WholeBelief
    shape: float = setting(1.0, "shape of the rate's Gamma prior, in events already seen", least=0)
    rate: float = setting(1.0, "rate of the rate's Gamma prior, in units already observed", least=0)
    whole: bool = setting(
        True, "whether numbers must be whole; False accepts any of at least 0, such as weighted counts", later=True
    )

    @property
    def support(self) -> Support:  # type: ignore[override]
        return COUNT if self.whole else NOT_NEGATIVE

    def sufficient(self, x: Floats) -> Totals:
        return Totals(n=1, x=x)

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        shape, rate = self.shape + s.x, self.rate + s.n
        ways = special.log_rising(shape, x) - special.gammaln(x + 1.0)
        logs = ways - shape * np.log1p(1.0 / rate) - x * np.log1p(rate)
        return np.where(shape > 0, logs, np.where((x == 0) & (rate > 0), 0.0, -np.inf))

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"rate": (self.shape + s.x) / (self.rate + s.n)}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        rate = parameters["rate"]
        return np.asarray(special.xlogy(x, rate) - rate - special.gammaln(x + 1.0))

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        return special.xlogy(self.shape, parameters["rate"]) - self.rate * parameters["rate"]

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        rate = parameters["rate"]
        return np.log(rate), -rate

    def portable(self, s: Any) -> ByFormula:
        if self.plugin:
            rate = self.estimate(s)["rate"]
            return ByFormula(straight, [np.log(rate), -rate], self.support)
        shape, rate = self.shape + s.x, self.rate + s.n
        parameters = [np.where(shape > 0, shape, np.nan), -np.log1p(rate), -shape * np.log1p(1.0 / rate)]
        return ByFormula(negative_binomial, parameters, self.support)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return draw_events(random, parameters["rate"])

    def posterior(self, s: Any) -> Posterior:
        return GammaRate(float(self.shape + s.x), float(self.rate + s.n))


def draw_events(random: np.random.Generator, rate: Floats) -> Floats:
    """Poisson numbers, whatever the rate."""
    large = np.rint(random.normal(rate, np.sqrt(rate)))
    return np.where(rate < LARGE, random.poisson(np.minimum(rate, LARGE)), large)
