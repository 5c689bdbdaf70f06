"""After a row is forgotten, files and pickles are byte for byte as if it had never been learned."""

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
    """A pickle that does not reveal which equal parts are shared."""
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
def test_forgotten_rows_leave_no_byte(name):
    @MANY
    @given(rows_of(name, 1), rows_of(name, 1))
    def holds(kept, secret):
        secret = [*secret, *((value, "Longyearbyen") for value, _ in secret)]
        model = train(name, secret)
        model += train(name, kept)
        model.posterior({"x": [kept[0][0]]})  # cached beliefs must go too
        model -= train(name, secret)
        assert all_that_leaves(model) == all_that_leaves(train(name, kept))

    holds()


def test_pickles_contain_no_forgotten_word_level_or_class():
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


def test_pickled_tally_contains_nothing_forgotten():
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


def test_reasons_that_quote_data_go_with_the_first_forgotten_row():
    rows = {"age": [31.5, 17.25, 98765.5], "same": ["x"] * 3}
    schema = Schema.infer(rows, hints={"same": None})
    assert "98765.5" in repr(schema)
    model = Model.train(schema, rows, ["a", "b", "b"])
    model -= Model.train(schema, {name: cells[2:] for name, cells in rows.items()}, ["b"])
    assert "98765.5" not in repr(model)
    assert b"98765.5" not in pickle.dumps(model)
    assert "same     left out" in repr(model)


def test_emptied_model_is_pickled_without_its_label_type():
    pickles = set()
    for labels in (["a", "b"], [1, 2], [True, False]):
        model = Model.train(Schema({"x": Categorical()}), {"x": ["p", "q"]}, labels)
        model -= model
        pickles.add(pickled(model))
    assert len(pickles) == 1
    again = pickle.loads(*pickles)
    again += Model.train(Schema({"x": Categorical()}), {"x": ["p"]}, ["c"])
    assert again == Model.train(Schema({"x": Categorical()}), {"x": ["p"]}, ["c"])
