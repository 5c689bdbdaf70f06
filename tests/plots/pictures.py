"""The small reference images; run this file to write them again, and look at them."""

from pathlib import Path

from examples_drawn import EVALUATION, FRAME, LABELS, MODEL, ROW
from matplotlib import pyplot

from tallybayes.plots import BoundaryDisplay, ConfusionDisplay, DecisionDisplay, DensityDisplay, WaterfallDisplay, style

FOLDER = Path(__file__).parent / "pictures"
DOTS = 40  # an inch
PICTURES = {
    "densities": (DensityDisplay.from_model(MODEL, data=FRAME, labels=LABELS), False),
    "decisions": (DecisionDisplay.from_model(MODEL, "temp"), False),
    "boundary": (BoundaryDisplay.from_model(MODEL, "temp", "calls"), False),
    "waterfall-dark": (WaterfallDisplay.from_model(MODEL, ROW), True),
    "confusion-dark": (ConfusionDisplay.from_evaluation(EVALUATION), True),
}


def write(name, path):
    display, dark = PICTURES[name]
    with pyplot.rc_context({**pyplot.rcParamsDefault, **style(dark), "backend": "agg"}):
        figure = display.plot().figure_
        figure.savefig(path, dpi=DOTS, metadata={"Software": None})
        pyplot.close(figure)


if __name__ == "__main__":
    for name in PICTURES:
        write(name, FOLDER / f"{name}.png")
