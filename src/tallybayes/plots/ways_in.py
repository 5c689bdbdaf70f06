"""Shortcuts to the plots: `model.plot`, `evaluation.plot` and `evidence.plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallybayes.model.evaluation import Evaluation
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.plots.decisions import BoundaryDisplay, DecisionDisplay
from tallybayes.plots.densities import DensityDisplay
from tallybayes.plots.em import ObjectiveDisplay
from tallybayes.plots.evidence import MarkedTextDisplay, WaterfallDisplay
from tallybayes.plots.heaviest import HeaviestDisplay, WordProbabilityDisplay
from tallybayes.plots.network import GraphDisplay
from tallybayes.plots.parameters import ParameterDisplay
from tallybayes.plots.quality import ClassMapDisplay, ConfusionDisplay, ReliabilityDisplay
from tallybayes.plots.ranking import CostCurveDisplay, PrecisionRecallDisplay, RocDisplay
from tallybayes.plots.validation import LearningCurveDisplay, SettingCurveDisplay
from tallybayes.schema.entries import Name


class ModelPlots:
    """Plots of a model. Each takes the arguments of its display's `from_…`, and `ax` to draw on."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def densities(
        self, columns: Name | Sequence[Name] | None = None, *, ax: Any = None, **asked: Any
    ) -> DensityDisplay:
        """p(x | class) of columns."""
        return DensityDisplay.from_model(self.model, columns, **asked).plot(ax)

    def decisions(self, column: Name, *, ax: Any = None, **asked: Any) -> DecisionDisplay:
        """p(x | class), P(class | x) and the probability of error along a column of numbers."""
        return DecisionDisplay.from_model(self.model, column, **asked).plot(ax)

    def boundary(self, one: str, other: str, *, ax: Any = None, **asked: Any) -> BoundaryDisplay:
        """The most probable class in the plane of two columns."""
        return BoundaryDisplay.from_model(self.model, one, other, **asked).plot(ax)

    def evidence(self, row: Any, *, ax: Any = None, **asked: Any) -> WaterfallDisplay:
        """A row's evidence, step by step from the prior to the answer."""
        return WaterfallDisplay.from_model(self.model, row, **asked).plot(ax)

    def text(self, text: Any, *, ax: Any = None, **asked: Any) -> MarkedTextDisplay:
        """A text with its words marked."""
        return MarkedTextDisplay.from_model(self.model, text, **asked).plot(ax)

    def heaviest(self, classes: Sequence[Any] | None = None, *, ax: Any = None, **asked: Any) -> HeaviestDisplay:
        """The words and values that weigh most."""
        return HeaviestDisplay.from_model(self.model, classes, **asked).plot(ax)

    def words(self, column: Name | None = None, *, ax: Any = None, **asked: Any) -> WordProbabilityDisplay:
        """P(word | class) of every word, or of every boolean column."""
        return WordProbabilityDisplay.from_model(self.model, column, **asked).plot(ax)

    def parameter(
        self, column: Name, label: Any, parameter: Any = None, *, ax: Any = None, **asked: Any
    ) -> ParameterDisplay:
        """The prior and the posterior of a parameter."""
        return ParameterDisplay.from_model(self.model, column, label, parameter, **asked).plot(ax)

    def graph(self, *, ax: Any = None) -> GraphDisplay:
        """Which column depends on which."""
        return GraphDisplay.from_model(self.model).plot(ax)

    def learning(self, data: Any, labels: Any = None, *, ax: Any = None, **asked: Any) -> LearningCurveDisplay:
        """Held-out loss as rows are added."""
        return LearningCurveDisplay.from_rows(self.model, data, labels, **asked).plot(ax)

    def setting(self, data: Any, labels: Any = None, *, ax: Any = None, **asked: Any) -> SettingCurveDisplay:
        """Held-out loss as a setting changes, by default alpha."""
        return SettingCurveDisplay.from_rows(self.model, data, labels, **asked).plot(ax)

    def objective(self, *, ax: Any = None) -> ObjectiveDisplay:
        """EM's objective, step by step."""
        return ObjectiveDisplay.from_model(self.model).plot(ax)


class EvaluationPlots:
    """Plots of an evaluation."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def reliability(self, *, ax: Any = None, **asked: Any) -> ReliabilityDisplay:
        """Whether probabilities are calibrated."""
        return ReliabilityDisplay.from_evaluation(self.evaluation, **asked).plot(ax)

    def confusion(self, *, ax: Any = None) -> ConfusionDisplay:
        """Which classes are confused."""
        return ConfusionDisplay.from_evaluation(self.evaluation).plot(ax)

    def map(self, *, ax: Any = None, **asked: Any) -> ClassMapDisplay:
        """The same as a map of classes."""
        return ClassMapDisplay.from_evaluation(self.evaluation, **asked).plot(ax)

    def roc(self, labels: Any = None, *, ax: Any = None, **asked: Any) -> RocDisplay:
        """True against false positives at every threshold."""
        return RocDisplay.from_evaluation(self.evaluation, labels, **asked).plot(ax)

    def precision_recall(self, labels: Any = None, *, ax: Any = None, **asked: Any) -> PrecisionRecallDisplay:
        """Precision against recall at every threshold."""
        return PrecisionRecallDisplay.from_evaluation(self.evaluation, labels, **asked).plot(ax)

    def costs(self, labels: Any = None, *, ax: Any = None, **asked: Any) -> CostCurveDisplay:
        """What errors cost, as misses matter more."""
        return CostCurveDisplay.from_evaluation(self.evaluation, labels, **asked).plot(ax)


class EvidencePlots:
    """Plots of evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def waterfall(self, row: int = 0, *, ax: Any = None, **asked: Any) -> WaterfallDisplay:
        """A row's evidence, step by step from the prior to the answer."""
        return WaterfallDisplay.from_evidence(self.evidence, row, **asked).plot(ax)
