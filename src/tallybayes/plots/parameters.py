"""The prior and the posterior of a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np

from tallybayes.counts.tally import Key
from tallybayes.families.posteriors import Posterior
from tallybayes.model.model import Model
from tallybayes.plots.canvas import Mark, legend, marks, named
from tallybayes.plots.display import Display
from tallybayes.report.characters import short
from tallybayes.schema.entries import Name, title

POINTS = 401
WIDEST = 12.0  # the prior is cut off this many times beyond the posterior's interval


@dataclass(eq=False, repr=False)
class ParameterDisplay(Display):
    """The posterior density of a parameter in one class, with its credible interval of probability `mass`.

    >>> from tallybayes import Poisson
    >>> model = Model.train({"calls": Poisson()}, {"calls": [3, 5, 4]}, ["a", "a", "b"])
    >>> low, high = ParameterDisplay.from_model(model, "calls", "a").interval
    >>> f"{low:.2f} to {high:.2f}"
    '1.37 to 5.25'
    """

    column: str
    label: Any
    parameter: Any
    before: Any  # from scipy.stats; None without a prior
    after: Any
    mass: float

    size = (5.6, 3.2)

    @classmethod
    def from_model(cls, model: Model, column: Name, label: Any, parameter: Any = None, *, mass: float = 0.95) -> Self:
        """Plots the parameter named, or the first of the family."""
        known = model.parameters(column, label).marginals()
        name = next(iter(known), None) if parameter is None else parameter
        if name not in known:
            listed = ", ".join(map(repr, [*known][:12])) + ", …" * (len(known) > 12)
            raise ValueError(f"Column {column!r} has no parameter {name!r}; it has {listed or 'none'}.")
        return cls(title(model.schema.entry(column)), label, name, _before(model, column, name), known[name], mass)

    @property
    def interval(self) -> tuple[float, float]:
        tail = (1.0 - self.mass) / 2.0
        return float(self.after.ppf(tail)), float(self.after.ppf(1.0 - tail))

    @property
    def alt(self) -> str:
        low, high = self.interval
        what = f"{short(self.parameter)} of {short(self.column)} in {short(self.label)}"
        return f"Posterior of {what}: from {low:.4g} to {high:.4g} with probability {self.mass:g}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        x, (low, high) = self._grid(), self.interval
        handles, names = [], []
        for known, mark, name in zip((self.before, self.after), marks(2)[::-1], ("before", "after"), strict=True):
            if known is not None:
                handles += _curve(ax, known, x, mark)
                names.append(name)
        if hasattr(self.after, "pdf") and low < high:
            inside = np.linspace(low, high, POINTS)
            ax.fill_between(inside, self.after.pdf(inside), color=marks(1)[0].color, alpha=0.25, linewidth=0)
        legend(ax, handles, names, fontsize="small")
        ax.set_ylim(bottom=0.0)
        ax.set_xlim(x[0], x[-1])
        ax.set_title(f"{named(self.column)} in {named(self.label)}: {low:.4g} to {high:.4g} ({self.mass:.0%})")
        ax.set_xlabel(named(self.parameter, 40))
        ax.set_ylabel("density")

    def _grid(self) -> Any:
        low, high = float(self.after.ppf(0.001)), float(self.after.ppf(0.999))
        wide = (high - low) or abs(low) or 1.0
        if hasattr(self.before, "ppf"):
            ends = [float(self.before.ppf(share)) for share in (0.01, 0.99)]
            low = min(low, max(ends[0], low - WIDEST * wide))
            high = max(high, min(ends[1], high + WIDEST * wide))
        room = 0.0 if high - low else 0.1 * wide
        return np.linspace(low - room, high + room, POINTS)


def _before(model: Model, column: Name, parameter: Any) -> Any:
    try:
        return prior_of(model, column).marginals().get(parameter)
    except (TypeError, ValueError, ZeroDivisionError):  # there is no proper prior
        return None


def prior_of(model: Model, column: Name) -> Posterior:
    """The prior of the parameters of a class with no rows. A prior that depends on the whole column, like the mean and
    variance of `Gaussian`, takes it from the classes counted so far.

    >>> from tallybayes import Poisson
    >>> model = Model.train({"calls": Poisson(shape=2.0)}, {"calls": [3, 5]}, ["a", "a"])
    >>> prior_of(model, "calls").mean(), model.parameters("calls", "a").mean()
    ({'rate': 2.0}, {'rate': 3.333...})
    """
    name, keys, another = model.schema.entry(column), model.keys(), object()  # which no class is called
    belief = model.schema.columns[name].believe(model.columns[name], [*keys, cast(Key, another)])
    return belief.posterior(len(keys))


def _curve(ax: Any, known: Any, x: Any, mark: Mark) -> Any:
    if not hasattr(known, "pdf"):  # a point mass
        return [ax.axvline(known.mean(), color=mark.color, linestyle=mark.line, linewidth=1.8)]
    with np.errstate(all="ignore"):
        p = known.pdf(x)
    return ax.plot(x, np.where(np.isfinite(p), p, np.nan), mark.line, color=mark.color, linewidth=1.8)
