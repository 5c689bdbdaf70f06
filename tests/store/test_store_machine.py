"""Stateful test: after any history, the model of a store is the one trained on the remaining rows."""

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from tallybayes import Categorical, Gaussian, Model, Schema, Store, Words, digest
from tallybayes.store import DifferentContentError, UnknownRowError

SCHEMA = Schema({"text": Words(), "kind": Categorical(), "x": Gaussian()})
IDS = st.sampled_from(["a", "b", "c", "d", "é", "f"])
LABELS = st.sampled_from(["spam", "ham", "news"])
ROWS = st.fixed_dictionaries(
    {
        "text": st.lists(st.sampled_from(["win", "prize", "lunch", "über", "mail"]), max_size=4).map(" ".join),
        "kind": st.sampled_from(["p", "q", None]),
        "x": st.sampled_from([0.1, -3.5, 1e9, None]),
    }
)


def trained(rows):
    model = Model(SCHEMA)
    for row, label in rows:
        model += Model.train(SCHEMA, row, [label])
    return model


class StoreMachine(RuleBasedStateMachine):
    """A store and a dictionary of its rows."""

    backups = Bundle("backups")

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.copies = 0
        self.rows = {}
        self.gone = set()
        self.weights = {}  # of decayed rows
        self.start_weight = 1.0
        self.settings = {}

    @initialize(start=st.lists(st.tuples(ROWS, LABELS), max_size=2), every=st.sampled_from([1, 3, 1000]))
    def create(self, start, every):
        self.start, self.every = start, every
        model = trained(start)
        self.store = Store.create(self.new_path(), model if start else SCHEMA, snapshot_every=every)

    def new_path(self):
        self.copies += 1
        return self.folder / f"store-{self.copies}"

    @rule(id=IDS, row=ROWS, label=LABELS, prove=st.booleans())
    def learn(self, id, row, label, prove):
        if id not in self.rows:
            assert not self.store.learn(row, label, id=id, prove=prove).already
            self.rows[id] = row, label
            self.weights[id] = 1.0
            self.gone.discard(id)
        elif trained([self.rows[id]]) == trained([(row, label)]):
            assert self.store.learn(row, label, id=id).already
        else:
            with pytest.raises(DifferentContentError, match="belongs to another row"):
                self.store.learn(row, label, id=id)

    @rule(id=IDS, prove=st.booleans())
    def forget(self, id, prove):
        if id in self.rows:
            assert not self.store.forget(id=id, prove=prove).already
            del self.rows[id]
            self.gone.add(id)
        elif id in self.gone:
            assert self.store.forget(id=id).already
        else:
            with pytest.raises(UnknownRowError, match="was never learned"):
                self.store.forget(id=id)

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def forget_by_content(self, data):
        row, label = self.rows[data.draw(st.sampled_from(sorted(self.rows)))]
        done = self.store.forget(row, label)
        assert trained([self.rows.pop(done.id)]) == trained([(row, label)])
        self.gone.add(done.id)

    @precondition(lambda self: self.start)
    @rule()
    def forget_what_was_there_from_the_start(self):
        row, label = self.start[-1]
        if any(trained([other]) == trained([(row, label)]) for other in self.rows.values()):
            return
        self.start.pop()
        assert self.store.forget(row, label).id is None

    @precondition(lambda self: not self.start)
    @rule(row=ROWS, label=LABELS)
    def forget_what_nobody_learned(self, row, label):
        """Whatever other rows would have in common with it."""
        if all(trained([other]) != trained([(row, label)]) for other in self.rows.values()):
            with pytest.raises(UnknownRowError, match="no such row"):
                self.store.forget(row, label)

    @rule(id=IDS, label=LABELS)
    def correct(self, id, label):
        if id in self.rows:
            row, before = self.rows[id]
            assert self.store.correct(id, label).already == (before == label)
            self.rows[id] = row, label
        else:
            with pytest.raises(UnknownRowError):
                self.store.correct(id, label)

    @rule(id=IDS, row=ROWS, label=LABELS)
    def expire_all_but_one(self, id, row, label):
        now = datetime.now(UTC) + timedelta(microseconds=1)
        self.learn(id, row, label, False)
        while datetime.now(UTC) <= now:
            pass
        expired = {change.id for change in self.store.expire(datetime.now(UTC))}
        assert expired == set(self.rows)
        self.gone |= expired
        self.rows = {}
        self.learn(id, row, label, False)

    @rule(factor=st.sampled_from([0.5, 0.25, 1.0]))
    def decay(self, factor):
        self.store.decay(factor)
        self.start_weight *= factor
        self.weights = {id: weight * factor for id, weight in self.weights.items()}

    @rule(name=st.sampled_from(["thresholds", "é", "é\0"]), value=st.sampled_from([None, 0.5, {"spam": [1, "ü"]}]))
    def keep_a_setting(self, name, value):
        self.store.set(name, value)
        self.settings.pop(name, None)
        self.settings |= {} if value is None else {name: value}

    @rule()
    def make_a_snapshot(self):
        self.store.snapshot()

    @rule()
    def reopen(self):
        self.store.close()
        self.store = Store.open(self.store.path, snapshot_every=self.every)

    @rule()
    def crash(self):
        """Only what is on disk remains."""
        path = self.new_path()
        shutil.copytree(self.store.path, path)
        self.store.close()
        self.store = Store.open(path, snapshot_every=self.every)

    @rule(target=backups)
    def backup(self):
        path = self.new_path()
        self.store.backup(path)
        faded = dict(self.weights), self.start_weight
        return path, dict(self.rows), list(self.start), set(self.gone), dict(self.settings), faded

    @rule(backup=backups)
    def restore(self, backup):
        path, rows, start, gone, settings, (weights, start_weight) = backup
        self.store.close()
        copy = self.new_path()
        shutil.copytree(path, copy)
        self.store = Store.open(copy, snapshot_every=self.every)
        self.rows, self.start, self.gone, self.settings = dict(rows), list(start), set(gone), dict(settings)
        self.weights, self.start_weight = dict(weights), start_weight

    @rule(row=ROWS)
    def ask(self, row):
        left = self.left()
        if not left.keys():
            with pytest.raises(ValueError, match="has counted no rows"):
                self.store.beliefs()
            return
        assert self.store.beliefs().posterior(row).tolist() == left.posterior(row).tolist()
        assert self.store.current().number == self.store.number

    @rule()
    def verify(self):
        found = self.store.verify()
        assert found, found.problems
        assert (found.rows, found.changes) == (len(self.rows), self.store.number + 1)

    def left(self):
        left = trained(self.start) * self.start_weight
        for id, row in self.rows.items():
            left += trained([row]) * self.weights[id]
        return left

    @invariant()
    def the_model_is_trained_on_what_is_left(self):
        if hasattr(self, "store"):
            assert self.store.digest() == digest(self.left())
            assert self.store.settings() == self.settings

    def teardown(self):
        if hasattr(self, "store"):
            assert self.store.verify()
            self.store.close()
        shutil.rmtree(self.folder)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(stateful_step_count=25)
TestStoreMachine.pytestmark = [pytest.mark.slow]


def test_label_of_another_type_is_accepted_if_it_is_the_only_one(tmp_path):
    with Store.create(tmp_path / "s", {"kind": Categorical()}) as store:
        store.learn({"kind": "p"}, "spam", id="a")
        with pytest.raises(TypeError, match="labels are of type int64"):
            store.learn({"kind": "p"}, 1, id="b")
        store.correct("a", 1)
        assert store.model() == Model.train({"kind": Categorical()}, {"kind": "p"}, pa.array([1]))
