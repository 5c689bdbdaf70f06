"""What networks of columns say about new rows: each column given its parents, or all given each in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats
from tallybayes.families.base import MANY_PARTS, Belief, Free, Part, WordWeight, heaviest, log_odds
from tallybayes.families.blocks.coding import Bytes, code_state, code_text
from tallybayes.families.blocks.drawn_codes import draw_codes, drawn_cells
from tallybayes.families.blocks.drawn_network import drawn_network
from tallybayes.families.blocks.network_posterior import TablePosterior
from tallybayes.families.blocks.networks import conditional_information
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.events import Conditional, PairInformation
from tallybayes.families.posteriors import Dirichlet, Posterior


def logs(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability))


class CodedBelief(Belief):
    """What columns of codes have in common, whatever they depend on."""

    has_parts = True
    bound = MANY_PARTS

    def __init__(self, family: Any, counts: PairCounts) -> None:
        self.family, self.counts = family, counts

    def level(self, j: int, code: int) -> str:
        """A level of a column, for people."""
        return f"{self.family.columns[j]} = {code_text(self.family.codes[j], code)}"

    @cached_property
    def single_logs(self) -> list[Floats]:
        """log P(level | class) of every column, and 0 of levels that were never met."""
        each = range(self.counts.columns)
        return [np.where(self.counts.met[j][:, None], logs(self.counts.probability(j)), 0.0) for j in each]

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        met = [(j, code) for j, met in enumerate(self.counts.met) for code in np.flatnonzero(met).tolist()]
        words = [self.level(j, code) for j, code in met]
        n = np.array([self.counts.single(j)[code, index] for j, code in met])
        rows = np.array([self.single_logs[j][code] for j, code in met]).reshape(-1, self.counts.width)
        return heaviest(words, n, log_odds(rows, index, prior), top)

    def network(self, parents: Sequence[Sequence[int]], tables: Sequence[Floats]) -> list[Conditional]:
        """Tables of all codes, of those that were met."""
        found = []
        for j, (some, table) in enumerate(zip(parents, tables, strict=True)):
            met = [np.flatnonzero(self.counts.met[p]) for p in (*some, j)]
            states = [code_state(self.family.codes[j], code) for code in met[-1].tolist()]
            found.append(Conditional(j, states, tuple(some), table[np.ix_(*met)]))
        return found

    def pair_information(self, columns: Sequence[str]) -> list[PairInformation]:
        known, found = conditional_information(self.counts), []
        first = int(self.counts.smoothing.ignored)  # missing cells are looked at, or are not
        for i, j in zip(self.counts.layout.first.tolist(), self.counts.layout.second.tolist(), strict=True):
            table = self.counts.pair(i, j)[first:, first:]
            levels = [np.maximum(table.any(axis=axis).sum(axis=0) - 1, 0) for axis in (1, 0)]
            g = max(2.0 * float(table.sum()) * float(known[i, j]), 0.0)
            freedom = int((levels[0] * levels[1]).sum())
            found.append(PairInformation(columns[i], columns[j], float(known[i, j]), g, freedom))
        return found

    def _outcomes(self) -> int:
        return int(np.prod([max(int(n), 1) for n in self.counts.levels], dtype=object))


class NetworkBelief(CodedBelief):
    """A table for every column: what each of its levels says given those of its parents. Where a parent's level was
    never met, the table has what the column says without it."""

    def __init__(self, family: Any, counts: PairCounts, parents: Sequence[Sequence[int]]) -> None:
        super().__init__(family, counts)
        self.parent_numbers = [list(some) for some in parents]
        tables, lookups, start = [], [], 0
        for j, some in enumerate(self.parent_numbers):
            table = self._logs(j)
            tables.append(table.reshape(-1, counts.width))
            lookups.append(self._lookup(j, some, start))
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
        some = self.parent_numbers[j]
        return self.counts.given(j, some[0]) if some else self.counts.probability(j)

    def conditionals(self) -> list[list[Conditional]]:
        return [self.network(self.parent_numbers, [self.conditional(j) for j in range(self.counts.columns)])]

    def dependences(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {column: tuple(columns[p] for p in self.parent_numbers[j]) for j, column in enumerate(columns)}

    def _logs(self, j: int) -> Floats:
        some, single = self.parent_numbers[j], self.single_logs[j]
        if not some:
            return single
        said = np.where(self.counts.met[j][:, None], logs(self.conditional(j)), 0.0)
        return np.where(self.counts.met[some[0]][:, None, None], said, single)

    def _lookup(self, j: int, some: Sequence[int], start: int) -> list[int]:
        """Where the table starts, how far apart its levels lie, and of which columns these are."""
        columns, steps, step = [j], [1], int(self.counts.layout.sizes[j])
        for p in reversed(some):
            columns.append(p)
            steps.append(step)
            step *= int(self.counts.layout.sizes[p])
        lacking = 3 - len(columns)
        return [start, *steps, *[0] * lacking, *columns, *[j] * lacking]

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        kernels.add_network(np.ascontiguousarray(cells), self.counts.layout.sizes, self.lookups, self.table, scores)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """What each column says given its parents."""
        for row in cells:
            at = self.lookups[:, 0] + (self.lookups[:, 1:4] * row[self.lookups[:, 4:]].astype(np.int64)).sum(axis=1)
            said = self.table[at] if row.any() else np.zeros((len(at), self.counts.width))
            yield [Part(self._told(j, row), 1.0, said[j]) for j in range(len(at))]

    def _told(self, j: int, row: Bytes) -> str:
        given = [p for p in self.parent_numbers[j] if self.counts.met[p][row[p]]]
        told = ", ".join(self.level(p, int(row[p])) for p in given)
        return self.level(j, int(row[j])) + (f" given {told}" if given else "")

    def estimates(self) -> dict[str, Floats]:
        return {name: values for _, name, values, _ in self._cells()}

    def _cells(self) -> Iterator[tuple[str, str, Floats, Floats]]:
        """Of every level that was met, with every level of its parents: what is given, the whole name, the probability
        and what speaks for it, counts and pseudo-counts."""
        for j, some in enumerate(self.parent_numbers):
            probability, worth = self.conditional(j), self._worth(j)
            met = [self.counts.met[p] for p in (*some, j)]
            for codes in np.argwhere(np.multiply.outer(*met) if some else met[0]).tolist():
                given = ", ".join(self.level(p, code) for p, code in zip(some, codes, strict=False))
                name = self.level(j, codes[-1]) + (f" | {given}" if given else "")
                at = tuple(codes)
                yield f"{self.family.columns[j]} | {given}", name, probability[at], probability[at] * worth[at[:-1]]

    def _worth(self, j: int) -> Floats:
        """How many rows, and pseudo-counts, each distribution of a column rests on: [parents' levels …, class]."""
        some, s = self.parent_numbers[j], self.counts.smoothing
        own = self.counts.each[j] * self.counts.levels[j] + s.shared
        if not some:
            return np.asarray(self.counts.wholes[j] + own)
        read = self.counts.pair(some[0], j)[:, int(s.ignored) :].sum(axis=1)
        return np.asarray(read + (s.m if s.m > 0 else own))

    def posterior(self, index: int) -> Posterior:
        groups: dict[str, dict[str, float]] = {}
        for group, name, _, worth in self._cells():
            groups.setdefault(group, {})[name] = float(worth[index])
        return TablePosterior(tuple(Dirichlet(levels) for levels in groups.values()))

    def free(self) -> Free:
        levels = np.maximum(self.counts.levels, 1)
        each = [(levels[j] - 1) * np.prod(levels[some], dtype=np.int64) for j, some in enumerate(self.parent_numbers)]
        return Free(int(sum(each)), outcomes=self._outcomes())

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        return drawn_cells(random, self.family, self.draw_codes(random, classes))

    def draw_codes(self, random: np.random.Generator, classes: NDArray[np.intp]) -> Bytes:
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


class AveragedBelief(CodedBelief):
    """What every level says given every other, [parent's level, level, class], levels numbered through all columns.
    Each column that is counted in pairs is in turn the parent of all others, and the likelihoods are averaged."""

    def __init__(self, family: Any, counts: PairCounts) -> None:
        super().__init__(family, counts)
        layout = counts.layout
        self.starts = layout.singles
        self.alone = np.ascontiguousarray(np.concatenate(self.single_logs))
        self.table = np.tile(self.alone, (len(self.alone), 1, 1))
        for i, j in zip(layout.first.tolist(), layout.second.tolist(), strict=True):
            for child, parent in ((i, j), (j, i)):
                said = np.where(counts.met[child][:, None], logs(counts.given(child, parent)), 0.0)
                self.table[self._span(parent), self._span(child)] = said
        self.met = np.concatenate([met & layout.is_paired[j] for j, met in enumerate(counts.met)]).astype(np.uint8)

    def _span(self, j: int) -> slice:
        start = int(self.starts[j])
        return slice(start, start + int(self.counts.layout.sizes[j]))

    def drawing(self) -> list[str]:
        parents = int(self.counts.layout.is_paired.sum())
        return [f"each of {parents} columns in turn is the parent of all others"] if parents else []

    def conditionals(self) -> list[list[Conditional]]:
        """A star for every parent; where there is none, all columns by themselves."""
        pairs, each = self.counts.layout.pairs, range(self.counts.columns)
        stars = [[[p] if pairs[j, p] >= 0 else [] for j in each] for p in each if self.counts.layout.is_paired[p]]
        return [
            self.network(
                star, [self.counts.given(j, s[0]) if s else self.counts.probability(j) for j, s in enumerate(star)]
            )
            for star in stars or [[[] for _ in each]]
        ]

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        cells, sizes = np.ascontiguousarray(cells), self.counts.layout.sizes
        kernels.add_averaged(cells, sizes, self.starts, self.table, self.met, self.alone, scores)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """What each column says given each of the others, averaged as these count; what is left over by averaging is
        shared by all columns."""
        for row in cells:
            at = self.starts + row
            parents = at[self.met[at] > 0]
            said = self.table[parents][:, at] if len(parents) else self.alone[at][None]
            total = said.sum(axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.exp(total - np.logaddexp.reduce(total, axis=0))
                parted = np.where(share[:, None] > 0, share[:, None] * said, 0.0).sum(axis=0)
                whole = np.logaddexp.reduce(total, axis=0) - np.log(len(total))
                parted = parted + (whole - parted.sum(axis=0)) / len(at)
            parted = np.where(np.isneginf(whole), -np.inf, parted) if row.any() else np.zeros_like(parted)
            yield [Part(self.level(j, int(code)), 1.0, parted[j]) for j, code in enumerate(row)]

    def estimates(self) -> dict[str, Floats]:
        """Of every column by itself: those of all pairs would be too many to read."""
        found = {}
        for j, met in enumerate(self.counts.met):
            probability = self.counts.probability(j)
            found.update({self.level(j, code): probability[code] for code in np.flatnonzero(met).tolist()})
        return found

    def posterior(self, index: int) -> Posterior:
        return NetworkBelief(self.family, self.counts, [[] for _ in range(self.counts.columns)]).posterior(index)

    def free(self) -> Free:
        """Of the pairs that are counted."""
        layout, levels = self.counts.layout, np.maximum(self.counts.levels, 1) - 1
        return Free(int(levels.sum() + (levels[layout.first] * levels[layout.second]).sum()), outcomes=self._outcomes())

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """First a parent, then what it makes of all others."""
        columns = self.counts.columns
        parents = np.flatnonzero(self.counts.layout.is_paired)
        some = random.choice(parents, len(classes)) if len(parents) else np.full(len(classes), -1)
        codes = np.zeros((len(classes), columns), np.uint8)
        for p in np.unique(some).tolist():
            rows = np.flatnonzero(some == p)
            given = [[p] if p >= 0 and self.counts.layout.pairs[j, p] >= 0 else [] for j in range(columns)]
            codes[rows] = NetworkBelief(self.family, self.counts, given).draw_codes(random, classes[rows])
        return drawn_cells(random, self.family, codes)
