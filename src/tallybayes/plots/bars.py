"""Bars for and against a class, infinite ones included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes.plots.canvas import PALETTE, ink

FOR, AGAINST = PALETTE[0], PALETTE[1]
HATCHED = "////"  # evidence against, for readers who see no colours
BEYOND = 1.15  # the length of an infinite bar, relative to the sum of all finite ones


def finite(lengths: Sequence[float]) -> Any:
    """Lengths to draw: an infinite one is a little longer than all others together."""
    given = np.array(lengths, float)
    longest = np.abs(given[np.isfinite(given)]).sum() or 1.0
    return np.where(np.isinf(given), np.sign(given) * longest * BEYOND, given)


def draw_bar(ax: Any, at: float, start: float, length: float, *, infinite: bool, heavy: bool = False) -> None:
    """Blue for the first class, orange and hatched for the second; with an arrow if it is infinite."""
    against = length < 0
    ax.barh(
        at,
        length,
        0.62,
        left=start,
        color=AGAINST if against else FOR,
        hatch=HATCHED if against else None,
        edgecolor=ink(),
        linewidth=1.2 if heavy else 0.4,
    )
    if infinite:
        ax.plot([start + length], [at], "<" if against else ">", color=ink(), markersize=6)
