"""Batches of changes are made completely or not at all."""

import sqlite3
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallybayes import Gaussian, Model, Store, Words, digest
from tallybayes.schema.weights import Weights
from tallybayes.store import DifferentContentError, NotWrittenError, UnknownRowError, parts
from tallybayes.store.changes import Planned
from tallybayes.store.errors import FileLeftError

TEXTS = {"text": Words()}
OLD = [("win a prize", "spam"), ("lunch on monday", "ham"), ("the last of its class", "alone")]


def model_of(rows):
    return Model.train(TEXTS, [text for text, _ in rows], [label for _, label in rows])


def filled(folder):
    """Rows in the base, one decayed, and rows since, some of them in a snapshot."""
    store = Store.create(folder, model_of(OLD))
    store.learn("a faded prize", "spam", id="faded")
    store.decay(0.5)
    store.learn_all([("win", "spam", "a"), ("lunch", "ham", "b")])
    store.snapshot()
    store.learn_all([("pills", "spam", "c"), ("report", "ham", "d")])
    return store


def facts(store):
    return store.digest(), store.number, store.ids(), store.model().schema, [r.text() for r in store.changes(100)]


IDS = st.sampled_from(["a", "b", "c", "d", "faded"])
LABELS = st.sampled_from(["ham", "spam", "new"])
BATCHES = {
    "learn_all": (
        st.lists(st.tuples(st.sampled_from(["win", "new words"]), LABELS, st.none())),
        [("x", "spam", "a"), ("x", 7, "e"), (5, "spam", "f"), ("x", "spam", "")],
    ),
    "forget_all": (
        st.lists(st.tuples(st.none(), st.none(), IDS)),
        [(None, None, "never"), ("of no row", "ham", None), (None, None, ""), (None, None, None)],
    ),
    "correct_all": (st.lists(st.tuples(IDS, LABELS)), [("never", "ham"), ("a", 7), ("a", None)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", BATCHES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_refused_change_undoes_all(tmp_path_factory, verb, data):
    good, bad = BATCHES[verb]
    folder = tmp_path_factory.mktemp("store") / "s"
    with filled(folder) as store:
        store.beliefs()
        before, answer = facts(store), store.beliefs().posterior("win lunch").tolist()
        with pytest.raises((ValueError, TypeError)) as refused:
            getattr(store, verb)([*data.draw(good), data.draw(st.sampled_from(bad)), *data.draw(good)])
        assert refused.value.__notes__[-1] == "Nothing was changed."
        assert facts(store) == before
        assert store.beliefs().posterior("win lunch").tolist() == answer
        assert store.verify().problems == ()
        store.learn("afterwards", "ham", id="z")
        store.forget(id="z")
        assert store.digest() == before[0]
    with Store.open(folder) as store:
        assert store.digest() == before[0]
        assert store.verify().problems == ()
        assert not list(folder.glob("base-6.tally"))


def test_refused_change_is_named_by_its_position(tmp_path):
    with filled(tmp_path / "s") as store:
        with pytest.raises(UnknownRowError) as unknown:
            store.forget_all([(None, None, "a"), (None, None, "never")])
        assert unknown.value.__notes__ == ["This is row 1.", "Nothing was changed."]
        with pytest.raises(DifferentContentError) as other:
            store.learn_all([("new", "ham", "e"), ("new", "ham", "e"), ("newer", "ham", "e")])
        assert other.value.__notes__ == ["This is row 2.", "Nothing was changed."]


def test_valid_changes_are_all_made(tmp_path):
    with Store.create(tmp_path / "s", model_of(OLD)) as store:
        store.learn_all([("win", "spam", "a"), ("lunch", "ham", "b"), ("pills", "spam", "c")])
        changes = store.forget_all([(None, None, "a"), ("lunch on monday", "ham", None), (None, None, "a")])
        assert [change.already for change in changes] == [False, False, True]
        assert [change.number for change in store.correct_all([("b", "spam"), ("c", "ham")])] == [6, 7]
        assert store.digest() == digest(model_of([OLD[0], OLD[2], ("lunch", "spam"), ("pills", "ham")]))


def test_earlier_batches_stay_and_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "AT_ONCE", 2)
    with Store.create(tmp_path / "s", TEXTS) as store:
        rows = [("one", "ham", "1"), ("two", "ham", "2"), ("three", "ham", "3"), ("other", "ham", "1")]
        with pytest.raises(DifferentContentError) as refused:
            store.learn_all(rows)
        assert refused.value.__notes__ == ["This is row 3.", "The first 2 rows were changed, and no others."]
        assert store.ids() == ["1", "2"]
        assert store.digest() == digest(model_of([("one", "ham"), ("two", "ham")]))


def test_disk_failure_in_the_second_batch_reports_what_was_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "AT_ONCE", 1)
    with Store.create(tmp_path / "s", TEXTS) as store:

        def rows():
            yield "one", "ham", "1"
            store._journal.sql.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_INSERT else sqlite3.SQLITE_OK
            )
            yield "two", "ham", "2"

        with pytest.raises(NotWrittenError, match="The first 1 rows were changed, and no others"):
            store.learn_all(rows())
        store._journal.sql.set_authorizer(None)
        assert store.ids() == ["1"]
        store.learn("two", "ham", id="2")
        assert store.verify().problems == ()


def test_other_changes_of_the_same_commit_are_unaffected(tmp_path):
    with filled(tmp_path / "s") as store:
        expected, gate, changes = store.digest(), threading.Event(), store._changes
        hand_over, counted = store._writer.hand_over, store._counted("kept", "ham")
        hand_over(gate.wait, changes=False)
        before = hand_over(lambda: changes.learn("before", counted, False))
        many = [
            Planned("x", lambda: changes.learn("x", counted, False)),
            Planned("never", lambda: changes.forget("never", False)),
        ]
        refused = hand_over(lambda: changes.together(many, 0))
        after = hand_over(lambda: changes.learn("after", counted, False))
        gate.set()
        assert isinstance(refused.exception(), UnknownRowError)
        assert after.result().number == before.result().number + 1
        store.forget_all([(None, None, "before"), (None, None, "after")])
        assert store.digest() == expected
        assert store.verify().problems == ()


def test_changes_sharing_a_commit_act_sequentially(tmp_path):
    with Store.create(tmp_path / "s", TEXTS) as store:
        store.learn("old", "ham", id="old")
        gate, changes, hand_over = threading.Event(), store._changes, store._writer.hand_over
        hand_over(gate.wait, changes=False)
        learned = [store.submit("win", "spam", id="a"), store.submit("lunch", "ham", id="b")]
        strange = store.submit("win", 7, id="c")
        again = store.submit("lunch", "ham", id="b")
        forgotten = hand_over(lambda: changes.forget("a", True))
        corrected = hand_over(lambda: changes.correct("b", "spam", False))
        last = store.submit("pills", "spam", id="d")
        gate.set()
        assert [each.result().number for each in (*learned, forgotten, corrected, last)] == [2, 3, 4, 5, 6]
        assert again.result().already
        assert isinstance(strange.exception(), TypeError)
        proof = store.receipt("a").record
        assert proof.before == digest(model_of([("old", "ham"), ("win", "spam"), ("lunch", "ham")]))
        assert proof.after == digest(model_of([("old", "ham"), ("lunch", "ham")]))
        assert store.digest() == digest(model_of([("old", "ham"), ("lunch", "spam"), ("pills", "spam")]))
        assert store.verify().problems == ()


def test_bad_cell_is_named_by_its_row(tmp_path):
    with Store.create(tmp_path / "s", {"x": Gaussian()}) as store:
        rows = [({"x": value}, "ham", str(i)) for i, value in enumerate([1.0, 2.0, "three"])]
        with pytest.raises(ValueError, match="Column 'x', row 2: 'three' is not a number") as refused:
            store.learn_all(rows)
        assert refused.value.__notes__ == ["Nothing was changed."]
        assert store.number == 0


def test_weights_of_a_class_survive_its_last_row(tmp_path):
    """They were in the schema before any row, and recounting finds them."""
    weighed = Weights({"text": {"ham": 0.7, "spam": 0.5, "other": 0.2}}, offsets={"other": 0.3})
    schema = Model(TEXTS).believing(weights=weighed).schema
    with Store.create(tmp_path / "s", schema) as store:
        store.learn_all([("win", "spam", "a"), ("lunch", "ham", "b")])
        expected = store.digest()
        assert expected == digest(Model.train(schema, ["win", "lunch"], ["spam", "ham"]))
        store.learn("hello", "other", id="c")
        store.forget(id="c")
        assert (store.digest(), store.verify().problems) == (expected, ())
        store.learn("hello", "other", id="c")
        store.snapshot()
        store.correct("c", "ham")
        assert (store.model().schema.weights, store.verify().problems) == (weighed, ())
        store.forget(id="c")
        assert (store.digest(), store.verify().problems) == (expected, ())


def test_committed_changes_are_not_reported_as_undone_if_an_old_file_stays(tmp_path):
    with Store.create(tmp_path / "s", model_of(OLD)) as store:
        stays = store.path / "base-99.tally"
        stays.mkdir()  # not removable as a file
        with pytest.raises(FileLeftError, match="The change was made, but") as told:
            store.forget_all([(*OLD[0], None), (*OLD[1], None)])
        assert not hasattr(told.value, "__notes__")
        assert store.digest() == digest(model_of(OLD[2:]))
        stays.rmdir()
