"""Counts of events: the Poisson family, and what a Gamma prior on its rate makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.numbers.support import COUNT, NOT_NEGATIVE, Support
from tallybayes.families.numbers.whole_numbers import WholeBelief
from tallybayes.families.posteriors import GammaRate, Posterior
from tallybayes.kernels import special

LARGE = 2.0**53  # a rate from which Poisson is normal to the last digit that a double has


class PoissonSums(NamedTuple):
    n: Any  # how many values
    x: Any  # their total


@dataclass(frozen=True, kw_only=True, repr=False)
class Poisson(Measured[PoissonSums]):
    """A whole number of events, Poisson with an unknown rate.

    The rate has a Gamma(`shape`, `rate`) prior: `shape` events already seen in `rate` units. Both 0 and `plugin`:
    maximum likelihood. With the rate integrated out, a new value is negative binomial. `whole=False` takes any number
    of at least 0, such as a weighted count: its formula says as much as between whole numbers, and adds up to one no
    longer.

    >>> Poisson().estimate(PoissonSums(n=np.array([9.0]), x=np.array([29.0])))
    {'rate': array([3.])}
    """

    sums: ClassVar[Any] = PoissonSums
    later: ClassVar[tuple[str, ...]] = ("whole",)
    shape: float = 1.0
    rate: float = 1.0
    whole: bool = True

    def __post_init__(self) -> None:
        self.settle("shape", "rate")
        self.settle_choice("plugin", bool, 0, 1)
        self.settle_choice("whole", bool, 0, 1)

    @property
    def support(self) -> Support:  # type: ignore[override]
        return COUNT if self.whole else NOT_NEGATIVE

    def sufficient(self, x: Floats) -> PoissonSums:
        return PoissonSums(n=1, x=x)

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        shape, rate = self.shape + s.x, self.rate + s.n
        ways = special.log_rising(shape, x) - special.gammaln(x + 1.0)
        said = ways - shape * np.log1p(1.0 / rate) - x * np.log1p(rate)
        return np.where(shape > 0, said, np.where((x == 0) & (rate > 0), 0.0, -np.inf))

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"rate": (self.shape + s.x) / (self.rate + s.n)}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        rate = parameters["rate"]
        return np.asarray(special.xlogy(x, rate) - rate - special.gammaln(x + 1.0))

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        rate = parameters["rate"]
        return np.log(rate), -rate

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        rate = parameters["rate"]
        large = np.rint(random.normal(rate, np.sqrt(rate)))
        return np.where(rate < LARGE, random.poisson(np.minimum(rate, LARGE)), large)

    def scorer(self, s: Any) -> Belief:
        return WholeBelief(self, s)

    def posterior(self, s: Any) -> Posterior:
        return GammaRate(float(self.shape + s.x), float(self.rate + s.n))
