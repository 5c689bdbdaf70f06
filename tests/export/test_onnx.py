"""ONNX export: its bytes, and what it refuses."""

import pytest
from exported import model_of, table

from tallybayes import Gaussian, Model, Words, export_onnx

pytest.importorskip("onnx", reason="Graphs need onnx: pip install 'tallybayes[onnx]'")


def test_same_model_same_bytes():
    assert export_onnx(model_of(table())) == export_onnx(model_of(table()))


def test_unsupported_columns_are_named():
    model = Model.train({"text": Words()}, {"text": ["free money", "dear sir"]}, ["a", "b"])
    with pytest.raises(ValueError, match=r"Column 'text' \(Words\) cannot be written as ONNX"):
        export_onnx(model)
    named = Model.train({"predicted": Gaussian()}, {"predicted": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="Column 'predicted' has a name that is reserved"):
        export_onnx(named)
