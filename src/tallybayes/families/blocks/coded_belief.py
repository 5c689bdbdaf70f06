"""The base of beliefs about coded columns, whatever these depend on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.base import MANY_PARTS, Belief, WordWeight, heaviest, log_odds
from tallybayes.families.blocks.coding import code_state, code_text
from tallybayes.families.blocks.networks import conditional_information
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.events import Conditional, PairInformation


def logs(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability))


class CodedBelief(Belief):
    """Columns, and the evidence of each by itself."""

    has_parts = True
    bound = MANY_PARTS

    def __init__(self, family: Any, counts: PairCounts) -> None:
        self.family, self.counts = family, counts

    def level(self, j: int, code: int) -> str:
        """A level of a column as text."""
        return f"{self.family.columns[j]} = {code_text(self.family.codes[j], code)}"

    @cached_property
    def single_logs(self) -> list[Floats]:
        """log P(level | class) of every column, and 0 for unseen levels."""
        return [self.met_logs(j, self.counts.probability(j)) for j in range(self.counts.columns)]

    def met_logs(self, j: int, probability: Floats) -> Floats:
        """log P(level of j | …), […, level, class], and 0 for unseen levels."""
        return np.where(self.counts.met[j][:, None], logs(probability), 0.0)

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        met = [(j, code) for j, met in enumerate(self.counts.met) for code in np.flatnonzero(met).tolist()]
        words = [self.level(j, code) for j, code in met]
        n = np.array([self.counts.single(j)[code, index] for j, code in met])
        rows = np.array([self.single_logs[j][code] for j, code in met]).reshape(-1, self.counts.width)
        return heaviest(words, n, log_odds(rows, index, prior), top)

    def tables(self, parents: Sequence[Sequence[int]], tables: Sequence[Floats]) -> list[Conditional]:
        """From tables over all codes to tables over those that were seen."""
        found = []
        for j, (some, table) in enumerate(zip(parents, tables, strict=True)):
            met = [np.flatnonzero(self.counts.met[p]) for p in (*some, j)]
            states = [code_state(self.family.codes[j], code) for code in met[-1].tolist()]
            found.append(Conditional(j, states, tuple(some), table[np.ix_(*met)]))
        return found

    def pair_information(self, columns: Sequence[str]) -> list[PairInformation]:
        known, found = conditional_information(self.counts), []
        first = int(self.counts.smoothing.ignored)  # skips the code of missing cells if they are ignored
        for i, j in zip(self.counts.layout.first.tolist(), self.counts.layout.second.tolist(), strict=True):
            table = self.counts.pair(i, j)[first:, first:]
            levels = [np.maximum(table.any(axis=axis).sum(axis=0) - 1, 0) for axis in (1, 0)]
            g = max(2.0 * float(table.sum()) * float(known[i, j]), 0.0)
            freedom = int((levels[0] * levels[1]).sum())
            found.append(PairInformation(columns[i], columns[j], float(known[i, j]), g, freedom))
        return found

    def outcomes(self) -> int:
        """The number of possible rows."""
        return int(np.prod([max(int(n), 1) for n in self.counts.levels], dtype=object))
