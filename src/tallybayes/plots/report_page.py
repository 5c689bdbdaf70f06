"""The report of a model with its plots: one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tallybayes.data.matching import ERROR
from tallybayes.model.classifier import check_model
from tallybayes.model.diagnosis import Diagnosis, diagnose
from tallybayes.model.model import Model
from tallybayes.plots.canvas import NEEDED, is_installed
from tallybayes.plots.densities import SEVERAL, DensityDisplay
from tallybayes.plots.display import Display
from tallybayes.plots.heaviest import HeaviestDisplay
from tallybayes.plots.network import GraphDisplay
from tallybayes.plots.quality import ClassMapDisplay, ConfusionDisplay, ReliabilityDisplay
from tallybayes.plots.ranking import PrecisionRecallDisplay, RocDisplay
from tallybayes.report import full_report
from tallybayes.report.blocks import Heading, Picture
from tallybayes.report.report import Report

COLUMNS = 9  # the most informative, which are drawn
CLASSES = 4  # in each of their plots
MANY = 12  # classes: with more, a map is drawn as well as the matrix


def model_report(
    model: Model,
    data: Any = None,
    labels: Any = None,
    *,
    absent: str = ERROR,
    pictures: bool | None = None,
    title: str = "Model report",
) -> Report:
    """A full report on a model, and on its performance on test rows if given. `data`, `labels` and `absent` are as for
    `evaluate`; the rows are read once. A notebook displays the result; `save` writes a self-contained page.

    Plots need matplotlib. Without it the report has none and says so; `pictures=True` makes that an error, and
    `pictures=False` always leaves them out.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain", "rain"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "yes", "yes"])
    >>> model_report(model, frame, ["no", "yes", "no"]).save("report.html")
    """
    check_model(model, Model)
    if not model.classes:
        raise ValueError("The model has counted no rows, so there is nothing to report on.")
    if pictures and not is_installed():
        raise ImportError(NEEDED)
    drawn = is_installed() if pictures is None else pictures
    diagnosis = None if data is None else diagnose(model, data, labels, absent=absent)
    facts = full_report.facts(model, diagnosis, pictures=drawn or pictures is False)
    shown = _pictures(model, diagnosis, facts) if drawn else {}
    return Report(title, facts, (Heading(title, 1), *full_report.blocks(facts, shown)), tuple(full_report.brief(facts)))


def _pictures(model: Model, diagnosis: Diagnosis | None, facts: full_report.WholeFacts) -> dict[str, list[Picture]]:
    found: dict[str, list[Picture]] = {}
    for part, make in _displays(model, diagnosis, facts):
        try:
            display = make()
        except (TypeError, ValueError):  # no column has levels or numbers, no word weighs
            continue
        found.setdefault(part, []).append(Picture(display.svg(), display.alt))
    return found


def _displays(
    model: Model, diagnosis: Diagnosis | None, facts: full_report.WholeFacts
) -> Iterator[tuple[str, Callable[[], Display]]]:
    """The section of each plot, and the plot."""
    if len(model.classes) > 1:
        yield "weighty", lambda: HeaviestDisplay.from_model(model, top=10)
    for name in [each.column for each in facts.columns if each.information is not None][:COLUMNS]:
        yield "densities", partial(_density, model, diagnosis, name)
    if any(belief.parents for belief in model.beliefs().counted.values()):
        yield "counted", lambda: GraphDisplay.from_model(model)
    measured = None if diagnosis is None else diagnosis.evaluation
    if measured is None:
        return
    yield "quality", lambda: ConfusionDisplay.from_evaluation(measured)
    if len(measured.classes) > MANY:
        yield "quality", lambda: ClassMapDisplay.from_evaluation(measured)
    if len(measured.rows_by_class) > 1 and len(measured.classes) <= MANY:
        yield "quality", lambda: RocDisplay.from_evaluation(measured)
        yield "quality", lambda: PrecisionRecallDisplay.from_evaluation(measured)
    yield "calibration", lambda: ReliabilityDisplay.from_evaluation(measured)


def _density(model: Model, diagnosis: Diagnosis | None, name: str) -> Display:
    rows = None if diagnosis is None else diagnosis.kept
    frequent = sorted(model.rows_by_class().items(), key=lambda pair: -pair[1])[:CLASSES]
    shown = [label for label in model.classes if label in dict(frequent)]
    return replace(DensityDisplay.from_model(model, name, data=rows, classes=shown, top=SEVERAL), small=True)
