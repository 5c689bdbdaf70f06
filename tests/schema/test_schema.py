"""Schemas: inference with reasons, hints, and errors."""

import numpy as np
import pyarrow as pa
import pytest

from tallybayes import FAMILIES, Categorical, Correlated, Gaussian, MEstimate, Model, Pairs, Schema, Trees

RNG = np.random.default_rng(8)


def test_hints_override_single_columns():
    frame = {"age": [1.5, 2.5], "zip": [1000, 2000], "play": ["y", "n"]}
    schema = Schema.infer(frame, "play", hints={"zip": Categorical(), "age": None})
    assert schema.columns == {"zip": Categorical()}
    assert repr(schema).splitlines() == [
        "zip      Categorical()  as given",
        "age      left out       as given",
        "(class)  frequencies    column 'play'",
    ]
    with pytest.raises(ValueError, match="The data has no column 'zap'"):
        Schema.infer(frame, hints={"zap": None})
    with pytest.raises(ValueError, match="The data has no column 'Play'"):
        Schema.infer(frame, label="Play")


def test_blocks_of_many_columns_are_named_briefly():
    block = tuple("abcdefgh")
    assert repr(Schema({block: Correlated(), "z": Gaussian()})).splitlines() == [
        "a, b, c and 5 more  Correlated()",
        "z                   Gaussian()",
        "(class)             frequencies",
    ]
    model = Model.train(Schema({block: Trees()}), {name: [1.0, 2.0] for name in block}, ["yes", "no"])
    assert "those of 'a, b, c and 5 more', which grow" in str(model.parameter_count())


def test_names_are_plain_strings():
    schema = Schema({np.str_("x"): Gaussian(), (np.str_("b"), "a"): Correlated()})
    assert [type(name) for entry in schema.columns for name in (entry if type(entry) is tuple else [entry])] == [
        str
    ] * 3


def test_many_columns_are_cut_in_texts():
    schema = Schema({f"x{at}": Gaussian() for at in range(1150)})
    assert repr(schema).splitlines()[99:] == [
        "x99               Gaussian()",
        "… and 1,050 more",
        "(class)           frequencies",
    ]
    model = Model.train(schema, {name: [1.0, 2.0, 4.0] for name in schema.columns}, ["a", "b", "b"])
    evidence = model.evidence({name: [3.0] for name in schema.columns})
    *_, last, rest, total, _ = repr(evidence).splitlines()
    assert last.split()[0] == "x99"
    assert rest.split() == ["1,050", "more", *(f"{1050 * each:.3f}" for each in evidence["x0"][0])]
    assert total.split() == ["sum", *(f"{each:.3f}" for each in evidence.total()[0])]


def test_setting_applies_to_the_families_that_take_its_value():
    block = ("a", "b")
    frame = {name: ["u", "v"] for name in "abc"}
    model = Model.train({block: Pairs(), "c": Categorical()}, frame, ["p", "q"])
    fitted = model.believing(alpha="fitted").schema.columns
    assert fitted == {**model.schema.columns, "c": Categorical(alpha="fitted")}
    changed = model.believing(alpha=MEstimate(2.0), m=3.0).schema.columns
    assert (changed[block].alpha, changed[block].m, changed["c"].alpha) == (MEstimate(2.0), 3.0, MEstimate(2.0))
    partly = model.believing(alpha="fitted", m=3.0).schema.columns
    assert (partly[block].alpha, partly[block].m, partly["c"].alpha) == (1.0, 3.0, "fitted")
    for wrong in ("fited", -1.0):
        with pytest.raises(ValueError, match=r"alpha must be"):
            model.believing(alpha=wrong)
    for first, other in (("alpha", "m"), ("m", "alpha")):
        with pytest.raises(ValueError, match=f"{first} must be"):
            model.believing({first: -1.0, other: -1.0})


def test_hint_that_is_not_a_family_is_refused():
    for dependence in ("none", "auto"):
        with pytest.raises(
            TypeError, match=r"Column 'x' is given 'Gaussian', which is not a family. Write Gaussian\(\)."
        ):
            Schema.infer({"x": [1.5, 2.5], "z": [1.5, 2.5]}, hints={"x": "Gaussian"}, dependence=dependence)


def test_invalid_schemas_are_refused():
    with pytest.raises(TypeError, match=r"Column 'x' is given .*Gaussian.* not a family. Write Gaussian\(\)."):
        Schema({"x": Gaussian})
    with pytest.raises(TypeError, match=r"'Gausian', which is not a family. Write Gaussian\(\)\."):
        Schema({"x": "Gausian"})
    with pytest.raises(TypeError, match=r"The column name 3 is not a string\. Write '3'\."):
        Schema({3: Gaussian()})
    with pytest.raises(ValueError, match="no rows to infer"):
        Schema.infer(pa.schema([]).empty_table())


def test_inferred_schema_handles_awkward_data():
    """A constant column, a class of one row, a level seen once, an empty column, ties and outliers."""
    n = 60
    frame = {
        "constant": [5.0] * n,
        "rare": ["common"] * (n - 1) + ["once"],
        "empty": [None] * n,
        "outlier": [*RNG.normal(0, 1, n - 1), 1e12],
        "tiny": RNG.normal(0, 1e-200, n),
        "counts": RNG.poisson(4, n),
        "flag": [True] * n,
        "gaps": [None if i % 3 else float(i) for i in range(n)],
    }
    labels = ["a"] * 40 + ["b"] * 19 + ["single"]
    model = Model.train(Schema.infer(frame), frame, labels)
    strange = {name: [values[0], None] for name, values in frame.items()} | {"outlier": [-1e15, 1e300]}
    for asked in (frame, strange):
        posterior = model.posterior(asked)
        assert np.isfinite(model.log_joint(asked)).all()
        assert np.isfinite(posterior).all()
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


def test_settings_round_trip_through_json():
    columns = {name: family() for name, family in FAMILIES.items()}
    columns["smoothed"] = Categorical(alpha=MEstimate(2.0, {"u": 0.5, "v": 0.5}), levels=("u", "v"))
    columns["levels"] = Categorical(alpha={"u": 0.5, "v": 2.5})
    for prior in ("uniform", 0.5, {"a": 0.25, "b": 0.75}):
        schema = Schema(columns, prior=prior)
        assert Schema.from_json(schema.to_json()) == schema


def test_label_from_the_schema():
    frame = {"wind": ["weak", "strong", "weak"], "play": ["y", "n", "y"]}
    schema = Schema.infer(frame, "play")
    assert schema.label == "play"
    assert Model.train(schema, frame) == Model.train(schema, {"wind": frame["wind"]}, frame["play"])
    assert Model.train(schema, iter([frame, frame])).n == 6
    assert Schema.from_json(schema.to_json()) == schema
    assert schema != Schema(schema.columns)
    assert schema.believing({"alpha": 1.0}).label == "play"


def test_label_is_not_counted():
    with pytest.raises(ValueError, match="Column 'play' holds the labels; drop it from the schema's columns"):
        Schema({"play": Categorical()}, label="play")
    with pytest.raises(TypeError, match=r"The column name 3 is not a string\. Write '3'\."):
        Schema({"wind": Categorical()}, label=3)
