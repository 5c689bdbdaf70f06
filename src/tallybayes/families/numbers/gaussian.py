"""Numbers around a mean: the Gaussian family, with unknown mean and variance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.sums import Square
from tallybayes.data.errors import warn
from tallybayes.families.belief import NotLinearError
from tallybayes.families.numbers.moments import ByMoments, Moments
from tallybayes.families.numbers.numeric_belief import Compiled, CompiledBelief
from tallybayes.families.numbers.statistics import PowerSums
from tallybayes.families.portable import ByFormula, normal, student
from tallybayes.families.posteriors import WIDEST, NormalInverseGamma, Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

LEAST = 1e-307  # of variances above 0: their reciprocals are finite
FARTHEST = 1e300  # squared distance from the mean, in variances; as in the kernels (scores.cpp)


class Updated(NamedTuple):
    """The posterior: the prior's m values and the n counted, together."""

    weight: Any  # of the mean, in values
    nu: Any  # degrees of freedom of the variance
    mean: Any
    variance: Any


@dataclass(frozen=True, kw_only=True, repr=False)
class Gaussian(ByMoments[PowerSums]):
    """A number, Gaussian with unknown mean and variance.

    The prior is worth `m` values with this `mean` and `variance`; what is not given is the column's own, over all
    classes. `m=0` with `plugin` is maximum likelihood. With mean and variance integrated out, a new value has Student's
    t distribution with m + n degrees of freedom. A constant column is no evidence about the class. With `shared`, all
    classes have one variance, around the mean of each. `noise` is added to the variance of every class.

    >>> s = Moments(n=np.array([4.0]), mean=np.array([5.0]), scatter=np.array([8.0]))
    >>> family = Gaussian(m=0.0)
    >>> family.estimate(family.updated(s, total=s))
    {'mean': array([5.]), 'variance': array([2.])}
    """

    shared: bool = setting(
        False,
        "one variance for all classes, around the mean of each; with `plugin`, this is linear discriminant analysis of "
        "one column",
        later=True,
    )
    noise: float = setting(
        0.0, "a number added to the variance of every class, like scikit-learn's `var_smoothing`", least=0, later=True
    )

    def sufficient(self, x: Floats) -> Any:
        return PowerSums(n=1, x=x, xx=Square(x))

    def read(self, sums: Mapping[str, Exact]) -> Moments:
        """A scatter above 0 stays above 0 when it is divided: only equal values have none."""
        s = super().read(sums)
        return s._replace(scatter=np.where(s.scatter > 0, np.maximum(s.scatter, LEAST), 0.0))

    def updated(self, s: Any, total: Any) -> Updated:
        """In a constant column all classes get the sums of the whole column."""
        of_classes = s.n
        if self.m > 0 and self.variance is None:
            constant = total.scatter == 0.0
            s = Moments(*(np.where(constant, of_all, of_each) for of_all, of_each in zip(total, s, strict=True)))
        prior_mean, prior_variance = self._prior(total)
        weight, mean, scatter = self.joined(s, prior_mean)
        n = s.n
        if self.shared:
            n = of_classes.sum(axis=-1, keepdims=True)
            scatter = np.where(of_classes > 0, scatter, 0.0).sum(axis=-1, keepdims=True)
        nu = self.m + n
        return Updated(weight, nu, mean, _within_doubles((self.m * prior_variance + scatter) / nu + self.noise, nu))

    def _prior(self, total: Moments) -> tuple[Any, Any]:
        """Mean and variance of the prior's values: as given, or those of the column. Without any values they are 0 and
        1; for a constant column the standard deviation is the constant."""
        constant = np.minimum(np.abs(total.mean), WIDEST) ** 2
        wide = np.where(total.scatter > 0, total.scatter / total.n, np.where(constant > 0, constant, 1.0))
        known = total.n > 0
        mean = np.where(known, total.mean, 0.0) if self.mean is None else self.mean
        variance = np.where(known, wide, 1.0) if self.variance is None else self.variance
        return mean, variance

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        width = s.variance * (1.0 + 1.0 / s.weight)
        far = np.minimum((x - s.mean) ** 2 / (s.nu * width), FARTHEST)
        logs = student_constant(s.nu, width) - (s.nu + 1.0) / 2.0 * np.log1p(far)
        return _at_a_point(logs, s.variance, x, s.mean)

    def shares(self, s: Any, x: float) -> tuple[Floats, Floats]:
        width = s.variance if self.plugin else s.variance * (1.0 + 1.0 / s.weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (x - s.mean) / np.sqrt(width)
        below, beyond = (special.ndtr(t) if self.plugin else special.stdtr(s.nu, t) for t in (z, -z))
        point = s.variance == 0
        return np.where(point, x >= s.mean, below), np.where(point, x < s.mean, beyond)

    def peak(self, s: Any) -> Floats:
        """The most probable number."""
        return np.asarray(s.mean)

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"mean": s.mean, "variance": s.variance}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        mean, variance = parameters["mean"], parameters["variance"]
        logs = -0.5 * (np.log(2.0 * np.pi * variance) + (x - mean) ** 2 / variance)
        return _at_a_point(logs, variance, x, mean)

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        """m values with the prior's mean and variance; a shared variance counts them only once."""
        if not self.m:
            return 0.0
        mean, variance = self._prior(total)
        far = (parameters["mean"] - mean) ** 2
        once = 1.0 if not self.shared else 1.0 / np.shape(parameters["mean"])[-1]
        at = parameters["variance"]
        return -0.5 * self.m * (once * np.log(at) + (once * variance + far) / at)

    def posterior(self, s: Any) -> Posterior:
        shape, scale = s.nu / 2, s.nu * s.variance / 2
        return NormalInverseGamma(float(s.mean), float(s.weight), float(shape), float(scale))

    def draw_for_classes(self, s: Any, random: np.random.Generator) -> dict[str, Floats]:
        """A shared variance is drawn once: that of the first class, with all means spread accordingly."""
        found = super().draw_for_classes(s, random)
        own = found["variance"]
        if not self.shared or not np.any(own > 0):
            return found
        variance = own[own > 0][0]
        spread = (found["mean"] - s.mean) * np.sqrt(variance / own)
        return {"mean": s.mean + spread, "variance": np.full(len(own), variance)}

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        """Centred at the middle of the means: a large common term would cost digits."""
        mean, variance = parameters["mean"], parameters["variance"]
        if not self.shared:
            raise NotLinearError(
                f"{type(self).__name__} with a variance for each class is quadratic in the value; use plugin=True and "
                "shared=True."
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

    def portable(self, s: Any) -> ByFormula:
        formula = normal if self.plugin else student
        return ByFormula(formula, self._kind.settings_of(s), self.support, self.of_logs)

    def compiled(self, s: Any) -> Compiled:
        fits = np.all((s.weight > 0) & (s.variance > 0), axis=-1)
        return Compiled(self._kind, self._kind.settings_of(s), fits)

    @property
    def _kind(self) -> type[UpdatedBelief]:
        return NormalBelief if self.plugin else StudentBelief


class UpdatedBelief(CompiledBelief):
    """The kernel's parameters, from the posterior."""

    @staticmethod
    @abstractmethod
    def settings_of(s: Updated) -> list[Floats]: ...


class NormalBelief(UpdatedBelief):
    """Mean and variance estimated: the Gaussian density."""

    kernel = staticmethod(kernels.add_normal)

    @staticmethod
    def settings_of(s: Updated) -> list[Floats]:
        return [s.mean, 1.0 / s.variance, -0.5 * np.log(2.0 * np.pi * s.variance)]

    @staticmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        mean, precision, constant = settings
        return constant - 0.5 * (x - mean) ** 2 * precision


class StudentBelief(UpdatedBelief):
    """Mean and variance integrated out: Student's density."""

    kernel = staticmethod(kernels.add_student)

    @staticmethod
    def settings_of(s: Updated) -> list[Floats]:
        width = s.variance * (1.0 + 1.0 / s.weight)
        return [s.mean, 1.0 / (s.nu * width), (s.nu + 1.0) / 2.0, student_constant(s.nu, width)]

    @staticmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        mean, precision, power, constant = settings
        return constant - power * np.log1p(np.minimum((x - mean) ** 2 * precision, FARTHEST))


def student_constant(nu: Floats, width: Floats) -> Floats:
    """log Γ((ν+1)/2) − log Γ(ν/2) − ½·log(ν·π·width), in a form that keeps its digits for large ν."""
    return np.asarray(special.log_rising(nu / 2.0, 0.5) - 0.5 * np.log(nu * width * np.pi))


def _within_doubles(variance: Floats, nu: Floats) -> Floats:
    """NaN in all classes of a column if one has a variance that a double cannot hold: scores by it would be wrong. A
    NaN that rows have made is such a variance."""
    beyond = ((nu > 0) & ~(variance <= WIDEST**2)) | ((variance > 0) & (variance < LEAST))
    if not beyond.any():
        return variance
    wide = not (variance < 1.0)[beyond].flat[0]
    warn(
        f"A Gaussian column has a variance {'above' if wide else 'below'} {WIDEST**2 if wide else LEAST:.0e}, which "
        "does not fit a double, so the column is no evidence. Multiply its numbers by a constant, or count them by "
        "Histogram or LogNormal."
    )
    return np.where(beyond.any(axis=-1, keepdims=True), np.nan, variance)


def _at_a_point(logs: Floats, variance: Floats, x: Floats, mean: Floats) -> Floats:
    """With no variance at all, every value is the mean: certain there, impossible elsewhere."""
    return np.where(variance == 0, np.where(x == mean, 0.0, -np.inf), logs)
