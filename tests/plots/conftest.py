"""No window is opened, and no figure stays open."""

import matplotlib
import pytest
from matplotlib import pyplot

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    pyplot.close("all")
