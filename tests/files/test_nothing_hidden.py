"""Only canonical files are read: no hidden content and no bombs."""

import json
import resource

import numpy as np
import pytest
import safetensors.numpy

from tallybayes import Bag, Categorical, Each, Gaussian, Histogram, Model, Poisson, Schema
from tallybayes.files import from_bytes, to_bytes
from tallybayes.files.tensors import NAME, FileError, arrays_of, file_bytes, text_of

SCHEMA = Schema({"city": Categorical(), "age": Gaussian(), "income": Histogram()}, prior=0.5)
MODEL = Model.train(
    SCHEMA, {"city": ["Paris", "Rome", "Öslo"], "age": [1.5, 2.25, None], "income": [10.0, 0.1, -3.0]}, ["a", "b", "a"]
)
DATA = to_bytes(MODEL)
SECRET = np.frombuffer(b"the name of somebody", np.uint8)


def forged(model, change=lambda header: None, **arrays):
    """The model's file with other arrays or another header, and a valid checksum."""
    data = to_bytes(model)
    text = text_of(data)
    held, header = arrays_of(data, text), json.loads(text)
    change(header)
    for name, make in arrays.items():
        held[name.replace("_", "/")] = make(held.get(name.replace("_", "/")))
    return file_bytes(json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":")), held)


def padded(limbs):
    return np.pad(limbs, [(0, 0), (0, 0), (0, 1)])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (forged(MODEL, **{"9_hidden": lambda _: SECRET}), "it has an unknown array '9/hidden'"),
        (forged(MODEL, lambda h: h.update(note="Longyearbyen")), "its description is not canonical"),
        (forged(MODEL, lambda h: h["labels"].update(note=1)), "its description is not canonical"),
        (forged(MODEL, lambda h: h["schema"].update(note=1)), "its description is not canonical"),
        (forged(MODEL, lambda h: h["schema"]["columns"][0].update(note=1)), "its description is not canonical"),
        (forged(MODEL, lambda h: h["tallies"][0].update(note=1)), "described by low, note, slots"),
        (forged(MODEL, lambda h: h["schema"].update(prior=1)), "its description is not canonical"),
        (forged(MODEL, **{"0_sums_n": padded}), "sums are not canonical"),
        (forged(MODEL, **{"1_sums_x": lambda a: a - [[[1 << 32, -1]]]}), "sums are not canonical"),
        (forged(MODEL, **{"2_sums_n": lambda a: a * [[[0]], [[1]], [[1]]]}), "something without counts"),
    ],
)
def test_non_canonical_files_are_refused(data, said):
    with pytest.raises(FileError, match=said):
        from_bytes(data)


def test_altered_headers_are_refused():
    arrays, text = safetensors.numpy.load(DATA), text_of(DATA)
    length = int.from_bytes(DATA[:8], "little")
    header, rest = DATA[8 : 8 + length], DATA[8 + length :]
    mine = json.loads(header)["__metadata__"][NAME]
    other = safetensors.numpy.save(arrays, metadata={NAME: mine, "note": "Longyearbyen"})
    spaced = header.rstrip() + b" " * 64
    for data in (other, len(spaced).to_bytes(8, "little") + spaced + rest):
        with pytest.raises(FileError, match=r"header has additional content|is not a tallybayes model"):
            from_bytes(data)
    with pytest.raises(FileError, match="damaged"):
        from_bytes(DATA + b"Longyearbyen")
    assert text in header.decode().replace('\\"', '"')


def test_impossible_class_or_label_type_is_refused():
    def renamed(header):
        header["labels"]["keys"].append("z")

    wider = {f"{i}_sums_{name}": lambda a: np.pad(a, [(0, 0), (0, 1), (0, 0)]) for i, name in enumerate("nn")}
    schema = Schema({"x": Categorical()})
    model = Model.train(schema, {"x": ["u", "v"]}, ["a", "b"])
    with pytest.raises(FileError, match="classes without counts"):
        from_bytes(forged(model, renamed, **wider))
    numbered = Model.train(schema, {"x": ["u", "v"]}, [0, 1])
    for kind in ("int32", "uint8", "timestamp[ns]"):
        with pytest.raises(FileError, match="classes do not fit their type"):
            from_bytes(forged(numbered, lambda h, kind=kind: h["labels"].update(type=kind)))


def test_any_safetensors_reader_opens_a_file():
    arrays = arrays_of(DATA, text_of(DATA))
    loaded = safetensors.numpy.load(DATA)
    assert {name: array.tolist() for name, array in loaded.items()} == {k: v.tolist() for k, v in arrays.items()}


@pytest.mark.parametrize("family", [Bag(size=1 << 27), Each(Gaussian(), size=1 << 27), Each(Poisson(), size=1 << 31)])
def test_huge_declared_size_is_cheap_to_load_and_an_error_to_query(family):
    small = type(family)(size=3) if isinstance(family, Bag) else Each(family.family, size=3)
    model = Model.train({"x": small}, np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]), ["a", "b"])
    data = forged(model, lambda h: h["schema"]["columns"][0]["settings"].update(size=family.size))
    assert len(data) < 3000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    loaded = from_bytes(data)
    assert f"size={family.size}" in repr(loaded)
    with pytest.raises(ValueError, match=r"positions, of which only \d were counted\. Give a smaller size"):
        loaded.posterior(np.array([[1.0, 0.0, 2.0]]))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            forged(MODEL, **{"0_sums_n": lambda a: np.pad(a, [(0, 0), (0, 0), (0, 399)], constant_values=1)}),
            "more than 2⁸⁰⁰ rows",
        ),
        (forged(MODEL, lambda h: h["schema"]["columns"][0]["settings"].update(m=None)), "m must be a finite number"),
        (forged(MODEL, **{"1_sums_n": lambda a: a * 100}), "'age' has more values than there are rows"),
        (forged(MODEL, **{"1_sums_xx": lambda a: a[:, ::-1].copy()}), "a variance would be negative"),
    ],
)
def test_impossible_counts_are_refused(data, said):
    with pytest.raises(FileError, match=said):
        from_bytes(data)


def test_more_levels_than_rows_are_refused():
    levels = [f"level {i}" for i in range(200)]
    model = Model.train({"x": Categorical()}, {"x": levels}, ["a"] * 200)
    with pytest.raises(FileError, match="column 'x' has more values than there are rows"):
        from_bytes(forged(model, **{"0_sums_n": lambda a: a - 1}))
    part = Model.train({"x": Categorical()}, {"x": [None]}, ["a"])
    with pytest.raises(ValueError, match="column 'x' would have more values than there are rows"):
        model -= part


def test_unreadable_counts_are_not_written():
    both = Model.train({"x": Bag()}, np.array([[1.0, 1.0], [1.0, 2.0]]), ["a", "a"])
    both -= Model.train({"x": Bag()}, np.array([[0.0, 1.0]]), ["a"])  # never learned
    with pytest.raises(ValueError, match=r"be in more vectors than there are\. Rows were forgotten that"):
        to_bytes(both)


def doubled(model, times):
    for _ in range(times):
        model += model


def test_model_does_not_grow_beyond_computable_sizes():
    model = Model.train({"x": Categorical()}, {"x": ["u", "v"]}, ["a", "b"])
    heavy = model * 1e200
    with pytest.raises(ValueError, match="A model times 1e\\+200: there would be more than 2⁸⁰⁰ rows"):
        heavy = heavy * 1e200
    with pytest.raises(ValueError, match="cannot be merged: there would be more than 2⁸⁰⁰ rows"):
        doubled(heavy, 200)
    np.testing.assert_allclose(heavy.posterior({"x": ["u"]}), [[1.0, 0.0]], atol=1e-200)
