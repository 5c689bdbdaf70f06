"""Dictionary encoding of texts with few levels does not change counts or samples."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Model, Words, digest
from tallybayes.data.cells import SHORT, by_level
from tallybayes.data.fingerprints import fingerprints
from tallybayes.model.sample import RowSample

TEXTS = st.lists(st.none() | st.sampled_from(["", "rain", "Rain", "sunshine", "ü", "a longer text than eight bytes"]))


@given(TEXTS, st.sampled_from([pa.string(), pa.large_string()]), st.integers(0, 3))
def test_texts_are_unchanged(texts, kind, start):
    cells = pa.array([None] * start + texts, kind)[start:]
    found = by_level(cells)
    assert pa.types.is_dictionary(found.type)
    assert found.to_pylist() == texts


def test_many_levels_and_non_texts_are_not_encoded():
    many = pa.array([str(i) for i in range(SHORT + 1)])
    assert by_level(many) is many
    late = pa.array(["a"] * 20_000 + [str(i) for i in range(SHORT)])
    assert by_level(late) is late
    numbers = pa.array([1.0, 2.0])
    assert by_level(numbers) is numbers


def test_invalid_utf8_is_left_to_be_refused():
    cells = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    )
    assert by_level(cells) is cells


@given(TEXTS, st.sampled_from([pa.int8(), pa.uint8(), pa.int32(), pa.int64()]))
def test_fingerprints_equal_those_of_the_texts(texts, index):
    cells = pa.array(texts, pa.string())
    coded = cells.dictionary_encode()
    coded = pa.DictionaryArray.from_arrays(coded.indices.cast(index), coded.dictionary)
    plain, by_number = (fingerprints(pa.record_batch({"x": each}), ["x"]) for each in (cells, coded))
    np.testing.assert_array_equal(plain, by_number)


@pytest.mark.parametrize(
    ("index", "kind"), [(1, pa.int32()), (7, pa.int8()), (-1, pa.int32()), (-1, pa.int8()), (-(2**31), pa.int32())]
)
def test_indices_of_no_level_are_refused(index, kind):
    indices = pa.array([0, index], kind)
    cells = pa.DictionaryArray.from_arrays(indices, pa.array(["rain"]), safe=False)
    with pytest.raises(pa.lib.ArrowIndexError):
        Model.train({"x": Categorical()}, pa.table({"x": cells}), ["a", "b"])


def test_indices_into_an_empty_dictionary_are_refused():
    indices = pa.array([0, 0], pa.int32())
    cells = pa.DictionaryArray.from_arrays(indices, pa.array([], pa.string()), safe=False)
    model = Model.train({"x": Categorical()}, {"x": ["rain", "sun"]}, ["a", "b"])
    for ask in (model.posterior, lambda frame: Model.train({"x": Categorical()}, frame, ["a", "b"])):
        with pytest.raises(pa.lib.ArrowIndexError):
            ask(pa.table({"x": cells}))


def test_large_table_counts_like_its_parts():
    random = np.random.default_rng(0)
    levels = np.array(["rain", "sun", "", "snow", None], object)
    frame = {"x": levels[random.integers(0, 5, 70_000)], "y": random.integers(0, 3000, 70_000).astype(str)}
    frame["t"] = levels[random.integers(0, 4, 70_000)]
    labels = random.integers(0, 2, 70_000)
    schema = {"x": Categorical(), "y": Categorical(), "t": Words()}
    parts = [{name: cells[at : at + 1000] for name, cells in frame.items()} for at in range(0, 70_000, 1000)]
    pairs = [(part, labels[at * 1000 : at * 1000 + 1000]) for at, part in enumerate(parts)]
    sample = RowSample(frame, 100)
    assert digest(Model.train(schema, frame, labels, sample=sample)) == digest(Model.train(schema, pairs))
    assert sample.seen == 70_000
