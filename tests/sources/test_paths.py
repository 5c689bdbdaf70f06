"""Paths of inputs."""

import io
from pathlib import Path

import pytest

from tallybayes.sources import open_source
from tallybayes.sources.paths import expand


@pytest.fixture(autouse=True)
def in_a_folder_with_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("a,y\n1,2\n")


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (io.BytesIO(b"data.csv"), "BytesIO"),
        (io.StringIO("data.csv"), "StringIO"),
        ([io.BytesIO(b"data.csv")], "BytesIO"),
        (["data.csv", 3], "int"),
        (bytearray(b"data.csv"), "bytearray"),
        ({"data.csv": [1]}, "dict"),
        (iter(["data.csv"]), "list_iterator"),
        (None, "NoneType"),
    ],
)
def test_invalid_paths_are_errors(given, kind):
    with pytest.raises(TypeError, match=f"^Files are given by name, not as {kind}. Give a string, a path, or"):
        open_source(given)


def test_paths_as_text_bytes_and_path_objects():
    for one in ("data.csv", b"data.csv", Path("data.csv")):
        assert open_source(one).names == open_source([one]).names == open_source((one,)).names == ["a", "y"]


def test_two_stars_match_files_without_the_folders_that_hold_them(tmp_path):
    root = tmp_path / "t"
    for name in ("a.csv", "in/b.csv", "in/deeper/c.csv"):
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text("x\n1\n")
    every = [str(root / name) for name in ("a.csv", "in/b.csv", "in/deeper/c.csv")]
    assert expand(root / "**") == expand(str(root / "**/*")) == expand(root / "**/*.csv") == every
    assert expand(root / "*") == [every[0], str(root / "in")]
    assert expand(root / "**/deeper") == [str(root / "in/deeper")]
    (root / "empty").mkdir()
    assert expand(root / "**") == every
    assert expand(root / "**/[bd]*") == [str(root / name) for name in ("in/b.csv", "in/deeper")]
