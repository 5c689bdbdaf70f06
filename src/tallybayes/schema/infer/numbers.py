"""Rules for numeric columns: levels, intervals, identifiers.

Numbers are counted by interval. That assumes no distribution, is robust to zeros, long tails and outliers, and accepts
every number; except on small tables, it is more informative than a Gaussian.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families import Gaussian, Histogram
from tallybayes.families.numbers.intervals import AUTO
from tallybayes.families.numbers.values import ENOUGH, LEAST_STEPS, middle_half
from tallybayes.families.smoothing import FITTED
from tallybayes.schema.infer.choice import CATEGORY, Choice, all_the_same, share_text, unvarying

FEW_LEVELS = 10  # up to this many different whole numbers are levels rather than a scale
MANY_CELLS = 50  # from here on intervals are more informative than a Gaussian
STEPS = 128  # of the rounding, at least, over the middle of a column
BITS = (8, 12, 16, 24, 32, 40, 52)  # few choices, so that parts of one table choose the same
BITS_UNKNOWN = 16  # if the sample does not vary: later values may be close or far away
MANY_DIFFERENT = 100  # this many cells that all differ are identifiers, if by chance …
MEETINGS = 10.0  # … this many pairs would be equal
EVENLY = 1.5  # how far numbers may be from uniform, in units of 1 / √n
GROUP_CELLS = 3  # this many in each group, on average, make an identifier that repeats a category …
MOST_GROUPS = 1000  # … with up to this many levels
GROUP = re.compile(r"(.*[_\W])?(id|ids|uuid|guid|key)|.*[a-z](ID|Id)", re.DOTALL)
IDENTIFIER = re.compile(r"(.*[_\W])?(id|ids|uuid|guid|key|index|rowid|row_?id|unnamed\W*\d*)|.*[a-z](ID|Id)", re.DOTALL)


def choose_for_numbers(x: Floats, name: str, whole: bool) -> Choice:
    """The family for numbers like these; NaN is missing. Infinite ones are errors when they are counted, with their
    row, so the column must be counted, and not as levels."""
    if np.isinf(x).any():
        return Choice(Gaussian() if len(x) < MANY_CELLS else UNKNOWN, "numbers, some of them infinite")
    missing = bool(np.isnan(x).any())
    x = x[~np.isnan(x)] + 0.0
    x.sort()
    n = len(x)
    if not n:
        return unvarying("missing", UNKNOWN, whole)
    different = 1 + int(np.count_nonzero(x[1:] != x[:-1]))
    if different == 1 and n >= ENOUGH:
        return all_the_same(n, UNKNOWN, whole, missing)
    integral = bool((x == np.floor(x)).all())
    if integral and different == n >= MANY_DIFFERENT and _is_identifier(x, name):
        return Choice(None, f"{n} different whole numbers: an identifier")
    if integral and different <= FEW_LEVELS and n >= ENOUGH * max(different - 1, 1):
        return Choice(CATEGORY, _few(x, different))
    if integral and different <= min(n / GROUP_CELLS, MOST_GROUPS) and _is_named(GROUP, name):
        return Choice(CATEGORY, f"an identifier of {different} groups")
    if n < MANY_CELLS:
        return Choice(Gaussian(), _range(x))
    return Choice(_intervals(x), _range(x) + (_spike(x) if different < n else ""))


def _few(x: Floats, different: int) -> str:
    truths = different == 2 and x[0] == 0.0 and x[-1] == 1.0
    return "only 0 and 1" if truths else f"only {different} different whole numbers"


def _range(x: Floats) -> str:
    return f"numbers from {x[0]:.6g} to {x[-1]:.6g}"


def _spike(x: Floats) -> str:
    """The value that a quarter or more of the cells have, if there is one."""
    values, counts = np.unique(x, return_counts=True)
    most = int(counts.argmax())
    share = counts[most] / len(x)
    return f", {share_text(share)} of them {values[most]:.6g}" if share >= 0.25 else ""


def _intervals(x: Floats) -> Histogram:
    """A histogram that counts values with enough bits to distinguish them, and those of a dense middle half from each
    other, so that counting these rows gives no warning."""
    low, high = _quantile(x, 0.05) / 2.0, _quantile(x, 0.95) / 2.0
    span = (high - low) or float(x[-1] / 2.0 - x[0] / 2.0)
    wanted = max(_bits(STEPS, span, max(abs(low), abs(high))), _bits(LEAST_STEPS, *middle_half(x)))
    bits = next((bits for bits in BITS if bits >= wanted), BITS[-1])
    return _histogram(bits)


def _bits(steps: int, span: float, largest: float) -> float:
    """The significant bits with which numbers of up to this size are rounded in so many steps over the span."""
    return math.log2(steps) + math.log2(largest) - math.log2(span) if span > 0 and largest > 0 else 0.0


def _quantile(x: Floats, share: float) -> float:
    """`numpy.quantile` for sorted numbers."""
    at = (len(x) - 1) * share
    first = int(at)
    part, low, high = at - first, float(x[first]), float(x[min(first + 1, len(x) - 1)])
    return high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part


@cache
def _histogram(bits: int) -> Histogram:
    return Histogram(method=AUTO, alpha=FITTED, bits=bits)


UNKNOWN = _histogram(BITS_UNKNOWN)


def _is_named(pattern: re.Pattern[str], name: str) -> bool:
    return bool(pattern.fullmatch(name) or pattern.fullmatch(name.lower()))


def _is_identifier(values: Floats, name: str) -> bool:
    """Whether distinct whole numbers (sorted here) identify their rows rather than measure them: by the name of the
    column, because random numbers this dense would have repeated, or because they are spread evenly."""
    if _is_named(IDENTIFIER, name):
        return True
    n = len(values)
    edges = values[np.linspace(0, n - 1, 11).astype(int)]
    per_interval = n / 10.0
    meetings = np.sum(per_interval**2 / 2.0 / np.maximum(np.diff(edges), 1.0))
    even = np.linspace(values[0], values[-1], n)
    apart = np.max(np.abs(values - even)) / (values[-1] - values[0])
    return bool(meetings >= MEETINGS or apart <= EVENLY / np.sqrt(n))
