"""No byte of a forgotten row is in any file of the store."""

import random
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from tallybayes import Categorical, Model, Store, Words
from tallybayes.store.journal import Journal
from tallybayes.store.sealed import LEAST_LOCAL, OVERFLOW, SALT, salts, seal, unseal

SCHEMA = {"text": Words(), "kind": Categorical()}
SECRET = "zyxwvutsecret"


def row(text="lunch on monday", kind="p"):
    return {"text": text, "kind": kind}


def everything(path):
    """All bytes of all files, and their decompressed content."""
    found = [file.read_bytes() for file in Path(path).iterdir()]
    for data in list(found):
        start = data.find(b"\x78\x01")
        while start >= 0:
            unpacked = zlib.decompressobj()
            with suppress(zlib.error):
                found.append(unpacked.decompress(data[start:]))
            start = data.find(b"\x78\x01", start + 1)
    return b"".join(found)


def kept(store, change):
    """The bytes that the journal keeps of a change: random ones at the start, and all the others."""
    sealed = store._ask(lambda: store._journal.one("SELECT sealed FROM counts WHERE change = ?", change))[0]
    assert not any(sealed[:LEAST_LOCAL])
    return [sealed[LEAST_LOCAL : LEAST_LOCAL + SALT], sealed[LEAST_LOCAL + SALT : OVERFLOW].rstrip(b"\0")]


WAYS = {
    "by its id": lambda store: store.forget(id="m"),
    "by its content": lambda store: store.forget(row(SECRET), "spam"),
    "by its age": lambda store: store.expire(datetime.now(UTC)),
    "after a correction": lambda store: (store.correct("m", "ham"), store.forget(id="m")),
    "after a correction and a snapshot": lambda store: (
        store.correct("m", "ham"),
        store.snapshot(),
        store.correct("m", "news"),
        store.forget(id="m"),
    ),
    "with the weight of its age": lambda store: (store.decay(0.5), store.forget(id="m")),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("snapshot", [False, True])
def test_secret_is_gone_when_forget_returns(tmp_path, way, snapshot):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        for i in range(5):
            store.learn(row(), "ham", id=f"before-{i}")
        store.learn(row(SECRET), "spam", id="m")
        for i in range(5):
            store.learn(row(), "ham", id=f"after-{i}")
        if snapshot:
            store.snapshot()
        assert SECRET.encode() in everything(store.path)
        WAYS[way](store)
        assert SECRET.encode() not in everything(store.path)
        assert store.verify()
        store.snapshot()
        assert SECRET.encode() not in everything(store.path)


def test_secret_in_the_base_is_gone(tmp_path):
    with Store.create(tmp_path / "s", Model.train(SCHEMA, row(SECRET), ["spam"])) as store:
        store.learn(row(), "ham", id="a")
        store.snapshot()
        assert SECRET.encode() in everything(store.path)
        store.forget(row(SECRET), "spam")
        assert SECRET.encode() not in everything(store.path)


def test_no_byte_remains_as_rows_come_and_go(tmp_path):
    order = random.Random(17)
    with Store.create(tmp_path / "s", SCHEMA, snapshot_every=100_000) as store:
        sizes = [order.choice([1, 5, 40, 200]) for _ in range(60)]
        texts = [" ".join(f"w{order.randrange(10**9)}" for _ in range(size)) for size in sizes]
        store.learn_all((row(text), "ham", f"m-{i}") for i, text in enumerate(texts))
        marks = [mark for i in range(60) for mark in kept(store, i + 1)]
        for i in order.sample(range(60), 60):
            store.forget(id=f"m-{i}")
        files = b"".join(file.read_bytes() for file in store.path.iterdir())
        assert not any(mark in files for mark in marks)
        assert store.verify()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_byte_remains_where_sqlite_moved_rows(tmp_path, seed):
    """Without separate pages, about one row in a thousand would leave its first bytes somewhere, despite
    `secure_delete`.
    """
    order, there, gone = random.Random(seed), {}, []
    journal = Journal(tmp_path / "j", new=True)
    journal.sql.execute("PRAGMA synchronous=OFF")
    for _ in range(2000):
        if len(there) < 500 and order.random() < 0.6:
            change = order.randrange(10**6)
            if change not in there:
                journal.keep(change, order.randbytes(order.choice([10, 100, 500, 2000])))
                there[change] = journal.one("SELECT sealed FROM counts WHERE change = ?", change)[0]
        elif there:
            change = order.choice(sorted(there))
            journal.remove_counts(change)
            gone.append(there.pop(change)[LEAST_LOCAL:])
    journal.close()
    data = (tmp_path / "j").read_bytes()
    assert all(sealed[LEAST_LOCAL:][:SALT] in data for sealed in there.values())
    assert not any(counts[start : start + 16] in data for counts in gone for start in (0, 16, 45))


@pytest.mark.parametrize("size", [0, 1, 700, 900, 990, 5000, 8100, 70_000, 300_000])
def test_counts_fill_whole_pages_after_the_bytes_in_the_tree(size):
    counts = random.Random(size).randbytes(size)
    first, second = islice(salts(), 2)
    sealed, content = seal(counts, first)
    assert unseal(sealed) == (counts, content)
    header = 2 + max(-(-(12 + 2 * len(sealed)).bit_length() // 7), 1)
    assert (header + len(sealed) - LEAST_LOCAL) % OVERFLOW == 0
    assert seal(counts, second)[1] != content  # which nobody can guess


def test_wrong_length_of_counts_is_noticed():
    """Although what follows compressed counts is zero, and zlib would not read it."""
    sealed, _ = seal(b"ten words " * 1000, next(salts()))
    at = LEAST_LOCAL + SALT
    for mask in (2, 4, 8):
        with pytest.raises((ValueError, zlib.error)):
            unseal(sealed[:at] + bytes([sealed[at] ^ mask]) + sealed[at + 1 :])
