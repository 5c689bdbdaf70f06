"""JSON lines: one object per line, read by pyarrow, or line by line if that fails."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from tallybayes import kernels
from tallybayes.data.decimals import EXACT
from tallybayes.data.errors import CellError
from tallybayes.data.objects import number_text
from tallybayes.kernels.strings import is_writable
from tallybayes.sources.base import REMEMBERED, BadRows, Chunk, ColumnTypes, Reader, SourceError, report
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columns import batch_of, one_batch
from tallybayes.sources.convert import MIXED, RARE, as_found, converted, is_texts, like_number
from tallybayes.sources.faults import SKIP, Fault, Faults, not_a_number
from tallybayes.sources.paths import quoted
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import sampled_blocks
from tallybayes.sources.text import ENCODING, TextBlock, open_text, read_blocks

DEEPEST = 64  # nesting that pyarrow may see: it does not guard its stack
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")  # which Python parses like Arrow, but faster
LIKE_NUMBER = re.compile(like_number())


class JsonLines(Reader):
    """A file of objects. The columns are those of the first block and of the other blocks sampled; a field that a row
    lacks is missing."""

    def __init__(self, source: Input, reading: ReadOptions) -> None:
        open_text(source, reading)
        head = source.stream.look().lstrip()
        if head.startswith(b"["):
            raise SourceError(
                f"{source.name} is one JSON list, not one object per line. Convert it, for example with: jq -c '.[]'."
            )
        self.total = source.total
        self.file = source.name
        self._blocks = read_blocks(source, reading.block_bytes)
        self._first: list[TextBlock] = []  # up to the first one with a row
        self._natural = self._typed(skipping=reading.skip_bad_rows)
        self._sampled = [JsonChunk(self.file, self._natural, b) for b in sampled_blocks(source, reading)]
        for chunk in self._sampled:  # may have fields that the first rows lack
            self._natural |= {f.name: f.type for f in chunk.read(None, BadRows()).schema if f.name not in self._natural}
        self.names = list(self._natural)

    def _typed(self, skipping: bool) -> dict[str, pa.DataType]:
        """The fields of the first block that has a row. Of a pipe, the first block may be one line, and a bad one."""
        bad = BadRows()
        for block in self._blocks:
            self._first.append(block)
            typed = JsonChunk(self.file, {}, block).read(None, bad)
            if len(typed):
                return {field.name: field.type for field in typed.schema}
            if bad.first and not skipping:
                break
        raise bad.first[0].error() if bad.first else SourceError(f"{self.file} is empty.")

    def chunks(self) -> Iterator[Chunk]:
        while self._first:
            yield JsonChunk(self.file, self._natural, self._first.pop(0))
        for block in self._blocks:
            yield JsonChunk(self.file, self._natural, block)

    def sampled(self) -> Iterator[Chunk]:
        return iter(self._sampled)


class JsonChunk(Chunk):
    def __init__(self, file: str, natural: ColumnTypes, block: TextBlock) -> None:
        self.size = block.size
        self.names = None
        self._file = file
        self._natural = natural  # how pyarrow types the fields of the first block
        self._block = block

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        if types is not None:
            types = as_found(types, self._natural)
        self._kept = None
        try:
            batch = self._quickly(types)
            return batch if types is None else _as_wanted(batch, types)
        except (pa.ArrowException, CellError, UnicodeDecodeError):
            return self._carefully(types, bad)

    def where(self, row: int) -> str:
        if self._kept is None:
            lines = self._block.data.to_pybytes().splitlines()
            self._kept = [at for at, line in enumerate(lines) if line.strip()]
        return super().where(row)

    def _place(self, line: int) -> str:
        return f"{self._file}, line {self._block.line + line}"

    def _quickly(self, types: ColumnTypes | None) -> pa.RecordBatch:
        data = self._block.data
        view = np.frombuffer(data, np.uint8)
        objects = kernels.count_objects(view)
        if objects < 0:  # for null, pyarrow makes a row or crashes
            raise pa.ArrowInvalid("not an object a line")
        if types is None:
            data.to_pybytes().decode("utf-8")  # nothing else checks the names
            if kernels.find_depth(view) > DEEPEST:
                raise pa.ArrowInvalid("nested too deeply")
        batch = one_batch(
            pyarrow.json.read_json(
                pa.BufferReader(data),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=data.size + 1),
                parse_options=pyarrow.json.ParseOptions(
                    explicit_schema=None if types is None else self._explicit(types),
                    unexpected_field_behavior="infer" if types is None else "ignore",
                ),
            )
        )
        batch.validate(full=True)  # texts may be invalid UTF-8
        if len(batch) != objects:
            raise pa.ArrowInvalid("not an object a line")
        return batch

    def _explicit(self, types: ColumnTypes) -> pa.Schema:
        """The types of fields in the file, which may differ from those wanted."""
        fields = {}
        for name, kind in types.items():
            natural = self._natural.get(name, pa.null())
            fits = pa.types.is_null(natural) or pa.types.is_temporal(natural)
            fits = fits or (pa.types.is_float64(kind) and pa.types.is_integer(natural))
            fields[name] = kind if fits else natural
        return pa.schema(fields)

    def _carefully(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        """Line by line."""
        lines = self._block.data.to_pybytes().splitlines()
        batch, self._kept, faults = read_rows(lines, types, every=bad is not None)
        report([fault.at(self._place) for fault in faults.first], bad, len(faults.rows))
        return batch


def _as_wanted(batch: pa.RecordBatch, types: ColumnTypes) -> pa.RecordBatch:
    for name, kind in types.items():
        if is_texts(kind) and pa.types.is_float64(batch.column(name).type):
            _refuse_rounded(batch.column(name))
    return batch_of({name: converted(batch.column(name), kind) for name, kind in types.items()}, len(batch))


def _refuse_rounded(cells: pa.Array) -> None:
    """Next to a fraction, pyarrow makes whole numbers doubles, which would change the text of large ones as levels."""
    most = pc.max(pc.abs(cells)).as_py()
    if most is not None and most >= EXACT:
        raise CellError(None, "a whole number may have been rounded")


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
            row = _parsed(line)
            rows.append(row if types is None else _wanted(row, types))
            kept.append(at)
        except ValueFaultError as error:
            faults.rows.append(at)
            faults.first.extend([Fault(at, *error.args)][: REMEMBERED - len(faults.first)])
            if not every:
                break
    names = list(dict.fromkeys(name for row in rows for name in row)) if types is None else list(types)
    columns = {name: _column([row.get(name) for row in rows], None if types is None else types[name]) for name in names}
    return batch_of(columns, len(rows)), kept, faults


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        reason = f"the line is not UTF-8. {ENCODING}, {SKIP}."
        raise ValueFaultError(None, reason) from None
    except json.JSONDecodeError as error:
        reason = f"the line is not JSON: {error.msg}, at character {error.pos + 1}."
        if len(line.strip()) == 1:
            reason += " If one object spans many lines, convert it, for example with: jq -c ."
        raise ValueFaultError(None, reason) from None
    except RecursionError:
        raise ValueFaultError(None, "the line is nested too deeply.") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise ValueFaultError(None, f"the line cannot be read: {error}.") from None
    if not isinstance(row, dict):
        raise ValueFaultError(None, f'the line is {_make(row)}; give one object per line, like {{"age": 17}}.')
    return row


def _wanted(row: dict[str, Any], types: ColumnTypes) -> dict[str, Any]:
    found = {}
    for name, kind in types.items():
        try:
            found[name] = _value(row.get(name), name, kind)
        except CellError as error:
            raise ValueFaultError(name, error.reason, not isinstance(row[name], (dict, list))) from None
    return found


def _value(value: Any, name: str, kind: pa.DataType) -> Any:
    if value is None:
        return None
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
