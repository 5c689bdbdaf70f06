"""Changes of a store: arguments, errors and results."""

import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest

from tallybayes import Categorical, Correlated, Gaussian, Model, Pairs, Schema, Store, Words, digest
from tallybayes.store import DifferentContentError, StoreError, StoreInUseError, UnknownRowError
from tallybayes.store.ids import LONGEST
from tallybayes.store.journal import Journal

SCHEMA = {"text": Words()}


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as made:
        yield made


def test_row_without_an_id_gets_one(store):
    first, second = store.learn("win", "spam"), store.learn("win", "spam")
    assert first.id != second.id
    assert store.model().n == 2
    store.forget(id=first.id)
    assert store.model().n == 1


@pytest.mark.parametrize("id", ["", "a\nb", "\ud800", "a\0"])
def test_id_must_be_printable_and_of_bounded_length(store, id):
    with pytest.raises(ValueError, match="printable characters"):
        store.learn("win", "spam", id=id)
    with pytest.raises(ValueError, match=r"^The id 'x{40}' … has 1,001 characters; give at most 1,000\.$"):
        store.learn("win", "spam", id="x" * (LONGEST + 1))
    with pytest.raises(TypeError, match="The id is 17; give a string"):
        store.forget(id=17)


def test_row_to_forget_is_identified_in_one_way(store):
    for given in ({}, {"row": "win"}, {"label": "spam"}):
        with pytest.raises(ValueError, match="Which row"):
            store.forget(**given)
    with pytest.raises(ValueError, match="not both"):
        store.forget("win", "spam", id="a")


def test_row_never_learned_is_not_forgotten(store):
    store.learn("win a prize", "spam", id="a")
    store.learn("lunch on monday", "spam", id="b")
    with pytest.raises(UnknownRowError, match="no such row"):
        store.forget("win lunch", "spam")  # although every word of it was learned
    with pytest.raises(UnknownRowError, match="'c' was never learned"):
        store.forget(id="c")
    store.forget(id="a")
    with pytest.raises(UnknownRowError, match="'a' is no longer in the store: forget"):
        store.correct("a", "ham")
    assert store.number == 3


def test_forgotten_row_may_be_learned_again(store):
    store.learn("win", "spam", id="a")
    store.forget(id="a")
    assert store.forget(id="a") == (2, "forget", "a", True)
    assert store.learn("lunch", "ham", id="a") == (3, "learn", "a", False)
    with pytest.raises(DifferentContentError):
        store.learn("win", "spam", id="a")


def test_looking_up_a_row_does_not_take_longer_the_more_often_it_was_changed(store):
    def steps(id):
        """Instructions of SQLite's virtual machine."""
        counted = []
        store._journal.sql.set_progress_handler(lambda: counted.append(1), 1)
        found = store._journal.entry(id)
        store._journal.sql.set_progress_handler(None, 1)
        return found.change, len(counted)

    for id in ("once", "often"):
        store.learn("win", "spam", id=id)
    changes = store.correct_all([("often", ("ham", "spam")[i % 2]) for i in range(500)])
    (first, few), (last, many) = (store._ask(partial(steps, id)) for id in ("once", "often"))
    assert (first, last) == (1, changes[-1].number)
    assert many == few


def test_old_rows_expire(store):
    store.learn("win", "spam", id="old")
    while (moment := datetime.now(UTC)) <= datetime.fromisoformat(store.receipt("old").record.at):
        pass
    assert store.expire(timedelta(days=1)) == []
    store.learn("lunch", "ham", id="new")
    assert [change.id for change in store.expire(moment)] == ["old"]
    assert store.digest() == digest(Model.train(SCHEMA, ["lunch"], ["ham"]))
    with pytest.raises(TypeError, match="give a datetime or a timedelta"):
        store.expire(3)
    with pytest.raises(ValueError, match="a duration must not be negative"):
        store.expire(timedelta(days=-1))
    assert store.expire(timedelta.max) == []


def test_times_at_the_ends_of_the_calendar(store):
    store.learn("win", "spam", id="a")
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    assert store.expire(datetime.min.replace(tzinfo=east)) == store.expire(datetime.min) == []
    assert [change.id for change in store.expire(datetime.max.replace(tzinfo=west))] == ["a"]


def test_corrected_row_keeps_its_age(store):
    store.learn("win", "spam", id="old")
    while (moment := datetime.now(UTC)) <= datetime.fromisoformat(store.receipt("old").record.at):
        pass
    store.correct("old", "ham")
    assert [change.id for change in store.expire(moment)] == ["old"]


@pytest.mark.parametrize("factor", [0.5, 0.25, 1, 0.9])
def test_decayed_rows_can_be_forgotten_and_corrected(tmp_path, factor):
    def one(text, label):
        return Model.train(SCHEMA, text, [label])

    start = one("from the start", "ham")
    with Store.create(tmp_path / "s", start) as store:
        store.learn("win a prize", "spam", id="a")
        store.learn("a pony", "spam", id="b")
        store.decay(factor)
        store.learn("lunch on monday", "ham", id="c")
        store.decay(factor, prove=True)
        faded = (start + one("win a prize", "spam") + one("a pony", "spam")) * factor + one("lunch on monday", "ham")
        assert store.digest() == digest(faded * factor)
        store.forget(id="a")
        store.correct("b", "ham")
        left = (start + one("a pony", "ham")) * factor * factor + one("lunch on monday", "ham") * factor
        assert store.digest() == digest(left)
        assert store.verify()
    with Store.open(tmp_path / "s") as store:
        assert store.digest() == digest(left)
        assert [change.id for change in store.expire(datetime.now(UTC))] == ["b", "c"]
        assert store.digest() == digest(start * factor * factor)
        store.forget("from the start", "ham")
        assert store.digest() == digest(Model(SCHEMA))


@pytest.mark.parametrize(
    "change", [lambda store, row: store.decay(1), lambda store, row: store.forget(row, "x")], ids=["decay", "forget"]
)
def test_row_that_nobody_learned_takes_nothing_from_others(tmp_path, change):
    schema, first = {"c": Categorical(), "d": Categorical()}, {"c": "from the", "d": "start"}
    with Store.create(
        tmp_path / "s", Model.train(schema, {name: [first[name]] * 2 for name in first}, ["x"] * 2)
    ) as store:
        store.learn({"c": "p", "d": "q"}, "x", id="a")
        store.learn({"c": "r", "d": "s"}, "x", id="b")
        change(store, first)
        for row in ({"c": "p", "d": "s"}, {"c": "from the", "d": "s"}, {"c": "p", "d": None}):
            with pytest.raises(UnknownRowError, match="no such row"):
                store.forget(row, "x")
        store.forget(first, "x")
        assert [change.id for change in store.expire(datetime.now(UTC))] == ["a", "b"]


@pytest.mark.parametrize("factor", [0, -1, 1.5, "x", True, float("nan")])
def test_decay_does_not_grow_the_store(store, factor):
    with pytest.raises(ValueError, match="give a number above 0, and at most 1"):
        store.decay(factor)


def test_schema_is_prepared_before_it_is_stored(tmp_path):
    with pytest.raises(ValueError, match="must be chosen before rows are counted"):
        Store.create(tmp_path / "s", {("x", "y"): Pairs()})
    assert not list(tmp_path.iterdir())


def test_reasons_that_quote_data_are_not_stored(tmp_path):
    schema = Schema({"x": Gaussian()}, reasons={"x": "numbers from 17 to 98"})
    with Store.create(tmp_path / "s", schema) as store:
        assert "17" not in repr(store.schema)


def test_store_is_created_in_a_new_folder(tmp_path, store):
    with pytest.raises(StoreError, match="exists already"):
        Store.create(store.path, SCHEMA)
    with pytest.raises(StoreError, match="exists already"):
        store.backup(store.path)
    with pytest.raises(StoreError, match="There is no folder"):
        Store.create(tmp_path / "no" / "s", SCHEMA)
    if sys.platform == "linux":  # where not even root may create a folder there
        with pytest.raises(StoreError, match="/proc/s cannot be created: No such file"):
            Store.create("/proc/s", SCHEMA)
    with pytest.raises(StoreError, match="is not a store"):
        Store.open(tmp_path)
    (tmp_path / "empty").mkdir()
    Store.create(tmp_path / "empty", SCHEMA).close()


def test_database_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(
        StoreError, match=r"journal\.sqlite cannot be opened: unable to open database file\. Check that"
    ):
        Journal(tmp_path / "journal.sqlite")


def test_store_is_opened_once(store):
    with pytest.raises(StoreInUseError, match="is in use by another process"):
        Store.open(store.path)
    store.learn("win", "spam", id="a")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="The store is closed"):
        store.learn("win", "spam", id="b")
    Store.open(store.path).close()


def test_queries_while_many_learn(store):
    """Every answer is from some moment, and each thread sees what it learned itself."""
    store.learn_all([("win", "spam", "s"), ("lunch", "ham", "h")])
    store.beliefs()
    wrong = []

    def learn(name):
        for i in range(20):
            done = store.learn(f"word{name} word{i}", "spam", id=f"{name}-{i}")
            now = store.current()
            if now.number < done.number:
                wrong.append((now.number, done.number))
            now.beliefs.posterior("win lunch")
            if i % 3 == 0:
                store.forget(id=f"{name}-{i}")

    threads = [threading.Thread(target=learn, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [("win", "spam"), ("lunch", "ham")]
    left += [(f"word{name} word{i}", "spam") for name in "abcdef" for i in range(20) if i % 3]
    assert not wrong
    assert store.digest() == digest(Model.train(SCHEMA, *map(list, zip(*left, strict=True))))
    assert store.verify()


def test_returned_snapshots_do_not_change(store):
    store.learn_all([("win", "spam", "s"), ("lunch", "ham", "h")])
    before, model = store.beliefs(), store.model()
    answer = before.posterior("win").tolist()
    store.learn("win win win", "ham", id="x")
    assert before.posterior("win").tolist() == model.posterior("win").tolist() == answer
    assert store.beliefs().posterior("win").tolist() != answer


def test_impossible_beliefs_do_not_affect_learning(tmp_path):
    schema = {("x", "y"): Correlated(), "x": Gaussian()}
    with Store.create(tmp_path / "s", schema) as store:
        for i in range(3):
            store.learn({"x": i, "y": i * i}, "a", id=f"{i}")
            with pytest.raises(ValueError, match="is in two entries of the schema"):
                store.beliefs()
        assert store.model().n == 3


def test_recent_changes_are_listed(store):
    store.learn("win", "spam", id="a")
    store.correct("a", "ham")
    assert [(record.number, record.what, record.id) for record in store.changes(2)] == [
        (2, "correct", "a"),
        (1, "learn", "a"),
    ]
    assert len(store.changes()) == 3
    assert store.ids() == ["a"]
    assert "version 2" in repr(store)


def test_settings_are_kept_and_are_not_part_of_the_model(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        before = store.digest(), store.number
        store.set("thresholds", {"ham": 0.1, "spam": 0.999})
        store.set("name", "spam")
        store.set("name", None)
        with pytest.raises(TypeError, match="not JSON serializable"):
            store.set("name", object())
        assert (store.digest(), store.number) == before
    with Store.open(tmp_path / "s") as store:
        assert store.settings() == {"thresholds": {"ham": 0.1, "spam": 0.999}}
        assert store.verify()


def test_setting_changed_while_settings_are_read_is_found_afterwards(store, monkeypatch):
    store.set("name", "old")
    hand_over = store._writer.hand_over

    def overtaken(*given, **how):
        monkeypatch.setattr(store._writer, "hand_over", hand_over)
        done = hand_over(*given, **how)
        done.result()
        store.set("name", "new")  # before the reader goes on
        return done

    monkeypatch.setattr(store._writer, "hand_over", overtaken)
    assert store.settings() == {"name": "old"}
    assert store.settings() == {"name": "new"}
    assert (store.setting("name"), store.setting("other")) == ("new", None)


def test_racing_changes_of_the_same_rows_leave_a_consistent_store(tmp_path):
    """Whoever comes second finds what the first has left: a row has one label, and is there once or not at all."""
    rows = {f"r{i}": f"word{i} common" for i in range(4)}

    def change(store, seed):
        order = random.Random(seed)
        for _ in range(20):
            id, label = order.choice(list(rows)), order.choice("abc")
            with suppress(DifferentContentError, UnknownRowError):
                what = order.randrange(3)
                if what == 0:
                    store.learn(rows[id], label, id=id)
                elif what == 1:
                    store.correct(id, label)
                else:
                    store.forget(id=id)

    with Store.create(tmp_path / "race", SCHEMA, snapshot_every=5) as store:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(partial(change, store), range(8)))
        assert store.verify().problems == ()
        ids, found = store.ids(), store.model()
        assert len(ids) == len(set(ids)) == found.n
        left = store.digest()
    with Store.open(tmp_path / "race") as store:
        assert store.digest() == left
        store.forget_all((None, None, id) for id in ids)
        assert store.digest() == digest(Model(SCHEMA))
