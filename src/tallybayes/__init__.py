"""Naive Bayes and its relatives, trained by counting: a model is its counts, and the counts are exact."""

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
