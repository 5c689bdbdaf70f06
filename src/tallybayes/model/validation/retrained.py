"""Folds of a schema that looks at labels before it counts, such as the questions of guided trees: for every fold, they
are chosen again by the other rows, and these are counted again. The rows are kept in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Codes
from tallybayes.data import frames
from tallybayes.data.errors import RowError
from tallybayes.families import Family
from tallybayes.families.left_out import weights_of
from tallybayes.model.batches import Batch, Given
from tallybayes.model.model import Model
from tallybayes.model.prepare import prepared_on
from tallybayes.model.tallying import check_cells
from tallybayes.model.validation.dealing import Deal
from tallybayes.model.validation.folds import Folds, counted_folds, looking_at_labels, read_folds
from tallybayes.model.weigh import reweighed, sample_for
from tallybayes.schema import Schema
from tallybayes.schema.entries import members


class RetrainedFolds(Folds):
    """Only labels are counted fold by fold; `trained` counts everything."""

    def __init__(self, schema: Schema, reading: Schema, deal: Deal, threads: int | None, weigh: bool) -> None:
        super().__init__(Schema({}, prior=schema.prior, label=schema.label), deal)
        self._schema, self._reading = schema, reading
        self._threads, self._weigh = threads, weigh
        entries = [(column, family) for name, family in reading.columns.items() for column in members(name)]
        self._numbers = {column for column, family in entries if family.reads_of(column) == pa.float64()}
        self._parts: list[list[Batch]] = [[] for _ in range(deal.k)]

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def reading(self) -> Schema:
        return self._reading

    def count(self, batch: Batch, where: Codes, threads: int | None = None) -> None:
        try:
            check_cells(self.reading, batch.cells, batch.start)
        except RowError:
            self.refused = True
            raise
        super().count(batch, where, threads)
        for kept, part in zip(self._parts, self.split(batch, where), strict=True):
            if len(part.rows):
                kept.append(part)

    def trained(self, fold: int, schemas: Mapping[Any, Schema]) -> dict[Any, Model]:
        others = [batch for number, parts in enumerate(self._parts) if number != fold for batch in parts]
        cells = frames.one_batch(batch.cells for batch in others)
        labels = pa.concat_arrays([batch.labels() for batch in others])
        weights = np.concatenate([weights_of(batch.rows) for batch in others])
        return {name: self._trained(schema, cells, labels, weights) for name, schema in schemas.items()}

    def _trained(self, schema: Schema, cells: pa.RecordBatch, labels: pa.Array, weights: Any) -> Model:
        schema = prepared_on(Given(self._typed(cells), labels, weights), schema)
        sample = sample_for(schema) if self._weigh else None
        model = Model.train(schema, cells, labels, weights=weights, threads=self._threads, sample=sample)
        return model if sample is None else reweighed(model, sample.rows())[0]

    def _typed(self, cells: pa.RecordBatch) -> pa.RecordBatch:
        """The cells with numbers as numbers, of which blocks count intervals: a file without types has the texts of
        those that are levels by themselves."""
        columns = dict(zip(cells.schema.names, cells, strict=True))
        for name in self._numbers:
            if frames.is_text(frames.value_type(columns[name].type)):
                columns[name] = pa.array(frames.numbers(columns[name]), from_pandas=True)
        return pa.RecordBatch.from_pydict(columns)


def folds_to_hold_out(
    schema: Schema | Mapping[Any, Family] | Model,
    given: Given,
    deal: Deal,
    threads: int | None = None,
    weigh: bool = False,
) -> Folds:
    """Folds that are subtracted from the total, if the labels of held-out rows do not matter then; or else trained
    again."""
    if isinstance(schema, Model):
        return counted_folds(schema, given, deal, threads, weigh)
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    weigh = weigh or schema.overlaps
    if looking_at_labels(schema) is None:
        return counted_folds(schema, given, deal, threads, weigh)
    found = RetrainedFolds(schema, prepared_on(given, schema), deal, threads, weigh)
    return read_folds(found, given, threads)
