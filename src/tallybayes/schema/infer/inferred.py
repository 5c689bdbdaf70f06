"""A family for every column of a sample that has no hint, and the blocks of columns that are counted together.

Families are chosen by rules or, for numeric columns if requested, by held-out log-loss, each column by itself. Unlike
the rules, that may choose a family that takes only some numbers: for `LogNormal`, a zero in a later row is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

import tallybayes
from tallybayes.data import frames
from tallybayes.data.labels import label_array
from tallybayes.data.row_source import RowSource
from tallybayes.families import Density, Family, Gamma, Gaussian, Histogram, LogNormal, NegativeBinomial
from tallybayes.schema.entries import Name, by_entry, members, replaced
from tallybayes.schema.infer import FREE_TEXT, INDEX
from tallybayes.schema.infer import choose as choose_by_rules
from tallybayes.schema.infer.choice import Choice
from tallybayes.schema.infer.dependence import with_dependence
from tallybayes.schema.infer.nearly_numbers import choose_for_typed, read_marks
from tallybayes.schema.infer.numbers import UNKNOWN
from tallybayes.schema.infer.sample import by_weight, sampled

if TYPE_CHECKING:
    from tallybayes.schema.schema import Schema

LABELS = "\0labels"  # the name of labels that are no column of the data
AS_GIVEN = "as given"  # the reason shown for a family chosen by the user
MOST_ROWS = 20_000  # that families are tried on
LEAST_ROWS = 20
FOLDS = 5
OF_CLUSTERS = Gaussian(m=0.1)  # a whole value with the variance of the column would make narrow clusters wide


class Inferred(NamedTuple):
    columns: dict[Name, Family]
    reasons: dict[Name, str]
    label: str | None


def for_clusters(schema: Schema, hints: Collection[Name]) -> Schema:
    """The same for classes that are to be found: numbers without a hint are Gaussian. To a histogram, neighbouring
    intervals have nothing in common, so any division of a column into clusters is as likely as any other."""
    numbers = {n for n, f in schema.columns.items() if n not in hints and isinstance(f, (Gaussian, Histogram))}
    return schema.changed(columns={n: OF_CLUSTERS if n in numbers else f for n, f in schema.columns.items()})


def inferred(
    data: Any,
    label: Any,
    hints: Mapping[Any, Family | None],
    whole: bool,
    choose: bool,
    dependence: str,
    weights: Any = None,
) -> Inferred:
    """See `Schema.infer`."""
    if label is not None and not isinstance(label, str):
        found = inferred(_with_labels(data, label), LABELS, hints, whole, choose, dependence, weights)
        return found._replace(label=None)
    stored = isinstance(data, RowSource)
    untyped = isinstance(data, RowSource) and data.untyped  # then the marks have been read by the source's own rules
    data = data if weights is None or stored else by_weight(data, weights)
    if isinstance(data, RowSource):
        label, whole = label or data.label, whole and data.is_sampled_whole() and not data.unsampled
        data, hints = sample_of(data, label, hints)
    hinted = by_entry(hints)
    owner = {column: name for name in hinted for column in members(name)}
    sample, all_rows = sampled(data)
    left_out = {column for column, name in owner.items() if hinted[name] is None}
    for name in [*(owner.keys() - left_out.intersection(sample.schema.names)), *([label] if label is not None else [])]:
        frames.column(sample, name, "Give hints and the label by the names of columns.")
    if choose and label is None:
        raise ValueError("With choose=True, give the labels, or the name of the column that holds them.")
    labels = frames.column(sample, label) if choose and label is not None else None
    chosen: dict[Name, Choice] = {}
    index = frames.index_columns(sample.schema)
    for column in sample.schema.names:
        name = owner.get(column, column)
        if column == label or name in chosen or (column in index and name not in hinted and not stored):
            continue
        if name in hinted:
            chosen[name] = Choice(hinted[name], AS_GIVEN)
        elif column in index:
            chosen[name] = Choice(None, INDEX)
        else:
            cells = frames.column(sample, column)
            known = {"name": column, "whole": whole and all_rows, "written": not untyped}
            by_cells = partial(choose_for, labels=labels, known=known)
            chosen[name] = by_cells(cells) if untyped else choose_for_typed(column, cells, by_cells)
    chosen = _names_alone(chosen)
    columns = {name: found.family for name, found in chosen.items() if found.family is not None}
    reasons = {name: found.reason for name, found in chosen.items()}
    return Inferred(*with_dependence(columns, reasons, dependence, sample), label)


def _names_alone(chosen: dict[Name, Choice]) -> dict[Name, Choice]:
    """The choices, with those for columns that are alone if nothing else is counted."""
    if any(found.family is not None and found.alone is None for found in chosen.values()):
        return chosen
    return {
        name: found if found.alone is None else Choice(found.alone, f"{found.reason}, and no other column is counted")
        for name, found in chosen.items()
    }


def _with_labels(data: Any, labels: Any) -> pa.Table:
    """The data with the labels as one more column."""
    if isinstance(data, RowSource):
        raise TypeError("The labels of a file or a query are one of its columns; give its name.")
    table, column = pa.Table.from_batches(frames.batches(data)), label_array(labels)
    if len(column) != len(table):
        raise ValueError(f"There are {len(column)} labels for {len(table)} rows.")
    return table.append_column(LABELS, column)


def sample_of(
    source: RowSource, label: str | None, hints: Mapping[Name, Family | None]
) -> tuple[pa.RecordBatch, dict[Name, Family | None]]:
    """Some rows, and the hints, including those of the source: which columns are free text, and which is not
    counted."""
    known: dict[Name, Family | None] = dict.fromkeys(source.texts, FREE_TEXT)
    if source.place is not None:
        known[source.place] = None
    known = replaced(known, hints)
    sample = source.sample()
    if source.untyped:
        sample = read_marks(source, sample, {label or "", *(column for name in known for column in members(name))})
    return sample, known


def choose_for(cells: pa.Array, labels: pa.Array | None, known: Mapping[str, Any]) -> Choice:
    """By the rules and what is `known`, or if labels are given for a numeric column, by held-out log-loss."""
    found = choose_by_rules(cells, **known)
    if labels is None or not isinstance(found.family, (Gaussian, Histogram)):
        return found
    return _by_loss(found, cells, labels)


def _by_loss(inferred: Choice, cells: pa.Array, labels: pa.Array) -> Choice:
    """The family of the lowest held-out log-loss, the inferred one if none is lower; and what the losses were."""
    if len(cells) < LEAST_ROWS:
        return inferred
    step = -(-len(cells) // MOST_ROWS)
    some = pa.array(np.arange(0, len(cells), step))
    cells, labels = cells.take(some), labels.take(some)
    assert inferred.family is not None
    losses = {family: _loss(family, cells, labels) for family in _rivals(inferred.family, cells)}
    best = min(losses, key=losses.__getitem__)  # the first one on a tie
    told = ", ".join(f"{_name(family)} {loss:.4f}" for family, (_, loss) in sorted(losses.items(), key=lambda x: x[1]))
    return Choice(best, f"{inferred.reason}; held-out log-loss: {told}")


def _rivals(inferred: Family, cells: pa.Array) -> list[Family]:
    x = frames.numbers(cells)
    x = x[np.isfinite(x)]
    intervals = inferred if isinstance(inferred, Histogram) else UNKNOWN
    found = [inferred, Gaussian(), intervals, Density(bits=intervals.bits)]
    if len(x) and x.min() > 0.0:
        found += [LogNormal(), Gamma()]
    if len(x) and x.min() >= 0.0 and (x == np.floor(x)).all():
        found += [NegativeBinomial()]
    return list(dict.fromkeys(found))


def _loss(family: Family, cells: pa.Array, labels: pa.Array) -> tuple[int, float]:
    found: Any = tallybayes.cross_validate({"x": family}, {"x": cells}, labels, k=FOLDS)
    return found.impossible, found.log_loss_of_possible


def _name(family: Family) -> str:
    return type(family).__name__
