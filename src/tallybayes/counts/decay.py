"""Decay: sums times a number, and the traces that rounding may leave in cells whose rows were all forgotten.

Whole numbers and powers of two scale exactly, and any other number does as long as the sum then needs no more than 128
bits. Beyond that it is truncated, or else every decay would add 53 bits. So rows that are forgotten after several
decays may leave a trace in their cells: less than 2⁻¹⁰⁰ of a row, as long as a class has no more than 2³² of them. No
row weighs so little, so traces are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tallybayes.counts.exact import TRACE, Exact, Mask

LEAST_WEIGHT = 2.0**-100  # of a row, other than 0
ROUNDING = 2.0**-64  # relative to what was subtracted, or to 1: less in every sum is a trace


def scaled(sums: Mapping[str, Exact], factor: float) -> dict[str, Exact]:
    """Sums times a number. Cells that weigh next to nothing are dropped, so that decay ends."""
    product = {name: array * factor for name, array in sums.items()}
    if not float(factor).is_integer():
        weight = product["n"]
        gone = ~weight.is_zero() & (np.abs(weight.round()) < LEAST_WEIGHT)
        product = {k: Exact(np.where(gone[..., None], 0, v.limbs), v.low).trimmed() for k, v in product.items()}
    return product


def traces_of(left: Mapping[str, Exact], taken: Mapping[str, Exact]) -> Mask | None:
    """The cells in which only a trace is left, if there are any."""
    if left["n"].low >= 0:
        return None  # whole numbers were never rounded
    traces = np.abs(left["n"].round()) < LEAST_WEIGHT
    for name, array in left.items():
        traces &= np.abs(array.round()) <= ROUNDING * np.maximum(np.abs(taken[name].round()), 1.0)
    return traces if traces.any() else None


def without_traces(left: Mapping[str, Exact], taken: Mapping[str, Exact]) -> Mapping[str, Exact]:
    """The same cells, with zeros instead of traces."""
    traces = traces_of(left, taken)
    if traces is None:
        return left
    return {name: Exact(np.where(traces[..., None], 0, array.limbs), array.low) for name, array in left.items()}


def holding(sums: Mapping[str, Exact]) -> Mask:
    """Where any of the sums is not zero. If the count is zero, whatever decay left in other sums is ignored."""
    filled = ~sums["n"].is_zero()
    rest = np.flatnonzero(~filled)
    for name, array in sums.items():
        if name != "n" and rest.size:
            filled[rest] |= np.abs(array[rest].round()) > TRACE
    return np.asarray(filled)
