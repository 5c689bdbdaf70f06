"""The cells that a family is given: an Arrow column, or for a single row a list of one plain value.

`numbers` and `texts` handle both, so that a family need not know which it is; `arrow` is for those that need Arrow.
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

Cells = Any  # an Arrow array, or a list of one number, bool, str or None; for a block, of one dictionary of these


def numbers(cells: Cells) -> NDArray[np.float64]:
    """Cells as doubles, NaN where missing."""
    if type(cells) is list and type(cells[0]) is not str:
        return np.array(cells, np.float64)
    return np.ascontiguousarray(frames.numbers(arrow(cells)))


def texts(cells: Cells) -> Any:
    """Cells as texts, in the form they came in."""
    return [_text(value) for value in cells] if type(cells) is list else frames.texts(cells)


def columns_of(cells: pa.Array) -> list[pa.Array]:
    """The columns of a block's cells; for a single column, just that."""
    return cells.flatten() if pa.types.is_struct(cells.type) else [cells]


def arrow(cells: Cells) -> pa.Array:
    if type(cells) is not list:
        return cells
    return pa.array(cells, pa.string() if type(cells[0]) is str else None, from_pandas=True)


def _text(value: Any) -> str | None:
    """The text of a plain value, as `arrow_cells.texts` gives it."""
    if value is None or (type(value) is str and is_writable(value)):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.float32)):
        found: Any = value if type(value) is np.float32 else float(value)
        return None if isnan(found) else number_text(found)
    if type(value) is str:
        arrow([value])  # raises an error that says what is wrong
    return str(int(value))
