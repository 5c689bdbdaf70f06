"""scipy's special functions and distributions, loaded when first used: they take longer to import than all the rest.

And one function that scipy lacks: a ratio of factorials that keeps its digits.
"""

from importlib import import_module
from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    return getattr(import_module("scipy.special"), name)


def distribution(name: str, *arguments: Any, **settings: Any) -> Any:
    """A frozen distribution of scipy.stats."""
    return getattr(import_module("scipy.stats"), name)(*arguments, **settings)


def log_rising(a: Any, x: Any) -> Any:
    """log Γ(a + x) − log Γ(a). For large a by Stirling's series, in which what is equal on both sides has cancelled."""
    gammaln = import_module("scipy.special").gammaln
    large = np.maximum(a, 10.0)
    series = (large - 0.5) * np.log1p(x / large) + x * (np.log(large + x) - 1.0) + _rest(large + x) - _rest(large)
    return np.where(np.asarray(a) >= 10.0, series, gammaln(a + x) - gammaln(a))


def _rest(z: Any) -> Any:
    """What Stirling's formula for log Γ(z) leaves."""
    return (1.0 - (1.0 / 30.0 - (1.0 / 105.0 - 1.0 / 140.0 / z**2) / z**2) / z**2) / (12.0 * z)
