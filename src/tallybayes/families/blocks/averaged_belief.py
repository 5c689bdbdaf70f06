"""Averaged dependence estimators: each column, or each pair, is in turn the parent of all others (AODE, A2DE)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Indices
from tallybayes.families.belief import Free, Part
from tallybayes.families.blocks.coded_belief import CodedBelief, drawn_cells
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.network_belief import NetworkBelief
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.events import Conditional
from tallybayes.families.posteriors import Posterior


def met_parents(counts: PairCounts) -> Bytes:
    """Which levels, numbered across all columns, a parent can have."""
    met = [met & counts.layout.is_paired[j] for j, met in enumerate(counts.met)]
    return np.concatenate(met).astype(np.uint8)


def shared_out(evidence: Floats) -> Floats:
    """The evidence of each column, [column, class], from evidence[network, column, class]: averaged with the networks'
    weights. The remainder is shared by all columns."""
    total = evidence.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = np.logaddexp.reduce(total, axis=0)
        share = np.exp(total - whole)[:, None]
        parted = np.where(share > 0, share * evidence, 0.0).sum(axis=0)
        left = whole - np.log(len(total)) - parted.sum(axis=0)
        return np.where(np.isneginf(whole), -np.inf, parted + left / evidence.shape[1])


class MeanBelief(CodedBelief):
    """The mean of several networks, in each of which all columns have the same parents."""

    def network(self, parents: Sequence[int]) -> NetworkBelief:
        """The network in which these are the parents of all columns counted with them; the second depends on the
        first."""
        pairs, some = self.counts.layout.pairs, list(parents)
        given = [some[: some.index(j)] if j in some else some for j in range(self.counts.columns)]
        known = [few if all(pairs[j, p] >= 0 for p in few) else [] for j, few in enumerate(given)]
        return NetworkBelief(self.family, self.counts, known, even=True)

    def groups(self) -> list[tuple[int, ...]]:
        """The parents of each network."""
        raise NotImplementedError

    def conditionals(self) -> list[list[Conditional]]:
        """A network for every group of parents; without any, all columns are independent."""
        return [tables for group in self.groups() or [()] for tables in self.network(group).conditionals()]

    def estimates(self) -> dict[str, Floats]:
        """The estimates of each column by itself; those of all networks would be too many to read."""
        return self.network(()).estimates()

    def posterior(self, index: int) -> Posterior:
        return self.network(()).posterior(index)

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """Draws the parents first, then all others given them."""
        groups = self.groups() or [()]
        which = random.integers(0, len(groups), len(classes))
        codes = np.zeros((len(classes), self.counts.columns), np.uint8)
        for at in np.unique(which).tolist():
            rows = np.flatnonzero(which == at)
            codes[rows] = self.network(groups[at]).draw_codes(random, classes[rows])
        return drawn_cells(random, self.family, codes)


class AveragedBelief(MeanBelief):
    """log P(level | parent's level, class), [parent's level, level, class], levels numbered across all columns. Each
    column that is counted in pairs is in turn the parent of all others, and the likelihoods are averaged."""

    def __init__(self, family: Any, counts: PairCounts) -> None:
        super().__init__(family, counts)
        layout = counts.layout
        self.starts = layout.singles
        self.alone = np.ascontiguousarray(np.concatenate(self.single_logs))
        self.table = np.tile(self.alone, (len(self.alone), 1, 1))
        for i, j in zip(layout.first.tolist(), layout.second.tolist(), strict=True):
            for child, parent in ((i, j), (j, i)):
                evidence = self.met_logs(child, counts.given(child, parent))
                self.table[self._span(parent), self._span(child)] = evidence
        self.met = met_parents(counts)

    def _span(self, j: int) -> slice:
        start = int(self.starts[j])
        return slice(start, start + int(self.counts.layout.sizes[j]))

    def groups(self) -> list[tuple[int, ...]]:
        return [(p,) for p in np.flatnonzero(self.counts.layout.is_paired).tolist()]

    def drawing(self) -> list[str]:
        parents = len(self.groups())
        return [f"each of {parents} columns in turn is the parent of all others"] if parents else []

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        cells, sizes = np.ascontiguousarray(cells), self.counts.layout.sizes
        kernels.add_averaged(cells, sizes, self.starts, self.table, self.met, self.alone, scores)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """The evidence of each column given each of the others."""
        for row in cells:
            at = self.starts + row
            parents = at[self.met[at] > 0]
            evidence = self.table[parents][:, at] if len(parents) else self.alone[at][None]
            parted = shared_out(evidence) if row.any() else np.zeros(evidence.shape[1:])
            yield [Part(self.level(j, int(code)), 1.0, parted[j]) for j, code in enumerate(row)]

    def free(self) -> Free:
        """The parameters of the pairs that are counted."""
        layout, levels = self.counts.layout, np.maximum(self.counts.levels, 1) - 1
        return Free(int(levels.sum() + (levels[layout.first] * levels[layout.second]).sum()), outcomes=self.outcomes())


class AveragedByTwoBelief(MeanBelief):
    """The tables of all networks in which two columns are the parents of all others, and of the one without any."""

    def __init__(self, family: Any, counts: PairCounts) -> None:
        super().__init__(family, counts)
        every = [self.network(parents) for parents in [*self.groups(), ()]]
        starts = np.cumsum([0, *(len(one.table) for one in every)])
        self.table = np.ascontiguousarray(np.concatenate([one.table for one in every]))
        self.lookups = np.concatenate([one.lookups for one in every])
        self.lookups[:, 0] += np.repeat(starts[:-1], counts.columns)
        self.met, self.pairs = met_parents(counts), np.array(self.groups(), np.int64).reshape(-1, 2)

    def groups(self) -> list[tuple[int, ...]]:
        return list(combinations(np.flatnonzero(self.counts.layout.is_paired).tolist(), 2))

    def drawing(self) -> list[str]:
        parents = int(self.counts.layout.is_paired.sum())
        return [f"every two of {parents} columns in turn are the parents of all others"] if parents else []

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        layout = self.counts.layout
        given = (layout.sizes, layout.singles, self.met, self.pairs, self.lookups, self.table)
        kernels.add_mixture(np.ascontiguousarray(cells), *given, scores)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """The evidence of each column given every two of the others."""
        columns, starts = self.counts.columns, self.counts.layout.singles
        for row in cells:
            at = self.lookups[:, 0] + (self.lookups[:, 1:4] * row[self.lookups[:, 4:]].astype(np.int64)).sum(axis=1)
            evidence = self.table[at].reshape(-1, columns, self.counts.width)
            met = self.met[starts[self.pairs] + row[self.pairs]].all(axis=1)
            networks = evidence[:-1][met] if met.any() else evidence[-1:]
            parted = shared_out(networks) if row.any() else np.zeros(evidence.shape[1:])
            yield [Part(self.level(j, int(code)), 1.0, parted[j]) for j, code in enumerate(row)]

    def free(self) -> Free:
        """The parameters of the pairs and triples that are counted."""
        layout, levels = self.counts.layout, np.maximum(self.counts.levels, 1) - 1
        pairs, threes = levels[layout.first] * levels[layout.second], levels[layout.threes].prod(axis=0)
        return Free(int(levels.sum() + pairs.sum() + threes.sum()), outcomes=self.outcomes())
