"""learn_model: the counts of a model, learned by a store in one commit."""

import pytest

from tallybayes import Categorical, Gaussian, Model, Store, Words, digest
from tallybayes.store.errors import DifferentContentError

FAMILIES = {"text": Words(), "x": Gaussian(), "city": Categorical()}
TEXTS = ["free money", "dear sir", None, "free free", "", "x é z"]
LABELS = ["a", "b\n", "a", "b\n", "c", "a"]


def counted(rows, start=0):
    part = slice(start, start + rows)
    cells = {"text": TEXTS, "x": [i / 3 for i in range(6)], "city": ["Ur", "Köln"] * 3}
    return Model.train(FAMILIES, {name: values[part] for name, values in cells.items()}, LABELS[part])


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store", FAMILIES) as found:
        yield found


def test_model_is_learned_like_its_rows_and_once(store, tmp_path):
    changes = store.learn_model(counted(4), id="monday")
    assert [(change.id, change.already) for change in changes] == [("monday 'a'", False), ("monday 'b\\n'", False)]
    assert all(change.already for change in store.learn_model(counted(4), id="monday"))
    store.learn_model(counted(2, start=4), id="tuesday")
    assert store.digest() == digest(counted(6))
    assert store.verify().problems == ()
    store.close()
    with Store.open(tmp_path / "store") as again:
        assert again.digest() == digest(counted(6))


def test_learned_model_is_forgotten_class_by_class(store):
    store.learn_model(counted(6), id="monday")
    for label in ("a", "b\n", "c"):
        store.forget(id=f"monday {label!r}")
    assert store.digest() == digest(Model(FAMILIES))


def test_other_counts_under_a_known_id_change_nothing(store):
    store.learn_model(counted(4), id="monday")
    with pytest.raises(DifferentContentError, match="belongs to another row"):
        store.learn_model(counted(6), id="monday")
    assert store.digest() == digest(counted(4))


def test_other_columns_are_refused_and_empty_models_ignored(store):
    with pytest.raises(ValueError, match="The columns differ"):
        store.learn_model(Model.train({"x": Gaussian()}, {"x": [1.0]}, ["a"]), id="monday")
    assert store.learn_model(Model(FAMILIES), id="monday") == []
    assert store.number == 0
