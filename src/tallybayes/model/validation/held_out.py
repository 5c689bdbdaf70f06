"""Rows scored by the counts of all folds but their own, under one set of beliefs or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Codes
from tallybayes.data.inputs import is_stream
from tallybayes.data.labels import label_array
from tallybayes.data.row_source import RowSource
from tallybayes.model.batches import Batch, Given, in_pieces, size_of
from tallybayes.model.decide import cost_matrix
from tallybayes.model.evaluation import Answers, Decider, Evaluation, Losses, answered
from tallybayes.model.tallying import check_cells
from tallybayes.model.validation.dealing import each_dealt
from tallybayes.model.validation.folds import Folds
from tallybayes.schema import Schema

T = TypeVar("T", Evaluation, Losses)

Measure = Callable[[Decider, Sequence[Answers]], T]  # scored rows → a measure of them
Deciders = Mapping[int, Mapping[Any, Decider]]  # how the rows of each fold are decided, in ways that have a name
BLOCK = 1 << 16  # rows sorted by fold at a time: more would not stay in cache
TWICE = (
    "The rows are read twice, to count and to score them, and a stream or a source can be read only once. Give a "
    "function that opens it: lambda: tallybayes.open_source('data.csv')."
)


def deciders_of(
    folds: Folds, schemas: Mapping[Any, Schema], costs: Any = None, reject: float | None = None
) -> Deciders:
    """The total minus each fold, under each schema."""
    classes = folds.total.classes
    matrix = None if costs is None else cost_matrix(classes, costs)
    found: dict[int, dict[Any, Decider]] = {}
    for fold in folds.filled:
        trained = folds.trained(fold, schemas)
        known = {label for model in trained.values() for label in model.classes}
        left = [number for number, label in enumerate(classes) if label in known]
        own = None if matrix is None else matrix[np.ix_(left, left)]
        found[fold] = {name: Decider.of(model, own, reject, 1) for name, model in trained.items()}
    return found


class HeldOut(Generic[T]):
    """Measures every fold, decided in one way or several, as rows stream by."""

    def __init__(self, folds: Folds, deciders: Deciders, measure: Measure[T]) -> None:
        self.folds, self._deciders = folds, deciders
        self._measure: Measure[T] = measure
        self._found: dict[tuple[Any, int], T] = {}
        self._sizes = np.zeros(len(folds), np.int64)

    def score(self, batch: Batch, where: Codes, threads: int | None = None) -> None:
        """Scores rows, given the fold of each."""

        def answer(first: int, last: int) -> list[tuple[Any, int, Answers]]:
            edges = range(first, last, BLOCK)
            return [each for at in edges for each in self._answered(batch, where, at, min(at + BLOCK, last))]

        answers: dict[tuple[Any, int], list[Answers]] = {}
        for part in in_pieces(len(where), threads, answer, size_of(batch.cells)):
            for name, fold, some in part:
                answers.setdefault((name, fold), []).append(some)
        pairs = [*answers]

        def measure(first: int, last: int) -> list[T]:
            return [self._measure(self._deciders[pair[1]][pair[0]], answers.pop(pair)) for pair in pairs[first:last]]

        found = (each for part in in_pieces(len(pairs), threads, measure, 16 * len(where)) for each in part)
        for pair, new in zip(pairs, found, strict=True):
            self._found[pair] = self._found[pair] + new if pair in self._found else new
        self._sizes += np.bincount(where, minlength=len(self.folds))

    def _answered(self, batch: Batch, where: Codes, start: int, stop: int) -> Iterator[tuple[Any, int, Answers]]:
        for fold, part in enumerate(self.folds.split(batch.slice(start, stop), where[start:stop])):
            if not len(part.rows):
                continue
            if fold not in self._deciders:
                raise _changed(fold, 0, len(part.rows))
            for name, decider in self._deciders[fold].items():
                for _, some in answered(decider, part):
                    yield name, fold, some

    def measured(self) -> dict[Any, list[T]]:
        """The measures of each way to decide, fold by fold; an error if the rows are not those that were counted."""
        for fold, (counted, scored) in enumerate(zip(self.folds.sizes.tolist(), self._sizes.tolist(), strict=True)):
            if counted != scored:
                raise _changed(fold, counted, scored)
        names = next(iter(self._deciders.values()))
        return {name: [self._found[name, fold] for fold in self.folds.filled] for name in names}


def _changed(fold: int, counted: int, scored: int) -> ValueError:
    return ValueError(
        f"The data changed while it was read: fold {fold} had {counted} rows when they were counted, and {scored} or "
        "more when they were scored."
    )


def hold_out(
    folds: Folds, deciders: Deciders, measure: Measure[T], given: Given, threads: int | None
) -> dict[Any, list[T]]:
    """Reads the data again and scores every row by the folds that it is not in: the measures of all folds, for each way
    to decide."""
    scoring = HeldOut(folds, deciders, measure)

    def score(batch: Batch, where: Codes) -> None:
        if folds.refused:  # skip the same rows as when they were counted
            check_cells(folds.reading, batch.cells, batch.start)
        scoring.score(batch, where, threads)

    label_type = folds.total.label_type if isinstance(given.data, RowSource) else given.label_type
    each_dealt(given._replace(weights=None, label_type=label_type), folds.reading, folds.how, score)
    return scoring.measured()


def given_again(data: Any, labels: Any, weights: Any, groups: Any, absent: str) -> Callable[[], Given]:
    """A function that gives the data anew for every pass. `data` is a frame, a list of frames, or a function that opens
    it; labels, weights and groups that can be read only once are kept."""
    stream = is_stream(data) and not isinstance(data, Sequence)
    if stream or isinstance(data, (pa.RecordBatchReader, RowSource)):
        raise ValueError(TWICE)

    def kept(values: Any) -> Any:
        return values if values is None or isinstance(values, str) else label_array(values)

    given = Given(None, kept(labels), kept(weights), kept(groups), absent=absent)
    return lambda: given._replace(data=data() if callable(data) else data)
