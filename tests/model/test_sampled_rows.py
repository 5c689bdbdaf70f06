"""The sample of counted rows: which rows it has, and how many of equal ones."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Model, Schema, weigh
from tallybayes.data.fingerprints import fingerprints
from tallybayes.model.batches import Given, labelled
from tallybayes.model.sample import RowSample, merged


def sampled(table, labels, size, cuts=(), weights=None, samples=1):
    """From a table in pieces, given to one sample or to several in turn."""
    found = [RowSample(table.column_names, size) for _ in range(samples)]
    edges = [0, *sorted(cuts), len(table)]
    for number, (start, stop) in enumerate(pairwise(edges)):
        given = None if weights is None else weights[start:stop]
        for batch in labelled(Given(table[start:stop], labels[start:stop], given), Schema({})):
            found[number % samples].add(batch)
    return merged([sample for sample in found if sample.seen]).rows()


def listed(rows):
    row, weights = rows.addends or (np.arange(len(rows)), rows.own)
    own = [(each, sorted(weights[row == i])) for i, each in enumerate(rows.own)]
    return rows.cells.to_pylist(), [rows.keys[label] for label in rows.labels], rows.weights.tolist(), own


WEIGHTS = [None, [0.0, 1.0, 2.0], [0.1, 0.7, 1e-9, 0.0], [1e200, 1.0, 0.3], [2.0**60, 3.0]]


@given(st.data(), st.integers(1, 40), st.integers(1, 12), st.integers(1, 60), st.sampled_from(WEIGHTS))
def test_order_batching_and_merging_do_not_matter(data, rows, different, size, kinds):
    random = np.random.default_rng(rows)
    table = pa.table({"a": random.integers(0, different, rows).astype(str), "b": random.integers(0, 2, rows) * 0.5})
    labels = random.integers(0, 3, rows)
    weights = None if kinds is None else random.choice(kinds, rows)
    expected = listed(sampled(table, labels, size, weights=weights))
    order = np.array(data.draw(st.permutations(range(rows))))
    cuts = data.draw(st.lists(st.integers(0, rows), max_size=4))
    shuffled, weights = table.take(pa.array(order)), None if weights is None else weights[order]
    assert listed(sampled(shuffled, labels[order], size, cuts, weights)) == expected
    assert listed(sampled(shuffled, labels[order], size, cuts, weights, samples=2)) == expected
    for about, exactly in expected[-1]:
        assert 1 - 1e-12 <= Fraction(about) / sum(map(Fraction, exactly)) <= 1


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 40))
def test_weight_two_equals_two_rows(rows, different, size):
    random = np.random.default_rng(rows)
    table, labels = pa.table({"a": random.integers(0, different, rows)}), random.integers(0, 2, rows)
    weights = random.integers(0, 4, rows)
    again = np.repeat(np.arange(rows), weights)
    if len(again):
        heavy, spread = sampled(table, labels, size, weights=weights), sampled(table.take(again), labels[again], size)
        assert listed(heavy) == listed(spread)


def test_equal_rows_are_sampled_in_proportion():
    """Four distinct rows, of which 100 are taken: each in proportion, to the nearest row."""
    many = {("a", 0): 5000, ("a", 1): 1000, ("b", 0): 500, ("b", 1): 3500}
    cells, labels = zip(*(pair for pair, n in many.items() for _ in range(n)), strict=True)
    rows = sampled(pa.table({"x": list(cells)}), np.array(labels), 100)
    taken = list(zip(rows.cells["x"].to_pylist(), rows.labels.tolist(), strict=True))
    assert [taken.count(pair) for pair in many] == [50, 10, 5, 35]


def test_no_row_is_taken_more_often_than_it_occurs():
    table, labels = pa.table({"x": np.repeat(np.arange(9), np.arange(1, 10))}), np.arange(45) % 2
    for size in range(1, 46):
        taken = sampled(table, labels, size).cells["x"].to_numpy()
        assert len(taken) == size
        assert np.all(np.bincount(taken, minlength=9) <= np.arange(1, 10))


@given(st.integers(1, 60), st.integers(1, 80))
def test_at_most_so_many_rows_are_left_at_equal_distances(rows, most):
    every = sampled(pa.table({"x": np.arange(float(rows))}), np.arange(rows) % 3, rows)
    some = every.at_most(most)
    at = [every.marks.tolist().index(mark) for mark in some.marks]
    assert len(some) == min(rows, most)
    assert at == sorted(set(at))
    assert np.ptp(np.diff([-1, *at, rows])) <= np.ceil(rows / most)
    assert listed(some) == tuple([part[i] for i in at] for part in listed(every))


def test_distinct_rows_are_those_of_the_lowest_fingerprints():
    table = pa.table({"x": np.arange(500.0)})
    marks = fingerprints(table.to_batches()[0], ["x"])
    rows = sampled(table, np.arange(500) % 2, 50)
    assert rows.cells["x"].to_pylist() == np.argsort(marks)[:50].tolist()


def test_weights_of_a_large_table_with_few_distinct_rows():
    """Sixteen distinct rows, independent given the class: nothing to weigh down."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 60_000)
    frame = {name: (random.random(60_000) < 0.3 + 0.4 * labels).astype(str) for name in "abcd"}
    model = Model.train(Schema(dict.fromkeys(frame, Categorical())), frame, labels)
    weights = weigh(model, frame, labels).schema.weights
    np.testing.assert_allclose(list(weights.columns.values()), 1.0, atol=0.1)


def test_large_integers_are_not_equal_because_doubles_round_them():
    levels = 10**18 + np.arange(300)
    frame, labels = {"id": levels}, np.arange(300) % 2
    weigh(Model.train({"id": Categorical()}, frame, labels), frame, labels)  # was an error: more copies than rows
    for kind in (pa.int64(), pa.uint64(), pa.decimal128(20)):
        cells = pa.array(levels).cast(kind)
        assert len(set(fingerprints(pa.record_batch({"id": cells}), ["id"]))) == 300
        coded = pa.record_batch({"id": cells.dictionary_encode()})
        assert np.array_equal(fingerprints(coded, ["id"]), fingerprints(pa.record_batch({"id": cells}), ["id"]))


def test_copies_of_texts_leave_room_for_others(monkeypatch):
    monkeypatch.setattr("tallybayes.model.sample.MOST_BYTES", 100 * 10)
    monkeypatch.setattr("tallybayes.model.sample.LEAST", 10)
    texts = [f"{number:010}" for number in range(200)]
    sample = RowSample(["text"], 500, ["text"])
    for batch in labelled(Given(pa.table({"text": texts * 3}), np.zeros(600)), Schema({})):
        sample.add(batch)
    assert len(sample.rows()) == 100


def test_equal_rows_of_many_weights_are_not_thinned_again_with_every_batch(monkeypatch):
    times, thin = [], RowSample._thin
    monkeypatch.setattr(RowSample, "_thin", lambda self: (times.append(1), thin(self)))
    table, weights = pa.table({"a": ["x"] * 2000}), 1.0 + np.arange(2000) / 4096
    sampled(table, np.zeros(2000), 10, range(10, 2000, 10), weights)
    assert len(times) < 12


@given(
    st.lists(st.none() | st.integers(-9, 9).map(float) | st.floats(-1e9, 1e9), min_size=1, max_size=30),
    st.sampled_from([repr, "{:.17e}".format, " {!r}\t".format]),
    st.booleans(),
)
def test_numbers_written_as_text_are_sampled_and_dealt_as_the_numbers(values, write, encoded):
    texts = pa.array([None if value is None else write(value) for value in values], pa.string())
    written = pa.record_batch({"x": texts.dictionary_encode() if encoded else texts})
    numbers = pa.record_batch({"x": pa.array(values, pa.float64())})
    schema = Schema({"x": Gaussian()})
    marks = [fingerprints(cells, ["x"], numeric=schema.numeric) for cells in (numbers, written)]
    np.testing.assert_array_equal(*marks)
    plain = Schema({"x": Categorical()})
    assert (schema.numeric, plain.numeric) == ({"x"}, frozenset())


def test_weights_do_not_depend_on_how_numbers_are_written():
    random = np.random.default_rng(5)
    labels = random.choice(["a", "b"], 400)
    numbers = {name: random.normal(size=400).round(3) + (labels == "b") for name in "uvw"}
    texts = {name: [f"{value:.17g} " for value in column] for name, column in numbers.items()}
    schema = Schema({name: Gaussian() for name in "uvw"})
    found = [weigh(Model.train(schema, data, labels), data, labels) for data in (numbers, texts)]
    assert found[0].schema.weights == found[1].schema.weights


ZERO_ONE = [pa.bool_(), pa.int8(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(5, 2)]


@given(st.lists(st.sampled_from([None, 0, 1]), min_size=1), st.sampled_from(ZERO_ONE), st.booleans(), st.integers(0, 9))
def test_numbers_have_the_same_fingerprint_in_every_type(values, kind, encoded, start):
    cells = pa.array(values, pa.int8()).cast(kind)
    cells = cells.dictionary_encode() if encoded else cells
    found = fingerprints(pa.record_batch({"x": cells}).slice(start), ["x"])
    assert np.array_equal(found, fingerprints(pa.record_batch({"x": pa.array(values, pa.float64())}), ["x"])[start:])
