"""Beliefs, computed once and kept: from new rows to evidence and class probabilities.

Rows are scored block by block, column by column, into one small array of scores that stays in the processor's cache;
the same code scores one row and a billion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Key
from tallybayes.data import frames
from tallybayes.data.errors import CellError, warn
from tallybayes.data.matching import ERROR, completed
from tallybayes.data.one_row import single_row
from tallybayes.families import Belief
from tallybayes.families.belief import Part, WordWeight
from tallybayes.families.weighed import Absence, absence, weighed
from tallybayes.model.batches import check_threads, in_pieces, size_of
from tallybayes.model.evidence import Evidence, text_column
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import FREQUENCIES, is_given, log_prior
from tallybayes.schema.entries import Name, in_order

BLOCK = 1 << 14  # rows scored at a time …
BLOCK_BYTES = 1 << 22  # … or as many as fit into this many bytes …
MANY_CLASSES = 16  # … with more classes than this
LARGEST = float(np.finfo(np.float64).max)

Finish = Callable[[Floats, Any], int]  # a block's scores → its rows of the result; how many were impossible


class Encoded(NamedTuple):
    """Some rows' cells by column, encoded for the families; the first row is number `start`."""

    cells: dict[Name, Any]
    start: int
    rows: int
    size: int  # in bytes, roughly


class Beliefs:
    """The class prior and every column's belief: a snapshot of the counts at one moment.

    It is immutable and thread-safe: when the model learns, it makes a new snapshot, which shares with this one whatever
    did not change."""

    def __init__(
        self,
        schema: Schema,
        keys: Sequence[Key],
        labels: list[Any],
        rows: Floats,
        tallies: Mapping[Name, AnyTally],
        before: Beliefs | None = None,
    ) -> None:
        self.schema = schema
        self.keys = list(keys)
        self.labels = labels
        self.prior = schema.log_prior(rows, labels)
        known: Mapping[Name, Belief] = {} if before is None else before.counted
        self.counted: dict[Name, Belief] = _believed(schema, tallies, keys, known)
        self.scores = [name for name, belief in self.counted.items() if not belief.likelihood]
        self.rows = rows  # of each class
        self.absences = _absences(schema, tallies, keys, labels, rows)
        self.ordering = [name for name, belief in self.counted.items() if not belief.adds_up]
        self.arrange()
        self._ill_mixed = self.ordering if len(self.columns) > 1 and schema.weights is None else []

    def arrange(self) -> None:
        """Prepares scoring from every column's belief and the prior."""
        self.columns, self.start = self._weighed()
        kinds: dict[Any, list[Name]] = {}
        for name, belief in in_order(self.columns):  # a fixed order: equal models, equal bits
            kinds.setdefault(belief.kind, []).append(name)
        found = [(names, [self.columns[name] for name in names]) for names in kinds.values()]
        self._together = [(names, type(beliefs[0]).together(beliefs)) for names, beliefs in found]
        self._start = self.start[:, None].copy()
        self._changes = np.zeros((len(self.absences), len(self.keys)))  # by missing cells: most cells are present
        for at, (missing, present) in enumerate(self.absences.values()):
            self._start += present[:, None]
            self._changes[at] = missing - present

    def _weighed(self) -> tuple[dict[Name, Belief], Floats]:
        """Every column's belief, and the prior, weighed as the schema says."""
        weights, labels, families = self.schema.weights, self.labels, self.schema.columns
        if weights is None:
            return self.counted, self.prior
        columns = {
            name: weighed(belief, weights.of(name, labels), weights.of_parts(name, families[name].parts))
            for name, belief in self.counted.items()
        }
        if is_given(self.schema.prior):  # replaces the frequencies in full, whatever their weight
            frequencies = log_prior(FREQUENCIES, self.rows, labels)
            prior = self.prior + (weights.prior - 1.0) * np.where(np.isneginf(frequencies), 0.0, frequencies)
        else:
            prior = np.where(np.isneginf(self.prior), -np.inf, weights.prior * np.maximum(self.prior, -LARGEST))
        return columns, prior + weights.offsets_of(labels)

    def number(self, label: Any) -> int:
        """The index of a class."""
        if label not in self.labels:
            raise ValueError(f"There is no class {label!r}; the classes are {', '.join(map(repr, self.labels))}.")
        return self.labels.index(label)

    def words(self, label: Any, top: int, column: Name | None) -> list[WordWeight]:
        """The words with the most evidence for a class against all others."""
        name = text_column([name for name, belief in self.columns.items() if belief.has_parts], column)
        return self.columns[name].heaviest(self.number(label), self.prior, top)

    def posterior(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Floats:
        """P(class | row). A row that is impossible in every class gets the prior, with a warning."""

        def finish(scores: Floats, out: Floats) -> int:
            impossible = kernels.normalise(scores, out)
            if impossible:
                out[np.isnan(out).any(axis=1)] = np.exp(self.prior)
            return impossible

        return self._score(self.encoded(data, absent), finish, threads)

    def most_probable(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Counts:
        """The index of each row's most probable class, the first one on a tie."""

        def finish(scores: Floats, out: Counts) -> int:
            impossible = kernels.most_probable(scores, out)
            if impossible:
                out[np.isneginf(scores[:, : len(out)]).all(axis=0)] = np.argmax(self.prior)
            return impossible

        return self._score(self.encoded(data, absent), finish, threads, numbers=True)

    def log_joint(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Floats:
        """log P(class, row)."""

        def finish(scores: Floats, out: Floats) -> int:
            out[:] = scores[:, : len(out)].T
            return 0

        return self._score(self.encoded(data, absent), finish, threads)

    def scores_of(self, cells: Mapping[Name, Any], rows: int) -> Floats:
        """log P(class, row) of encoded cells, in one go: scores[class, row]."""
        scores = np.repeat(self._start, rows, axis=1)
        self._add_all(cells, scores, 0)
        return scores

    def evidence(self, data: Any, absent: str = ERROR) -> Evidence:
        """log P(class), and log p(cell | class) of every column."""
        blocks: dict[Name, list[Floats]] = {name: [np.zeros((0, len(self.keys)))] for name in self.columns}
        batches: list[tuple[int, dict[Name, Any]]] = []
        rows = 0
        for batch in self.encoded(data, absent):
            rows, encoded = batch.start, batch.cells
            batches.append((rows, encoded))
            for name, cells in encoded.items():
                scores = np.zeros((len(self.keys), batch.rows))
                self._add(name, cells, scores, rows)
                blocks[name].append(scores.T)
            rows += batch.rows
        columns = {name: np.concatenate(parts) for name, parts in blocks.items()}
        return Evidence(self.labels, self.start, columns, rows, self._parts(batches), self.ordering)

    def _parts(self, batches: list[tuple[int, dict[Name, Any]]]) -> dict[Name, Callable[[int], list[Part]]]:
        """For every text column, a function that splits the evidence of a row by word, on demand."""

        def taking_apart(name: Name) -> Callable[[int], list[Part]]:
            def parts(row: int) -> list[Part]:
                start, encoded = next(found for found in reversed(batches) if found[0] <= row)
                return next(iter(self.columns[name].parts(encoded[name][row - start : row - start + 1])))

            return parts

        return {name: taking_apart(name) for name, belief in self.columns.items() if belief.has_parts}

    def _score(self, batches: Iterable[Encoded], finish: Finish, threads: int | None, numbers: bool = False) -> Any:
        """Scores every row and lets `finish` turn the scores into the result: a number per class, or one class
        index."""
        check_threads(threads)
        if self._ill_mixed:
            self._warn_of_scores()

        def empty(rows: int) -> Any:
            return np.empty(rows, np.int64) if numbers else np.empty((rows, len(self.keys)))

        parts: list[Any] = []
        impossible = 0
        for batch in batches:
            parts.append(empty(batch.rows))
            impossible += self._score_batch(batch, finish, parts[-1], threads)
        if impossible:
            warn(
                f"Some rows ({impossible}) are impossible in every class and get the prior probabilities. Smoothing "
                "avoids this: alpha, m, shape or rate above 0."
            )
        return parts[0] if len(parts) == 1 else np.concatenate([empty(0), *parts])

    def _warn_of_scores(self) -> None:
        """Warns once, and only if columns are summed; `weigh` uses them one by one."""
        name, self._ill_mixed = self._ill_mixed[0], []
        warn(
            f"Column {name!r} gives complement scores, which are not log-likelihoods, but are added to the evidence of "
            "the other columns as if they were. `weigh` fits the weight of each."
        )

    def encoded(self, data: Any, absent: str = ERROR) -> Iterable[Encoded]:
        """Encodes a single row directly, anything else through record batches."""
        data = self.schema.frame(data)
        row = single_row(data, self.schema.by_column)
        if row is not None:
            return (Encoded(self.schema.encode(completed(row, self.schema.by_column, absent)), 0, 1, 0),)
        return self._encoded_batches(data, absent)

    def _encoded_batches(self, data: Any, absent: str) -> Iterator[Encoded]:
        start = 0
        for batch in frames.batches(data):
            rows = completed(batch, self.schema.by_column, absent)
            yield Encoded(self.schema.encode(rows, start), start, batch.num_rows, size_of(batch))
            start += batch.num_rows

    def _score_batch(self, batch: Encoded, finish: Finish, out: Any, threads: int | None) -> int:
        if batch.rows == 1:
            scores = self._start.copy()
            self._add_all(batch.cells, scores, batch.start)
            return finish(scores, out)
        heavy = batch.size * max(len(self.keys) // MANY_CLASSES, 1)
        block = min(BLOCK, max(batch.rows * BLOCK_BYTES // heavy, 1)) if heavy else BLOCK

        def score(first: int, last: int) -> int:
            scores = np.empty((len(self.keys), min(block, max(last - first, 1))))
            impossible = 0
            for at in range(first, last, block):
                if at > first:
                    kernels.heed_signals()
                stop = min(at + block, last)
                scores[:] = self._start
                whole = stop - at == batch.rows
                cells = batch.cells if whole else {name: column[at:stop] for name, column in batch.cells.items()}
                self._add_all(cells, scores, batch.start + at)
                impossible += finish(scores, out[at:stop])
            return impossible

        return sum(in_pieces(batch.rows, threads, score, batch.size))

    def _add_all(self, cells: Mapping[Name, Any], scores: Floats, start: int) -> None:
        """Adds the evidence of all columns, those of one kind together."""
        for names, add in self._together:
            try:
                add([cells[name] for name in names], scores)
            except CellError:
                for name in names:  # to find the column at fault
                    self._add(name, cells[name], scores, start)
                raise
        if self.absences:
            marked = [self.schema.columns[name].missing(cells[name]) for name in self.absences]
            kernels.add_where(marked, self._changes, scores)

    def _add(self, name: Name, cells: Any, scores: Floats, start: int) -> None:
        try:
            self.columns[name].add_evidence(cells, scores)
        except CellError as error:
            raise error.located(name, start) from None
        if name in self.absences:
            self.absences[name].add(self.schema.columns[name], cells, scores)


def _absences(
    schema: Schema, tallies: Mapping[Name, AnyTally], keys: Sequence[Key], labels: list[Any], rows: Floats
) -> dict[Name, Absence]:
    """The evidence of missing cells, for columns where it is weighed; computed for all of them together."""
    weights = schema.weights
    if weights is None or not weights.missing:
        return {}
    present = [schema.columns[name].present(tallies[name], keys) for name in weights.missing]
    thetas = np.stack([weights.of_missing(name, labels) for name in weights.missing])
    found = absence(present, rows).times(thetas)
    return {name: Absence(*each) for name, *each in zip(weights.missing, *found, strict=True)}


def _believed(
    schema: Schema, tallies: Mapping[Name, AnyTally], keys: Sequence[Key], before: Mapping[Name, Belief]
) -> dict[Name, Belief]:
    """The belief of every column; columns of the same family are computed together."""
    found: dict[Name, Belief | None] = {}
    for family, names in schema.by_family:
        for name in names:
            found[name] = family.believe_after(before[name], tallies[name], keys) if name in before else None
        new = [name for name in names if found[name] is None]
        if new:
            found.update(zip(new, family.believe_each([tallies[name] for name in new], keys), strict=True))
    return {name: belief for name in schema.columns if (belief := found[name]) is not None}
