"""Tables from untrusted clients: CSV and Arrow.

CSV is read as on the command line. Arrow streams must have plain columns: compressed columns, or views that point to
the same bytes many times, could be small here and huge in memory.
"""

from __future__ import annotations

import os
import re
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data.frames import no_column, value_type
from tallybayes.schema import Schema
from tallybayes.serve.models import Labelled
from tallybayes.serve.problems import Problem
from tallybayes.serve.settings import Limits
from tallybayes.sources import ReadOptions, Source, SourceError, open_source
from tallybayes.sources.bytes_in import codec_of
from tallybayes.sources.faults import QUOTES, SKIP
from tallybayes.sources.source import ABSENT_ADVICE
from tallybayes.sources.text import ENCODING, FORMATS, OR_ENCODING

CSV, ARROW = "text/csv", "application/vnd.apache.arrow.stream"
ID, LABEL = "id", "label"  # the default names of these columns
ADVICE = "Every column of the model must be there."
INSTEAD = {
    f", {SKIP}": "",
    f", {QUOTES}": "",
    ABSENT_ADVICE: ADVICE,
    ENCODING: "Send UTF-8",
    OR_ENCODING: "",
    FORMATS: "Send CSV in UTF-8",
}
OPTION = re.compile("[ `]--[a-z]")
QUOTED = re.compile(r"""(?<!\w)(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")
COMPRESSION = 3  # the flatbuffer field of a record batch that holds its compression


def table_of(
    body: bytes,
    media_type: str,
    schema: Schema,
    limits: Limits,
    label: tuple[str, pa.DataType | None] | None = None,
    id: str = "",
) -> pa.Table:
    """The columns of the schema, and the label and id if requested."""
    wanted: dict[str, pa.DataType | None] = dict(schema.reads())
    if media_type == ARROW:
        return _arrow(body, limits, [*wanted, *([label[0]] if label else [])], id)
    return _csv(body, wanted, label, id)


def labelled(table: pa.Table, schema: Schema, label: str, id: str) -> Iterator[Labelled]:
    """The rows one by one, ready to be learned."""
    labels = table.column(label).to_pylist()
    ids = table.column(id).to_pylist() if id in table.schema.names and id not in schema.by_column else None
    rows = table.select(list(schema.by_column)).combine_chunks()
    for at in range(len(table)):
        if labels[at] is None:
            raise ValueError(f"Row {at} has no label. Drop it, or give it a label.")
        if ids is not None and not isinstance(ids[at], (str, int)):
            raise ValueError(f"Row {at} has no id. Give all rows an id, or none.")
        yield Labelled(rows.slice(at, 1), labels[at], None if ids is None else str(ids[at]))


def _csv(
    body: bytes, wanted: dict[str, pa.DataType | None], label: tuple[str, pa.DataType | None] | None, id: str
) -> pa.Table:
    with csv_source(body, "The body", "Send the header Content-Encoding: gzip.") as source:
        types = source.column_types(wanted, *(label or ()))
        if id in source.names and id not in types:
            types[id] = pa.string()
        batches = list(source.batches(types))
    if not batches:
        raise ValueError("The body has no rows.")
    return pa.Table.from_batches(batches)


@contextmanager
def csv_source(content: bytes, what: str, if_compressed: str) -> Iterator[Source]:
    """A source that reads a table from bytes; error messages call it `what`."""
    if codec_of(content[:16]) is not None:
        raise Problem(415, f"{what} is compressed. {if_compressed}")
    with tempfile.TemporaryFile() if not hasattr(os, "memfd_create") else open(os.memfd_create("table"), "w+b") as file:
        file.write(content)
        file.flush()
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        path = f"/dev/fd/{file.fileno()}"
        try:
            yield open_source(path, ReadOptions(format="csv"))
        except SourceError as error:
            raise ValueError(_without_options(str(error)).replace(path, what)) from None


def _without_options(sentence: str) -> str:
    """A message without advice about command-line options."""
    for option, instead in INSTEAD.items():
        sentence = sentence.replace(option, instead)
    sentence = QUOTED.sub(lambda cell: cell[0].replace("--", "\0"), sentence)  # dashes of a cell are no option
    clauses = [clause for clause in re.split("(?<=[.;]) ", sentence) if not OPTION.search(clause)]
    return f"{' '.join(clauses).rstrip('.;')}.".replace("\0", "--")


def _arrow(body: bytes, limits: Limits, wanted: list[str], id: str) -> pa.Table:
    try:
        if any(map(_is_compressed, pa.ipc.MessageReader.open_stream(body))):
            raise Problem(415, "The Arrow stream has compressed columns. Write it without compression.")
        with pa.ipc.open_stream(body) as stream:
            table = stream.read_all()
        for name in wanted:
            if name not in table.schema.names:
                no_column(name, table.schema.names, ADVICE)
        table = table.select([*wanted, *([id] if id in table.schema.names and id not in wanted else [])])
        for field in table.schema:
            _check_type(field)
        table.validate(full=True)
    except (pa.ArrowException, OSError, struct.error, IndexError) as error:
        raise ValueError(f"The body is not a complete Arrow stream: {error}") from None
    for name, column in zip(table.schema.names, table.columns, strict=True):
        _check_size(name, column, limits)
    return table


def _is_compressed(message: pa.Message) -> bool:
    """Whether a record batch, or that of a dictionary, is compressed."""
    data = message.metadata.to_pybytes()
    top = _table(data, 0)
    header = _member(data, top, 2)
    if message.type == "dictionary":
        batch = _member(data, _table(data, header), 1)
        return _member(data, _table(data, batch), COMPRESSION) != 0
    return message.type == "record batch" and _member(data, _table(data, header), COMPRESSION) != 0


def _table(data: bytes, at: int) -> int:
    """The position of the flatbuffer table that the offset at `at` points to."""
    return at + struct.unpack_from("<I", data, at)[0]


def _member(data: bytes, table: int, number: int) -> int:
    """The position of a field of a flatbuffer table, or 0."""
    layout = table - struct.unpack_from("<i", data, table)[0]
    if layout < 0 or 4 + 2 * number >= struct.unpack_from("<H", data, layout)[0]:
        return 0
    offset = struct.unpack_from("<H", data, layout + 4 + 2 * number)[0]
    return table + offset if offset else 0


def _check_type(field: pa.Field) -> None:
    kind = value_type(field.type)
    simple = pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind)
    texts = any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))
    vectors = (pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)) and pa.types.is_primitive(kind.value_type)
    if not (simple or texts or vectors):
        raise Problem(415, f"Column {field.name!r} has the Arrow type {field.type}. Send numbers, booleans or strings.")


def _check_size(name: str, column: pa.ChunkedArray, limits: Limits) -> None:
    """Limits the decoded size: a dictionary may decode to much more than its own size."""
    for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
        words = chunk.dictionary
        lengths = pc.binary_length(words) if not pa.types.is_primitive(words.type) else pa.array([8] * len(words))
        if (pc.sum(pc.take(lengths.cast(pa.int64()), chunk.indices)).as_py() or 0) > limits.body:
            raise Problem(413, f"Column {name!r} is longer than {limits.body:,} bytes when decoded.")
