"""An ONNX graph under construction, with nodes that formulas can compute with."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes.families.portable import Operand

try:
    import onnx
    from onnx import TensorProto as TensorProto
    from onnx import helper as helper
    from onnx import numpy_helper
except ImportError:
    raise ImportError("ONNX export needs onnx: pip install 'tallybayes[onnx]'.") from None

OPSETS = {"": 17, "ai.onnx.ml": 3}
IR_VERSION = 9


class OnnxGraph:
    """Nodes and constants with generated names. Formulas compute with it."""

    def __init__(self) -> None:
        self.inputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def input(self, name: str, kind: int) -> Node:
        self.inputs.append(helper.make_tensor_value_info(name, kind, ["rows"]))
        return Node(self, name)

    def constant(self, value: Any) -> Node:
        array = np.asarray(value)
        name = f"constant {len(self._constants)}"
        if array.dtype.kind == "U":
            texts = [text.encode() for text in array.tolist()]
            self._constants.append(helper.make_tensor(name, TensorProto.STRING, array.shape, texts))
        else:
            self._constants.append(numpy_helper.from_array(array, name))
        return Node(self, name)

    def node(self, operator: str, *given: Any, name: str | None = None, **attributes: Any) -> Node:
        inputs = [each if isinstance(each, Node) else self.constant(each) for each in given]
        name = name or f"node {len(self._nodes)}"
        domain = "ai.onnx.ml" if operator == "LabelEncoder" else ""
        made = helper.make_node(operator, [each.name for each in inputs], [name], name, domain=domain, **attributes)
        self._nodes.append(made)
        return Node(self, name)

    def log(self, x: Any) -> Any:
        return self.node("Log", x) if isinstance(x, Node) else np.log(x)

    def if_equal(self, x: Node, number: float, then: Any, otherwise: Any) -> Node:
        return self.node("Where", self.node("Equal", x, number), then, otherwise)

    def model(self, outputs: list[Any], about: str) -> bytes:
        graph = helper.make_graph(self._nodes, "tallybayes", self.inputs, outputs, self._constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="tallybayes")
        made.doc_string = about
        onnx.checker.check_model(made, full_check=True)
        return bytes(made.SerializeToString(deterministic=True))


class Node(Operand):
    """The output of a node."""

    __array_ufunc__ = None  # numpy leaves the operators to this class

    def __init__(self, graph: OnnxGraph, name: str) -> None:
        self.graph = graph
        self.name = name

    def combined(self, operator: str, left: Any, right: Any) -> Node:
        return self.graph.node(operator, left, right)
