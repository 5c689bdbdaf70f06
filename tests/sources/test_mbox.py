"""Mbox parsing: message boundaries for any content and chunking."""

import gzip
import io
import sys
from types import SimpleNamespace

import pytest
from folder_data import FROM_LINE, lay_out, mail, mbox, reader, rows
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.mail import read_mail
from tallybayes.sources import mbox as module
from tallybayes.sources import open_source, raw_documents
from tallybayes.sources.base import BadRow, SourceError
from tallybayes.sources.mbox import Box, MboxCutter, begins_as_mbox


def cut(content, block=1 << 20):
    """All mails, their locations, and the sizes of the pieces."""
    cutter, pieces = MboxCutter("box"), []
    for start in range(0, len(content), block):
        pieces += cutter.pieces(content[start : start + block])
    pieces += cutter.rest()
    return [document for piece in pieces for document in piece.documents()], sum(piece.size for piece in pieces)


def contents(content, block=1 << 20):
    return [found.content.removeprefix(FROM_LINE) for found in cut(content, block)[0]]


@pytest.mark.parametrize(
    "line",
    [
        "From ann@example.org Mon Sep  2 12:23:11 2002",
        "From ann@example.org  Mon Sep 02 12:23 2002",
        "From - Thu Jan  1 00:00:00 1970",
        "From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
        "From 1588@xxx Mon Mar 04 12:00:00 +0000 2013",
        "From ann at example.org  Mon Sep  2 12:23:11 2002",
        "From ann@example.org Mon, 2 Sep 2002 12:23:11 +0200",
        "From ann@example.org Mon Sep  2 12:23:11 CEST 2002 remote from host",
        'From "a b"@example.org Mon Sep  2 12:23:11 2002',
        "From Mon Sep  2 12:23:11 2002",
        "From ann@example.org Mon Sep  2 12:23:11 2002\r",
    ],
)
def test_separator_lines(line):
    assert begins_as_mbox(line.encode() + b"\n")


@pytest.mark.parametrize(
    "line",
    [
        "From here on",
        "From Monday to Friday",
        "From Mon Sep 2",
        "From 10:00 to 12:00 on Mon 2 Sep 2024",
        "From: ann@example.org Mon Sep  2 12:23:11 2002",
        ">From ann@example.org Mon Sep  2 12:23:11 2002",
        "from ann@example.org Mon Sep  2 12:23:11 2002",
        "From ann@example.orgMon Sep  2 12:23:11 2002",
        "From " + "a" * 1_000 + " Mon Sep  2 12:23:11 2002",
        "From a Mon Sep  2 12:23:11 2002" + "a" * 1_000,
        "From " + "Mon Sep " * 60,
    ],
)
def test_non_separator_lines(line):
    assert not begins_as_mbox(line.encode() + b"\n")
    assert len(contents(mbox(b"Subject: a\n\nbody\n\n" + line.encode() + b"\n\n") + mbox(mail("b")))) == 2


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_mails_are_unchanged(ends):
    mails = [mail("one", "a\n\nb"), mail("two", "\n\n"), b"", mail("three")]
    mails = [raw.replace(b"\n", ends) for raw in mails]
    content = b"".join(FROM_LINE.replace(b"\n", ends) + raw + ends for raw in mails)
    found = [raw.content.partition(b"\n")[2] for raw in cut(content)[0]]
    assert found == mails
    assert list(map(read_mail, found)) == list(map(read_mail, mails))


def test_separator_must_follow_an_empty_line():
    assert len(contents(mbox(b"Subject: a\n\nbody\n" + FROM_LINE + b"more\n"))) == 1


def test_quoted_from_lines_are_unquoted_in_the_body():
    quoted = b">From bob Mon Sep  2 2002\nSubject: a\n\n>From here\n>>From there\n> From\n>Fromage\nx >From y\n"
    (found,) = contents(mbox(quoted))
    assert found == b">From bob Mon Sep  2 2002\nSubject: a\n\nFrom here\n>From there\n> From\n>Fromage\nx >From y\n"


def test_locations_are_lines_of_the_file(tmp_path):
    lay_out(tmp_path, {"ham.mbox": b"\n\n" + mbox(mail("one", "a\nb"), mail("two"), mail("three"))})
    path = tmp_path / "ham.mbox"
    found = [("one", f"{path}:3"), ("three", f"{path}:16"), ("two", f"{path}:10")]
    assert rows(path, columns=["subject", "file"]) == found
    (chunk,) = reader(path).chunks()
    chunk.read(None, None)
    assert [chunk.where(row) for row in range(3)] == [f"{path}, line {line}" for line in (3, 10, 16)]


LINES = [b"", b"\r", b"Subject: x", b"From here on", b">From a", FROM_LINE.strip(), FROM_LINE.strip() + b"\r", b"\xff"]


@given(st.lists(st.sampled_from(LINES), max_size=30), st.integers(1, 400))
def test_chunking_does_not_matter(lines, block):
    content = FROM_LINE + b"\n".join(lines)
    found, size = cut(content, block)
    assert found == cut(content)[0]
    assert size == len(content)
    assert [int(raw.file.partition(":")[2]) for raw in found] == starts(content)


def starts(content):
    """The slow way: separator lines one by one."""
    lines = content.split(b"\n")
    return [
        number
        for number, line in enumerate(lines, 1)
        if line.startswith(b"From ann@") and number < len(lines) and (number == 1 or lines[number - 2] in (b"", b"\r"))
    ]


def test_oversized_mails_are_dropped(monkeypatch):
    for where in (raw_documents, module):
        monkeypatch.setattr(where, "LONGEST", 10_000)
    long = mail("long", "a" * 20_000 + "\n" * 20_000)
    content = mbox(mail("one"), long, long, mail("two"), mail("x" * 9_900))
    for block in (1 << 20, 5_000, 700, 50):
        found, size = cut(content, block)
        assert size == len(content)
        assert [raw.where for raw in found] == [f"box, line {line}" for line in (1, 7, 20013, 40019, 40025)]
        assert [isinstance(raw, BadRow) for raw in found] == [False, True, True, False, False]
        assert "the document is longer than" in found[1].reason
        assert len(cut(content[:30_000], block)[0]) == 2


def test_buffer_is_limited_to_the_longest_mail(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 1 << 16)
    cutter, most = MboxCutter("box"), 0
    for block in [FROM_LINE, *[b"a" * (1 << 15)] * 100]:
        assert list(cutter.pieces(block)) == []
        most = max(most, len(cutter.waiting))
    assert most <= 3 << 15


def test_non_mbox_is_an_error(tmp_path):
    lay_out(tmp_path, {"a.mbox": b"\nFrom nobody\nSubject: a\n", "b.mbox": b"PK\x03\x04\xff", "c.mbox": "\ufeff\n\n"})
    with pytest.raises(SourceError, match=r"a\.mbox, line 2: an mbox begins with a line like 'From ann.*'From nobo"):
        list(Box(str(tmp_path / "a.mbox"), 0).pieces())
    with pytest.raises(SourceError, match=r"b\.mbox, line 1: .* not with 'PK\\x03\\x04\\\\xff'\. If this is"):
        list(reader(tmp_path / "b.mbox").chunks())
    assert list(reader(tmp_path / "c.mbox").chunks()) == []
    with pytest.raises(SourceError, match=r"none\.mbox cannot be read: No such file or directory\."):
        list(Box(str(tmp_path / "none.mbox"), 0).pieces())


def test_many_mails_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(mbox(mail("one"), mail("two")))))
    found = reader("-", kind="mbox")
    assert (found.label, found.total) == (None, None)
    (chunk,) = found.chunks()
    assert chunk.read(None, None).select(["subject", "file"]).to_pylist() == [
        {"subject": "one", "file": "standard input:1"},
        {"subject": "two", "file": "standard input:7"},
    ]
    assert chunk.where(1) == "standard input, line 7"


@pytest.mark.parametrize(
    "piece", [b"From ", b"\nFrom ", b"\n\nFrom ", FROM_LINE, b"\n" + FROM_LINE, b"\n", b">From \n"]
)
def test_hostile_mboxes(piece):
    content = FROM_LINE + piece * (1_000_000 // len(piece))
    found, size = cut(content)
    assert size == len(content)
    assert len(found) == (1_000_000 // len(piece) + 1 if piece == b"\n" + FROM_LINE else 1)


@pytest.mark.parametrize("name", ["inbox", "inbox.2002", "inbox.gz"])
def test_file_without_extension_with_many_mails_is_an_mbox(tmp_path, name):
    content = mbox(mail("one"), mail("two"), mail("three"))
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    source = open_source(tmp_path / name)
    assert [row for batch in source.batches() for row in batch.column("subject").to_pylist()] == ["one", "two", "three"]


def test_several_of_them_are_one_class_each_even_with_a_single_mail(tmp_path):
    lay_out(tmp_path, {"ham": mbox(mail("a"), mail("b")), "junk": mbox(mail("c"), mail("d")), "spam": mbox(mail("e"))})
    source = open_source([tmp_path / "ham", tmp_path / "junk", tmp_path / "spam"])
    found = [(row["class"], row["subject"]) for batch in source.batches() for row in batch.to_pylist()]
    assert sorted(found) == [("ham", "a"), ("ham", "b"), ("junk", "c"), ("junk", "d"), ("spam", "e")]


def test_single_mails_may_begin_with_a_from_line(tmp_path):
    lay_out(tmp_path, {"1": mbox(mail("one")), "2": mbox(mail("two"))})
    source = open_source([tmp_path / "1", tmp_path / "2"])
    assert source.label is None
    assert [row for batch in source.batches() for row in batch.column("subject").to_pylist()] == ["one", "two"]
