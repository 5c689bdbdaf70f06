"""All displays: new and given axes, SVG, light and dark, and shortcuts."""

import inspect

import pytest
from examples_drawn import EVALUATION, FITTED, FRAME, LABELS, MAILS, MODEL, ROW, SPAM, TREE
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.text import Text

from tallybayes import Categorical, Gaussian, Model, plots

EVERY = [
    plots.DensityDisplay.from_model(MODEL, data=FRAME, labels=LABELS),
    plots.DecisionDisplay.from_model(MODEL, "temp"),
    plots.BoundaryDisplay.from_model(MODEL, "temp", "city", data=FRAME, labels=LABELS),
    plots.WaterfallDisplay.from_model(MODEL, ROW),
    plots.MarkedTextDisplay.from_model(SPAM, MAILS[0]),
    plots.HeaviestDisplay.from_model(SPAM),
    plots.WordProbabilityDisplay.from_model(SPAM),
    plots.ReliabilityDisplay.from_evaluation(EVALUATION),
    plots.ConfusionDisplay.from_evaluation(EVALUATION),
    plots.ClassMapDisplay.from_evaluation(EVALUATION),
    plots.RocDisplay.from_evaluation(EVALUATION),
    plots.PrecisionRecallDisplay.from_evaluation(EVALUATION),
    plots.CostCurveDisplay.from_evaluation(EVALUATION),
    plots.LearningCurveDisplay.from_rows({"city": Categorical()}, FRAME, LABELS, k=4),
    plots.SettingCurveDisplay.from_rows({"city": Categorical()}, FRAME, LABELS, values=[0.1, 1.0, "fitted"], k=4),
    plots.ParameterDisplay.from_model(MODEL, "calls", "ill"),
    plots.GraphDisplay.from_model(TREE),
    plots.ObjectiveDisplay.from_model(FITTED),
]


def kinds(cls):
    return [kind for each in cls.__subclasses__() for kind in (kinds(each) or [each])]


def test_every_display_is_tested():
    assert {type(display) for display in EVERY} == set(kinds(plots.Display))


@pytest.mark.parametrize("display", EVERY, ids=lambda display: type(display).__name__)
def test_descriptions_need_no_docstrings(display, monkeypatch):
    """`python -OO` strips them."""
    described = display.alt
    for kind in type(display).__mro__[:-1]:
        if kind.__module__.startswith("tallybayes"):
            monkeypatch.setattr(kind, "__doc__", None)
    assert display.alt == described


@pytest.mark.parametrize("display", EVERY, ids=lambda display: type(display).__name__)
def test_new_axes_given_axes_and_svg(display):
    assert display.plot() is display
    assert display.ax_ is display.axes_[0]
    assert display.figure_ is display.ax_.figure
    figure, axes = pyplot.subplots(display.panels, squeeze=False)
    assert display.plot(ax=axes).figure_ is figure
    figure.canvas.draw()
    drawn = display.svg()
    assert drawn.startswith("<svg ")
    assert drawn.endswith("</svg>")
    assert 'role="img"' in drawn
    assert "currentColor" in drawn
    assert "<script" not in drawn
    assert "http" not in drawn
    assert 20 < len(display.alt) < 1000


@pytest.mark.parametrize("display", EVERY, ids=lambda display: type(display).__name__)
def test_no_dark_text_on_dark_background(display):
    with pyplot.rc_context(plots.style(dark=True)):
        figure = display.plot().figure_
    figure.canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
    boxed = [text for text in texts if text.get_bbox_patch() is not None and isinstance(display, plots.GraphDisplay)]
    assert texts
    assert all(sum(bytes.fromhex(to_hex(text.get_color())[1:])) > 3 * 128 for text in texts if text not in boxed)


def test_number_of_axes_must_match_the_panels():
    figure, ax = pyplot.subplots()
    with pytest.raises(ValueError, match="ax: there are 1 axes for 3 panels; give 3 axes, or none"):
        plots.DecisionDisplay.from_model(MODEL, "temp").plot(ax=ax)
    assert figure.axes == [ax]


WAYS_IN = {
    "model": (
        MODEL,
        {"densities": ("temp",), "decisions": ("temp",), "boundary": ("temp", "calls"), "evidence": (ROW,)},
    ),
    "counts": (MODEL, {"parameter": ("calls", "ill"), "learning": (FRAME, LABELS), "setting": (FRAME, LABELS)}),
    "text": (SPAM, {"text": (MAILS[0],), "heaviest": (), "words": ()}),
    "tree": (TREE, {"graph": ()}),
    "fitted": (FITTED, {"objective": ()}),
    "evaluation": (
        EVALUATION,
        dict.fromkeys(["reliability", "confusion", "map", "roc", "precision_recall", "costs"], ()),
    ),
    "evidence": (MODEL.evidence(ROW), {"waterfall": ()}),
}


@pytest.mark.parametrize("name", WAYS_IN)
def test_shortcut_for_every_display(name):
    thing, ways = WAYS_IN[name]
    for way, given in ways.items():
        display = getattr(thing.plot, way)(*given)
        assert isinstance(display, plots.Display)
        assert display.figure_.axes


def test_no_shortcut_is_missing():
    tried = {way for _, ways in WAYS_IN.values() for way in ways}
    classes = (plots.ModelPlots, plots.EvaluationPlots, plots.EvidencePlots)
    assert tried == {
        name for each in classes for name, _ in inspect.getmembers(each, inspect.isfunction) if name[0] != "_"
    }


def test_display_does_not_change_when_the_model_learns():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "b"])
    display = plots.DensityDisplay.from_model(model, "x")
    before = display.svg()
    model += Model.train({"x": Gaussian()}, {"x": [9.0]}, ["a"])
    assert display.svg() == before
