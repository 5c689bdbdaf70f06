"""L-BFGS with bounds: the minimum of a smooth function of a few dozen variables.

scipy's L-BFGS uses many threads even for matrices of twenty rows, which is slow, and its result may depend on the
version of scipy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from tallybayes.counts.exact import Floats, Mask

Smooth = Callable[[Floats], tuple[float, Floats]]  # value and gradient
Steps = deque[tuple[Floats, Floats]]  # each step, and the change of the gradient over it

PAIRS = 10  # of steps and gradient changes that approximate the curvature
ENOUGH = 1e-4  # of the decrease that the slope promises is enough to take a step (Armijo)
SHORTENED = (0.1, 0.5)  # the factors by which other steps may be shortened
TRIES = 30
FLAT = 1e-12
NEAR = 1e-3  # of numbers whose steps are about one


def lbfgs(
    function: Smooth,
    start: Floats,
    low: Floats,
    high: Floats,
    *,
    steps: int = 1000,
    fall: float = 1e-9,
    slope: float,
    curvature: Floats | None = None,
) -> Floats:
    """The minimum of the function, from `start`: until it falls by less than `fall` relative to its value, or no free
    slope is steeper than `slope`. `curvature` is its Hessian, or that of a similar function: far fewer steps are
    needed then.

    >>> square = lambda x: (float(((x - [1.0, 5.0]) ** 2).sum()), 2.0 * (x - [1.0, 5.0]))
    >>> lbfgs(square, np.zeros(2), np.full(2, -9.0), np.full(2, 3.0), slope=1e-9).round(9).tolist()
    [1.0, 3.0]
    """
    x = np.clip(start, low, high)
    value, slopes = function(x)
    known = Steps(maxlen=PAIRS)
    for _ in range(steps):
        if np.abs(np.clip(x - slopes, low, high) - x).max(initial=0.0) <= slope:
            break
        free = ~(((x <= low) & (slopes > 0)) | ((x >= high) & (slopes < 0)))
        fresh = not known
        found = _step(function, x, value, slopes, _direction(slopes, free, known, curvature), (low, high))
        little = True
        if found is not None:
            there, less, then = found
            known.append((there - x, then - slopes))
            little = value - less <= fall * max(abs(value), abs(less), 1.0)
            x, value, slopes = there, less, then
        if little and fresh and curvature is None:
            break
        if little:  # bad curvature: try without the last steps, and then without the Hessian, before stopping
            curvature = None if fresh else curvature  # cut off at the bounds, its step need not lead downhill
            known.clear()
    return x


def _direction(slopes: Floats, free: Mask, known: Steps, curvature: Floats | None) -> Floats:
    """The L-BFGS direction; variables held at a bound stay there."""
    rest, taken = np.where(free, slopes, 0.0), []
    for moved, turned in reversed(known):
        moved, turned = np.where(free, moved, 0.0), np.where(free, turned, 0.0)
        product = float(moved @ turned)
        if product > FLAT * float(turned @ turned):
            part = float(moved @ rest) / product
            rest = rest - part * turned
            taken.append((moved, turned, product, part))
    if curvature is not None:
        rest[free] = np.linalg.solve(curvature[np.ix_(free, free)], rest[free])
    elif taken:
        _, turned, product, _ = taken[0]
        rest = rest * (product / float(turned @ turned))
    else:
        rest = rest / max(float(np.abs(rest).sum()), 1.0)
    for moved, turned, product, part in reversed(taken):
        rest = rest + moved * (part - float(turned @ rest) / product)
    return -rest


def curvature_of(function: Smooth, at: Floats) -> Floats:
    """Second derivatives, by differences of the first.

    >>> square = lambda x: (float(x[0] ** 2 + x[0] * x[1]), np.array([2.0 * x[0] + x[1], x[0]]))
    >>> curvature_of(square, np.ones(2)).round(6).tolist()
    [[2.0, 1.0], [1.0, 0.0]]
    """
    _, slopes = function(at)
    found = np.array([(function(at + near)[1] - slopes) / NEAR for near in np.eye(len(at)) * NEAR])
    return 0.5 * (found + found.T)


def _step(
    function: Smooth, x: Floats, value: float, slopes: Floats, direction: Floats, bounds: tuple[Floats, Floats]
) -> tuple[Floats, float, Floats] | None:
    """A step that decreases the function enough; None if there is none."""
    length = 1.0
    for _ in range(TRIES):
        there = np.clip(x + length * direction, *bounds)
        promised = float(slopes @ (there - x))
        if promised >= 0.0:
            return None
        less, then = function(there)
        if less <= value + ENOUGH * promised:
            return there, less, then
        best = -0.5 * promised / max(less - value - promised, 1e-300)
        length *= min(max(best, SHORTENED[0]), SHORTENED[1]) if np.isfinite(less) else SHORTENED[0]
    return None
