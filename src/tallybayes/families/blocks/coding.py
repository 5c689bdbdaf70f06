"""Cells of several columns as small integers: the interval of a number, or the level of a text.

Columns are counted together by these codes. Intervals and levels are fixed before anything is counted: they are a
setting in the schema, chosen from a sample or given by hand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from math import isfinite, isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.data.cells import Cells, columns_of, numbers, texts
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError
from tallybayes.families.events import NOT_THERE, Span, State
from tallybayes.families.levels.categorical import codes_of, level_index
from tallybayes.families.numbers.intervals import edge_texts
from tallybayes.families.settings import as_number, listed, refused

Code = tuple[float, ...] | tuple[str, ...] | None  # edges of intervals, or levels; None: present or missing
Coding = tuple[Code, ...]  # by column
Bytes = NDArray[np.uint8]

MISSING = 0  # the code of a missing cell
OTHER = 1  # the code of any level that is not named, or of the first interval
FIRST = 2  # the code of the first named level
THERE, REST = "(there)", "(any other)"  # how questions name them
MOST = 254  # edges or levels of a column
ABOUT_CODES = (
    "for each column, in order of their names, the edges of its intervals, or its levels; None: only whether a cell is "
    "missing. By default they are chosen from the rows before these are counted"
)


def as_coding(family: Any, name: str, given: Any) -> Coding:
    """The setting `codes` of a block family, validated."""
    codes = listed(given)
    if codes is None:
        raise refused(family, name, given, "a list of edges or levels for each column, or None")
    return tuple(None if code is None else _as_code(family, name, code) for code in codes)


def _as_code(family: Any, name: str, given: Any) -> Code:
    code = listed(given) or ()
    levels = [each for each in code if isinstance(each, str)]
    edges = [edge for each in code if (edge := as_number(each, -np.inf)) is not None]
    if not 0 < len(code) <= MOST or len(code) not in (len(levels), len(edges)):
        raise refused(family, name, given, f"1 to {MOST} edges or levels for each column, or None")
    if levels != sorted(set(levels)) or edges != sorted(set(edges)):
        raise refused(family, name, given, "increasing edges and sorted levels")
    return tuple(levels) or tuple(edges)


def coding_to_json(coding: Coding | None) -> Any:
    return None if coding is None else [None if code is None else list(code) for code in coding]


def code_count(code: Code) -> int:
    """The number of codes of a column, including that of a missing cell."""
    return FIRST + (0 if code is None else len(code))


def is_numeric(code: Code) -> bool:
    """Whether cells are numbers."""
    return code is not None and not isinstance(code[0], str)


def code_text(code: Code, at: int) -> str:
    """A code as readable text.

    >>> code_text((0.5, 2.0), 2), code_text(("rain", "sun"), 3), code_text(("rain", "sun"), 1)
    ('0.5 … 2', 'sun', 'any other')
    """
    if at == MISSING:
        return "missing"
    if code is None:
        return "there"
    if not is_numeric(code):
        return "any other" if at == OTHER else str(code[at - FIRST])
    edges = edge_texts(code)
    low = "" if at == OTHER else edges[at - FIRST]
    high = edges[at - OTHER] if at - OTHER < len(edges) else ""
    return f"{low} … {high}" if low and high else f"≤ {high}" if high else f"> {low}"


def code_state(code: Code, at: int) -> State:
    """The interval or level of a code.

    >>> code_state((0.5, 2.0), 2), code_state(("rain", "sun"), 3), code_state(("rain", "sun"), 0)
    (Span(low=0.5, high=2.0), 'sun', '(missing)')
    """
    if at == MISSING:
        return NOT_THERE
    if code is None:
        return THERE
    if not is_numeric(code):
        return REST if at == OTHER else str(code[at - FIRST])
    low = -np.inf if at == OTHER else float(code[at - FIRST])
    return Span(low, float(code[at - OTHER]) if at - OTHER < len(code) else np.inf)


class Coder:
    """Encodes the cells of some columns."""

    def __init__(self, columns: Sequence[str], coding: Coding) -> None:
        self.columns = columns
        self.coding = coding

    @cached_property
    def _edges(self) -> list[Floats]:
        return [np.array(code if is_numeric(code) else [], np.float64) for code in self.coding]

    @cached_property
    def _levels(self) -> list[kernels.StringIndex]:
        return [level_index([] if code is None or is_numeric(code) else list(map(str, code))) for code in self.coding]

    @cached_property
    def _by_level(self) -> list[dict[Any, int]]:
        return [dict(zip(code or (), range(FIRST, MOST + FIRST), strict=False)) for code in self.coding]

    def encode(self, cells: Cells) -> Bytes:
        """The codes of every row."""
        if type(cells) is list:
            row = cells[0] if isinstance(cells[0], dict) else {self.columns[0]: cells[0]}
            return np.array([[self._code(at, row[column]) for at, column in enumerate(self.columns)]], np.uint8)
        codes = np.empty((len(cells), len(self.columns)), np.uint8)
        for at, part in enumerate(columns_of(cells)):
            try:
                self._encode(at, part, codes)
            except CellError as error:
                raise error.of_column(self.columns[at]) from None
        return codes

    def _encode(self, at: int, cells: pa.Array, codes: Bytes) -> None:
        code = self.coding[at]
        if code is None:
            codes[:, at] = np.where(np.asarray(pc.is_null(cells, nan_is_null=True)), MISSING, OTHER)
        elif is_numeric(code):
            x = numbers(cells)
            _check_finite(x)
            kernels.code_numbers(x, self._edges[at], codes, at)
        else:
            found = texts(cells)
            numbered = codes_of(self._levels[at], found)
            codes[:, at] = np.where(numbered < 0, OTHER, numbered + FIRST)
            if found.null_count:
                codes[np.asarray(found.is_null()), at] = MISSING

    def _code(self, at: int, value: Any) -> int:
        """The code of one cell."""
        code = self.coding[at]
        if value is None or (isinstance(value, float) and isnan(value)):
            return MISSING
        if code is None:
            return OTHER
        try:
            if is_numeric(code):
                if isinstance(value, (int, float, np.integer, np.floating)) and isfinite(value):
                    return OTHER + bisect_left(code, float(value))
                x = numbers([value])
                _check_finite(x)
                return MISSING if isnan(x[0]) else OTHER + bisect_left(code, float(x[0]))
            return self._by_level[at].get(texts([value])[0], OTHER)
        except CellError as error:
            raise error.of_column(self.columns[at]) from None


def _check_finite(x: Floats) -> None:
    bad = np.flatnonzero(np.isinf(x))
    if len(bad):
        raise CellError(int(bad[0]), f"{INFINITE}; a finite number is expected. {FINITE_INSTEAD}")


def number_code(x: Floats, intervals: int, weights: Floats | None = None) -> Code:
    """Edges from a sample of numbers. A value with more than its share of the cells gets an interval by itself; the
    others get intervals of equal count, or one each if there are few values."""
    known = np.isfinite(x)
    values, at = np.unique(x[known], return_inverse=True)
    counts = np.bincount(at, None if weights is None else weights[known], len(values))
    if len(values) <= intervals:
        return _edges(_middle(values[:-1], values[1:]))
    heavy = counts * intervals > counts.sum()
    alone = heavy[:-1] | heavy[1:]
    share = np.cumsum(np.where(heavy, 0, counts))
    parts = max(intervals - int(heavy.sum()), 1)
    step = np.floor((share - 1e-9) * parts / max(share[-1], 1e-300))
    cut = np.flatnonzero(alone | (step[1:] != step[:-1]))[:MOST]
    return _edges(_middle(values[cut], values[cut + 1]))


def level_code(cells: pa.Array, least: int, weights: Floats | None = None) -> Code:
    """The levels of at least `least` rows of a sample, sorted; of more than `MOST`, those with the largest weight."""
    coded = texts(cells).dictionary_encode()
    known = np.asarray(coded.indices.is_valid())
    at = coded.indices.drop_null().to_numpy()
    counts = np.bincount(at, None if weights is None else weights[known], len(coded.dictionary))
    rows = np.bincount(at, minlength=len(counts))
    levels = zip(coded.dictionary.to_pylist(), counts.tolist(), rows.tolist(), strict=True)
    often = sorted((-n, str(level)) for level, n, times in levels if times >= least)
    return tuple(sorted(level for _, level in often[:MOST])) or None


def _middle(low: Floats, high: Floats) -> Floats:
    """Numbers about halfway between neighbours, with as few digits as possible."""
    middle, aside = low / 2 + high / 2, high / 4 - low / 4
    found = np.where((middle >= low) & (middle < high), middle, low)
    for digits in range(16, 0, -1):
        short = np.array([float(f"{value:.{digits}g}") for value in middle.tolist()])
        fits = (np.abs(short - middle) < aside) & (short >= low) & (short < high)
        if not fits.any():
            break
        found = np.where(fits, short, found)
    return found


def _edges(edges: Floats) -> Code:
    return tuple(float(edge) + 0.0 for edge in edges if isfinite(edge)) or None
