"""Answers to rows: the class, its probability, and the columns to keep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data.frames import column, decoded
from tallybayes.data.matching import ERROR, MISSING
from tallybayes.data.written_numbers import unmarked
from tallybayes.model import decide
from tallybayes.model.mixed_beliefs import MixedBeliefs
from tallybayes.model.scoring import Beliefs
from tallybayes.report.plain import to_text
from tallybayes.sources import Source


class Deciding:
    """Decides with beliefs and costs. `kind` is the type of the labels; `met` holds the classes decided for so far."""

    def __init__(
        self,
        beliefs: Beliefs | MixedBeliefs,
        kind: pa.DataType | None = None,
        costs: Mapping[tuple[Any, Any], float] | None = None,
        reject: float | None = None,
        proba: bool = False,
        threads: int | None = None,
        absent: str = ERROR,
        credible: Callable[[Any], Any] | None = None,
    ) -> None:
        self.beliefs, self.schema = beliefs, beliefs.schema
        self.labels = _labels(beliefs.labels, kind)
        self.costs = None if costs is None else decide.cost_matrix(beliefs.labels, costs)
        self.reject = reject
        self.proba = proba
        self.threads = threads
        self.absent = absent
        self.credible = credible
        self.met: set[Any] = set()
        self.most = decide.most_rows(len(beliefs.labels))  # rows to answer at a time

    def answer(self, batch: pa.RecordBatch, kept: Sequence[str] = (), source: Source | None = None) -> pa.RecordBatch:
        """Answers next to the kept columns, which stay as the source has them: numbers may be text. Columns of the
        schema that the batch may lack are empty."""
        rows = batch if source is None or not kept else self._parsed(batch, kept, source)
        found = None
        if self.credible is None:
            posterior = self.beliefs.posterior(rows, self.threads, self.absent)
        else:
            found = self.credible(rows)
            posterior = found.probability
        chosen = decide.decide(posterior, self.costs, self.reject)
        classes = self.beliefs.labels
        self.met.update(classes[i] for i in np.unique(chosen).tolist() if i != decide.REJECTED)
        undecided = chosen == decide.REJECTED
        probability = posterior[np.arange(len(chosen)), chosen]
        answers = {name: self._kept(batch, name) for name in kept}

        def add(name: str, cells: pa.Array) -> None:
            answers[unused(name, answers)] = cells

        add(self.schema.label or "class", self.labels.take(pa.array(chosen, mask=undecided)))
        add("probability", pa.array(probability, mask=undecided))
        bounds = {} if found is None else {"low": found.low, "high": found.high}
        for name, bound in bounds.items():
            add(name, pa.array(bound[np.arange(len(chosen)), chosen], mask=undecided))
        if self.proba:
            for i, label in enumerate(classes):
                add(f"P({to_text(label)})", pa.array(posterior[:, i]))
                for name, bound in bounds.items():
                    add(f"P({to_text(label)}) {name}", pa.array(bound[:, i]))
        return pa.RecordBatch.from_arrays(list(answers.values()), names=list(answers))

    def _kept(self, batch: pa.RecordBatch, name: str) -> pa.Array:
        if self.absent == MISSING and name in self.schema.by_column and name not in batch.schema.names:
            return pa.nulls(len(batch), pa.string())
        return _whole(column(batch, name))

    def _parsed(self, batch: pa.RecordBatch, kept: Sequence[str], source: Source) -> pa.RecordBatch:
        """The same rows with numbers parsed."""
        kinds = self.schema.reads()
        numbers = {name for name in kept if source.untyped and kinds.get(name) == pa.float64()}
        for name in numbers.intersection(batch.schema.names):
            at = batch.schema.get_field_index(name)
            known = unmarked(batch.column(at), source)
            batch = batch.set_column(at, name, pc.replace_substring(known, source.decimal, "."))
        return batch


def unused(name: str, taken: Collection[str]) -> str:
    """A name for an answer that is not taken.

    >>> unused("play", ["day", "play"])
    'predicted play'
    """
    while name in taken:
        name = f"predicted {name}"
    return name


def _labels(classes: Sequence[Any], kind: pa.DataType | None) -> pa.Array:
    """The classes as a column that can be written: bytes as text."""
    if kind is not None and pa.types.is_binary(kind):
        return pa.array(map(to_text, classes), pa.string())
    return pa.array(classes, kind)


def _whole(cells: pa.Array) -> pa.Array:
    """Cells decoded, and text as one type."""
    cells = decoded(cells)
    return cells.cast(pa.string()) if pa.types.is_large_string(cells.type) else cells
