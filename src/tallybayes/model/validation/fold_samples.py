"""The rows that weigh the evidence of each training set: those of all folds but the held-out one."""

from __future__ import annotations

from collections.abc import Sequence

from tallybayes.model.batches import Batch
from tallybayes.model.model import Model
from tallybayes.model.sample import merged
from tallybayes.model.weigh import reweighed, sample_for
from tallybayes.schema import Schema


class FoldSamples:
    """A sample of each fold, taken while rows are counted, as large as any training set may need."""

    def __init__(self, schema: Schema, k: int) -> None:
        self._samples = [sample_for(schema) for _ in range(k)]

    def add(self, parts: Sequence[Batch]) -> None:
        """Rows of each fold."""
        for sample, part in zip(self._samples, parts, strict=True):
            if len(part.rows):
                sample.add(part)

    def weighed(self, fold: int, trained: Model) -> Model:
        """The model of all other folds, with its evidence weighed by their rows."""
        others = [sample for number, sample in enumerate(self._samples) if number != fold and sample.seen]
        return reweighed(trained, merged(others).rows())[0]
