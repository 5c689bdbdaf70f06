"""Naive Bayes and its relatives, trained by counting: a model is its counts, and the counts are exact."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybayes.families import FAMILIES as FAMILIES
    from tallybayes.families import JEFFREYS as JEFFREYS
    from tallybayes.families import LAPLACE as LAPLACE
    from tallybayes.families import Bag as Bag
    from tallybayes.families import Bernoulli as Bernoulli
    from tallybayes.families import Categorical as Categorical
    from tallybayes.families import Density as Density
    from tallybayes.families import Dirichlet as Dirichlet
    from tallybayes.families import Each as Each
    from tallybayes.families import Exponential as Exponential
    from tallybayes.families import Family as Family
    from tallybayes.families import Gamma as Gamma
    from tallybayes.families import Gaussian as Gaussian
    from tallybayes.families import Geometric as Geometric
    from tallybayes.families import Histogram as Histogram
    from tallybayes.families import LogNormal as LogNormal
    from tallybayes.families import MEstimate as MEstimate
    from tallybayes.families import Poisson as Poisson
    from tallybayes.families import Words as Words
    from tallybayes.files import changing as changing
    from tallybayes.files import digest as digest
    from tallybayes.files import load as load
    from tallybayes.files import save as save
    from tallybayes.model import Model as Model
    from tallybayes.model.evaluation import Evaluation as Evaluation
    from tallybayes.model.evaluation import evaluate as evaluate
    from tallybayes.model.heaviest import heaviest as heaviest
    from tallybayes.schema import Schema as Schema
    from tallybayes.schema.toml import schema_from_toml as schema_from_toml
    from tallybayes.schema.toml import schema_to_toml as schema_to_toml
    from tallybayes.sklearn import NaiveBayes as NaiveBayes
    from tallybayes.sources import Reading as Reading
    from tallybayes.sources import open_source as open_source

__version__ = "0.1.0"

FOUND_IN = {
    "evaluation": ("Evaluation", "evaluate"),
    "families": (
        *("FAMILIES", "JEFFREYS", "LAPLACE", "Bag", "Bernoulli", "Categorical", "Density", "Dirichlet", "Each"),
        *("Exponential", "Family", "Gamma", "Gaussian", "Geometric", "Histogram", "LogNormal", "MEstimate"),
        *("Poisson", "Words"),
    ),
    "files": ("changing", "digest", "load", "save"),
    "model": ("Model",),
    "schema": ("Schema",),
    "schema_file": ("schema_from_toml", "schema_to_toml"),
    "sklearn": ("NaiveBayes",),
    "sources": ("Reading", "open_source"),
    "weights": ("heaviest",),
}
MODULES = {name: module for module, names in FOUND_IN.items() for name in names}


def __getattr__(name: str) -> Any:
    """Everything comes when it is asked for: the command line has to say what it can do before numpy is loaded, and
    scikit-learn takes longer than all of this library."""
    if name == "__all__":
        return _importable()
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"tallybayes.{MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})


def _importable() -> list[str]:
    """What `from tallybayes import *` brings: everything, but for what needs scikit-learn where there is none."""
    from importlib.util import find_spec

    spec = find_spec("sklearn")
    installed = spec is not None and spec.origin is not None  # a folder of that name has a spec too, without origin
    return sorted(name for name, module in MODULES.items() if installed or module != "sklearn")
