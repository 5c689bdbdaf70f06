"""The evidence of a Bayesian network: each column given its parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats, Indices
from tallybayes.families.belief import Free, Part
from tallybayes.families.blocks.coded_belief import CodedBelief, draw_codes, drawn_cells
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.events import Conditional
from tallybayes.families.posteriors import Dirichlet, Posterior

MOST = 100  # lines


def lookup(counts: PairCounts, j: int, parents: Sequence[int], start: int) -> list[int]:
    """For a table [parents' levels …, level of j]: its start, the strides of its axes, and their columns."""
    columns, steps, step = [j], [1], int(counts.layout.sizes[j])
    for p in reversed(parents):
        columns.append(p)
        steps.append(step)
        step *= int(counts.layout.sizes[p])
    lacking = 3 - len(columns)
    return [start, *steps, *[0] * lacking, *columns, *[j] * lacking]


class NetworkBelief(CodedBelief):
    """A table for every column: the evidence of its levels given those of its parents. For an unseen level of a parent,
    the table has the evidence without that parent."""

    def __init__(self, family: Any, counts: PairCounts, parents: Sequence[Sequence[int]], even: bool = False) -> None:
        super().__init__(family, counts)
        self.even = even
        self.parent_numbers = [list(some) for some in parents]
        tables, lookups, start = [], [], 0
        for j, some in enumerate(self.parent_numbers):
            table = self._logs(j)
            tables.append(table.reshape(-1, counts.width))
            lookups.append(lookup(counts, j, some, start))
            start += len(tables[-1])
        self.table = np.ascontiguousarray(np.concatenate(tables))
        self.lookups: Counts = np.array(lookups, np.int64)

    @property
    def parents(self) -> dict[str, Any]:
        """The parent of every column that has one."""
        columns = self.family.columns
        named = {columns[j]: tuple(columns[p] for p in some) for j, some in enumerate(self.parent_numbers) if some}
        return {column: some[0] if len(some) == 1 else some for column, some in named.items()}

    def drawing(self) -> list[str]:
        columns = self.family.columns
        named = {columns[j]: [columns[p] for p in some] for j, some in enumerate(self.parent_numbers)}
        return drawn_network(columns, named) if self.parents else []

    def conditional(self, j: int) -> Floats:
        """P(level | class, levels of the parents), [parents' levels …, level, class]."""
        return self.counts.conditional(j, self.parent_numbers[j], self.even)

    def conditionals(self) -> list[list[Conditional]]:
        return [self.tables(self.parent_numbers, [self.conditional(j) for j in range(self.counts.columns)])]

    def dependences(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {column: tuple(columns[p] for p in self.parent_numbers[j]) for j, column in enumerate(columns)}

    def _logs(self, j: int) -> Floats:
        """log P given the parents' levels, as far as these were seen."""
        some, met = self.parent_numbers[j], self.counts.met
        logs = self.met_logs(j, self.conditional(j))
        if len(some) < 2:
            return np.where(met[some[0]][:, None, None], logs, self.single_logs[j]) if some else logs
        one, other = (self.met_logs(j, self.counts.given(j, p)) for p in some)
        one = np.where(met[some[0]][:, None, None], one, self.single_logs[j])
        known = met[some[0]][:, None, None, None]
        return np.where(met[some[1]][:, None, None], np.where(known, logs, other), one[:, None])

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        kernels.add_network(np.ascontiguousarray(cells), self.counts.layout.sizes, self.lookups, self.table, scores)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """The evidence of each column given its parents."""
        for row in cells:
            at = self.lookups[:, 0] + (self.lookups[:, 1:4] * row[self.lookups[:, 4:]].astype(np.int64)).sum(axis=1)
            evidence = self.table[at] if row.any() else np.zeros((len(at), self.counts.width))
            yield [Part(self._described(j, row), 1.0, evidence[j]) for j in range(len(at))]

    def _described(self, j: int, row: Bytes) -> str:
        given = [p for p in self.parent_numbers[j] if self.counts.met[p][row[p]]]
        levels = ", ".join(self.level(p, int(row[p])) for p in given)
        return self.level(j, int(row[j])) + (f" given {levels}" if given else "")

    def estimates(self) -> dict[str, Floats]:
        return {name: values for _, name, values, _ in self._cells()}

    def _cells(self) -> Iterator[tuple[str, str, Floats, Floats]]:
        """For every level that was seen, with every level of its parents: the condition, the full name, the
        probability, and the counts and pseudo-counts behind it."""
        for j, some in enumerate(self.parent_numbers):
            probability, worth = self.conditional(j), self._worth(j)
            met = [self.counts.met[p] for p in (*some, j)]
            for codes in np.argwhere(reduce(np.multiply.outer, met)).tolist():
                given = ", ".join(self.level(p, code) for p, code in zip(some, codes, strict=False))
                name = self.level(j, codes[-1]) + (f" | {given}" if given else "")
                at = tuple(codes)
                yield f"{self.family.columns[j]} | {given}", name, probability[at], probability[at] * worth[at[:-1]]

    def _worth(self, j: int) -> Floats:
        """The rows and pseudo-counts behind each distribution of a column: [parents' levels …, class]."""
        some, s = self.parent_numbers[j], self.counts.smoothing
        own = self.counts.each[j] * self.counts.levels[j] + s.shared
        if not some:
            return np.asarray(self.counts.wholes[j] + own)
        together = self.counts.pair(some[0], j) if len(some) == 1 else self.counts.three(*some, j)
        read = together[..., int(s.ignored) :, :].sum(axis=-2)
        return np.asarray(read + (s.m if s.m > 0 else own))

    def posterior(self, index: int) -> Posterior:
        groups: dict[str, dict[str, float]] = {}
        for group, name, _, worth in self._cells():
            groups.setdefault(group, {})[name] = float(worth[index])
        return TablePosterior(tuple(Dirichlet(levels) for levels in groups.values()))

    def free(self) -> Free:
        levels = np.maximum(self.counts.levels, 1)
        each = [(levels[j] - 1) * np.prod(levels[some], dtype=np.int64) for j, some in enumerate(self.parent_numbers)]
        return Free(int(sum(each)), outcomes=self.outcomes())

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        return drawn_cells(random, self.family, self.draw_codes(random, classes))

    def draw_codes(self, random: np.random.Generator, classes: Indices) -> Bytes:
        """Parents first."""
        codes = np.zeros((len(classes), self.counts.columns), np.uint8)
        left = list(range(self.counts.columns))
        while left:
            j = next(j for j in left if not set(self.parent_numbers[j]) & set(left))
            left.remove(j)
            single, some = self.counts.probability(j), self.parent_numbers[j]
            table = self.conditional(j)[tuple(codes[:, p] for p in some)] if some else single[None]
            shares = table[np.arange(len(classes)), :, classes] if some else single.T[classes]
            codes[:, j] = draw_codes(random, shares, self.counts.met[j])
        return codes


@dataclass(frozen=True)
class TablePosterior(Posterior):
    """The posterior of a network's tables: independent Dirichlet distributions, one for each level of a parent."""

    tables: Sequence[Dirichlet]

    def marginals(self) -> dict[Any, Any]:
        return {level: known for table in self.tables for level, known in table.marginals().items()}


def drawn_network(columns: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for every column. Of several parents, the closest comes first and the others are listed after it.

    >>> print("\\n".join(drawn_network("abcd", {"b": ["a"], "c": ["b"], "d": ["a", "c"]})))
    a
    ├─ b
    │  └─ c
    └─ d (and c)
    """
    children: dict[str | None, list[str]] = {}
    for column in columns:
        children.setdefault(parents[column][0] if parents.get(column) else None, []).append(column)

    def below(parent: str | None, before: str) -> list[str]:
        lines = []
        for at, column in enumerate(some := children.get(parent, [])):
            last = at == len(some) - 1
            more = ", ".join(parents.get(column, ())[1:])
            edge, further = ("", "") if parent is None else ("└─ ", "   ") if last else ("├─ ", "│  ")
            lines.append(before + edge + column + (f" (and {more})" if more else ""))
            lines += below(column, before + further)
        return lines

    lines = below(None, "")
    return lines if len(lines) <= MOST else [*lines[:MOST], f"… and {len(lines) - MOST:,} more columns"]
