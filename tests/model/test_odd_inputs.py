"""Odd inputs, extreme values, and operations in the wrong order."""

import copy
import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tallybayes import FAMILIES, Bernoulli, Categorical, Gaussian, Histogram, MEstimate, Model, Poisson, Schema, digest
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.values import Values
from tallybayes.files import from_bytes, to_bytes


def train(family, values, labels=None, **options):
    labels = labels if labels is not None else ["ab"[i % 2] for i in range(len(values))]
    return Model.train(Schema({"x": family}), {"x": values}, labels, **options)


@pytest.mark.parametrize("name", [name for name in sorted(FAMILIES) if hasattr(FAMILIES[name], "sums")])
def test_numbers_never_counted_cannot_be_forgotten(name):
    model = train(FAMILIES[name](), [1.0, 2.0, 3.0], ["a", "a", "b"])
    before = digest(model)
    with pytest.raises(ValueError, match="cannot be forgotten"):
        model -= train(FAMILIES[name](), [50.0], ["a"])
    assert digest(model) == before


def test_rows_cannot_be_forgotten_without_their_cells():
    model = train(Categorical(), ["u", "v"], ["a", "a"])
    with pytest.raises(ValueError, match="column 'x' would have more values than there are rows"):
        model -= train(Categorical(), [None, None], ["a", "a"])


def test_refused_merge_leaves_the_label_type_open():
    model = Model(Schema({"x": Gaussian()}))
    with pytest.raises(ValueError, match="never learned"):
        model -= train(Gaussian(), [1.0], ["a"])
    model += train(Gaussian(), [1.0], [1])
    assert model.classes == [1]


def test_equal_schemas_make_equal_bytes():
    frame, labels = {"x": ["u", "v"], "y": [1.0, 2.0]}, ["a", "b"]
    one = Schema({"x": Categorical(alpha=1), "y": Gaussian(m=1)}, prior={"a": 0.5, "b": 0.5})
    other = Schema({"y": Gaussian(m=1.0), "x": Categorical(alpha=np.float32(1))}, prior={"b": 0.5, "a": 0.5})
    a, b = Model.train(one, frame, labels), Model.train(other, frame, labels)
    assert one == other
    assert a == b
    assert digest(a) == digest(b)
    assert digest(a + b) == digest(b + a)


def test_settings_are_copied():
    alpha = {"u": 1.0, "v": 1.0}
    model = train(Categorical(alpha=alpha), ["u", "v"])
    before = digest(model)
    alpha["u"] = 50.0
    assert digest(model) == before
    numbered = train(Categorical(alpha={1: 2.0, 2.5: 1.0}), [1, 2.5])
    assert list(numbered.estimates("x")) == ["1", "2.5"]
    odd = train(Categorical(alpha={"MEstimate": 2.0, "levels": 1.0}), ["u"])
    assert from_bytes(to_bytes(odd)) == odd
    smoothed = train(Categorical(alpha=MEstimate(2, {"u": 1})), ["u"])
    assert from_bytes(to_bytes(smoothed)) == smoothed


def test_copies_do_not_share_what_they_learn():
    model = train(Categorical(), ["u", "v"])
    before = digest(model)
    for twin in (copy.copy(model), copy.deepcopy(model), model.copy()):
        twin += model
        assert digest(model) == before
        assert twin.n == 4
    assert digest(sum([model, model])) == digest(model + model)


def test_zero_and_minus_zero_are_one_label():
    model = train(Gaussian(), [1.0, 2.0, 3.0], [0.0, -0.0, 1.0])
    assert model.classes == [0.0, 1.0]
    assert digest(train(Gaussian(), [1.0], [-0.0])) == digest(train(Gaussian(), [1.0], [0.0]))


@pytest.mark.parametrize("label", [datetime.date(2024, 5, 1), b"\xff", Decimal("1.5"), np.int64(3), True])
def test_prior_may_name_labels_of_any_type(label):
    kind = label.item() if isinstance(label, np.generic) else label
    model = Model.train(Schema({"x": Poisson()}, prior={label: 1.0}), {"x": [1]}, [kind])
    again = from_bytes(to_bytes(model))
    assert again == model
    assert again.prior() == {kind: 1.0}


def test_counts_show_labels_as_given():
    model = train(Poisson(), [1, 2], [datetime.date(2024, 5, 1), datetime.date(2023, 1, 2)])
    assert "2024-05-01" in repr(model.counts())


def test_invalid_labels_are_refused_with_a_message():
    frame = {"x": [1.0, 2.0]}
    schema = Schema({"x": Gaussian()})
    for labels, error, message in [
        (np.array([[1], [2]]), ValueError, r"The labels have 2 dimensions; give one per row, as in numpy\.ravel\(y\)"),
        (5, TypeError, "The labels are 5; give one per row"),
        (np.array([1, 2**63], np.uint64), ValueError, "A label is 2⁶³ or more"),
        ([1, 2**70], TypeError, "The labels have a number of 2⁶³ or more. Give smaller numbers, or strings"),
        ((v for v in [1, "a"]), TypeError, r"The labels mix str \('a'\) and int \(1\)"),
        ([1j, None], TypeError, r"The labels are of type complex \(1j\). Give strings, integers or booleans"),
        (list(pd.cut([1.0, 9.0], 2)), TypeError, r"The labels are of type Interval \(.*\). Give strings"),
        (pd.Series([1, "a"]), TypeError, "The labels mix"),
        (["a"], ValueError, "There are 1 labels for 2 rows"),
        (pa.array([[1], [2]]), TypeError, "cannot name classes"),
    ]:
        with pytest.raises(error, match=message):
            Model.train(schema, frame, labels)
    for weights, message in [
        (2.0, "The weights are 2.0"),
        ([1.0, "q"], "The weights mix"),
        (["1", "q"], "in row 1"),
        ([1, 2**64], r"The weights have a number of 2⁶³ or more\. Give smaller numbers\."),
        ([1j, 2j], r"The weights are of type complex \(1j\)\. Give numbers\."),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            Model.train(schema, frame, ["a", "b"], weights=weights)


def test_odd_arrays():
    two = Schema({"0": Gaussian(), "1": Gaussian()})
    x = np.arange(12.0).reshape(6, 2)
    labels = list("ababab")
    masked = Model.train(two, np.ma.masked_array(x, mask=x > 8), labels)
    assert masked.counts("0").sums["n"].round().tolist() == [[3, 2]]
    expected = digest(Model.train(two, x, labels))
    for other in (x.astype(">f8"), x.astype(np.longdouble), x.astype(">i4"), np.asfortranarray(x), x[::-1][::-1]):
        assert digest(Model.train(two, other, labels)) == expected
    empty = Model.train(Schema({}), np.zeros((3, 0)), ["a", "b", "b"])
    assert empty.posterior(np.zeros((2, 0))).shape == (2, 2)
    scalar = train(Poisson(), [1, 2]).posterior({"x": pa.scalar(1)})
    assert scalar.shape == (1, 2)


def test_odd_dictionaries():
    values = pa.array([float(i) for i in range(128)])
    short = pa.DictionaryArray.from_arrays(pa.array([0, None, 127], pa.int8()), values)
    assert train(Gaussian(), short).counts("x").sums["n"].round().sum() == 2
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0], pa.int8()), pa.array(["1", "bad", "2.5"]))
    assert train(Gaussian(), unused).counts("x").sums["n"].round().sum() == 3
    chunks = [
        pa.array([f"{c}{i}" for i in range(100)]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
        for c in "ab"
    ]
    table = pa.table({"x": pa.chunked_array(chunks)})
    model = Model.train(Schema({"x": Categorical()}), table, ["a"] * 200)
    assert len(model.counts("x").slots) == 200
    long = pa.array([f"w{i}" for i in range(5000)]).dictionary_encode()
    plain = train(Categorical(), long.dictionary_decode())
    assert digest(train(Categorical(), long)) == digest(plain)
    assert np.array_equal(plain.posterior({"x": long}), plain.posterior({"x": long.dictionary_decode()}))


def test_bernoulli_parses_zeros_ones_and_blanks():
    model = train(Bernoulli(), ["1", "0", "", "1.0", " yes "], ["a"] * 5)
    assert model.counts("x").sums["n"].round().tolist() == [[1], [3]]


def test_parameters_at_the_edge_of_certainty():
    assert train(Categorical(), ["u", "u"]).parameters("x", "a").interval() == {"u": (1.0, 1.0)}
    none = train(Categorical(alpha=0.0), ["u", "v"], ["a", "b"]).parameters("x", "a")
    assert none.mean() == {"u": 1.0, "v": 0.0}
    assert train(Poisson(shape=0.0, rate=0.0), [0], ["a"]).parameters("x", "a").mean() == {"rate": 0.0}
    same = train(Gaussian(m=0.0), [5.0, 5.0], ["a", "a"]).parameters("x", "a")
    assert same.interval()["variance"] == (0.0, 0.0)
    silent = train(Poisson(shape=0.0, rate=0.0), [3, None], ["a", "b"])
    with pytest.raises(ValueError, match="This class has no counts and there is no prior"):
        silent.parameters("x", "b").mean()
    with pytest.raises(ValueError, match="are given \\('uniform'\\), not counted"):
        silent.believing(prior="uniform").parameters()
    assert silent.parameters().alpha == {"a": 1.0, "b": 1.0}


def test_prior_that_excludes_every_class_is_an_error():
    model = Model.train(Schema({"x": Poisson()}, prior={"a": 0.0, "b": 1.0}), {"x": [1]}, ["a"])
    assert "Model of 1 row in 1 class: a 1" in repr(model)
    with pytest.raises(ValueError, match="makes every class that has rows impossible"):
        model.posterior({"x": [1]})


def test_column_may_have_any_name():
    names = ["prior", "self", "alpha", "", "n"]
    frame = {name: ["u", "v"] for name in names}
    model = Model.train(Schema({name: Categorical() for name in names}), frame, ["a", "b"])
    changed = model.believing(**{name: Categorical(alpha=0.5) for name in names})
    assert set(map(repr, changed.schema.columns.values())) == {"Categorical(alpha=0.5)"}
    assert changed.schema.prior == "frequencies"
    assert from_bytes(to_bytes(changed)) == changed


def test_empty_model_raises_for_every_query():
    model = Model({"x": Poisson()})
    for ask in (
        lambda: model.evidence({"x": [1]}),
        lambda: model.estimates("x"),
        lambda: model.parameters(),
        lambda: model.decide({"x": [1]}),
        lambda: model.log_likelihood({"x": [1]}, ["a"]),
        model.prior,
    ):
        with pytest.raises(ValueError, match="has counted no rows"):
            ask()


def test_impossible_rows_are_counted_over_all_threads():
    n = 200_000
    model = train(Categorical(alpha=0.0), ["u", "v"])
    schema = Schema({"x": Categorical(alpha=0.0), "y": Categorical(alpha=0.0)})
    model = Model.train(schema, {"x": ["u", "v"], "y": ["u", "v"]}, ["a", "b"])
    with pytest.warns(UserWarning, match=rf"Some rows \({n}\) are impossible"):
        model.posterior({"x": ["u"] * n, "y": ["v"] * n}, threads=4)


def test_many_small_batches_and_many_classes():
    batches = (pa.record_batch({"x": [float(i)], "label": [i % 700]}) for i in range(3000))
    reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.float64(), "label": pa.int64()}), batches)
    model = Model.train(Schema({"x": Gaussian()}), reader, "label")
    assert (model.n, len(model.classes)) == (3000, 700)
    assert len(repr(model)) < 500


def test_equal_settings_are_equal():
    assert Categorical(levels=("b", "a", "a")) == Categorical(levels=("a", "b"))
    for make in (
        lambda: Gaussian(plugin=1),
        lambda: Poisson(plugin="no"),
        lambda: Histogram(bits=True),
        lambda: Histogram(intervals=True),
        lambda: Schema({}, prior={"a": 0.5, 1: 0.5}),
        lambda: Schema({}, prior={None: 1.0}),
        lambda: Schema({"\ud800": Gaussian()}),
    ):
        with pytest.raises((ValueError, TypeError)):
            make()


@pytest.mark.filterwarnings("error")
def test_extreme_numbers_raise_no_warnings_of_the_arithmetic():
    model = train(Gaussian(), [1e149, -1e149, 3.0], ["a", "b", "b"])
    assert np.isfinite(model.parameters("x", "a").mean()["mean"])
    wild = 10.0 ** np.random.default_rng(1).uniform(-300, 300, 60)
    Schema.infer({"x": wild, "y": np.full(60, 1e308) * np.linspace(0.1, 1.0, 60)})
    heavy = train(Gaussian(), [1e160, -1e155, 2e160], ["a", "b", "a"], weights=[1e20, 1, 1])
    with pytest.warns(UserWarning, match=r"has a variance above 1e\+300, which does not fit a double"):
        assert np.isfinite(heavy.posterior({"x": [1.0]})).all()
    train(FAMILIES["Exponential"](), [5e-324] * 4, list("aabc")).estimates("x")
    train(FAMILIES["Gamma"](), [1e300, 1e308, 5.0, 2.0], list("aabc")).estimates("x")
    with pytest.raises(ValueError, match="give 0, or a number from 8e-31 to"):
        train(Gaussian(), [1.0], ["a"], weights=[1e300])
    with pytest.raises(ValueError, match="from 0 to"):
        model * 10**400


TAKES_NUMBERS = [name for name in sorted(FAMILIES) if issubclass(FAMILIES[name], (Numeric, Values))]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("entry", [*TAKES_NUMBERS, "Correlated", "Pairs"])
def test_infinity_is_an_error_that_says_what_to_do(entry, sign):
    columns = {("x", "z"): FAMILIES[entry]()} if entry in ("Correlated", "Pairs") else {"x": FAMILIES[entry]()}
    good = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 2.0, 1.0]}
    bad = good | {"x": [1.0, 2.0, sign * np.inf, 4.0]}
    advice = (
        r"Column 'x', row 2: .* Give a finite number, or leave the cell missing: NaN or None, or empty in a file\.$"
    )
    with pytest.raises(ValueError, match=advice):
        Model.train(columns, bad, list("abab"))
    with pytest.raises(ValueError, match=advice):
        Model.train(columns, good, list("abab")).posterior(bad)


def test_infer_leaves_infinities_to_training_and_odd_columns_out():
    infinite = {"x": [1.0, np.inf]}
    assert Schema.infer(infinite).columns == {"x": Gaussian()}
    with pytest.raises(ValueError, match=r"Column 'x', row 1: the value is infinite"):
        Model.train(Schema.infer(infinite), infinite, ["a", "b"])
    assert Schema.infer({"x": ["inf", "1.5", "2.5"]}).columns == {"x": Categorical(alpha="fitted")}
    odd = Schema.infer({"x": pa.array([b"a", b"b"] * 30).dictionary_encode()})
    assert odd.columns == {}
    assert odd.reasons == {"x": "cells of type binary are not categories"}
