"""Curves of training: EM's objective, step by step; held-out loss as more rows are counted, and as a setting changes.
Rows are counted once; training sets are made by adding and subtracting folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.model.em.fitted import Fitted
from tallybayes.model.evaluation import Evaluation
from tallybayes.model.model import Model
from tallybayes.model.validation.cross_validate import Described, LearningCurvePoint, cross_validate, learning_curve
from tallybayes.plots.canvas import PALETTE, ink, named
from tallybayes.plots.display import Display
from tallybayes.report.blocks import count

ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class HeldOutDisplay(Display):
    """Two panels: log-loss and error rate, with their standard errors."""

    across = 2
    panels = 2
    size = (3.6, 3.0)

    def _draw(self, axes: list[Any], x: Any, found: Sequence[Evaluation]) -> None:
        losses = [each.log_loss_of_possible for each in found], [each.standard_errors["log_loss"] for each in found]
        errors = [each.error for each in found], [each.standard_errors["accuracy"] for each in found]
        for ax, (y, off), title in zip(axes, (losses, errors), ("log-loss", "error"), strict=True):
            middle, wide = np.array(y), np.nan_to_num(np.array(off))
            ax.fill_between(x, middle - wide, middle + wide, color=PALETTE[0], alpha=0.25, linewidth=0)
            ax.plot(x, middle, "o-", color=PALETTE[0], markersize=4, linewidth=1.6)
            ax.set_title(f"{title}, held out")
        # Where the true class was impossible in some rows, the loss is infinite; the mean of the others is drawn.
        for place, each in zip(x, found, strict=True):
            if each.impossible:
                where = {"textcoords": "offset points", "ha": "center"}
                axes[0].annotate("∞", (place, each.log_loss_of_possible), (0, 4), **where)


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(HeldOutDisplay):
    """Held-out loss against the number of rows that were counted.

    >>> from tallybayes import Categorical
    >>> frame = {"sky": ["sun", "rain"] * 10}
    >>> model = Model.train({"sky": Categorical()}, frame, ["no", "yes"] * 10)
    >>> LearningCurveDisplay.from_rows(model, frame, ["no", "yes"] * 10, k=4)
    LearningCurveDisplay: Learning curve, held-out log-loss and error by rows counted: 5 rows 0.278 and 0.0%; ...
    """

    curve: list[LearningCurvePoint]

    @classmethod
    def from_rows(cls, schema: Described, data: Any, labels: Any = None, **settings: Any) -> Self:
        """Takes the arguments of `learning_curve`."""
        return cls(learning_curve(schema, data, labels, **settings))

    @property
    def alt(self) -> str:
        parts = [f"{count(round(n))} rows {e.log_loss_of_possible:.3f} and {e.error:.1%}" for n, e in self.curve]
        return f"Learning curve, held-out log-loss and error by rows counted: {'; '.join(parts)}."

    def draw(self, axes: list[Any]) -> None:
        self._draw(axes, [each.rows for each in self.curve], [each.held_out for each in self.curve])
        for ax in axes:
            ax.set_xlabel("rows counted")


@dataclass(eq=False, repr=False)
class SettingCurveDisplay(HeldOutDisplay):
    """Held-out loss against the values of a setting, all from the same counts.

    >>> from tallybayes import Categorical, Model
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "yes"] * 10)
    >>> SettingCurveDisplay.from_rows(model, frame, ["no", "yes"] * 10, values=[0.1, 10.0]).best
    0.1
    """

    setting: str
    values: list[Any]
    found: list[Evaluation]

    @classmethod
    def from_rows(
        cls,
        model: Described,
        data: Any,
        labels: Any = None,
        *,
        setting: str = "alpha",
        values: Iterable[Any] = ALPHAS,
        **settings: Any,
    ) -> Self:
        """Given a model, the rows must be those it has counted; given a schema, they may be any. Further arguments are
        those of `cross_validate`."""
        tried = list(values)
        beliefs = {at: {setting: value} for at, value in enumerate(tried)}
        found = cross_validate(model, data, labels, beliefs=beliefs, **settings)
        assert isinstance(found, dict)
        return cls(setting, tried, [found[at].pooled for at in range(len(tried))])

    @property
    def best(self) -> Any:
        """The value with the fewest impossible rows, then the lowest loss; the first one on a tie."""
        return min(zip(self.values, self.found, strict=True), key=lambda p: (p[1].impossible, p[1].losses))[0]

    @property
    def alt(self) -> str:
        pairs = zip(self.values, self.found, strict=True)
        parts = [f"{value} {each.log_loss_of_possible:.3f} and {each.error:.1%}" for value, each in pairs]
        return f"Held-out log-loss and error by {self.setting}: {'; '.join(parts)}. The best is {self.best}."

    def draw(self, axes: list[Any]) -> None:
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values)
        x = self.values if numbers else range(len(self.values))
        self._draw(axes, x, self.found)
        for ax in axes:
            if numbers and min(self.values) > 0 and max(self.values) > 20 * min(self.values):
                ax.set_xscale("log")
            elif not numbers:
                ax.set_xticks(list(x), [named(value, 12) for value in self.values])
            ax.axvline(x[self.values.index(self.best)], linestyle=":", color=ink(), linewidth=1)
            ax.set_xlabel(named(self.setting, 40))


@dataclass(eq=False, repr=False)
class ObjectiveDisplay(Display):
    """EM's objective after every step, which never decreases, and how EM ended.

    >>> from tallybayes import EM, Gaussian
    >>> model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 8.0, 9.0]}, ["a", None, None, "b"], unlabelled=EM())
    >>> ObjectiveDisplay.from_model(model).fitted.ended
    'converged'
    """

    fitted: Fitted

    size = (5.6, 3.2)

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Plots EM on a model that was trained with `unlabelled=EM(…)` and has not changed since."""
        if model.fitted is None:
            raise ValueError(
                "This model has no record of EM: it was trained without `unlabelled=EM(…)`, was read from a file, or "
                "has learned or forgotten rows since. Plot a model right after EM has fitted it."
            )
        if not model.fitted.curve:
            raise ValueError(f"EM took no step ({model.fitted.ended}), so there is no objective to plot.")
        return cls(model.fitted)

    @property
    def alt(self) -> str:
        first, last, steps = self.fitted.curve[0], self.fitted.curve[-1], self._steps
        return f"EM's objective over {steps}: from {first:.4f} to {last:.4f}; {self.fitted.ended}."

    @property
    def _steps(self) -> str:
        return f"{self.fitted.steps} step{'s' * (self.fitted.steps != 1)}"

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        objective = np.array(self.fitted.curve)
        steps = np.arange(1, len(objective) + 1)
        ax.plot(steps, np.where(np.isfinite(objective), objective, np.nan), "o-", color=PALETTE[0], markersize=4)
        ax.set_title(f"EM, {self._steps}: {self.fitted.ended}")
        ax.set_xlabel("step")
        ax.set_ylabel("objective")
        ax.ticklabel_format(axis="y", useOffset=False)
        ax.xaxis.get_major_locator().set_params(integer=True)
