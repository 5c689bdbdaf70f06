"""A model as an ONNX graph, which runs in any language that has a runtime for it.

Every column is an input with a cell a row: a text for a category; a double for a number, and for true (1) or false
(0). The outputs are each row's class and its probabilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.export.portable_model import PortableColumn, PortableModel, portable_model, unweighed
from tallybayes.families.numbers.support import LARGEST, Support
from tallybayes.families.portable import ByFormula, ByInterval, ByLevel, ByWords, NotPortableError, Portable, Weighed
from tallybayes.model.model import Model

if TYPE_CHECKING:
    from tallybayes.export.graph import Node, OnnxGraph

ANSWERS = ("predicted", "probabilities")


def export_onnx(model: Model) -> bytes:
    """An ONNX file. Its inputs are the columns by name: texts for categories, doubles for everything else, where NaN is
    a missing cell; a text that is not a level counts as missing. Its outputs are "predicted" and "probabilities", one
    for each class in the order of `model.classes`. Numbers are doubles throughout.

    >>> from tallybayes import Gaussian
    >>> model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 5.0, 7.0]}, ["a", "a", "b", "b"])
    >>> with open("points.onnx", "wb") as file:
    ...     size = file.write(export_onnx(model))
    """
    from tallybayes.export.graph import OnnxGraph, TensorProto, helper

    portable = portable_model(model, "ONNX", _refuse)
    for column in portable.columns:
        if column.name in ANSWERS or not column.name:
            raise ValueError(f"Column {column.name!r} has a name that is reserved in the graph. Rename it.")
    graph = OnnxGraph()
    scores: Any = portable.start[None, :]
    for column in portable.columns:
        for term in _terms(graph, column):
            scores = scores + term
    kind = _answered(graph, scores if portable.columns else graph.node("Identity", scores), portable)
    outputs = [
        helper.make_tensor_value_info("predicted", kind, ["rows"]),
        helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, ["rows", len(portable.labels)]),
    ]
    return graph.model(outputs, "Classes: " + ", ".join(map(str, portable.labels)))


def _refuse(portable: Portable) -> None:
    if isinstance(unweighed(portable), ByWords):
        raise NotPortableError("ONNX cannot split text into words.")


def _terms(graph: OnnxGraph, column: PortableColumn) -> list[Node]:
    from tallybayes.export.graph import TensorProto

    portable = unweighed(column.evidence)
    if isinstance(portable, ByLevel) and not portable.truth:
        if column.absence is not None:
            raise ValueError(
                f"Column {column.name!r}: missing cells are evidence in this model, and ONNX has no missing strings. "
                "Export the model unweighed."
            )
        cells = graph.input(column.name, TensorProto.STRING)
        return [_looked_up(graph, _level(graph, cells, portable), portable.table)]
    cells = graph.node("Unsqueeze", graph.input(column.name, TensorProto.DOUBLE), np.array([1]))
    if isinstance(portable, ByFormula):
        good = _taken(graph, cells, portable.support)
        computed = _computed(graph, cells, good, portable)
        terms = [_weighed(graph, computed, column.evidence) if isinstance(column.evidence, Weighed) else computed]
        missing = graph.node("Not", good)
    else:
        assert isinstance(portable, (ByInterval, ByLevel))
        terms = [_placed(graph, cells, portable)]
        missing = graph.node("IsNaN", cells)
    if column.absence is not None:
        terms.append(graph.node("Where", missing, *(row[None, :] for row in column.absence)))
    return terms


def _level(graph: OnnxGraph, cells: Node, portable: ByLevel) -> Node:
    """The index of every cell's level; one past the last if it is not a level."""
    if not len(portable.levels):
        return graph.node("LabelEncoder", cells, keys_strings=[""], values_int64s=[0], default_int64=0)
    numbers = list(range(len(portable.levels)))
    return graph.node(
        "LabelEncoder", cells, keys_strings=list(portable.levels), values_int64s=numbers, default_int64=len(numbers)
    )


def _looked_up(graph: OnnxGraph, codes: Node, table: Floats) -> Node:
    return graph.node("Gather", np.vstack([table, np.zeros((1, table.shape[1]))]), codes)


def _placed(graph: OnnxGraph, cells: Node, portable: ByInterval | ByLevel) -> Node:
    """The index of each number's interval; booleans have two, around ½."""
    from tallybayes.export.graph import TensorProto

    edges = portable.edges if isinstance(portable, ByInterval) else np.array([0.5])
    counted = graph.node("Cast", graph.node("GreaterOrEqual", cells, edges[None, :]), to=TensorProto.INT64)
    codes = graph.node("ReduceSum", counted, np.array([1]), keepdims=0)
    missing = graph.node("Squeeze", graph.node("IsNaN", cells), np.array([1]))
    return _looked_up(graph, graph.node("Where", missing, np.array(len(portable.table)), codes), portable.table)


def _taken(graph: OnnxGraph, cells: Node, support: Support) -> Node:
    """Whether a cell is in the family's support."""
    lowest = -LARGEST if np.isinf(support.lowest) else support.lowest
    good = graph.node("Greater" if support.open else "GreaterOrEqual", cells, lowest)
    good = graph.node("And", good, graph.node("LessOrEqual", cells, LARGEST))
    if support.whole:
        good = graph.node("And", good, graph.node("Equal", cells, graph.node("Floor", cells)))
    return good


def _computed(graph: OnnxGraph, cells: Node, good: Node, portable: ByFormula) -> Node:
    x = graph.node("Where", good, cells, 1.0)
    settings = [np.asarray(setting, np.float64)[None, :] for setting in portable.settings]
    return graph.node("Where", good, portable.formula(graph, graph.log(x) if portable.logs else x, *settings), 0.0)


def _weighed(graph: OnnxGraph, computed: Node, portable: Weighed) -> Node:
    """Evidence minus the mean over classes, clipped, times the weight."""
    least = graph.node("ReduceMax", computed, axes=[1], keepdims=1) - 2.0 * portable.bound
    bounded = graph.node("Max", computed, least)
    beyond = bounded - graph.node("ReduceMean", bounded, axes=[1], keepdims=1)
    return graph.node("Clip", beyond, -portable.bound, portable.bound) * np.asarray(portable.theta)[None, :]


def _answered(graph: OnnxGraph, scores: Node, portable: PortableModel) -> int:
    """The outputs, and the type of the classes."""
    from tallybayes.export.graph import TensorProto

    most = graph.node("ReduceMax", scores, axes=[1], keepdims=1)
    impossible = graph.node("Equal", most, -np.inf)
    prior = portable.prior[None, :]
    graph.node("Where", impossible, prior, graph.node("Softmax", scores, axis=1), name="probabilities")
    best = graph.node("ArgMax", graph.node("Where", impossible, prior, scores), axis=1, keepdims=0)
    labels = np.array(portable.labels)
    if labels.dtype.kind not in "bif":
        labels = np.array([str(label) for label in portable.labels])
    graph.node("Gather", labels, best, name="predicted")
    kinds = {"b": TensorProto.BOOL, "i": TensorProto.INT64, "f": TensorProto.DOUBLE}
    return int(kinds.get(labels.dtype.kind, TensorProto.STRING))
