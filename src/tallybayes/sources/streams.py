"""From a source to counts and answers, batch by batch: what a schema asks for, and errors that say file and line.

source = open_source("mails.parquet")
schema = infer_schema(source, "class")
model = train(schema, source)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, TypeVar

import pyarrow as pa

from tallybayes.data import frames
from tallybayes.data.errors import NoLabelError, RowError
from tallybayes.data.matching import ERROR, MISSING
from tallybayes.data.processors import processors
from tallybayes.families import Family
from tallybayes.model import Model
from tallybayes.model.evaluation import Evaluation, evaluate
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name, members, replaced
from tallybayes.schema.infer import FREE_TEXT
from tallybayes.sources import BadRow, Kinds, Source, SourceError
from tallybayes.sources.nearly_numbers import read_marks

CAREFUL = 4096  # rows looked at together where bad ones are left out

T = TypeVar("T")


def infer_schema(source: Source, label: str | None, *, hints: Mapping[Name, Family | None] | None = None) -> Schema:
    """Chooses a family for every column of a source, from a sample of its rows."""
    known: dict[Name, Family | None] = dict.fromkeys(source.texts, FREE_TEXT)
    if source.place is not None:
        known[source.place] = None
    known = replaced(known, hints or {})
    sample = source.sample()
    if source.untyped:
        sample = read_marks(source, sample, {label or "", *(column for name in known for column in members(name))})
    return Schema.infer(sample, label, hints=known, whole=source.is_sampled_whole())


def wanted(
    schema: Schema,
    source: Source,
    label: str | None = None,
    kind: pa.DataType | None = None,
    absent: str | None = None,
) -> Kinds:
    """What to read from a source for these columns, and for a label (of this type, or what the first rows have).
    `absent` is as for `Model.posterior`, where it can be chosen."""
    reads = schema.reads()
    columns = {name: reads.get(name) for name in _present(schema, source, absent)}
    if None in columns.values() or (label is not None and kind is None):
        found = source.sample().schema
        columns = {name: _kind(found, name) if known is None else known for name, known in columns.items()}
    if label is not None:
        found_kind = kind or _kind(found, label)
        columns[label] = frames.LEVELS if frames.is_text(found_kind) else found_kind
    return columns


def _present(schema: Schema, source: Source, absent: str | None) -> list[str]:
    lacking = [name for name in schema.by_column if name not in source.names]
    if absent == MISSING and len(lacking) < len(schema.by_column):
        return [name for name in schema.by_column if name not in lacking]
    try:
        source.require(lacking)
    except SourceError as error:
        offer = " --absent missing takes such a column as missing." if absent == ERROR else ""
        raise SourceError(f"{error}{offer}") from None
    return list(schema.by_column)


def as_they_are(source: Source, names: Sequence[str]) -> Kinds:
    """How to read columns that are only to be repeated: texts where the input has nothing but texts."""
    if source.untyped or not names:
        return dict.fromkeys(names, pa.string())
    found = source.sample().schema
    return {name: _kind(found, name) for name in names}


def no_rows(kinds: Kinds) -> pa.RecordBatch:
    """The batch of no rows, of these columns."""
    return pa.RecordBatch.from_arrays([pa.array([], kind) for kind in kinds.values()], names=list(kinds))


def _kind(found: pa.Schema, name: str) -> pa.DataType:
    """The type of a column in the first rows; that of one which is not there matters nothing."""
    kind = found.field(name).type if name in found.names else pa.null()
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_null(kind) else kind


def each(source: Source, kinds: Kinds, work: Callable[[pa.RecordBatch], T], *, skip_bad: bool = False) -> Iterator[T]:
    """What `work` makes of every batch. A row that it refuses is an error that says where it stands; or it is skipped,
    and the others of its batch are worked on in parts."""
    for batch in source.batches(kinds, skip_bad=skip_bad):
        if skip_bad:
            yield from _in_parts(source, batch, work)
            continue
        try:
            yield work(batch)
        except RowError as error:
            bad = _placed(source, error, 0)
            raise BadRow(bad.where, bad.reason + _about_missing(source, error)).error() from None


def _in_parts(source: Source, batch: pa.RecordBatch, work: Callable[[pa.RecordBatch], T]) -> Iterator[T]:
    edges = [*range(0, len(batch), CAREFUL), len(batch)]
    parts = list(pairwise(edges))[::-1]
    while parts:
        start, stop = parts.pop()
        try:
            if stop > start:
                yield work(batch.slice(start, stop - start))
        except RowError as error:
            source.skip(_placed(source, error, start))
            parts += [(start + error.row + 1, stop), (start, start + error.row)]


def _placed(source: Source, error: RowError, start: int) -> BadRow:
    column = "" if error.column is None else f", column {error.column!r}"
    return BadRow(f"{source.where(start + error.row)}{column}", error.reason)


def _about_missing(source: Source, error: RowError) -> str:
    """Why a row may have no label although there is something in its cell, as NA."""
    if not source.missing or not isinstance(error, NoLabelError):
        return ""
    *others, last = (repr(marker) if marker else "empty" for marker in source.missing)
    markers = f"{', '.join(others)} or " if others else ""
    return f" Cells that are {markers}{last} mean that nothing is known, unless --no-default-missing is given."


def train(
    schema: Schema,
    source: Source,
    *,
    label: str | None = None,
    kind: pa.DataType | None = None,
    given: Any = None,
    skip_bad: bool = False,
    threads: int | None = None,
    absent: str | None = None,
) -> Model:
    """The model of all rows of a source. `label` is the column that holds the classes, if the schema does not know it,
    and `kind` their type, if the first rows do not tell; or `given` is the class of all rows. `absent` is as for
    `Model.train`, where it can be chosen."""
    label = None if given is not None else _named(label or schema.label, source)
    model = Model(schema)
    threads = threads or max(processors() - 1, 1)  # one is left to read ahead

    def count(batch: pa.RecordBatch) -> Model:
        labels = label if given is None else pa.array([given] * len(batch), kind)
        return Model.train(schema, batch, labels, threads=threads, absent=absent or ERROR)

    for part in each(source, wanted(schema, source, label, kind, absent), count, skip_bad=skip_bad):
        model += part
    return model


def measure(
    model: Model,
    source: Source,
    *,
    label: str | None = None,
    costs: Any = None,
    reject: float | None = None,
    skip_bad: bool = False,
    threads: int | None = None,
    absent: str = ERROR,
) -> Evaluation:
    """How good a model is on the rows of a source, of which the classes are known."""
    label = _named(label or model.schema.label, source)

    def part(batch: pa.RecordBatch) -> Evaluation:
        return evaluate(model, batch, label, costs=costs, reject=reject, threads=threads, absent=absent)

    kinds = wanted(model.schema, source, label, model.label_type, absent)
    parts = each(source, kinds, part, skip_bad=skip_bad)
    first = next(parts, None)
    if first is None:
        raise SourceError("There are no rows to evaluate the model on.")
    return reduce(add, parts, first)


def _named(label: str | None, source: Source) -> str:
    if label is None:
        raise SourceError(f"Which column holds the class? There are {', '.join(map(repr, source.names))}.")
    return label
