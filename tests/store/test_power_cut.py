"""After a power failure, synced data is on disk and any part of the rest: the store has everything acknowledged.

A process works on a store while a small preloaded library logs its disk calls. From that log every state is built that
a power failure may leave: all synced names and bytes, and none, all or some of the others. Each is opened as a store.
"""

import os
import random
import shutil
import struct
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import settings
from preloaded import needs_preloading, run_watched

from tallybayes import Model, Store, Words, digest

pytestmark = [pytest.mark.slow, needs_preloading]
SCHEMA = {"text": Words()}
STATES = 6 * settings().max_examples  # more with EXAMPLES=all
SECRET = b"zyxwvut"

# Changes in sequence; the digest after each is known.
CHILD = """
import os, sys
from tallybayes import Store

def done():
    os.write(acks, b"x")

acks = os.open(sys.argv[1] + "/acks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
with Store.open(sys.argv[1], snapshot_every=4) as store:
    store.learn("win a prize", "spam", id="a"); done()
    store.learn("lunch on monday", "ham", id="b"); done()
    store.learn("zyxwvut", "ham", id="c"); done()
    store.correct("b", "spam"); done()
    store.snapshot(); done()
    store.learn("more to come", "ham", id="d"); done()
    store.forget(id="c"); done()
    store.learn_all((f"word{i} again", "ham", f"e{i}") for i in range(20)); done()
    store.forget("from the start", "ham"); done()
    store.snapshot(); done()
    store.set("threshold", 0.5); done()
    store.forget(id="a"); done()
"""
A, B, C, D, START = (
    ("win a prize", "spam"),
    ("lunch on monday", "ham"),
    (SECRET.decode(), "ham"),
    ("more to come", "ham"),
    ("from the start", "ham"),
)
CORRECTED = ("lunch on monday", "spam")
MANY = [(f"word{i} again", "ham") for i in range(20)]
LEFT = [  # after each of them
    [START],
    [START, A],
    [START, A, B],
    [START, A, B, C],
    [START, A, CORRECTED, C],
    [START, A, CORRECTED, C],
    [START, A, CORRECTED, C, D],
    [START, A, CORRECTED, D],
    [START, A, CORRECTED, D, *MANY],
    [A, CORRECTED, D, *MANY],
    [A, CORRECTED, D, *MANY],
    [A, CORRECTED, D, *MANY],
    [CORRECTED, D, *MANY],
]
WITH_SECRET = range(2, 8)  # acknowledged this many: the secret may be somewhere


class Disk:
    """What is surely on disk, and what may be."""

    def __init__(self, folder):
        self.folder = folder
        self.now = {path.name: i for i, path in enumerate(sorted(folder.iterdir()))}  # names → files
        self.synced_names, self.new_names = dict(self.now), []
        self.synced = {self.now[path.name]: path.read_bytes() for path in folder.iterdir()}
        self.written = {file: [] for file in self.synced}  # not yet synced

    def follow(self, what, path, offset, data):
        name = os.path.basename(path)
        if what == "S" and Path(path) == self.folder:
            self.synced_names, self.new_names = dict(self.now), []
        elif what == "S" and name in self.now:
            file = self.now[name]
            self.synced[file], self.written[file] = applied(self.synced[file], self.written[file]), []
        elif what in "CT" and name not in self.now:
            file = len(self.synced)
            self.synced[file], self.written[file] = b"", []
            self._name(name, file)
        elif what == "R":
            file = self.now[name]
            self._name(os.path.basename(data.decode()), file)
            self._name(name, None)
        elif what == "U":
            self._name(name, None)
        elif what in "WLT" and name in self.now:
            self.written[self.now[name]].append((0 if what == "T" else offset, data if what == "W" else None))

    def _name(self, name, file):
        self.new_names.append((name, file))
        rename(self.now, name, file)

    def left(self, path, some, names):
        """A folder after a possible power failure: some of the writes, and the first of the new names."""
        found = dict(self.synced_names)
        for name, file in self.new_names[:names]:
            rename(found, name, file)
        path.mkdir()
        for name, file in found.items():
            if name != "acks":
                (path / name).write_bytes(applied(self.synced[file], [w for w in self.written[file] if some(w)]))


def rename(names, name, file):
    if file is None:
        names.pop(name, None)
    else:
        names[name] = file


def applied(data, writes):
    result = bytearray(data)
    for offset, written in writes:
        if written is None:
            result = result[:offset].ljust(offset, b"\0")
        else:
            result = result.ljust(offset, b"\0")
            result[offset : offset + len(written)] = written
    return bytes(result)


def records(log):
    at, data = 0, log.read_bytes()
    while at < len(data):
        what, (length,) = chr(data[at]), struct.unpack_from("<Q", data, at + 1)
        path = data[at + 9 : at + 9 + length].decode()
        at += 9 + length
        offset, size = struct.unpack_from("<QQ", data, at)
        held = size if what in "WR" else 0
        yield what, path, offset, data[at + 16 : at + 16 + held]
        at += 16 + held


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """The folder before, and the log of disk calls."""
    folder = tmp_path_factory.mktemp("power")
    Store.create(folder / "s", Model.train(SCHEMA, START[0], [START[1]])).close()
    shutil.copytree(folder / "s", folder / "before" / "s")
    run_watched(CHILD, folder / "s", log=folder / "log")
    return folder / "s", folder / "before" / "s", list(records(folder / "log"))


def check(path, acknowledged):
    """The store has what was acknowledged, and at most the one change in flight."""
    if acknowledged not in WITH_SECRET:
        assert not any(SECRET in file.read_bytes() for file in path.iterdir())
    with Store.open(path) as store:
        found = store.verify()
        assert found, found.problems
        expected = [trained(rows) for rows in LEFT[acknowledged : acknowledged + 2]]
        assert store.digest() in expected
        if acknowledged >= 11:
            assert store.settings() == {"threshold": 0.5}


def trained(rows):
    return digest(Model.train(SCHEMA, *map(list, zip(*rows, strict=True))))


def test_log_contains_every_write(watched, tmp_path):
    """So that the states built by the other tests are realistic."""
    folder, before, log = watched
    disk = Disk(before)
    disk.folder = folder
    for record in log:
        disk.follow(*record)
    disk.left(tmp_path / "now", lambda _: True, len(disk.new_names))
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "acks"}
    assert {path.name: path.read_bytes() for path in (tmp_path / "now").iterdir()} == found
    assert sum(what == "S" for what, *_ in log) > 30
    assert sum(path.endswith("acks") and what == "W" for what, path, *_ in log) == len(LEFT) - 1


def test_acknowledged_changes_survive_a_power_failure_at_any_moment(watched, tmp_path):
    folder, before, log = watched
    order = random.Random(7)
    cuts = sorted(order.choices(range(1, len(log)), k=STATES))
    disk, acknowledged = Disk(before), 0
    disk.folder = folder
    for turn, (start, end) in enumerate(pairwise([0, *cuts])):
        for what, path, offset, data in log[start:end]:
            disk.follow(what, path, offset, data)
            acknowledged += what == "W" and path.endswith("acks")
        share = order.choice([0.0, 1.0, order.random()])
        path, names = tmp_path / f"cut-{turn}", round(share * len(disk.new_names))
        disk.left(path, lambda _, share=share: order.random() < share, names)
        check(path, acknowledged)
        shutil.rmtree(path)
