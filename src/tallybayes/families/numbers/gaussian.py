"""Numbers around a mean: the Gaussian family, and what unknown mean and variance make of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tallybayes import kernels
from tallybayes.counts.decay import ROUNDING
from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.sums import Square, mean, scatter, sums_at
from tallybayes.families.base import Belief, NotLinearError
from tallybayes.families.numbers.compiled_belief import CompiledBelief
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.numbers.numeric_belief import MeasuredBelief
from tallybayes.families.posteriors import WIDEST, NormalInverseGamma, Posterior
from tallybayes.kernels import special


class GaussianSums(NamedTuple):
    n: Any  # how many values
    x: Any  # their total
    xx: Any  # the total of their exact squares


class Moments(NamedTuple):
    """What the sums say, worked out exactly and rounded once."""

    n: Any
    mean: Any
    scatter: Any  # Σ(x − mean)²


class Pooled(NamedTuple):
    """The same, and what the classes have together where they share one variance."""

    n: Any
    mean: Any
    scatter: Any
    all_n: Any  # how many values all classes have
    within: Any  # Σ(x − the mean of its class)², and what the prior's values add to it


@dataclass(frozen=True, kw_only=True, repr=False)
class Gaussian(Measured[GaussianSums]):
    """A number, Gaussian with unknown mean and variance.

    The prior is worth `m` values with this `mean` and `variance`; what is not given is the column's own, over all
    classes. `m=0` and `plugin` is maximum likelihood. With mean and variance integrated out, a new value has
    Student's distribution with m + n degrees of freedom. A column that never varied says nothing about the class.
    With `shared` all classes have one variance, that of their values around the means of their own classes. `noise` is
    a variance of its own, added to every class's.

    >>> s = Moments(n=np.array([4.0]), mean=np.array([5.0]), scatter=np.array([8.0]))
    >>> Gaussian(m=0.0).estimate(s)
    {'mean': array([5.]), 'variance': array([2.])}
    """

    sums: ClassVar[Any] = GaussianSums
    later: ClassVar[tuple[str, ...]] = ("shared", "noise")
    m: float = 1.0
    mean: float | None = None
    variance: float | None = None
    shared: bool = False
    noise: float = 0.0

    def __post_init__(self) -> None:
        self.settle("m", "noise")
        self.settle_choice("plugin", bool, 0, 1)
        self.settle_choice("shared", bool, 0, 1)
        self.settle("mean", least=-np.inf)
        self.settle("variance", above=True)

    def sufficient(self, x: Floats) -> GaussianSums:
        return GaussianSums(n=1, x=x, xx=Square(x))

    def read(self, sums: Mapping[str, Exact]) -> Moments:
        n, x, xx = (sums[name] for name in self.sums._fields)
        return Moments(n.round(), mean(n, x), np.maximum(scatter(n, x, xx), 0.0))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        n, x, xx = (cells[name] for name in self.sums._fields)
        squares = xx.round()
        rounded = TRACE * squares if n.low >= 0 else ROUNDING * (1.0 + squares)
        if (scatter(n, x, xx) < -rounded).any():
            return "a variance would go below zero"
        return None

    def informed(self, total: Any) -> Self:
        """Without values to go by the prior is a standard one; around a constant it is as wide as the constant."""
        n, mean, spread = map(_only, total)
        if n <= 0:
            mean, variance = 0.0, 1.0
        else:
            variance = min(spread / n or min(abs(mean), WIDEST) ** 2 or 1.0, WIDEST**2)
        return self.knowing(
            mean=mean if self.mean is None else self.mean,
            variance=variance if self.variance is None else self.variance,
        )

    def settled(self) -> bool:
        return self.m == 0 or None not in (self.mean, self.variance)

    def alike(self, total: Any) -> bool:
        return self.m > 0 and self.variance is None and _only(total.scatter) == 0.0

    def pooled(self, s: Any) -> Any:
        """The sums of every class, with those of all together where these share one variance."""
        if not self.shared:
            return s
        _, _, between = self._moved(s)
        within = np.where(s.n > 0, s.scatter + between, 0.0).sum(axis=-1, keepdims=True)
        every, none = s.n.sum(axis=-1, keepdims=True), np.zeros_like(s.n)
        return Pooled(s.n, s.mean, s.scatter, none + every, none + within)

    def _moved(self, s: Any) -> tuple[Floats, Floats, Floats]:
        """Weight and mean of the prior's m values and the n counted, and how much both scatter around it."""
        assert self.mean is not None
        weight = self.m + s.n
        with np.errstate(over="ignore"):
            mean = s.mean + self.m / weight * (self.mean - s.mean)
            return weight, mean, self.m * s.n / weight * (s.mean - self.mean) ** 2

    def updated(self, s: Any) -> tuple[Floats, Floats, Floats, Floats]:
        """Weight, degrees of freedom, mean and variance after the values: those of the prior's m values and the n
        counted, together."""
        prior = self if self.mean is not None and self.variance is not None else self.informed(s)
        assert prior.variance is not None
        weight, mean, between = prior._moved(s)
        n, scatter = (s.all_n, s.within) if isinstance(s, Pooled) else (s.n, s.scatter + between)
        nu = self.m + n
        return weight, nu, mean, np.minimum((self.m * prior.variance + scatter) / nu + self.noise, WIDEST**2)

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        weight, nu, mean, variance = self.updated(s)
        width = variance * (1.0 + 1.0 / weight)
        said = student_constant(nu, width) - (nu + 1.0) / 2.0 * np.log1p((x - mean) ** 2 / (nu * width))
        return _at_a_point(said, variance, x, mean)

    def estimate(self, s: Any) -> dict[str, Floats]:
        _, _, mean, variance = self.updated(s)
        return {"mean": mean, "variance": variance}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        mean, variance = parameters["mean"], parameters["variance"]
        said = -0.5 * (np.log(2.0 * np.pi * variance) + (x - mean) ** 2 / variance)
        return _at_a_point(said, variance, x, mean)

    def posterior(self, s: Any) -> Posterior:
        weight, nu, mean, variance = self.updated(s)
        return NormalInverseGamma(float(mean), float(weight), float(nu / 2), float(nu * variance / 2))

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        """Around the middle of the means: what is the same in all classes would cost digits."""
        mean, variance = parameters["mean"], parameters["variance"]
        if not self.shared:
            raise NotLinearError(
                f"{type(self).__name__} with a variance of its own for each class is quadratic in the value; "
                "use plugin=True and shared=True."
            )
        if not np.all(variance > 0):
            raise NotLinearError(f"{type(self).__name__} without any variance is not linear in the value; use m=1.0.")
        origin = np.nanmean(mean)
        weight = (mean - origin) / variance
        return weight, -weight * (mean + origin) / 2.0

    @property
    def in_common(self) -> int:
        return int(self.shared)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return random.normal(parameters["mean"], np.sqrt(parameters["variance"]))

    def scorer(self, s: Any) -> Belief:
        s = self.pooled(s)
        with np.errstate(divide="ignore", invalid="ignore"):
            updated = weight, _, _, variance = self.updated(s)
        formula, plugin, predictive = self.scorers()
        if not np.all((weight > 0) & (variance > 0)):
            return formula(self, s)
        kind = plugin if self.plugin else predictive
        return kind(self, s, kind.settings_of(*updated))

    def believe_all(self, totals: Any, each: Any) -> list[Belief]:
        """The same as one table, where all columns vary in all classes."""
        known = [sums_at(totals, i) for i in range(len(totals.n))]
        families = [self.informed(total) for total in known]
        means, variances = np.array([(family.mean, family.variance) for family in families]).T[..., None]
        prior = self.knowing(mean=means, variance=variances)
        s = prior.pooled(each)
        updated = weight, _, _, variance = prior.updated(s)
        if any(map(self.alike, known)) or not np.all((weight > 0) & (variance > 0)):
            return super().believe_all(totals, each)
        _, plugin, predictive = self.scorers()
        kind = plugin if self.plugin else predictive
        settings = kind.settings_of(*updated)
        return [kind(f, sums_at(s, i), [value[i] for value in settings]) for i, f in enumerate(families)]

    def scorers(self) -> tuple[type[MeasuredBelief], type[UpdatedBelief], type[UpdatedBelief]]:
        """What scores by the formula, and by the kernels for estimated parameters and for such integrated out."""
        return MeasuredBelief, NormalBelief, StudentBelief


class UpdatedBelief(CompiledBelief):
    """A kernel's settings, from what `Gaussian.updated` gives."""

    def __init__(self, family: Gaussian, s: Any, settings: list[Floats]) -> None:
        super().__init__(family, s)
        self.settings = settings

    @staticmethod
    @abstractmethod
    def settings_of(weight: Floats, nu: Floats, mean: Floats, variance: Floats) -> list[Floats]: ...


class NormalBelief(UpdatedBelief):
    """Mean and variance estimated: the Gaussian density."""

    kernel = staticmethod(kernels.add_normal)

    @staticmethod
    def settings_of(weight: Floats, nu: Floats, mean: Floats, variance: Floats) -> list[Floats]:
        return [mean, 1.0 / variance, -0.5 * np.log(2.0 * np.pi * variance)]

    @staticmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        mean, precision, constant = settings
        return constant - 0.5 * (x - mean) ** 2 * precision


class StudentBelief(UpdatedBelief):
    """Mean and variance integrated out: Student's density."""

    kernel = staticmethod(kernels.add_student)

    @staticmethod
    def settings_of(weight: Floats, nu: Floats, mean: Floats, variance: Floats) -> list[Floats]:
        width = variance * (1.0 + 1.0 / weight)
        return [mean, 1.0 / (nu * width), (nu + 1.0) / 2.0, student_constant(nu, width)]

    @staticmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        mean, precision, power, constant = settings
        return constant - power * np.log1p((x - mean) ** 2 * precision)


def student_constant(nu: Floats, width: Floats) -> Floats:
    """log Γ((ν+1)/2) − log Γ(ν/2) − ½·log(ν·π·width), in a form that keeps its digits for large ν."""
    return np.asarray(special.log_rising(nu / 2.0, 0.5) - 0.5 * np.log(nu * width * np.pi))


def _only(value: Any) -> float:
    """A sum of the whole column, of which there is one."""
    return value if isinstance(value, float) else float(np.max(value))


def _at_a_point(said: Floats, variance: Floats, x: Floats, mean: Floats) -> Floats:
    """With no variance at all, every value is the mean: certain there, impossible elsewhere."""
    return np.where(variance == 0, np.where(x == mean, 0.0, -np.inf), said)
