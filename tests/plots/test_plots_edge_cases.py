"""Edge cases of plots: constant columns, ten thousand levels, empty classes, infinities, 150 classes, labels of any
script and length, and markup in names.
"""

import subprocess
import sys

import numpy as np
import pytest
from examples_drawn import EVALUATION, MODEL
from matplotlib import pyplot

from tallybayes import Bernoulli, Categorical, Density, Gaussian, Histogram, Model, Poisson, Words, evaluate, plots

NAMES = {
    "long": "x" * 500,
    "cjk": "天気予報と気温",
    "right to left": "مرحبا بالعالم שלום",
    "formula": "$\\frac{1}{0}$ and $more",
    "markup": "<script>alert('x')</script>\"&",
    "control": "\x1b[2J\u202e\x00\n",
    "underscore": "_hidden",
    "emoji": "👩‍👩‍👧 free",
    "empty": "",
}


def of_evaluation(measured):
    kinds = (
        plots.ReliabilityDisplay,
        plots.ConfusionDisplay,
        plots.ClassMapDisplay,
        plots.RocDisplay,
        plots.PrecisionRecallDisplay,
        plots.CostCurveDisplay,
    )
    return [kind.from_evaluation(measured) for kind in kinds]


ALONE = [pytest.param(name, marks=pytest.mark.long, id=what) for what, name in NAMES.items()]


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")
@pytest.mark.parametrize("name", [pytest.param("".join(NAMES.values()), id="all at once"), *ALONE])
def test_names_of_any_kind(name):
    frame = {
        f"{name}1": [1.0, 2.0, 3.0, 4.0],
        f"{name}2": [name, "b", name, "c"],
        f"{name}3": [f"{name} free", "b c"] * 2,
    }
    columns = list(frame)
    model = Model.train(dict(zip(columns, (Gaussian(), Categorical(), Words()), strict=True)), frame, [name, "b"] * 2)
    row = {column: cells[0] for column, cells in frame.items()}
    displays = [
        plots.DensityDisplay.from_model(model, columns[:2], data=frame, labels=[name, "b"] * 2),
        plots.BoundaryDisplay.from_model(model, columns[0], columns[1]),
        plots.WaterfallDisplay.from_model(model, row),
        plots.HeaviestDisplay.from_model(model),
        plots.WordProbabilityDisplay.from_model(model),
        plots.ParameterDisplay.from_model(model, columns[0], name),
        plots.GraphDisplay.from_model(model),
        plots.ConfusionDisplay.from_evaluation(evaluate(model, frame, [name, f"{name}c"] * 2)),
    ]
    for display in displays:
        svg = display.svg()
        assert "<script" not in svg
        assert not any(steers in svg for steers in ("\x1b", "\u202e", "\x00"))


def test_name_with_a_leading_underscore_is_in_the_legend():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["_a", "b"])
    texts = [
        text.get_text() for text in plots.DensityDisplay.from_model(model, "x").plot().ax_.get_legend().get_texts()
    ]
    assert [text.strip() for text in texts] == ["_a", "b"]


@pytest.mark.parametrize("name", ["a rather long name of a class", "天気予報と気温の分類の名前", "b"])
@pytest.mark.parametrize("columns", [["x"], ["x", "y"], ["x", "y", "z"]])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_legend_is_within_the_picture(name, columns):
    frame = {column: ["u", "v"] * 3 for column in columns}
    model = Model.train(dict.fromkeys(columns, Categorical()), frame, [f"{i} {name}" for i in range(6)])
    figure = plots.DensityDisplay.from_model(model, columns).plot().figure_
    figure.canvas.draw()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert (box.x0 >= 0, box.x1 <= figure.bbox.width) == (True, True)
    assert len(legend.get_texts()) == 6


@pytest.mark.parametrize(
    "family", [Gaussian(), Gaussian(m=0.0), Histogram(), Density(), Poisson(), Categorical()], ids=repr
)
def test_constant_columns(family):
    model = Model.train({"x": family}, {"x": [3] * 4}, ["a", "b"] * 2)
    assert "<svg" in plots.DensityDisplay.from_model(model, "x", data={"x": [3] * 4}, labels=["a", "b"] * 2).svg()
    if family != Categorical():
        plots.DecisionDisplay.from_model(model, "x").svg()


def test_empty_columns_and_classes_without_cells():
    frame = {"x": [None] * 4, "y": [1.0, 2.0, None, None]}
    model = Model.train({"x": Histogram(), "y": Gaussian()}, frame, ["a", "a", "b", "b"])
    plots.DensityDisplay.from_model(model, data=frame, labels=["a", "a", "b", "b"]).svg()
    plots.ParameterDisplay.from_model(model, "y", "b").svg()


def test_ten_thousand_levels_state_how_many_are_hidden():
    cells = ["often"] * 5000 + [f"level {i}" for i in range(10_000)]
    model = Model.train({"x": Categorical()}, {"x": cells}, ["a", "b"] * 7500)
    ax = plots.DensityDisplay.from_model(model, "x").plot().ax_
    assert "9,981 other levels: " in ax.get_xlabel()
    assert len(plots.DensityDisplay.from_model(model, "x").svg()) < 100_000


def test_infinite_evidence_is_an_arrow():
    frame = {"x": ["u", "v", "w"], "y": [True, False, True]}
    model = Model.train({"x": Categorical(alpha=0), "y": Bernoulli(alpha=0)}, frame, ["a", "b", "b"])
    display = plots.WaterfallDisplay.from_model(model, {"x": "u", "y": True})
    assert display.bars[1].log_odds == np.inf
    ax = display.plot().ax_
    assert all(np.isfinite(bar.get_width()) for bar in ax.patches)
    assert "∞ × for a" in [text.get_text() for text in ax.texts]
    display.svg()
    plots.HeaviestDisplay.from_model(model).svg()
    ruled_out = plots.WaterfallDisplay.from_model(model, {"x": "u", "y": False})  # for either class
    assert "<svg" in ruled_out.svg()


def test_infinite_losses_are_labelled():
    frame, labels = {"x": ["u"] * 6 + ["v"] * 6}, ["a"] * 5 + ["b"] * 7  # one "u" is a "b", and held out once
    display = plots.SettingCurveDisplay.from_rows({"x": Categorical()}, frame, labels, values=[0.0, 1.0], k=3)
    assert [each.impossible for each in display.found] == [1, 0]
    assert display.best == 1.0
    assert "∞" in display.svg()


@pytest.mark.long
def test_150_classes_stay_small():
    labels = [f"class {i}" for i in range(150)] * 4
    random = np.random.default_rng(0)
    frame = {"x": random.normal(np.arange(600) % 150, 3.0), "y": [f"level {i % 40}" for i in range(600)]}
    model = Model.train({"x": Gaussian(), "y": Categorical()}, frame, labels)
    measured = evaluate(model, frame, labels)
    for display in [
        *of_evaluation(measured),
        plots.DensityDisplay.from_model(model),
        plots.HeaviestDisplay.from_model(model),
    ]:
        assert len(display.svg()) < 400_000
    plots.BoundaryDisplay.from_model(model, "x", "y").svg()
    assert (
        plots.DensityDisplay.from_model(model, "x").plot().ax_.get_legend().get_title().get_text() == "6 of 150 classes"
    )


def test_single_class_and_no_mistakes():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "a"])
    plots.DensityDisplay.from_model(model, "x").svg()
    plots.DecisionDisplay.from_model(model, "x").svg()
    measured = evaluate(model, {"x": [1.0, 2.0]}, ["a", "a"])
    for display in of_evaluation(measured)[:3]:
        display.svg()
    with pytest.raises(ValueError, match="There is only one class"):
        plots.WaterfallDisplay.from_model(model, {"x": 1.0})
    with pytest.raises(ValueError, match="There is no evidence to show"):
        plots.HeaviestDisplay.from_model(model)


def test_class_without_rows_has_no_curve():
    measured = evaluate(MODEL, {"temp": [36.0], "calls": [0], "city": ["Rome"]}, ["well"])
    for display in of_evaluation(measured):
        display.svg()


def test_text_of_any_length():
    model = Model.train({"text": Words()}, ["free prize", "lunch"], ["spam", "ham"])
    display = plots.MarkedTextDisplay.from_model(model, "free lunch " * 20_000)
    assert "more lines" in display.plot().ax_.get_title()
    with pytest.raises(ValueError, match="No word of this row is evidence"):
        plots.MarkedTextDisplay.from_model(MODEL, {"temp": 36.0, "calls": 1, "city": "Rome"})


WITHOUT = """
import sys
sys.modules["matplotlib"] = None
from tallybayes import Categorical, Model, model_report, plots
model = Model.train({"x": Categorical()}, {"x": ["u", "v"]}, ["a", "b"])
display = plots.DensityDisplay.from_model(model, "x")
print(display.alt)
for draw in (display.plot, display.svg, lambda: model_report(model, pictures=True)):
    try:
        draw()
    except ImportError as error:
        print(error)
page = model_report(model, {"x": ["u"]}, ["b"]).html()
print("There are no pictures because matplotlib is not installed" in page, "<svg" in page)
"""


@pytest.mark.slow
def test_without_matplotlib_an_error_says_what_to_install_and_the_report_has_no_plots():
    ended = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    needed = "Pictures need matplotlib; run: pip install 'tallybayes[plot]'."
    first, *others = ended.stdout.splitlines()
    assert first.startswith("How x is distributed in the classes a, b.")
    assert others == [needed, needed, needed, "True False"]


@pytest.mark.slow
def test_works_without_a_display(tmp_path):
    code = (
        "from tallybayes import Gaussian, Model\n"
        "model = Model.train({'x': Gaussian()}, {'x': [1.0, 2.0]}, ['a', 'b'])\n"
        "model.plot.densities('x').figure_.savefig('x.png')\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"HOME": str(tmp_path)}, check=True)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_plotting_changes_no_global_settings():
    before = dict(pyplot.rcParams)
    plots.ReliabilityDisplay.from_evaluation(EVALUATION).svg()
    assert dict(pyplot.rcParams) == before


@pytest.mark.parametrize("classes", [2, 6, 7, 60, 1000])
def test_decisions_name_as_many_classes_as_there_is_room_for(classes, recwarn):
    """Those with the widest regions. A legend of all of them would leave no room for the curves."""
    x = np.arange(3.0 * classes)
    model = Model.train({"x": Gaussian(plugin=True)}, {"x": x}, np.repeat(np.arange(classes), 3))
    display = plots.DecisionDisplay.from_model(model, "x").plot()
    display.figure_.canvas.draw()
    regions = {model.classes[at] for at, _, _ in display.regions()}
    for ax in display.axes_:
        said = [text.get_text() for text in ax.get_legend().get_texts() if "error" not in text.get_text()]
        assert len(said) == min(classes, 6)
        assert set(map(int, said)) <= regions or classes <= 6
        assert ax.get_legend().get_title().get_text() == ("" if classes <= 6 else f"6 of {classes:,} classes")
        assert ax.get_window_extent().height > 50
    assert not [str(warning.message) for warning in recwarn]


def test_a_class_by_itself_is_a_class_and_not_its_letters():
    model = Model.train({"x": Categorical()}, {"x": ["a", "b", "c"]}, ["one", "two", "three"])
    assert plots.HeaviestDisplay.from_model(model, "two").weights.keys() == {"two"}
    assert plots.DensityDisplay.from_model(model, classes="two").classes == [2]
    assert plots.DensityDisplay.from_model(model, classes=np.array(["two", "one"])).classes == [2, 0]


def test_error_of_a_class_without_a_variance_is_not_known():
    model = Model.train({"x": Gaussian(m=0)}, {"x": [1.0, 2.0, 3.0, None]}, list("aaab"))
    assert plots.DecisionDisplay.from_model(model, "x").alt.endswith("P(error) is not known.")
