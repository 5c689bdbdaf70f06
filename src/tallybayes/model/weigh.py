"""The weight of each piece of evidence, fitted on rows left out of the counts.

Naive Bayes adds up the evidence of columns as if they were independent. If columns repeat each other, its probabilities
are too extreme. A row can be left out exactly, by subtracting it from the counts, so weights can be fitted that make
the labels of left-out rows as probable as possible, without retraining. The counts do not change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.matching import ERROR, check_absent
from tallybayes.data.row_source import RowSource
from tallybayes.families import Belief, Family
from tallybayes.families.weighed import absence, centred
from tallybayes.model.batches import Batch, labelled
from tallybayes.model.model import Model
from tallybayes.model.sample import Sample, SampledRows
from tallybayes.model.scoring import Beliefs
from tallybayes.model.sources import each_batch
from tallybayes.model.weights_fit import Evidenced, Fit, fit_weights
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name, in_order, members
from tallybayes.schema.weights import Weights

FOLDS = 10  # if no more than a tenth of all rows is sampled, one fold is enough
ROWS = 20_000  # that are left out; more would change little
TEXTS = 10_000  # rows with text that are left out: each has many words
CELLS = 2**26  # of evidence, one per row, class and piece: half a gigabyte
LEAST = 200  # rows, however many cells they have


ByColumn = dict[Name, Floats]  # the evidence of a column for every left-out row, [row, class]


class Weighing(NamedTuple):
    """Weights, and the log-loss of left-out rows without and with them."""

    weights: Weights | None  # None if no weights are better
    rows: int  # that were left out
    naive: float
    weighed: float


def weigh(
    model: Model, data: Any, labels: Any = None, *, weights: Any = None, rows: int | None = None, absent: str = ERROR
) -> Model:
    """The same counts with their evidence weighed. `data` are rows that the model has counted. Up to 20,000 of them, or
    10,000 with texts (at most 10 MB), or `rows`, are left out of the counts, a tenth at a time, and the weights
    maximise the probability of their labels. Many classes and columns make it fewer, to bound the memory.

    The sample depends on the rows alone, so the same rows give the same weights in any order. Although each row is left
    out of the counts that score it, the weights depend on it: after forgetting rows, weigh again.
    """
    return reweighed(model, sampled_rows(model, data, labels, weights, rows, absent))[0]


def sampled_rows(
    model: Model, data: Any, labels: Any = None, weights: Any = None, rows: int | None = None, absent: str = ERROR
) -> SampledRows:
    """The rows to leave out; an error if they cannot have been counted."""
    check_absent(absent)
    sample, schema = sample_for(model.schema, rows), model.schema
    labels = schema.label if labels is None else labels

    def show(data: Any, labels: Any) -> None:
        for batch in labelled(schema.frame(data), labels, weights, label_type=model.label_type):
            sample.add(batch)

    if isinstance(data, RowSource):
        for _ in each_batch(data, schema, labels, show, weights=weights, label_type=model.label_type, absent=absent):
            pass
    else:
        show(data, labels)
    found = sample.rows()
    _check_counted(model, found)
    return found


def _check_counted(model: Model, rows: SampledRows) -> None:
    _codes(rows, model.keys())
    rest = model.copy()
    try:
        rest -= _counted(model.schema, rows.batch(np.arange(len(rows))))
    except ValueError as error:
        raise ValueError(
            f"The model has not counted these rows: {error} Give the rows it was trained on, or train it again."
        ) from None


def sample_for(schema: Schema, rows: int | None = None) -> Sample:
    """A sample for `Model.train` to fill while it counts, large enough to fit weights."""
    texts = [name for name, family in schema.by_column.items() if family.is_text]
    return Sample(schema.by_column, rows if rows is not None else TEXTS if texts else ROWS, texts)


def reweighed(model: Model, rows: SampledRows, cells: int = CELLS) -> tuple[Model, Weighing]:
    """The model with weights fitted on these rows, which it has counted, and the gain. `cells` bounds the memory."""
    plain = model.believing(weights=None)
    pieces = _pieces(plain)
    rows = rows.at_most(most_rows(len(plain.classes), len(pieces.plain()), cells))
    plain, evidence = _fitted(plain, rows)
    known = left_out_evidence(plain, rows, pieces, evidence)
    fit = fit_weights(known)
    if fit is None and not plain.schema.overlaps:
        return plain, Weighing(None, len(known.labels), known.naive, known.naive)
    fit = fit or known.unweighed()
    weights = pieces.weights(fit, plain.classes)
    return plain.believing(weights=weights), Weighing(weights, len(known.labels), known.naive, fit.loss)


def most_rows(classes: int, pieces: int, cells: int) -> int:
    """How many rows have no more cells of evidence than this."""
    return max(cells // max(classes * pieces, 1), LEAST)


def _fitted(model: Model, rows: SampledRows) -> tuple[Model, ByColumn]:
    """The model with the settings that families fit on left-out rows, such as how several readings of the same words
    are mixed, and the evidence of those families for these rows."""
    encoded, keys = model.schema.encode(rows.cells), model.keys()
    counted = rows.rows()
    changes: dict[Any, Family] = {}
    evidence: ByColumn = {}
    for name, family in model.schema.columns.items():
        fitted, found = family.fit_left_out(model.columns[name], encoded[name], counted, keys, rows.marks)
        if fitted is not family:
            changes[name] = fitted
        if found is not None:
            evidence[name] = found
    return model.believing(changes) if changes else model, evidence


class Pieces(NamedTuple):
    """What is weighed: columns and blocks, the missing cells of some columns, and the parts of blocks that have
    several."""

    names: list[Name]
    missing: list[Name]
    parts: list[tuple[Name, str]]

    def plain(self) -> Floats:
        """The weights of the unweighed model: 1 for columns and the prior; for a block 0 if its columns count
        separately, otherwise 1, divided among its parts."""
        alone = {name for name in self.names if isinstance(name, str)}
        blocks = {name for name, _ in self.parts if alone.isdisjoint(members(name))}
        columns = [float(isinstance(name, str) or alone.isdisjoint(name)) for name in self.names]
        parts = [1.0 / sum(one == name for one, _ in self.parts) if name in blocks else 0.0 for name, _ in self.parts]
        prior = float(not (blocks and not self.names))
        return np.array([*columns, *[0.0] * len(self.missing), *parts, prior])

    def weights(self, fit: Fit, classes: list[Any]) -> Weights:
        names, both = len(self.names), len(self.names) + len(self.missing)
        parts: dict[Name, dict[str, float]] = {}
        for j, (name, part) in enumerate(self.parts, both):
            parts.setdefault(name, {})[part] = float(fit.thetas[0, j])
        return Weights(
            {name: _weight(fit.thetas[:, j], classes) for j, name in enumerate(self.names)},
            {name: _weight(fit.thetas[:, j], classes) for j, name in enumerate(self.missing, names)},
            fit.prior,
            dict(zip(classes, fit.offsets.tolist(), strict=True)),
            parts,
        )


def _pieces(model: Model) -> Pieces:
    families, keys = model.schema.columns, model.keys()
    ordered = [name for name, _ in in_order(families)]
    names = [name for name in ordered if not families[name].parts]
    parts = [(name, part) for name in ordered for part in families[name].parts]
    rows = model.rows.aligned([""], keys).sums["n"].sum(axis=0)
    missing: list[Name] = []
    for name in names:
        family = families[name]
        if isinstance(name, str) and not family.takes_vectors:
            lacking = rows - family.present(model.columns[name], keys)
            if not lacking.is_zero().all():
                missing.append(name)
    return Pieces(names, missing, parts)


def left_out_evidence(model: Model, rows: SampledRows, pieces: Pieces, known: ByColumn | None = None) -> Evidenced:
    """The evidence of every piece for every row: parts of blocks by the counts without that row, all others by the
    counts without its fold. Columns whose evidence is `known` are not scored again."""
    scored = known or {}
    number = {key: i for i, key in enumerate(model.keys())}
    codes = _codes(rows, list(number))
    shape = (len(number), len(rows))
    columns, missing, parts = len(pieces.names), len(pieces.missing), len(pieces.parts)
    evidence = np.zeros((columns + missing + parts + 1, *shape))
    base = np.zeros(shape)
    together = any(family.is_text for family in model.schema.columns.values())
    others = [j for j, name in enumerate(pieces.names) if name not in scored]
    by_fold = [*others, *range(columns, columns + missing), columns + missing + parts]
    some = pieces._replace(names=[pieces.names[j] for j in others])
    simple = model.only(list(dict.fromkeys([*some.names, *some.missing])))
    for at in rows.folds(_folds(model, rows), together):
        fold = rows.batch(at)
        rest = simple.without(_counted(simple.schema, fold))
        if not rest.keys():
            base[:, at] = -np.inf
            continue
        beliefs = rest.believed_apart()
        present = np.array([number[key] for key in beliefs.keys], np.intp)
        for j, logs in zip(by_fold, _evidence(rest, beliefs, fold.cells, some), strict=True):
            evidence[j][np.ix_(present, at)] = logs
        base[np.ix_(np.setdiff1d(np.arange(len(number)), present), at)] = -np.inf
    for name, logs in scored.items():
        evidence[pieces.names.index(name)] = centred(logs.T, np.inf)
    evidence[columns + missing : -1] = _part_evidence(model, rows, codes)
    kept = np.flatnonzero(np.isfinite(base[codes, np.arange(len(rows))]))
    if len(kept) < len(rows):
        evidence, base = evidence[:, :, kept], base[:, kept]
    return Evidenced(
        np.ascontiguousarray(evidence),
        np.ascontiguousarray(base),
        codes[kept],
        rows.weights[kept],
        pieces.plain(),
        columns,
        missing,
        parts,
    )


def _codes(rows: SampledRows, keys: list[Key]) -> NDArray[np.int32]:
    """The index of each row's class in the model."""
    number = {key: i for i, key in enumerate(keys)}
    unknown = [key for key in rows.keys if key not in number]
    if unknown:
        raise ValueError(f"The model has counted no row of class {unknown[0]!r}; give rows that it has counted.")
    return np.array([number[key] for key in rows.keys], np.int32)[rows.labels]


def _part_evidence(model: Model, rows: SampledRows, codes: Any) -> Floats:
    """The evidence of the parts of blocks by the counts without each row, [part, class, row]."""
    keys = model.keys()
    counted = Rows(keys, codes, rows.rows().weights)
    found = [np.zeros((0, len(keys), len(rows)))]
    blocks = model.only([name for name, family in in_order(model.schema.columns) if family.parts])
    encoded = blocks.schema.encode(rows.cells)
    for name, family in blocks.schema.columns.items():
        parts = family.left_out_parts(model.columns[name], keys, encoded[name], counted)
        found.append(centred(parts.transpose(1, 0, 2), Belief.bound).transpose(2, 0, 1))
    return np.concatenate(found)


def _folds(model: Model, rows: SampledRows) -> int:
    """As many folds as needed to leave at least nine tenths of all rows in the counts."""
    return min(max(math.ceil(FOLDS * rows.weights.sum() / max(model.n, 1.0)), 1), FOLDS)


def _counted(schema: Schema, batch: Batch) -> Model:
    """A model of some of the rows."""
    part = Model(schema)
    part._count(batch, 1, ERROR)
    return part


def _evidence(rest: Model, known: Beliefs, cells: pa.RecordBatch, pieces: Pieces) -> Iterator[Floats]:
    """The evidence of each column, of missing cells, and of the class prior: [class, row]."""
    counts = rest._row_counts(rest.keys())
    encoded = rest.schema.encode(cells) if pieces.missing else {}
    found: Any = known.evidence(cells) if pieces.names else {}
    for name in pieces.names:
        yield centred(np.ascontiguousarray(found[name].T), known.columns[name].bound)
    for name in pieces.missing:
        family = rest.schema.columns[name]
        lacking = np.zeros((len(known.keys), len(cells)))
        absence(family, rest.columns[name], known.keys, counts).add(family, encoded[name], lacking)
        yield lacking
    yield np.repeat(known.prior[:, None], len(cells), axis=1)


def _weight(thetas: Floats, classes: list[Any]) -> float | dict[Any, float]:
    return float(thetas[0]) if np.all(thetas == thetas[0]) else dict(zip(classes, thetas.tolist(), strict=True))
