"""Examples write their files in an empty folder, and leave no families and no open figures behind."""

import sys
from importlib.util import find_spec

import pytest

from tallybayes import FAMILIES

collect_ignore = [] if find_spec("pyspark") else ["src/tallybayes/spark"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(request):
    if isinstance(request.node, pytest.DoctestItem):  # making a folder takes longer than most tests
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
    known = dict(FAMILIES)
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    FAMILIES.clear()
    FAMILIES.update(known)
