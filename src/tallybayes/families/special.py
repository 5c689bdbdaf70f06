"""scipy's special functions and distributions, loaded when first used: they take longer to import than all the rest.

And what need not wait for them: log Γ, which most families ask for, and a ratio of factorials that keeps its digits.
"""

from importlib import import_module
from typing import Any

import numpy as np

from tallybayes import kernels

LARGE = 20.0  # from where Stirling's series is as good as log Γ itself


def __getattr__(name: str) -> Any:
    return getattr(import_module("scipy.special"), name)


def distribution(name: str, *arguments: Any, **settings: Any) -> Any:
    """A frozen distribution of scipy.stats."""
    return getattr(import_module("scipy.stats"), name)(*arguments, **settings)


def gammaln(x: Any) -> Any:
    """log |Γ(x)|."""
    return kernels.log_gamma(np.asarray(x, np.float64, order="C"))


def trigamma(x: Any) -> Any:
    """The derivative of digamma: ψ′(x)."""
    return import_module("scipy.special").zeta(2.0, x)


def log_rising(a: Any, x: Any) -> Any:
    """log Γ(a + x) − log Γ(a). For large a by Stirling's series, in which what is equal on both sides has cancelled."""
    large = np.maximum(a, LARGE)
    series = (large - 0.5) * np.log1p(x / large) + x * (np.log(large + x) - 1.0) + _rest(large + x) - _rest(large)
    return np.where(np.asarray(a) >= LARGE, series, gammaln(a + x) - gammaln(a))


def _rest(z: Any) -> Any:
    """What Stirling's formula for log Γ(z) leaves."""
    return (1.0 - (1.0 / 30.0 - (1.0 / 105.0 - 1.0 / 140.0 / z**2) / z**2) / z**2) / (12.0 * z)
