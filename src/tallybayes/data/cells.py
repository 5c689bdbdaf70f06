"""Cells as a family is given them: a column of Arrow, or of a row by itself a list of one plain value.

`numbers` and `texts` make the same of both, so that a family need not know which it is; `arrow` is for those that want
Arrow's own.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.objects import number_text
from tallybayes.kernels.strings import is_writable

Cells = Any  # an Arrow array, or a list of one number, truth, text or None; of a block, of one dictionary of these


def numbers(cells: Cells) -> NDArray[np.float64]:
    """Cells as doubles, NaN where missing."""
    if type(cells) is list and type(cells[0]) is not str:
        return np.array(cells, np.float64)
    return np.ascontiguousarray(frames.numbers(arrow(cells)))


def texts(cells: Cells) -> Any:
    """Cells as texts, in the form they came in."""
    return [_text(value) for value in cells] if type(cells) is list else frames.texts(cells)


def columns_of(cells: pa.Array) -> list[pa.Array]:
    """The columns of a block's cells; a column by itself is the only one."""
    return cells.flatten() if pa.types.is_struct(cells.type) else [cells]


def arrow(cells: Cells) -> pa.Array:
    if type(cells) is not list:
        return cells
    return pa.array(cells, pa.string() if type(cells[0]) is str else None, from_pandas=True)


def _text(value: Any) -> str | None:
    """What `frames.texts` makes of a plain value."""
    if value is None or (type(value) is str and is_writable(value)):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.float32)):
        found: Any = value if type(value) is np.float32 else float(value)
        return None if isnan(found) else number_text(found)
    if type(value) is str:
        arrow([value])  # says what is wrong with it
    return str(int(value))
