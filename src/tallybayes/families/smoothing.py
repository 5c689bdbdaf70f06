"""Pseudo-counts, what is believed of levels before any is seen: Laplace, Jeffreys, α per level, m-estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.exact import Floats
from tallybayes.families.base import expect_number

LAPLACE = 1.0
JEFFREYS = 0.5


@dataclass(frozen=True)
class MEstimate:
    """`m` virtual values, spread like `p`: "uniform", "overall" (as over all classes together), or given per level.

    P(level | class) = (count + m·p) / (n + m). With K levels, `MEstimate(K)` is Laplace smoothing.
    """

    m: float
    p: str | Mapping[str, float] = "uniform"

    def __post_init__(self) -> None:
        expect_number("MEstimate", "m", self.m)
        if isinstance(self.p, str):
            if self.p not in ("uniform", "overall"):
                raise ValueError(f"MEstimate(p={self.p!r}): p must be 'uniform', 'overall' or a probability per level.")
        else:
            for level, probability in self.p.items():
                expect_number("MEstimate", f"p[{level!r}]", probability)
            if not np.isclose(sum(self.p.values()), 1.0):
                raise ValueError(f"MEstimate(p=…): the probabilities add up to {sum(self.p.values()):g}, not to 1.")


Alpha = float | Mapping[str, float] | MEstimate


def check_alpha(family: str, alpha: Any) -> None:
    if isinstance(alpha, Mapping):
        for level, value in alpha.items():
            expect_number(family, f"alpha[{level!r}]", value)
    elif not isinstance(alpha, MEstimate):
        expect_number(family, "alpha", alpha)


def named_levels(alpha: Alpha) -> list[str]:
    """The levels that the smoothing itself speaks of: known, met or not."""
    if isinstance(alpha, MEstimate):
        return [] if isinstance(alpha.p, str) else list(alpha.p)
    return list(alpha) if isinstance(alpha, Mapping) else []


def pseudocounts(alpha: Alpha, levels: Sequence[str], overall: Floats) -> Floats:
    """One pseudo-count per level. `overall` says how often each was met in all classes together."""
    if isinstance(alpha, Mapping):
        return np.array([float(alpha.get(level, 0.0)) for level in levels])
    if not isinstance(alpha, MEstimate):
        return np.full(len(levels), float(alpha))
    if isinstance(alpha.p, Mapping):
        return alpha.m * np.array([float(alpha.p.get(level, 0.0)) for level in levels])
    if alpha.p == "overall" and overall.sum() > 0:
        return np.asarray(alpha.m * overall / overall.sum())
    return np.full(len(levels), alpha.m / max(len(levels), 1))


def smoothed(counts: Floats, pseudo: Floats) -> Floats:
    """P(level | class) from counts[level, class]: (count + α) / Σ. Where nothing is counted or believed: uniform."""
    raised = counts + pseudo[:, None]
    total = raised.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, raised / total, 1.0 / max(len(raised), 1))
