"""Forged files: each is refused with a message, or is a valid model."""

import json
import random
import tracemalloc
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import some
from family_values import family_of, names, rows_of, takes_whole_numbers
from tallybayes import FAMILIES, Model, Schema
from tallybayes.files import from_bytes, to_bytes
from tallybayes.files.tensors import FileError, arrays_of, file_bytes, text_of

pytestmark = pytest.mark.slow

MANY = settings(max_examples=some(25), deadline=None, database=None, suppress_health_check=list(HealthCheck))
ROWS = {
    "Bag": [[1.0, 0.0, 2.5], [0.0, 3.0, 1.0], [4.0, 0.0, 0.0]],
    "Bernoulli": [True, False, True],
    "Categorical": ["red", "blue", "red"],
    "Each": [[1.5, 0.0, 2.5], [0.0, -3.0, 1.0], [4.0, 0.0, 0.0]],
    "WordSequence": ["free prize free", "lunch on monday", ""],
    "Words": ["free prize free", "lunch on monday", ""],
}
LABELS = ["a", "b", "b"]
VALUES = [
    None,
    True,
    0,
    -1,
    2,
    100,
    1 << 27,
    1 << 31,
    1 << 53,
    1 << 70,
    1e308,
    5e-324,
    "",
    "x",
    [],
    {},
    [1],
    {"m": None},
]
NUMBERS = [0, 1, -1, 2, 100, 255, 1 << 20, (1 << 32) - 1, -(1 << 32) + 1, 1 << 32, (1 << 62), -(1 << 63)]
MOST_MEMORY = 1 << 30


def cells(name, values):
    return {"x": pa.array(values, pa.list_(pa.float64()) if FAMILIES[name].takes_vectors else None)}


def train(name, values, labels, **options):
    return Model.train(Schema({"x": family_of(name)}), cells(name, values), labels, **options)


def rows_for(name):
    return ROWS.get(name, [1.0, 0.0, 7.0] if takes_whole_numbers(name) else [0.5, 1.5, 700.25])


@pytest.mark.parametrize("name", names)
def test_any_reachable_model_can_be_read_back(name):
    """Learned, forgotten, merged and scaled in any order, by any factors."""
    steps = st.lists(
        st.tuples(
            st.sampled_from(["learn", "forget", "scale", "double"]),
            rows_of(name, 1, 4),
            st.sampled_from([1.0, 2.0, 0.1, 1e-20, 1e20]),
            st.sampled_from([0.5, 0.9, 1 / 3, 2.0, 0.0, 1e-9, 1e30]),
        ),
        max_size=8,
    )

    @MANY
    @given(steps)
    def holds(steps):
        model, learned = Model(Schema({"x": family_of(name)})), []
        for step, rows, weight, factor in steps:
            if step == "learn":
                values, labels = zip(*rows, strict=True)
                part = train(name, values, labels, weights=[weight] * len(rows))
                model += part
                learned.append(part)
            elif step == "forget" and learned:
                model -= learned.pop(len(rows) % len(learned))
            elif step == "scale":
                model, learned = model * factor, [part * factor for part in learned]
            elif step == "double":
                model, learned = model + model, learned * 2
            written = to_bytes(model)
            assert from_bytes(written) == model
            assert to_bytes(from_bytes(written)) == written

    holds()


def changed_text(text, rng):
    """The header with one value replaced, removed or added."""
    header = json.loads(text)
    inside = [header]
    for each in inside:
        inside += [
            value for value in (each.values() if isinstance(each, dict) else each) if isinstance(value, (dict, list))
        ]
    where = rng.choice([each for each in inside if each])
    key = rng.choice(list(where)) if isinstance(where, dict) else rng.randrange(len(where))
    kind = rng.random()
    if kind < 0.75:
        where[key] = rng.choice(VALUES)
    elif kind < 0.85:
        del where[key]
    elif isinstance(where, dict):
        where["hidden"] = rng.choice(VALUES)
    else:
        where.append(rng.choice(where))
    return json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def change_arrays(arrays, rng):
    """One of the arrays with other numbers, more of them, or fewer."""
    name = rng.choice([name for name, array in arrays.items() if array.size] or sorted(arrays))
    array, kind = arrays[name], rng.random()
    if kind < 0.6 and array.size:
        array = array.copy()
        number = rng.choice(NUMBERS)
        array.reshape(-1)[rng.randrange(array.size)] = np.array(number).astype(array.dtype)
        arrays[name] = array
    elif kind < 0.7 and array.size:
        arrays[name] = np.concatenate([array, array[-1:]])
    elif kind < 0.8:
        arrays[name] = array[:-1].copy()
    elif kind < 0.9 and array.ndim > 1:
        arrays[name] = np.pad(array, [*[(0, 0)] * (array.ndim - 1), (0, 1)])
    else:
        arrays[f"{name}/hidden"] = array


def read(data):
    """The model, or the message that refuses it."""
    try:
        return from_bytes(data)
    except FileError as error:
        return str(error)


def answers(name, model):
    """Its answers, or the message of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.posterior(cells(name, rows_for(name)))
        except ValueError as error:
            return str(error)


@pytest.mark.parametrize("name", names)
def test_altered_file_is_refused_or_valid(name):
    data, rng, refused = to_bytes(train(name, rows_for(name), LABELS)), random.Random(0), 0
    text, arrays = text_of(data), arrays_of(data, text_of(data))
    for _ in range(some(1000)):
        changed, kind = dict(arrays), rng.random()
        if kind < 0.6:
            change_arrays(changed, rng)
        written = file_bytes(changed_text(text, rng) if kind > 0.5 else text, changed)
        tracemalloc.start()
        found = read(written)
        if isinstance(found, str):
            assert found.endswith(".")
            refused += 1
        else:
            assert to_bytes(found) == written
            assert repr(found)
            said = answers(name, found)
            assert said.endswith(".") if isinstance(said, str) else np.allclose(said.sum(axis=1), 1.0)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
        tracemalloc.stop()
    assert refused > some(1000) // 2


@pytest.mark.parametrize("name", names)
def test_rows_with_all_cells_missing_are_rows(name):
    """100 rows with three values is valid, since other cells may be missing; three values in two rows is not."""
    values = rows_for(name)
    model = train(name, [*values, *[None] * 97], [*LABELS, *["b"] * 97])
    assert from_bytes(to_bytes(model)).n == 100
    data = to_bytes(train(name, values, LABELS))
    arrays = arrays_of(data, text_of(data))
    arrays["0/sums/n"] = arrays["0/sums/n"] - np.array([[[0], [1]]])
    with pytest.raises(FileError, match="more values than there are rows"):
        from_bytes(file_bytes(text_of(data), arrays))
