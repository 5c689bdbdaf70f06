"""Naive Bayes and its relatives, trained by counting: a model is its counts, and the counts are exact."""

import importlib
from typing import TYPE_CHECKING, Any

from tallybayes.families import (
    FAMILIES,
    JEFFREYS,
    LAPLACE,
    Bag,
    Bernoulli,
    Categorical,
    Density,
    Each,
    Exponential,
    Family,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    MEstimate,
    Poisson,
    Words,
)
from tallybayes.files import digest, load, save
from tallybayes.model import Model
from tallybayes.schema import Schema

if TYPE_CHECKING:
    from tallybayes.sklearn import NaiveBayes as NaiveBayes

__version__ = "0.1.0"

__all__ = [
    "FAMILIES",
    "JEFFREYS",
    "LAPLACE",
    "Bag",
    "Bernoulli",
    "Categorical",
    "Density",
    "Each",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Geometric",
    "Histogram",
    "LogNormal",
    "MEstimate",
    "Model",
    "Poisson",
    "Schema",
    "Words",
    "digest",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    """The scikit-learn face comes when it is asked for: scikit-learn takes longer to load than all of this library."""
    if name == "NaiveBayes":
        return importlib.import_module("tallybayes.sklearn").NaiveBayes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "NaiveBayes"})
