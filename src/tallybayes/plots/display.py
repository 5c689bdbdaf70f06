"""The base class of all plots: precomputed facts, `plot`, its axes and figure, and a description."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from tallybayes.plots import canvas


class Display(ABC):
    """A plot, like scikit-learn's displays: made by a `from_…` method and drawn by `plot`, on given or new axes. After
    that, `axes_` are its axes, `ax_` is the first of them, and `figure_` is their figure. `alt` describes the plot in
    words."""

    across: ClassVar[int] = 1  # panels side by side
    share: ClassVar[str] = "none"  # whether panels share their x axis: "none", "col" or "all"
    heights: ClassVar[tuple[float, ...] | None] = None  # relative heights of stacked panels, if not equal

    ax_: Any
    axes_: list[Any]
    figure_: Any

    @property
    @abstractmethod
    def alt(self) -> str:
        """A description of the plot in a sentence or two."""

    @abstractmethod
    def draw(self, axes: list[Any]) -> None:
        """Draws on these axes, one for each panel."""

    @property
    def panels(self) -> int:
        """The number of axes."""
        return 1

    @property
    def size(self) -> tuple[float, float]:
        """The size of a panel, in inches."""
        return (6.4, 3.6)

    def plot(self, ax: Any = None) -> Self:
        """Draws the plot on new axes, or on `ax`, one for each panel."""
        canvas.pyplot()
        from matplotlib import rc_context

        with rc_context({"font.family": canvas.fonts()}):
            if ax is None:
                self.axes_ = self.divided(canvas.pyplot().figure(figsize=self.whole_size, layout="constrained"))
            else:
                self.axes_ = canvas.given_axes(ax, self.panels)
            self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
            self.draw(self.axes_)
        return self

    @property
    def columns(self) -> int:
        return min(self.across, self.panels)

    @property
    def whole_size(self) -> tuple[float, float]:
        return self.size[0] * self.columns, self.size[1] * -(-self.panels // self.columns)

    def divided(self, figure: Any) -> list[Any]:
        """The panels of a figure."""
        down = -(-self.panels // self.columns)
        grid = {"sharex": self.share, "height_ratios": self.heights}
        axes = figure.subplots(down, self.columns, squeeze=False, **grid).ravel().tolist()
        for spare in axes[self.panels :]:
            spare.remove()
        return list(axes[: self.panels])

    def __repr__(self) -> str:
        """The description, for readers who do not see the plot."""
        return f"{type(self).__name__}: {self.alt}"

    def svg(self) -> str:
        """The plot as an SVG element for an HTML page, drawn in the colour of the page's text."""
        return canvas.svg(self)
