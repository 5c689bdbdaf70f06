"""Plots of what a model believes, why it answers as it does and how good it is, and a report with all of them.

Each display holds facts computed by `model` and `report` and draws them with matplotlib, which is imported only when
something is drawn: everything but `plot` works without it. `accessors` has the shortcuts, such as
`model.plot.densities("age")`, and `report_page` the report. Leans on `report` and the rooms below, and is the only
importer of matplotlib (`canvas`).
"""

from tallybayes.plots.accessors import EvaluationPlots, EvidencePlots, ModelPlots
from tallybayes.plots.canvas import style
from tallybayes.plots.curves import LearningCurveDisplay, ObjectiveDisplay, SettingCurveDisplay
from tallybayes.plots.decisions import BoundaryDisplay, DecisionDisplay
from tallybayes.plots.densities import DensityDisplay
from tallybayes.plots.display import Display
from tallybayes.plots.evidence import MarkedTextDisplay, WaterfallDisplay
from tallybayes.plots.heaviest import HeaviestDisplay, WordProbabilityDisplay
from tallybayes.plots.network import GraphDisplay
from tallybayes.plots.parameters import ParameterDisplay
from tallybayes.plots.quality import ClassMapDisplay, ConfusionDisplay, ReliabilityDisplay
from tallybayes.plots.ranking import CostCurveDisplay, PrecisionRecallDisplay, RocDisplay
from tallybayes.plots.report_page import model_report

__all__ = [
    "BoundaryDisplay",
    "ClassMapDisplay",
    "ConfusionDisplay",
    "CostCurveDisplay",
    "DecisionDisplay",
    "DensityDisplay",
    "Display",
    "EvaluationPlots",
    "EvidencePlots",
    "GraphDisplay",
    "HeaviestDisplay",
    "LearningCurveDisplay",
    "MarkedTextDisplay",
    "ModelPlots",
    "ObjectiveDisplay",
    "ParameterDisplay",
    "PrecisionRecallDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "SettingCurveDisplay",
    "WaterfallDisplay",
    "WordProbabilityDisplay",
    "model_report",
    "style",
]
