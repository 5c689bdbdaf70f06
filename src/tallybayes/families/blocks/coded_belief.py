"""The base of beliefs about coded columns, whatever these depend on; and cells drawn at random from their codes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.families.belief import MANY_PARTS, Belief, Unseen, WordWeight, heaviest, log_odds
from tallybayes.families.blocks.coding import MISSING, OTHER, Bytes, Code, code_state, code_text, is_numeric
from tallybayes.families.blocks.networks import conditional_information
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.events import Conditional, PairInformation

ELSE = "(other)"  # any level that is not named


def logs(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability))


class CodedBelief(Belief):
    """Columns, and the evidence of each by itself."""

    has_parts = parts_are_columns = True
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

    def unseen(self, cells: Bytes) -> Unseen:
        """An unseen level or an empty interval is as improbable as those seen once were."""
        log_new = np.zeros(len(cells))
        for j, met in enumerate(self.counts.met):
            n = self.counts.single(j).sum(axis=1)[OTHER:]  # without missing cells
            new = ~met[cells[:, j]] & (cells[:, j] != MISSING)
            log_new[new] += np.log(((n == 1.0).sum() + 1.0) / (n.sum() + 2.0))
        return Unseen(np.zeros(len(cells)), log_new)

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


def draw_codes(random: np.random.Generator, shares: Floats, met: Any) -> Bytes:
    """A code for every row of shares, among those that were seen. No cell is drawn as missing, unless all were."""
    there = met & (np.arange(len(met)) != MISSING)
    shares = np.where(there, shares, 0.0)
    ends = np.cumsum(shares, axis=1)
    at = (random.random(len(shares))[:, None] * ends[:, -1:] >= ends).sum(axis=1)
    last = len(met) - 1 - np.argmax(there[::-1])
    return np.where(ends[:, -1] > 0, np.minimum(at, last), MISSING).astype(np.uint8)


def drawn_cells(random: np.random.Generator, family: Any, codes: Bytes) -> pa.Array:
    """A record for every row."""
    cells = [_cells(random, code, codes[:, j]) for j, code in enumerate(family.codes)]
    return cells[0] if len(cells) == 1 else pa.StructArray.from_arrays(cells, names=list(family.columns))


def _cells(random: np.random.Generator, code: Code, codes: Bytes) -> pa.Array:
    missing = codes == MISSING
    if not is_numeric(code):
        texts = np.array(["", ELSE, *(code or ())], object)
        return pa.array(texts[np.minimum(codes, len(texts) - 1)], pa.string(), mask=missing)
    edges = np.array(code, np.float64)
    wide = float(np.ptp(edges)) / max(len(edges) - 1, 1) or max(abs(edges[0]), 1.0)
    low, high = np.append(edges[0] - wide, edges), np.append(edges, edges[-1] + wide)
    at = np.maximum(codes.astype(np.intp) - OTHER, 0)
    between = 1.0 - random.random(len(codes))  # an interval includes its upper edge, not its lower one
    return pa.array(np.where(missing, np.nan, low[at] + between * (high - low)[at]), from_pandas=True)
