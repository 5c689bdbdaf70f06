"""Documents that are needed several times must not change in between; renaming a mail in its Maildir is no change."""

import os

import pytest
from folder_data import lay_out, mail, mbox

from tallybayes.sources import SourceError, open_source

CHANGES = {
    "changed": lambda folder: (folder / "ham/2").write_bytes(mail("supper")),
    "touched": lambda folder: os.utime(folder / "ham/2", ns=(0, 0)),
    "added": lambda folder: lay_out(folder, {"spam/9": mail("more")}),
    "removed": lambda folder: (folder / "ham/2").unlink(),
    "moved to another class": lambda folder: (folder / "ham/2").rename(folder / "spam/0"),
    "new class": lambda folder: lay_out(folder, {"work/1": mail("late")}),
    "mbox": lambda folder: (folder / "lists.mbox").write_bytes(mbox(mail("one"), mail("two"))),
}


@pytest.fixture
def folder(tmp_path):
    files = {"ham/1": mail("lunch"), "ham/2": mail("dinner"), "spam/1": mail("prize"), "lists.mbox": mbox(mail("one"))}
    return lay_out(tmp_path, files)


@pytest.mark.parametrize("change", CHANGES)
def test_change_in_a_folder_is_noticed(folder, change):
    source = open_source(folder)
    assert sum(map(len, source.again().batches())) == 4
    CHANGES[change](folder)
    with pytest.raises(SourceError, match=r" has changed since it was first read.* Give a copy"):
        source.again()


def test_change_during_the_second_reading_is_noticed_at_its_end(folder):
    second = open_source(folder).again()
    CHANGES["changed"](folder)
    with pytest.raises(SourceError, match="ham/2 has changed since it was first read"):
        list(second.batches())


def test_mail_may_be_flagged_and_moved_within_its_maildir(tmp_path):
    for part in ("cur", "new", "tmp"):
        (tmp_path / part).mkdir()
    lay_out(tmp_path, {"cur/1:2,": mail("seen"), "new/2": mail("new")})
    source = open_source(tmp_path)
    second = source.again()
    (tmp_path / "new/2").rename(tmp_path / "cur/2:2,S")
    assert sum(map(len, second.batches())) == 2
    (tmp_path / "cur/1:2,").rename(tmp_path / "cur/1:2,FS")
    assert sum(map(len, source.again().batches())) == 2
    lay_out(tmp_path, {"new/3": mail("newer")})
    with pytest.raises(SourceError, match="new/3 has changed since it was first read"):
        source.again()
