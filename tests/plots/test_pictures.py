"""A few pictures beside those that are stored: not pixel by pixel, since fonts and versions differ, but nearly."""

import numpy as np
import pytest
from matplotlib import image
from pictures import FOLDER, PICTURES, write

NEAR = 0.06  # root of the mean square, of 1


def difference(one, other):
    a, b = (image.imread(path)[..., :3] for path in (one, other))
    rows, columns = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    assert max(abs(a.shape[0] - b.shape[0]), abs(a.shape[1] - b.shape[1])) <= 2
    return float(np.sqrt(np.mean((a[:rows, :columns] - b[:rows, :columns]) ** 2)))


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name, tmp_path):
    write(name, tmp_path / "now.png")
    assert difference(FOLDER / f"{name}.png", tmp_path / "now.png") < NEAR


def test_the_tolerance_tells_pictures_apart(tmp_path):
    """One that is the same but for its ground, or for what is drawn, is not near."""
    write("confusion-dark", tmp_path / "dark.png")
    dark = image.imread(tmp_path / "dark.png")
    image.imsave(tmp_path / "turned.png", np.ascontiguousarray(dark[::-1]))
    assert difference(FOLDER / "confusion-dark.png", tmp_path / "turned.png") > 2 * NEAR
