"""Receipts, the hash chain, and detection of any damage."""

import contextlib
import hashlib
import json
import random
import re
import shutil
import sqlite3
from itertools import product

import pytest

from tallybayes import Model, Store, Words, check_receipt, digest, load, save
from tallybayes.store import DamagedStoreError, ReceiptError, StoreError, UnknownRowError, chain

SCHEMA = {"text": Words()}


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as made:
        made.learn("win a prize", "spam", id="a")
        made.learn("lunch on monday", "ham", id="b", prove=True)
        yield made


def test_receipt_matches_a_model_that_never_saw_the_row(store, tmp_path):
    store.forget(id="a", prove=True)
    receipt = store.receipt("a").text()
    save(Model.train(SCHEMA, "lunch on monday", ["ham"]), tmp_path / "never.tally")
    assert "right after change 3, forget 'a'" in check_receipt(receipt, tmp_path / "never.tally")
    assert "right after" in check_receipt(receipt, load(tmp_path / "never.tally"))
    both = Model.train(SCHEMA, ["win a prize", "lunch on monday"], ["spam", "ham"])
    assert "right before" in check_receipt(receipt, both)
    with pytest.raises(ReceiptError, match="It has changed since, or is another model"):
        check_receipt(receipt, both + both)


def test_receipt_matches_the_store_open_or_closed_and_its_backup(store, tmp_path):
    store.forget(id="a")
    receipt = store.receipt("a")
    assert "The row is not in the store" in check_receipt(receipt, store)
    store.learn("win a prize", "spam", id="a")
    assert "1 change since. The row is in the store again" in check_receipt(receipt, store)
    store.backup(tmp_path / "copy")
    store.close()
    for path in ("s", "copy"):
        assert "The store has this change" in check_receipt(receipt.text(), tmp_path / path)


def test_receipts_of_another_history_do_not_match(store, tmp_path):
    store.backup(tmp_path / "copy")
    store.forget(id="a")
    receipt = store.receipt("a")
    with Store.open(tmp_path / "copy") as other:
        with pytest.raises(ReceiptError, match="The store has no change 3"):
            check_receipt(receipt, other)
        other.forget(id="b")
        with pytest.raises(ReceiptError, match="Change 3 of the store is not the one"):
            check_receipt(receipt, other)


def test_altered_receipt_does_not_match(store):
    facts = json.loads(store.receipt("b").text())
    for name in facts["record"]:
        altered = json.loads(json.dumps(facts))
        altered["record"][name] = 7 if name == "number" else "x"
        with pytest.raises(ReceiptError):
            check_receipt(json.dumps(altered), store)
    for name, value in [*product(facts["record"], ["\ud800", 2**63, [], {}, True, 1.5]), ("number", -1)]:
        forged = json.loads(json.dumps(facts))
        forged["record"][name] = value
        text = chain.ONE_FORM.encode({name: each for name, each in forged["record"].items() if each is not None})
        forged["link"] = chain.link(bytes.fromhex(forged["previous"]), text.replace("\ud800", "?")).hex()
        with pytest.raises(ReceiptError):
            check_receipt(json.dumps(forged), store)
    for text in ("", "[]", "{}", '{"receipt": 1}', "[" * 10_000, '{"receipt": 2}'):
        with pytest.raises(ReceiptError):
            check_receipt(text, store)


def test_receipt_without_digests_proves_nothing_about_a_model(store):
    with pytest.raises(ReceiptError, match="has no digests"):
        check_receipt(store.receipt("a"), store.model())
    with pytest.raises(UnknownRowError, match="row 'c' was never learned"):
        store.receipt("c")
    with pytest.raises(UnknownRowError, match="the store has no change 99"):
        store.receipt(number=99)
    with pytest.raises(ValueError, match="Give the id of a row or the number"):
        store.receipt()
    assert store.receipt(number=0).record.what == "create"


@pytest.mark.parametrize("number", [2, 1, 4])
def test_stores_of_earlier_formats(store, number):
    store.close()
    with contextlib.closing(sqlite3.connect(store.path / "journal.sqlite")) as sql, sql:
        hash = hashlib.sha256(repr(("format", number)).encode()).hexdigest()
        sql.execute("UPDATE about SET value = ?, hash = ? WHERE name = 'format'", (number, hash))
        sql.execute("CREATE UNIQUE INDEX entries_by_id ON entries (id)")  # as in format 2
    if number != 2:
        with pytest.raises(StoreError, match=f"has format {number}; this version of tallybayes reads formats 2 and 3"):
            Store.open(store.path)
        return
    with Store.open(store.path) as old:
        old.correct("a", "ham")
        old.forget(id="b")
        old.learn("more", "ham", id="c")
        assert old.verify()
        assert old.digest() == digest(Model.train(SCHEMA, ["win a prize", "more"], ["ham", "ham"]))


TAMPERINGS = [
    "UPDATE changes SET record = replace(record, 'learn', 'forge') WHERE number = 1",
    "UPDATE changes SET link = zeroblob(32) WHERE number = 2",
    "UPDATE changes SET id = 'z' WHERE number = 1",
    "DELETE FROM changes WHERE number = 2",
    "DELETE FROM changes WHERE number = 4",
    "UPDATE entries SET id = 'z' WHERE id = 'a'",
    "UPDATE entries SET at = '2020' WHERE id = 'a'",
    "UPDATE entries SET first = 2 WHERE id = 'a'",
    "UPDATE entries SET mark = mark + 1 WHERE id = 'a'",
    "DELETE FROM entries WHERE id = 'a'",
    "UPDATE counts SET sealed = zeroblob(1000) WHERE change = 1",
    "INSERT INTO counts VALUES (99, zeroblob(1000))",
    "DELETE FROM counts WHERE change = 1",
    "INSERT INTO decays VALUES (2, 0.5)",
    "UPDATE about SET value = 1 WHERE name = 'base'",
    "UPDATE about SET value = 'x' WHERE name = 'base digest'",
    "UPDATE about SET value = 99 WHERE name = 'snapshot'",
    "UPDATE about SET value = '0.6' WHERE name = 'set threshold'",
    "UPDATE about SET name = 'set treshold' WHERE name = 'set threshold'",
    "UPDATE about SET hash = 'x' WHERE name = 'set threshold'",
    "UPDATE replaced SET id = 'z' WHERE id = 'c'",
    "CREATE INDEX another ON entries (at)",
    "PRAGMA user_version = 1",
]


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_any_alteration_of_the_database_is_detected(store, tampering):
    store.learn("more", "ham", id="c")
    store.learn("more", "ham", id="d")
    store.set("threshold", 0.5)
    store.snapshot()
    store.correct("c", "spam")
    assert store.verify()
    store.close()
    sql = sqlite3.connect(store.path / "journal.sqlite")
    sql.execute(tampering)
    sql.commit()
    sql.close()
    assert problems(store.path)


def test_altered_setting_is_not_returned(store):
    store.set("threshold", 0.5)
    store.close()
    sql = sqlite3.connect(store.path / "journal.sqlite")
    sql.execute("UPDATE about SET value = '0.6' WHERE name = 'set threshold'")
    sql.commit()
    sql.close()
    with Store.open(store.path) as again:
        with pytest.raises(DamagedStoreError, match="'set threshold' does not match its hash"):
            again.settings()
        again.set("threshold", 0.5)
        assert again.settings() == {"threshold": 0.5}
        assert again.verify()


def test_byte_flipped_while_open_is_detected(store):
    """Although SQLite would not read it again."""
    with open(store.path / "journal.sqlite", "r+b") as file:
        data = file.read()
        file.seek(data.index(b'"what":"learn"') + 10)
        file.write(b"x")
    assert not store.verify()


def problems(path):
    """As after a crash, which leaves no checksum of all bytes."""
    (path / "journal.sqlite.sha256").unlink(missing_ok=True)
    try:
        with Store.open(path) as store:
            return store.verify().problems
    except StoreError as error:
        return (str(error),)


def contents(path):
    sql = sqlite3.connect(path / "journal.sqlite")
    tables = [name for (name,) in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {name: sql.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    sql.close()
    return found


def flipped(data, at, mask):
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def test_flipped_byte_of_the_header_is_detected(store):
    """One of them would make the database read-only, which nobody would notice before the next change."""
    store.close()
    file = store.path / "journal.sqlite"
    data = file.read_bytes()
    for at in [*range(24), *range(44, 92)]:
        file.write_bytes(flipped(data, at, 1 << at % 8))
        assert problems(store.path), at


def test_flipped_byte_of_a_table_definition_is_detected(store):
    """SQLite reads `WITHOUT` and `wITHOUT` alike, and does not check an altered type or constraint."""
    store.close()
    file = store.path / "journal.sqlite"
    data = file.read_bytes()
    places = [at for found in re.finditer(rb"CREATE (TABLE|INDEX)[ -~\n]+\)", data) for at in range(*found.span())]
    for at in places[::13]:
        file.write_bytes(flipped(data, at, 32))
        assert problems(store.path), at


@pytest.mark.slow
def test_flipped_byte_is_detected_if_it_matters(store, tmp_path):
    """Even without a checksum. If nothing is detected, every query of the database is unchanged, and all later changes
    work; in a model file every byte matters."""
    store.snapshot()
    store.learn("after the snapshot", "ham", id="c")
    store.set("thresholds", {"ham": 0.25, "spam": 0.75})
    store.close()
    expected, order, silent = contents(store.path), random.Random(3), 0
    files = {file.name: file.read_bytes() for file in store.path.iterdir() if file.suffix != ".sha256"}
    for turn in range(120):
        path = tmp_path / f"damaged-{turn}"
        shutil.copytree(store.path, path)
        name = order.choice(sorted(name for name in files if files[name]))
        data = files[name]
        at = order.choice([i for i, byte in enumerate(data) if byte]) if turn % 2 else order.randrange(len(data))
        (path / name).write_bytes(flipped(data, at, 1 << order.randrange(8)))
        if not problems(path):
            silent += 1
            assert name == "journal.sqlite", (name, at)
            assert contents(path) == expected, at
            with Store.open(path) as damaged:
                damaged.learn_all((f"more {n}" * n, "ham", str(n)) for n in range(40))
                damaged.correct("a", "ham")
                damaged.forget_all((None, None, id) for id in damaged.ids() if id != "a")
                assert damaged.verify(), at
                assert damaged.digest() == digest(Model.train(SCHEMA, "win a prize", ["ham"])), at
    assert silent < 60


def test_verify_reports_progress(tmp_path):
    told = []
    with Store.create(tmp_path / "store", SCHEMA) as store:
        store.learn_all(("win a prize", "spam", f"m-{i}") for i in range(2500))
        assert store.verify(lambda done, whole: told.append((done, whole)))
    assert told == [(2000, 5001), (4501, 5001), (5001, 5001)]
