"""Shortcuts to the plots: `model.plot`, `evaluation.plot` and `evidence.plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallybayes.model.evaluation import Evaluation
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.plots.curves import LearningCurveDisplay, ObjectiveDisplay, SettingCurveDisplay
from tallybayes.plots.decisions import BoundaryDisplay, DecisionDisplay
from tallybayes.plots.densities import DensityDisplay
from tallybayes.plots.evidence import MarkedTextDisplay, WaterfallDisplay
from tallybayes.plots.heaviest import HeaviestDisplay, WordProbabilityDisplay
from tallybayes.plots.network import GraphDisplay
from tallybayes.plots.parameters import ParameterDisplay
from tallybayes.plots.quality import ClassMapDisplay, ConfusionDisplay, ReliabilityDisplay
from tallybayes.plots.ranking import CostCurveDisplay, PrecisionRecallDisplay, RocDisplay
from tallybayes.schema.entries import Name


class ModelPlots:
    """Plots of a model. Each takes the arguments of its display's `from_…` method, and `ax` to draw on."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def densities(
        self, columns: Name | Sequence[Name] | None = None, *, ax: Any = None, **settings: Any
    ) -> DensityDisplay:
        """p(x | class) of columns."""
        return DensityDisplay.from_model(self.model, columns, **settings).plot(ax)

    def decisions(self, column: Name, *, ax: Any = None, **settings: Any) -> DecisionDisplay:
        """p(x | class), P(class | x) and the probability of error along a column of numbers."""
        return DecisionDisplay.from_model(self.model, column, **settings).plot(ax)

    def boundary(self, one: str, other: str, *, ax: Any = None, **settings: Any) -> BoundaryDisplay:
        """The most probable class in the plane of two columns."""
        return BoundaryDisplay.from_model(self.model, one, other, **settings).plot(ax)

    def evidence(self, row: Any, *, ax: Any = None, **settings: Any) -> WaterfallDisplay:
        """A row's evidence, step by step from the prior to the answer."""
        return WaterfallDisplay.from_model(self.model, row, **settings).plot(ax)

    def text(self, text: Any, *, ax: Any = None, **settings: Any) -> MarkedTextDisplay:
        """A text with its words marked."""
        return MarkedTextDisplay.from_model(self.model, text, **settings).plot(ax)

    def heaviest(self, classes: Any = None, *, ax: Any = None, **settings: Any) -> HeaviestDisplay:
        """The words and values that weigh most."""
        return HeaviestDisplay.from_model(self.model, classes, **settings).plot(ax)

    def words(self, column: Name | None = None, *, ax: Any = None, **settings: Any) -> WordProbabilityDisplay:
        """P(word | class) of every word, or of every boolean column."""
        return WordProbabilityDisplay.from_model(self.model, column, **settings).plot(ax)

    def parameter(
        self, column: Name, label: Any, parameter: Any = None, *, ax: Any = None, **settings: Any
    ) -> ParameterDisplay:
        """The prior and the posterior of a parameter."""
        return ParameterDisplay.from_model(self.model, column, label, parameter, **settings).plot(ax)

    def graph(self, *, ax: Any = None) -> GraphDisplay:
        """Which column depends on which."""
        return GraphDisplay.from_model(self.model).plot(ax)

    def learning(self, data: Any, labels: Any = None, *, ax: Any = None, **settings: Any) -> LearningCurveDisplay:
        """Held-out loss as rows are added."""
        return LearningCurveDisplay.from_rows(self.model, data, labels, **settings).plot(ax)

    def setting(self, data: Any, labels: Any = None, *, ax: Any = None, **settings: Any) -> SettingCurveDisplay:
        """Held-out loss as a setting changes, by default alpha."""
        return SettingCurveDisplay.from_rows(self.model, data, labels, **settings).plot(ax)

    def objective(self, *, ax: Any = None) -> ObjectiveDisplay:
        """EM's objective, step by step."""
        return ObjectiveDisplay.from_model(self.model).plot(ax)


class EvaluationPlots:
    """Plots of an evaluation."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def reliability(self, *, ax: Any = None, **settings: Any) -> ReliabilityDisplay:
        """Whether probabilities are calibrated."""
        return ReliabilityDisplay.from_evaluation(self.evaluation, **settings).plot(ax)

    def confusion(self, *, ax: Any = None) -> ConfusionDisplay:
        """Which classes are confused."""
        return ConfusionDisplay.from_evaluation(self.evaluation).plot(ax)

    def map(self, *, ax: Any = None, **settings: Any) -> ClassMapDisplay:
        """A map on which confused classes are close together."""
        return ClassMapDisplay.from_evaluation(self.evaluation, **settings).plot(ax)

    def roc(self, labels: Any = None, *, ax: Any = None, **settings: Any) -> RocDisplay:
        """True against false positive rate at every threshold."""
        return RocDisplay.from_evaluation(self.evaluation, labels, **settings).plot(ax)

    def precision_recall(self, labels: Any = None, *, ax: Any = None, **settings: Any) -> PrecisionRecallDisplay:
        """Precision against recall at every threshold."""
        return PrecisionRecallDisplay.from_evaluation(self.evaluation, labels, **settings).plot(ax)

    def costs(self, labels: Any = None, *, ax: Any = None, **settings: Any) -> CostCurveDisplay:
        """The cost of errors, as false negatives cost more."""
        return CostCurveDisplay.from_evaluation(self.evaluation, labels, **settings).plot(ax)


class EvidencePlots:
    """Plots of evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def waterfall(self, row: int = 0, *, ax: Any = None, **settings: Any) -> WaterfallDisplay:
        """A row's evidence, step by step from the prior to the answer."""
        return WaterfallDisplay.from_evidence(self.evidence, row, **settings).plot(ax)
