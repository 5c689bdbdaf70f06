"""Models for other programs: the same answers as SQL inside a database, or as an ONNX graph.

`portable_model` splits a model into tables and formulas (`families/portable`); `sql` and `onnx` write them. Only
`expressions` imports sqlglot, and only `graph` onnx. Leans on `model`, `schema` and `families`.
"""

from tallybayes.export.onnx import export_onnx
from tallybayes.export.sql import DIALECTS, export_sql

__all__ = ["DIALECTS", "export_onnx", "export_sql"]
