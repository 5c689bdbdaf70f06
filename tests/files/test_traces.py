"""Whatever leaves a process after a row was forgotten is, byte for byte, what it would be had it never come."""

import copy
import io
import pickle
import re

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from examples import some
from family_values import family_of, names, rows_of
from tallybayes import FAMILIES, Categorical, Histogram, Model, Schema, Words
from tallybayes.counts.exact import Exact
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Tally
from tallybayes.files import to_bytes

MANY = settings(max_examples=some(25), deadline=None, database=None, suppress_health_check=list(HealthCheck))
SECRET = "Longyearbyen"


def train(name, rows):
    schema = Schema({"x": family_of(name)})
    if not rows:
        return Model(schema)
    kind = pa.list_(pa.float64()) if FAMILIES[name].takes_vectors else None
    return Model.train(schema, {"x": pa.array([value for value, _ in rows], kind)}, [label for _, label in rows])


def pickled(thing):
    """A pickle in which it does not show which of its equal parts are one."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file)
    pickler.fast = True
    pickler.dump(thing)
    return file.getvalue()


def all_that_leaves(model):
    copied = copy.copy(model)
    return {
        "pickle": pickled(model),
        "copy": pickled(copied),
        "deep copy": pickled(copy.deepcopy(model)),
        "file": to_bytes(model),
        "text": f"{model!r} {model.counts()!r} {model.counts('x')!r}",
    }


@pytest.mark.parametrize("name", names)
def test_what_was_forgotten_leaves_no_byte(name):
    @MANY
    @given(rows_of(name, 1), rows_of(name, 1))
    def holds(kept, secret):
        secret = [*secret, *((value, "Longyearbyen") for value, _ in secret)]
        model = train(name, secret)
        model += train(name, kept)
        model.posterior({"x": [kept[0][0]]})  # and what was believed is gone, too
        model -= train(name, secret)
        assert all_that_leaves(model) == all_that_leaves(train(name, kept))

    holds()


def test_no_pickle_has_a_word_or_a_level_or_a_class_that_was_forgotten():
    schema = Schema({"text": Words(), "city": Categorical(), "size": Histogram()})
    rows = {"text": ["one two", f"from {SECRET}"], "city": ["Rome", SECRET], "size": [1.0, 0.123456789]}
    model = Model.train(schema, rows, ["a", SECRET])
    asked = model.copy()
    asked.posterior(rows)
    before = pickle.dumps(model)
    assert before.count(SECRET.encode()) + before.count(SECRET.lower().encode()) >= 3
    model -= Model.train(schema, {name: cells[1:] for name, cells in rows.items()}, [SECRET])
    for thing in (model, model.copy(), copy.deepcopy(model), model.columns, model.rows, model.believing(alpha=2.0)):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert not re.search(SECRET.encode(), pickle.dumps(thing, protocol), re.IGNORECASE)
    assert pickle.loads(pickle.dumps(model)) == model


def test_a_tally_and_its_numbers_by_themselves_are_pickled_without_what_they_lost():
    dense = Tally(["a"], [SECRET, "kept"], {"n": Exact.of([[2.5], [1.0]])})
    dense -= Tally(["a"], [SECRET], {"n": Exact.of([[2.5]])})
    sparse = SparseTally.of(["a", SECRET], {(SECRET, "a"): 2, ("kept", "a"): 1, ("kept", SECRET): 1})
    sparse -= SparseTally.of(["a", SECRET], {(SECRET, "a"): 2, ("kept", SECRET): 1})
    for thing in (dense, sparse):
        for twin in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert twin == thing
            assert SECRET.encode() not in pickle.dumps(twin)
        assert SECRET.encode() not in pickle.dumps(thing)
    left = Exact.of([1e300, 0.123456789]) - Exact.of([1e300, 0.0])
    assert pickle.dumps(left) == pickle.dumps(Exact.of([0.0, 0.123456789]))


def test_what_was_said_of_rows_goes_with_the_first_that_is_forgotten():
    rows = {"age": [31.5, 17.25, 98765.5], "same": ["x"] * 3}
    schema = Schema.infer(rows, hints={"same": None})
    assert "98765.5" in repr(schema)
    model = Model.train(schema, rows, ["a", "b", "b"])
    model -= Model.train(schema, {name: cells[2:] for name, cells in rows.items()}, ["b"])
    assert "98765.5" not in repr(model)
    assert b"98765.5" not in pickle.dumps(model)
    assert "same     left out" in repr(model)


def test_a_model_that_forgot_all_rows_is_pickled_without_the_type_of_their_labels():
    pickles = set()
    for labels in (["a", "b"], [1, 2], [True, False]):
        model = Model.train(Schema({"x": Categorical()}), {"x": ["p", "q"]}, labels)
        model -= model
        pickles.add(pickled(model))
    assert len(pickles) == 1
    again = pickle.loads(*pickles)
    again += Model.train(Schema({"x": Categorical()}), {"x": ["p"]}, ["c"])
    assert again == Model.train(Schema({"x": Categorical()}), {"x": ["p"]}, ["c"])
