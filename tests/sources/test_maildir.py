"""Maildirs, also during delivery."""

import pytest
from folder_data import classes, lay_out, mail, reader, rows

from tallybayes.sources.base import BadRows
from tallybayes.sources.maildir import moved

MAILDIR = {"cur/2:2,S": mail("seen"), "new/1": mail("new"), "tmp/3": mail("unfinished")}


def maildir(folder, files=MAILDIR):
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True)
    return lay_out(folder, files)


def test_single_maildir_has_no_class(tmp_path):
    maildir(tmp_path)
    assert reader(tmp_path).label is None
    assert rows(tmp_path, columns=["subject"]) == [("new",), ("seen",)]


def test_maildir_per_class(tmp_path):
    maildir(tmp_path / "ham")
    maildir(tmp_path / "spam", {"new/1": mail("prize")})
    assert classes(tmp_path) == classes(tmp_path / "ham", tmp_path / "spam")
    assert classes(tmp_path) == {"ham": ["new", "seen"], "spam": ["prize"]}


def test_folders_in_a_maildir_are_classes(tmp_path):
    maildir(tmp_path)
    maildir(tmp_path / ".Spam", {"cur/1:2,": mail("prize")})
    maildir(tmp_path / ".Junk.2024", {"cur/1:2,": mail("pills")})
    maildir(tmp_path / "Work", {"cur/1:2,": mail("agenda")})
    lay_out(tmp_path, {"dovecot.index": "no mail", "courierimapkeywords/list": "no mail"})
    found = {"INBOX": ["new", "seen"], "Junk.2024": ["pills"], "Spam": ["prize"], "Work": ["agenda"]}
    assert classes(tmp_path) == found


INBOX_AND_JUNK = {"cur/1:2,S": mail("lunch"), ".Junk/cur/2:2,": mail("prize")}


@pytest.mark.parametrize("empty", [(), ("tmp",), ("new",), ("tmp", "new"), (".Junk/new",), ("tmp", ".Junk/tmp")])
def test_maildir_without_its_empty_folders(tmp_path, empty):
    lay_out(tmp_path, INBOX_AND_JUNK)
    for name in empty:
        (tmp_path / name).mkdir()
    assert classes(tmp_path) == {"INBOX": ["lunch"], "Junk": ["prize"]}


def test_incomplete_folders_in_a_maildir(tmp_path):
    maildir(tmp_path)
    lay_out(tmp_path, {".Junk/new/1": mail("prize"), ".Work/cur/1:2,": mail("agenda"), ".cache/index": "no mail"})
    (tmp_path / ".Empty/tmp").mkdir(parents=True)
    assert classes(tmp_path) == {"INBOX": ["new", "seen"], "Junk": ["prize"], "Work": ["agenda"]}


def test_single_maildir_without_new(tmp_path):
    lay_out(tmp_path, {"cur/1:2,S": mail("lunch"), "tmp/2": mail("unfinished")})
    assert reader(tmp_path).label is None
    assert rows(tmp_path, columns=["subject"]) == [("lunch",)]


@pytest.mark.parametrize("names", [("cur", "old"), ("new", "old"), ("new", "tmp"), ("cur",), ("new",)])
def test_classes_named_like_maildir_folders(tmp_path, names):
    lay_out(tmp_path, {f"{name}/1": mail(f"one of {name}") for name in names} | {".git/config": "no mail"})
    assert classes(tmp_path) == {name: [f"one of {name}"] for name in names}


def test_mail_without_headers_in_a_maildir_is_mail(tmp_path):
    maildir(tmp_path, {"new/1": "no headers, only this", "new/2": "nor here"})
    assert rows(tmp_path, columns=["body"]) == [("no headers, only this",), ("nor here",)]


def test_mail_moved_while_listing_is_read_once(tmp_path):
    maildir(tmp_path, {"new/1": mail("one"), "cur/1:2,S": mail("one"), "cur/12:2,": mail("two"), "new/.x": "hidden"})
    assert rows(tmp_path, columns=["subject"]) == [("one",), ("two",)]


@pytest.mark.parametrize("now", ["cur/1:2,", "cur/1:2,FRS", "cur/1"])
def test_mail_moved_while_reading_is_found(tmp_path, now):
    maildir(tmp_path)
    chunks = list(reader(tmp_path).chunks())
    (tmp_path / "new/1").rename(tmp_path / now)
    (tmp_path / "cur/2:2,S").rename(tmp_path / "cur/2:2,RS")
    assert [chunk.read(None, None)["subject"].to_pylist() for chunk in chunks] == [["seen", "new"]]


def test_vanished_mail_is_skipped(tmp_path):
    maildir(tmp_path)
    (chunk,) = reader(tmp_path).chunks()
    (tmp_path / "cur/2:2,S").unlink()
    bad = BadRows()
    assert chunk.read(None, bad)["subject"].to_pylist() == ["new"]
    assert chunk.where(0) == str(tmp_path / "new/1")
    assert (bad.number, bad.first) == (0, [])


def test_vanished_maildir_is_empty(tmp_path):
    maildir(tmp_path / "box")
    (chunk,) = reader(tmp_path / "box").chunks()
    (tmp_path / "box").rename(tmp_path / "elsewhere")
    assert chunk.read(None, None).num_rows == 0
    assert moved(str(tmp_path / "box/new/1")) is None


def test_folders_of_the_same_name_are_one_class(tmp_path):
    for folder, subject in ((".", "top"), (".INBOX", "inner"), (".Junk", "dotted"), ("Junk", "plain")):
        for part in ("cur", "new", "tmp"):
            (tmp_path / folder / part).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "cur" / "1").write_bytes(mail(subject))
    assert classes(tmp_path) == {"INBOX": ["inner", "top"], "Junk": ["dotted", "plain"]}
