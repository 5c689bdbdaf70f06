"""Naive Bayes and its relatives, trained by counting: a model is its counts, and the counts are exact."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybayes import plots as plots
    from tallybayes.data.soft_labels import SoftLabels as SoftLabels
    from tallybayes.export import export_onnx as export_onnx
    from tallybayes.export import export_sql as export_sql
    from tallybayes.families import *  # noqa: F403
    from tallybayes.files import changing as changing
    from tallybayes.files import counts_digest as counts_digest
    from tallybayes.files import digest as digest
    from tallybayes.files import load as load
    from tallybayes.files import save as save
    from tallybayes.model import Model as Model
    from tallybayes.model.em.clusters import choose_clusters as choose_clusters
    from tallybayes.model.em.components import choose_components as choose_components
    from tallybayes.model.em.fitted import Fitted as Fitted
    from tallybayes.model.em.settings import EM as EM
    from tallybayes.model.evaluation import Evaluation as Evaluation
    from tallybayes.model.evaluation import evaluate as evaluate
    from tallybayes.model.heaviest import heaviest as heaviest
    from tallybayes.model.joint.graph import Graph as Graph
    from tallybayes.model.joint.table import JointTable as JointTable
    from tallybayes.model.left_out import left_out as left_out
    from tallybayes.model.mixture import Mixture as Mixture
    from tallybayes.model.model import merge as merge
    from tallybayes.model.prepare import prepare as prepare
    from tallybayes.model.validation.choose import Chosen as Chosen
    from tallybayes.model.validation.choose import choose as choose
    from tallybayes.model.validation.cross_validate import CrossValidation as CrossValidation
    from tallybayes.model.validation.cross_validate import LearningCurvePoint as LearningCurvePoint
    from tallybayes.model.validation.cross_validate import cross_validate as cross_validate
    from tallybayes.model.validation.cross_validate import learning_curve as learning_curve
    from tallybayes.model.validation.folds import Folds as Folds
    from tallybayes.model.validation.folds import folds as folds
    from tallybayes.model.weigh import weigh as weigh
    from tallybayes.plots.report_page import model_report as model_report
    from tallybayes.report.report import Report as Report
    from tallybayes.report.report import report_on as report_on
    from tallybayes.schema import Schema as Schema
    from tallybayes.schema.toml import schema_from_toml as schema_from_toml
    from tallybayes.schema.toml import schema_to_toml as schema_to_toml
    from tallybayes.schema.weights import Weights as Weights
    from tallybayes.sklearn import NaiveBayes as NaiveBayes
    from tallybayes.sklearn import SemiNaiveBayes as SemiNaiveBayes
    from tallybayes.sources import ReadOptions as ReadOptions
    from tallybayes.sources import open_source as open_source
    from tallybayes.store import Store as Store
    from tallybayes.store import check_receipt as check_receipt

__version__ = "0.1.0"

_FOUND_IN = {
    "data.soft_labels": ("SoftLabels",),
    "export": ("export_onnx", "export_sql"),
    "families": (
        *("FAMILIES", "JEFFREYS", "LAPLACE", "Bag", "Bernoulli", "Categorical", "Correlated", "Crossed", "Density"),
        *("Dirichlet", "Each", "Exponential", "Family", "Gamma", "Gaussian", "Geometric", "Histogram", "LogNormal"),
        *("MEstimate", "Mix", "NegativeBinomial", "Pairs", "Poisson", "Several", "Trees", "Tuples"),
        *("WordSequence", "Words"),
    ),
    "files": ("changing", "counts_digest", "digest", "load", "save"),
    "model": ("Model",),
    "model.em.clusters": ("choose_clusters",),
    "model.em.components": ("choose_components",),
    "model.em.fitted": ("Fitted",),
    "model.em.settings": ("EM",),
    "model.evaluation": ("Evaluation", "evaluate"),
    "model.heaviest": ("heaviest",),
    "model.joint.graph": ("Graph",),
    "model.joint.table": ("JointTable",),
    "model.left_out": ("left_out",),
    "model.mixture": ("Mixture",),
    "model.model": ("merge",),
    "model.prepare": ("prepare",),
    "model.validation.choose": ("Chosen", "choose"),
    "model.validation.cross_validate": ("CrossValidation", "LearningCurvePoint", "cross_validate", "learning_curve"),
    "model.validation.folds": ("Folds", "folds"),
    "model.weigh": ("weigh",),
    "plots.report_page": ("model_report",),
    "report.report": ("Report", "report_on"),
    "schema": ("Schema",),
    "schema.toml": ("schema_from_toml", "schema_to_toml"),
    "schema.weights": ("Weights",),
    "sklearn": ("NaiveBayes", "SemiNaiveBayes"),
    "sources": ("ReadOptions", "open_source"),
    "store": ("Store", "check_receipt"),
}
_FACES = {"plots": None, "sklearn": "sklearn", "spark": "pyspark", "testing": "hypothesis"}  # what each needs
_MODULES = {name: module for module, names in _FOUND_IN.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports each name on first use: `tallybayes --help` must not wait for numpy, and importing scikit-learn takes
    longer than importing all of this library."""
    if name == "__all__":
        return _importable()
    if name in _FACES:
        return importlib.import_module(f"tallybayes.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"tallybayes.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """What completion shows: the public names that can be imported here, not the packages behind them."""
    return sorted({*_importable(), *filter(_installed, _FACES), "__version__"})


def _importable() -> list[str]:
    """What `from tallybayes import *` brings: every public name, without the estimators if scikit-learn is not
    installed."""
    installed = _installed("sklearn")
    return sorted(name for name, module in _MODULES.items() if installed or module != "sklearn")


def _installed(face: str) -> bool:
    """Whether the framework that a face needs is installed. Nothing is imported to find out."""
    from importlib.util import find_spec

    framework = _FACES[face]
    spec = framework and find_spec(framework)
    return not framework or bool(spec and spec.origin)  # a folder of that name has a spec too, without origin
