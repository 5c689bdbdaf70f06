"""What is weighed, and the evidence of each piece for rows left out of the counts.

Rows are left out a fold at a time. Families of levels and intervals take the folds out of the counts by themselves, for
all columns at once; for the others, the fold is counted and subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families import Belief
from tallybayes.families.centring import centred
from tallybayes.families.left_out import LeftOutFolds
from tallybayes.families.weighed import Absence, absence
from tallybayes.model.model import Model
from tallybayes.model.sampled_rows import SampledRows
from tallybayes.model.tallying import tallies_of
from tallybayes.model.weights_fit import Evidenced, Fit
from tallybayes.schema.entries import Name, in_order, members
from tallybayes.schema.weights import Weights

FOLDS = 10  # if no more than a tenth of all rows is sampled, one fold is enough
MOST_CELLS = 1 << 22  # slots of several columns, times folds and classes, that are left out at a time

ByColumn = dict[Name, Floats]  # the evidence of a column for every left-out row, [row, class]
Indices = NDArray[np.intp]


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


def pieces_of(model: Model) -> Pieces:
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
    left, scored, every = _LeftOut(model, rows, pieces), known or {}, np.arange(len(rows))
    left.leave_out([name for name in pieces.names if name not in scored])
    for name, logs in scored.items():
        left.fill(left.places[name], every, centred(logs.T, np.inf))
    for j, logs in enumerate(_part_evidence(model, rows, left.counted), len(pieces.names) + len(pieces.missing)):
        left.fill(j, every, logs)
    codes, evidence, base = left.counted.codes, left.evidence, left.base
    kept = np.flatnonzero(left.kept)
    if len(kept) < len(rows):
        evidence, base = np.ascontiguousarray(evidence[:, :, kept]), np.ascontiguousarray(base[:, kept])
    sizes = len(pieces.names), len(pieces.missing), len(pieces.parts)
    families = model.schema.columns
    texts = tuple(j for j, name in enumerate(pieces.names) if families[name].is_text or families[name].takes_vectors)
    return Evidenced(evidence, base, codes[kept], rows.weights[kept], left.squares, pieces.plain(), *sizes, texts)


class _LeftOut:
    """Rows, their folds, and the evidence to be filled in."""

    def __init__(self, model: Model, rows: SampledRows, pieces: Pieces) -> None:
        keys = model.keys()
        self.model, self.rows, self.counted = model, rows, Rows(keys, codes_of(rows, keys), rows.counted().weights)
        self.places = {name: j for j, name in enumerate(pieces.names)}
        self.missing = {name: j for j, name in enumerate(pieces.missing, len(pieces.names))}
        shape = len(keys), len(rows)
        self.against = len(keys) == 2  # the second class against the first
        self.evidence = np.zeros((len(pieces.plain()), 1 if self.against else len(keys), len(rows)))
        self.squares = np.zeros((len(self.evidence), len(keys)))
        self.base = np.zeros(shape)  # −∞ where a class is gone
        self.kept = np.ones(len(rows), bool)  # rows whose own class is not

    def leave_out(self, names: list[Name]) -> None:
        """Leaves out every fold: of some columns all at once, where the counts are integers and no class is gone."""
        model = self.model
        total = model.rows.aligned([""], self.counted.classes).sums["n"].carried()  # `low` may depend on history
        folds = self.rows.folds(_folds(model, self.rows))
        left = LeftOutFolds(self.counted, folds).without(total, np.zeros(len(self.rows), np.int32))[:, 0]
        whole = np.logical_and((left > 0).all(axis=1), total.low >= 0 and self.rows.addends is None)
        quick = [name for name in names if self._is_quick(name)]
        slow = [name for name in names if name not in set(quick)]
        if whole.any():
            self._leave_out_at_once([at for at, each in zip(folds, whole, strict=True) if each], left[whole], quick)
        for at, each in zip(folds, whole, strict=True):
            if slow or not each:
                self._leave_out_fold(at, slow if each else names, bool(each))

    def _is_quick(self, name: Name) -> bool:
        if not self.model.schema.columns[name].leaves_out_folds:
            return False
        n = self.model.columns[name].sums["n"]
        return bool(n.low >= 0 or n.carried().low >= 0)

    def _leave_out_at_once(self, at: list[Indices], left: Floats, quick: list[Name]) -> None:
        """Leaves out folds that leave so many rows, [fold, class]."""
        count = sum(map(len, at))
        some = np.arange(count) if count == len(self.rows) else np.sort(np.concatenate(at))
        cells, rows = self._taken(some)
        folds = LeftOutFolds(rows, at if count == len(self.rows) else [some.searchsorted(rows) for rows in at])
        encoded = self._only([*quick, *self.missing]).schema.encode(cells)
        for family, names in self._only(quick).schema.by_family:
            for part in self._parts(names, len(at)):
                tallies, columns = [self.model.columns[name] for name in part], [encoded[name] for name in part]
                for name, logs in zip(part, family.evidence_without(tallies, columns, folds), strict=True):
                    self.fill(self.places[name], some, logs)
        for name, j in self.missing.items():
            family = self.model.schema.columns[name]
            present = np.where(family.missing(encoded[name]), np.int32(-1), np.int32(0))
            counts = folds.without(family.present(self.model.columns[name], rows.classes)[None], present)[:, 0]
            both = np.stack([*Absence.of(np.minimum(counts, left), left)], axis=1)
            self.fill(j, some, folds.looked_up(present + 1, both.reshape(-1, folds.width), 2))
        prior = self.model.schema.log_prior(left, self.model._labels(rows.classes))
        self.fill(-1, some, np.broadcast_to(prior, left.shape)[folds.number].T)

    def _leave_out_fold(self, at: Indices, names: list[Name], whole: bool) -> None:
        """Counts a fold and subtracts it. If it is not `whole`, classes may be gone without it."""
        cells, rows = self._taken(at)
        others = {} if whole else self.missing
        simple = self._only([*names, *others])
        encoded = simple.schema.encode(cells)
        rest = simple.without(self._counted(simple, at, encoded, rows))
        keys = rest.keys()
        present = places_of(self.counted.classes, keys) >= 0
        self.base[np.ix_(~present, at)] = -np.inf
        self.kept[at] = present[rows.codes]
        if not keys:
            return
        beliefs = rest.believed_apart()

        def fill(piece: int, said: Floats) -> None:
            logs = np.zeros((len(present), len(at)))
            logs[present] = said
            self.fill(piece, at, logs)

        for name in names:
            said = np.zeros((len(keys), len(at)))
            beliefs.columns[name].add_evidence(encoded[name], said)
            fill(self.places[name], centred(said, beliefs.columns[name].bound))
        for name, j in others.items():
            lacking, family = np.zeros((len(keys), len(at))), simple.schema.columns[name]
            each = absence([family.present(rest.columns[name], keys)], beliefs.rows)
            Absence(*(evidence[0] for evidence in each)).add(family, encoded[name], lacking)
            fill(j, lacking)
        if not whole:
            fill(-1, beliefs.prior[:, None])

    def _counted(self, simple: Model, at: Indices, encoded: dict[Name, Any], rows: Rows) -> Model:
        """The counts of some rows, which are encoded; unless it takes several rows to count one exactly."""
        part = Model(simple.schema, self.rows.label_type)
        if self.rows.addends is not None:
            batch = self.rows.batch(at)
            encoded, rows = simple.schema.encode(batch.cells), batch.rows
        part.rows, part.columns = Tally.of_rows(rows), tallies_of(simple.schema, encoded, rows, 0)
        return part

    def _only(self, names: Iterable[Name]) -> Model:
        wanted = list(dict.fromkeys(names))
        return self.model if len(wanted) == len(self.model.columns) else self.model.only(wanted)

    def _taken(self, at: Indices) -> tuple[pa.RecordBatch, Rows]:
        """Some rows, in their order, with classes numbered as in the model."""
        if len(at) == len(self.rows):
            return self.rows.cells, self.counted
        weights = None if self.counted.weights is None else self.counted.weights[at]
        return self.rows.cells.take(pa.array(at)), Rows(self.counted.classes, self.counted.codes[at], weights)

    def _parts(self, names: list[Name], folds: int) -> Iterator[list[Name]]:
        """The columns, as many at a time as fit into little memory."""
        width = len(self.counted.classes)
        sizes = np.cumsum([len(self.model.columns[name]) * folds * width for name in names]) // MOST_CELLS
        for _, part in groupby(zip(sizes.tolist(), names, strict=True), key=itemgetter(0)):
            yield [name for _, name in part]

    def fill(self, piece: int, at: Indices, logs: Floats) -> None:
        """The evidence of a piece for some rows, [class, row]."""
        where = slice(None) if len(at) == len(self.rows) else at
        weights = np.where(self.kept[where], self.rows.weights[where], 0.0)
        self.squares[piece] += np.einsum("r,cr,cr->c", weights, logs, logs)
        self.evidence[piece][:, where] = logs[1:] - logs[:1] if self.against else logs


def codes_of(rows: SampledRows, keys: list[Key]) -> Codes:
    """The index of each row's class in the model."""
    places = places_of(rows.keys, keys)
    if (places < 0).any():
        unknown = rows.keys[int(places.argmin())]
        raise ValueError(f"The model has counted no row of class {unknown!r}; give rows that it has counted.")
    return places[rows.labels]


def _part_evidence(model: Model, rows: SampledRows, counted: Rows) -> Iterator[Floats]:
    """The evidence of the parts of blocks by the counts without each row, [class, row] for each."""
    names = [name for name, family in in_order(model.schema.columns) if family.parts]
    if not names:
        return
    blocks = model.only(names).schema
    encoded = blocks.encode(rows.cells)
    for name, family in blocks.columns.items():
        parts = family.left_out_parts(model.columns[name], counted.classes, encoded[name], counted)
        yield from centred(parts.transpose(1, 0, 2), Belief.bound).transpose(2, 0, 1)


def _folds(model: Model, rows: SampledRows) -> int:
    """As many folds as needed to leave at least nine tenths of all rows in the counts."""
    return min(max(math.ceil(FOLDS * rows.own.sum() / max(model.n, 1.0)), 1), FOLDS)


def _weight(thetas: Floats, classes: list[Any]) -> float | dict[Any, float]:
    return float(thetas[0]) if np.all(thetas == thetas[0]) else dict(zip(classes, thetas.tolist(), strict=True))
