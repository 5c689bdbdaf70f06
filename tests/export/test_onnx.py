"""ONNX export: the runtime's probabilities equal `posterior`."""

import numpy as np
import pyarrow as pa
import pytest
from exported import model_of, table

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, Words, export_onnx, weigh

pytest.importorskip("onnx", reason="Graphs need onnx: pip install 'tallybayes[onnx]'")
runtime = pytest.importorskip("onnxruntime", reason="Graphs are run by onnxruntime: pip install onnxruntime")


def answers(model, rows):
    """Classes and probabilities from the runtime."""
    session = runtime.InferenceSession(export_onnx(model), providers=["CPUExecutionProvider"])
    given = {}
    for each in session.get_inputs():
        cells = rows[each.name].to_pylist()
        if "string" in each.type:
            given[each.name] = np.array(["(missing)" if cell is None else str(cell) for cell in cells], object)
        else:
            given[each.name] = np.array([np.nan if cell is None else float(cell) for cell in cells])
    predicted, shares = session.run(["predicted", "probabilities"], given)
    return predicted.tolist(), shares


def test_probabilities_of_every_column_kind():
    rows = table()
    model = model_of(rows)
    predicted, shares = answers(model, rows)
    expected = model.posterior(rows)
    assert shares.dtype == np.float64
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-9)
    assert predicted == [model.classes[i] for i in expected.argmax(axis=1)]


def test_extreme_values_and_unseen_levels():
    model = model_of(table())
    far = table(5, seed=9).to_pydict() | {
        "city": ["nowhere", "Ur ", "ur", None, ""],
        "depth": [-1e300, 1e300, 0.0, -0.0, None],
        "calls": [0, 255, 256, 3_000_000, None],
        "wealth": [1e-300, 1e300, 1.0, None, 1e-9],
    }
    rows = pa.table(far, schema=table(5).schema)
    np.testing.assert_allclose(answers(model, rows)[1], model.posterior(rows), rtol=0, atol=1e-9)


def test_impossible_rows_get_the_prior():
    rows = pa.table({"a": ["x", "y"], "b": ["u", "v"]})
    model = Model.train({"a": Categorical(alpha=0), "b": Categorical(alpha=0)}, rows, ["one", "two"])
    new = pa.table({"a": ["x", "y"], "b": ["u", "u"]})
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible"):
        expected = model.posterior(new)
    predicted, shares = answers(model, new)
    np.testing.assert_allclose(shares, expected, atol=1e-12)
    assert predicted == ["one", "one"]


@pytest.mark.parametrize("labels", [[0, 1, 1], [True, False, True], [0.5, 2.0, 2.0], ["only"] * 3])
def test_class_labels_keep_their_type(labels):
    rows = pa.table({"x": [1.0, 2.0, 2.5]})
    model = Model.train({"x": Gaussian()}, rows, labels)
    assert answers(model, rows)[0] == [model.classes[i] for i in model.posterior(rows).argmax(axis=1)]


def test_weighed_histograms():
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b"], 600)
    x = [float(v) if v < 1 else None for v in draw.normal(size=600) + (labels == "a")]
    rows = pa.table({"x": x, "twice": x, "y": labels})
    model = weigh(Model.train(Schema({"x": Histogram(), "twice": Histogram()}, label="y"), rows), rows)
    assert model.schema.weights is not None
    np.testing.assert_allclose(answers(model, rows)[1], model.posterior(rows), rtol=0, atol=1e-9)


def test_weighed_formulas_and_informative_missing_cells():
    draw = np.random.default_rng(1)
    labels = draw.choice(["a", "b", "c"], 600)
    x = [float(v) if v < 1 else None for v in draw.normal(size=600) + (labels == "a")]
    rows = pa.table({"x": x, "twice": x, "y": labels})
    model = weigh(Model.train(Schema({"x": Gaussian(), "twice": Gaussian()}, label="y"), rows), rows)
    assert model.schema.weights is not None
    far = pa.table({"x": [1e6, None, -1e100, 0.0], "twice": [None, -1e6, 1.0, 1e100]})
    for given in (rows, far):
        np.testing.assert_allclose(answers(model, given)[1], model.posterior(given), rtol=0, atol=1e-9)


def test_same_model_same_bytes():
    assert export_onnx(model_of(table())) == export_onnx(model_of(table()))


def test_unsupported_columns_are_named():
    model = Model.train({"text": Words()}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=r"Column 'text' \(Words\) cannot be written as ONNX"):
        export_onnx(model)
    named = Model.train({"predicted": Gaussian()}, {"predicted": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="Column 'predicted' has a name that is reserved"):
        export_onnx(named)
