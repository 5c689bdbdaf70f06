"""Examples in the documentation write their files in an empty folder and leave no families behind."""

import pytest

from tallybayes import FAMILIES


@pytest.fixture(autouse=True)
def in_an_empty_folder(request, tmp_path, monkeypatch):
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path)
    known = dict(FAMILIES)
    yield
    FAMILIES.clear()
    FAMILIES.update(known)
