"""How many failures before the first success: the geometric family with a Beta prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.statistics import Totals
from tallybayes.families.numbers.support import COUNT, Support
from tallybayes.families.numbers.whole_numbers import WholeBelief
from tallybayes.families.portable import ByFormula, beta_geometric, straight
from tallybayes.families.posteriors import Beta, Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

SMALLEST = 1e-300  # a probability to draw at


@dataclass(frozen=True, kw_only=True, repr=False)
class Geometric(Numeric[Totals]):
    """A whole number of failures before a success, each trial a success with the same unknown probability.

    The probability has a Beta(`alpha`, `beta`) prior: that many successes and failures already seen. Both 0 with
    `plugin`: maximum likelihood.

    >>> Geometric(alpha=0.0, beta=0.0).estimate(Totals(n=np.array([4.0]), x=np.array([12.0])))
    {'probability': array([0.25])}
    """

    support: ClassVar[Support] = COUNT
    belief: ClassVar[type[Any]] = WholeBelief
    alpha: float = setting(1.0, "the probability's Beta prior: successes already seen", least=0)
    beta: float = setting(1.0, "the probability's Beta prior: failures already seen", least=0)

    def sufficient(self, x: Floats) -> Totals:
        """Each value is one success; their sum is the number of failures."""
        return Totals(n=1, x=x)

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        a, b = self.alpha + s.n, self.beta + s.x
        logs = np.log(a) - np.log(a + b + x) + special.log_rising(b, x) - special.log_rising(a + b, x)
        return np.where(b > 0, logs, np.where((x == 0) & (a > 0), 0.0, -np.inf))

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"probability": (self.alpha + s.n) / (self.alpha + self.beta + s.n + s.x)}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        p = parameters["probability"]
        return np.asarray(np.log(p) + special.xlog1py(x, -p))

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        p = parameters["probability"]
        return special.xlogy(self.alpha, p) + special.xlog1py(self.beta, -p)

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        p = parameters["probability"]
        return np.log1p(-p), np.log(p)

    def portable(self, s: Any) -> ByFormula:
        if self.plugin:
            p = self.estimate(s)["probability"]
            return ByFormula(straight, [np.log1p(-p), np.log(p)], self.support)
        a, b = self.alpha + s.n, self.beta + s.x
        return ByFormula(beta_geometric, [np.where(b > 0, b, np.nan), a + b, np.log(a)], self.support)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return np.asarray(random.geometric(np.maximum(parameters["probability"], SMALLEST)) - 1.0)

    def posterior(self, s: Any) -> Posterior:
        return Beta("probability", float(self.alpha + s.n), float(self.beta + s.x))
