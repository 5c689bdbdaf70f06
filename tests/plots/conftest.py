"""No window is opened, and no figure left behind."""

import pytest

pytest.importorskip("matplotlib").use("agg")


@pytest.fixture(autouse=True)
def no_figure_stays():
    from matplotlib import pyplot

    yield
    pyplot.close("all")
