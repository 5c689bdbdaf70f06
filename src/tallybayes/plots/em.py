"""The progress of EM: its objective, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.model.em.fitted import Fitted
from tallybayes.model.model import Model
from tallybayes.plots.canvas import PALETTE
from tallybayes.plots.display import Display


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
