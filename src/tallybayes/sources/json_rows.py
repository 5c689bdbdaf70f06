"""JSON lines one by one: slower than Arrow, but a bad one is found, and values of several types become texts."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from tallybayes.data.errors import CellError
from tallybayes.data.objects import number_text
from tallybayes.kernels.strings import is_writable
from tallybayes.sources.base import REMEMBERED, ColumnTypes
from tallybayes.sources.columns import batch_of
from tallybayes.sources.convert import MIXED, RARE, converted, is_texts, like_number
from tallybayes.sources.faults import SKIP, Fault, Faults, is_utf8, not_a_number
from tallybayes.sources.paths import quoted
from tallybayes.sources.text import ENCODING

PLAIN_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")  # which Python parses like Arrow, but faster
LIKE_NUMBER = re.compile(like_number())
MOST_DIGITS = 4300
NO_UTF8 = f"is not UTF-8. {ENCODING}, {SKIP}."


class _TooLong(float):
    """A whole number of so many digits that Python does not read it: infinite, as for Arrow, but no text."""


def _whole(digits: str) -> int | float:
    try:
        return int(digits) if len(digits.lstrip("-")) <= MOST_DIGITS else _TooLong(digits)
    except ValueError:  # there is a setting for fewer
        return _TooLong(digits)


DECODER = json.JSONDecoder(parse_int=_whole)


class ValueFaultError(ValueError):
    """A value is not of the wanted type."""


def read_rows(
    lines: Iterable[bytes], types: ColumnTypes | None, every: bool
) -> tuple[pa.RecordBatch, list[int], Faults]:
    """The rows that can be read, which lines they are, and the faults of the others: of `every` one of them, or else of
    the first, after which no more is read."""
    rows: list[dict[str, Any]] = []
    kept: list[int] = []
    faults = Faults([], [])
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            row = _parsed(line, strictly=types is None)
            rows.append(row if types is None else _wanted(row, types, line))
            kept.append(at)
        except ValueFaultError as error:
            faults.rows.append(at)
            faults.first.extend([Fault(at, *error.args)][: REMEMBERED - len(faults.first)])
            if not every:
                break
    found = filter(is_writable, dict.fromkeys(name for row in rows for name in row))
    names = list(found if types is None else types)
    columns = {name: _column([row.get(name) for row in rows], None if types is None else types[name]) for name in names}
    return batch_of(columns, len(rows)), kept, faults


def _parsed(line: bytes, strictly: bool) -> dict[str, Any]:
    """The fields of a line. Unless it is read `strictly`, those that nobody wants need not be UTF-8, as for Arrow."""
    try:
        row = DECODER.decode(line.decode("utf-8", "strict" if strictly else "surrogateescape"))
    except UnicodeDecodeError:
        raise ValueFaultError(None, f"the line {NO_UTF8}") from None
    except json.JSONDecodeError as error:
        reason = f"the line is not JSON: {error.msg}, at character {error.pos + 1}."
        if len(line.strip()) == 1:
            reason += " If one object spans many lines, convert it, for example with: jq -c ."
        raise ValueFaultError(None, reason) from None
    except RecursionError:
        raise ValueFaultError(None, "the line is nested too deeply.") from None
    if not isinstance(row, dict):
        raise ValueFaultError(None, f'the line is {_make(row)}; give one object per line, like {{"age": 17}}.')
    return row


def _wanted(row: dict[str, Any], types: ColumnTypes, line: bytes) -> dict[str, Any]:
    found = {}
    for name, kind in types.items():
        try:
            found[name] = _value(row.get(name), name, kind)
        except CellError as error:
            other = not is_texts(kind) and not isinstance(row[name], (dict, list))
            undecoded = is_texts(kind) and isinstance(row[name], str) and not is_utf8(line)
            raise ValueFaultError(name, f"the text {NO_UTF8}" if undecoded else error.reason, other) from None
    return found


def _value(value: Any, name: str, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if isinstance(value, _TooLong) and not pa.types.is_float64(kind):
        raise CellError(None, f"the whole number has too many digits. Put it in quotes as a text, {SKIP}.")
    if is_texts(kind):
        return _text(value, name)
    if not pa.types.is_float64(kind):
        return _of_kind(value, kind)
    if isinstance(value, str):
        if PLAIN_NUMBER.fullmatch(value):
            return float(value)
        try:
            if not LIKE_NUMBER.fullmatch(value):  # a column may be full of these
                raise CellError(None, "")
            return converted(pa.array([value]), kind)[0].as_py()
        except (CellError, UnicodeEncodeError):
            raise CellError(None, not_a_number(value, name)) from None
    if not isinstance(value, (int, float)):
        raise CellError(None, f"the value is {_make(value)}, not a number. {_left_out(name)}")
    try:
        return float(value)
    except OverflowError:  # as pyarrow has it
        return math.copysign(math.inf, value)


def _left_out(name: str) -> str:
    entry = shlex.quote(f"{name}=left out") if name.isprintable() else "…"
    return f"Correct it, {SKIP}; or train without the column: --column {entry}."


def _text(value: Any, name: str) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value) if value == value else None
    if not isinstance(value, str):
        raise CellError(None, f"the value is {_make(value)}, not a text or a number. {_left_out(name)}")
    if not is_writable(value):
        raise CellError(None, f"the text {quoted(value)} contains a lone surrogate.")
    return value


def _of_kind(value: Any, kind: pa.DataType) -> Any:
    try:
        return pa.array([value], kind)[0].as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise CellError(None, f"{quoted(str(value))} is not of type {kind}. Correct it, {SKIP}.") from None


def _make(value: Any) -> str:
    makes = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return makes.get(type(value), "a number")


def _column(values: list[Any], kind: pa.DataType | None) -> pa.Array:
    """Values of one type unchanged, of several types as strings. If there are lists or objects without a common type,
    they are `MIXED`; rare ones among others are missing here, and errors when they are counted."""
    if kind is not None:
        return converted(pa.array(values, kind), kind)
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        others = [None if isinstance(value, (dict, list)) else value for value in values]
        present, plain = (len(some) - some.count(None) for some in (values, others))
        if RARE * (present - plain) > present:
            return pa.array([None if value is None else [{"json": _shown(value)}] for value in values], MIXED)
        return _column(others, None) if plain < present else pa.array(map(_shown, values), pa.string())


def _shown(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    try:
        return _text(value, "")
    except CellError:
        return json.dumps(value)
