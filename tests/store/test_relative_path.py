"""A store opened by a relative path stays the same one when the working directory changes."""

import pytest

from tallybayes import Store, Words

SCHEMA = {"text": Words()}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders, the first of which is the working directory."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here", tmp_path / "there"


@pytest.mark.parametrize("other", [False, True], ids=["nothing there", "another store there"])
def test_changes_after_chdir(folders, monkeypatch, other):
    here, there = folders
    with Store.create("s", SCHEMA) as store:
        store.learn("secretword", "spam", id="a")
        store.learn("lunch", "ham", id="b")
        store.snapshot()
        monkeypatch.chdir(there)
        if other:
            with Store.create("s", SCHEMA) as another:
                another.learn("dinner", "ham", id="c")
                another.decay(0.5)
                another.learn("dinner", "ham", id="d")
                another.snapshot()
            before = contents(there / "s")
        store.forget(id="a")
        assert not any(b"secretword" in data for data in contents(here / "s").values())
        store.decay(0.5)
        store.learn("supper", "ham", id="e")
        store.snapshot()
        assert store.verify()
    with Store.open(here / "s") as found:
        assert found.ids() == ["b", "e"]
        assert found.model().rows_by_class() == {"ham": 1.5}
        assert found.verify()
    assert contents(there / "s") == before if other else not list(there.iterdir())
    assert {path.name for path in (here / "s").glob("*.tally")} == {"base-4.tally", "snapshot-5.tally"}
