"""A few plots against reference images, with a tolerance for fonts and versions."""

import numpy as np
import pytest
from matplotlib import image
from pictures import FOLDER, PICTURES, write

NEAR = 0.06  # root mean square, of 1


def difference(one, other):
    a, b = (image.imread(path)[..., :3] for path in (one, other))
    rows, columns = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    assert max(abs(a.shape[0] - b.shape[0]), abs(a.shape[1] - b.shape[1])) <= 2
    return float(np.sqrt(np.mean((a[:rows, :columns] - b[:rows, :columns]) ** 2)))


@pytest.mark.parametrize("name", PICTURES)
def test_plot_looks_like_its_reference(name, tmp_path):
    write(name, tmp_path / "now.png")
    assert difference(FOLDER / f"{name}.png", tmp_path / "now.png") < NEAR


def test_tolerance_distinguishes_plots(tmp_path):
    """Changing only the background or the data exceeds it."""
    write("confusion-dark", tmp_path / "dark.png")
    dark = image.imread(tmp_path / "dark.png")
    image.imsave(tmp_path / "turned.png", np.ascontiguousarray(dark[::-1]))
    assert difference(FOLDER / "confusion-dark.png", tmp_path / "turned.png") > 2 * NEAR
