"""scipy's special functions and distributions, loaded when first used: they take longer to import than all the rest.

log Γ, which most families need, and a precise ratio of factorials do not wait for them.
"""

from importlib import import_module
from typing import Any

import numpy as np

from tallybayes import kernels


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
    """log Γ(a + x) − log Γ(a), precise even if a is large and x small."""
    base, more = np.add(a, np.zeros_like(x, np.float64)), np.add(x, np.zeros_like(a, np.float64))
    return kernels.log_rising(base.reshape(-1), more.reshape(-1)).reshape(base.shape)
