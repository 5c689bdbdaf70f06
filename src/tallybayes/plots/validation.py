"""Held-out loss as more rows are counted, and as a setting changes. Rows are counted once; training sets are made by
adding and subtracting folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.model.evaluation import Evaluation
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

    def _impossible(self, ax: Any, x: Any, found: Sequence[Evaluation]) -> None:
        """Where the true class was impossible in some rows, the loss is infinite; the mean of the others is drawn."""
        for place, each in zip(x, found, strict=True):
            if each.impossible:
                ax.annotate("∞", (place, each.log_loss_of_possible), (0, 4), textcoords="offset points", ha="center")


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(HeldOutDisplay):
    """Held-out loss against the number of rows that were counted."""

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
        x, found = [each.rows for each in self.curve], [each.held_out for each in self.curve]
        self._draw(axes, x, found)
        self._impossible(axes[0], x, found)
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
        self._impossible(axes[0], x, self.found)
        for ax in axes:
            if numbers and min(self.values) > 0 and max(self.values) > 20 * min(self.values):
                ax.set_xscale("log")
            elif not numbers:
                ax.set_xticks(list(x), [named(value, 12) for value in self.values])
            ax.axvline(x[self.values.index(self.best)], linestyle=":", color=ink(), linewidth=1)
            ax.set_xlabel(named(self.setting, 40))
