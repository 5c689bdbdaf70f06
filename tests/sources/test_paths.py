"""Paths of inputs."""

import io
from pathlib import Path

import pytest

from tallybayes.sources import open_source


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
