"""Columns that depend on one another: counted in pairs or triples, and scored as a Bayesian network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.exact import Exact
from tallybayes.counts.slots import positions
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, columns_of
from tallybayes.families.base import Belief
from tallybayes.families.blocks.averaged_belief import AveragedBelief, AveragedByTwoBelief
from tallybayes.families.blocks.block import CodedBlock, as_names
from tallybayes.families.blocks.coding import MOST, Bytes, Code, code_count, is_numeric
from tallybayes.families.blocks.network_belief import NetworkBelief
from tallybayes.families.blocks.networks import (
    AUTO,
    AVERAGED,
    CANDIDATES,
    DEPENDENT,
    TREE,
    Parents,
    Structure,
    as_structure,
    found_parents,
    given_parents,
    least_loss,
)
from tallybayes.families.blocks.pair_counts import PairCounts, Smoothing
from tallybayes.families.blocks.pair_layout import PairLayout
from tallybayes.families.blocks.pairs_left_out import PairsLeftOut
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import refused, setting
from tallybayes.families.smoothing import LAPLACE, Alpha, MEstimate, alpha_from_json, alpha_to_json, as_alpha

MOST_POSITIONS = 3_000_000  # of columns and their combinations: each has a name of some 150 bytes …
MOST_CELLS = 25_000_000  # … times classes

LEVEL, IGNORED = "level", "ignored"
FEW_ROWS = 1000  # with fewer than this, numbers get fewer intervals


def as_own_alpha(family: Any, name: str, given: Any) -> Alpha:
    """Pseudo-counts for the levels of every column, not by level."""
    alpha = as_alpha(family, name, given)
    if isinstance(alpha, float) or (isinstance(alpha, MEstimate) and isinstance(alpha.p, str)):
        return alpha
    raise refused(family, name, given, "a number of at least 0, or MEstimate(m) or MEstimate(m, 'overall')")


@dataclass(frozen=True, kw_only=True, repr=False)
class Pairs(CodedBlock):
    """Several numeric or categorical columns that depend on one another, counted in pairs.

    Numbers are counted by intervals, and a missing cell as a level of its own. What the counts mean can be changed
    later: `structure` is "naive" (columns are independent), "tree" (each depends on one other: tree-augmented naive
    Bayes), "k-dependence" (each depends on at most one that says more about the class: KDB), "averaged" (all depend on
    each in turn: AODE), your own network, `{"wind": "outlook"}`, or "auto": the one with the lowest left-out loss once
    `weigh` has chosen it, until then "averaged".

    `alpha` is the pseudo-count of each level. P(level | class, parent) is shrunk towards P(level | class) with the
    weight of `m` rows; with `m=0` it has pseudo-counts instead. An unseen level is no evidence.

    >>> from tallybayes import Model
    >>> rows = {"wind": ["weak", "weak", "strong", "strong"], "sea": ["calm", "calm", "rough", "rough"]}
    >>> model = Model.train({("sea", "wind"): Pairs(structure="tree")}, rows, ["sail", "stay", "stay", "stay"])
    >>> model.belief("wind").parents
    {'wind': 'sea'}
    """

    most_averaged: ClassVar[int] = 60  # columns: the time that averaging takes grows with their square
    structure: Structure = setting(
        AUTO,
        '"naive", "tree", "k-dependence", "averaged", "auto", or a parent for each column that has one, `{"wind": '
        '"outlook"}`',
        check=as_structure,
        last=True,
    )
    chosen: str | None = setting(
        None, 'for structure="auto": the one with the lowest left-out loss; None: "averaged"', choices=CANDIDATES
    )
    m: float = setting(
        5.0, "how many rows P(level | class) counts as when P(level | class, parent) is shrunk towards it", least=0
    )
    alpha: Alpha = setting(
        LAPLACE,
        "pseudo-counts of every level, or `MEstimate(m, p)` with p `uniform` or `overall`",
        check=as_own_alpha,
        to_json=alpha_to_json,
        from_json=alpha_from_json,
    )
    missing_cells: str = setting(
        LEVEL, '"level": a missing cell is evidence; "ignored": it is not', choices=(LEVEL, IGNORED)
    )
    alone: Collection[str] = setting(
        (), "columns that are counted separately, not in pairs", check=as_names, counting=True
    )
    why_alone: str = field(default="", init=False, compare=False)  # why some columns are counted alone

    def intervals(self, rows: float) -> int:
        return 5 if rows < FEW_ROWS else 10

    def over(self, columns: tuple[str, ...]) -> Self:
        found = super().over(columns)
        for name in self.alone:
            if name not in columns:
                raise refused(self, "alone", self.alone, f"some of {', '.join(map(repr, columns))}")
        paired, kind = len(columns) - len(self.alone), type(self).__name__
        if self.structure == AVERAGED and not found._can_average:
            raise ValueError(
                f"{kind}(structure='averaged') averages over at most {self.most_averaged} columns, not {paired}: it "
                "would take long. Use 'tree' or 'k-dependence', or several blocks."
            )
        if not isinstance(self.structure, str):
            given_parents(self.structure, columns, self.alone, self.others)
        if found.codes is not None and found.layout.size > MOST_POSITIONS:
            raise ValueError(
                f"{kind} of these {paired} columns would be counted in {found.layout.size:,} positions, more than "
                f"{MOST_POSITIONS:,}. Name columns of many levels in alone=(…): {columns[_widest(found.layout)]!r} has "
                "most."
            )
        return found

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        """Columns with too many levels, and those with the most codes if all pairs would be too many, are counted
        alone."""
        if self.codes is not None:
            return self
        parts = columns_of(cells)
        codes = tuple(self._chosen(part, rows.weights) for part in parts)
        reasons = self._left_alone(parts, codes, len(rows.classes))
        found = replace(self, codes=codes, alone=tuple(reasons)).over(self.columns)
        object.__setattr__(found, "why_alone", "; ".join(f"{name!r} alone: {why}" for name, why in reasons.items()))
        return found

    def _left_alone(self, cells: Sequence[pa.Array], codes: Sequence[Code], classes: int) -> dict[str, str]:
        """The columns to be counted alone, each with the reason."""
        reasons = dict.fromkeys(self.alone, "as given")
        for column, part, code in zip(self.columns, cells, codes, strict=True):
            if code is not None and not is_numeric(code) and len(code) == MOST:
                levels = pc.count_distinct(part).as_py()
                if levels > MOST:
                    reasons[column] = f"{levels:,} levels in {len(part):,} rows, more than {MOST}"
        sizes = [code_count(code) for code in codes]
        while True:
            layout = self._layout(sizes, [self.columns.index(name) for name in reasons])
            if layout.size <= MOST_POSITIONS and layout.size * classes <= MOST_CELLS:
                return reasons
            at = _widest(layout)
            reasons[self.columns[at]] = f"{sizes[at]:,} codes, and all columns together would be too many"

    @property
    def reason(self) -> str:
        return self.why_alone

    @property
    def others(self) -> int:
        """How many other columns each is counted with."""
        return 1

    def _layout(self, sizes: Sequence[int], alone: Collection[int]) -> PairLayout:
        return PairLayout(sizes, alone, threes=self.others > 1)

    @cached_property
    def layout(self) -> PairLayout:
        sizes = [code_count(code) for code in self.codes or [None] * len(self.columns)]
        return self._layout(sizes, [self.columns.index(name) for name in self.alone])

    def table_size(self, classes: int) -> int:
        return 8 * self.layout.size * classes

    def tally(self, cells: Bytes, rows: Rows) -> Tally:
        return self.layout.tally(cells, rows)

    @property
    def _can_average(self) -> bool:
        return len(self.columns) - len(self.alone) <= self.most_averaged

    @property
    def _candidates(self) -> tuple[str, ...]:
        """The structures to try; "averaged" only if there are not too many columns."""
        return CANDIDATES if self._can_average else CANDIDATES[:-1]

    @property
    def reading(self) -> Structure:
        """The structure used for scoring."""
        if self.structure != AUTO:
            return self.structure
        usual = AVERAGED if self._can_average else TREE
        return self.chosen if self.chosen in self._candidates else usual

    def counted(self, tally: Tally, classes: Sequence[Key]) -> PairCounts:
        n = tally.read(positions(self.layout.size), classes)["n"].round()
        return PairCounts(self.layout, n, Smoothing.of(self.alpha, self.m, self.missing_cells == IGNORED))

    def parents(self, counts: PairCounts) -> Parents | None:
        """The parents of every column; None if all depend on each in turn."""
        reading = self.reading
        if reading == AVERAGED:
            return None
        if isinstance(reading, str):
            return found_parents(reading, counts, self.others)
        return given_parents(reading, self.columns, self.alone, self.others)

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        counts = self.counted(tally, classes)
        parents = self.parents(counts)
        return self.averaged(counts) if parents is None else NetworkBelief(self, counts, parents)

    def averaged(self, counts: PairCounts) -> Belief:
        return AveragedBelief(self, counts)

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        counts = self.counted(tally, classes)
        return PairsLeftOut(self, tally, counts, self.parents(counts), classes)

    @property
    def stays(self) -> str | None:
        return "which column depends on which" if self.reading in (TREE, DEPENDENT) else None

    def fit_left_out(self, tally: Tally, cells: Bytes, rows: Rows, classes: Sequence[Key]) -> tuple[Self, None]:
        """For structure="auto", chooses the structure with the lowest left-out loss on these rows."""
        if self.structure != AUTO:
            return self, None
        names = self._candidates
        ways = {name: replace(self, structure=name).over(self.columns).left_out(tally, classes) for name in names}
        best = least_loss(ways, self.counted(tally, classes).totals, cells, rows, classes)
        return (self if best == self.chosen else replace(self, chosen=best).over(self.columns)), None

    def takes(self, slots: Sequence[Any]) -> bool:
        return all(type(slot) is int and 0 <= slot < self.layout.size for slot in slots)

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        """Every row has one code in the first column, missing or not."""
        counted: Exact = tally.aligned(range(int(self.layout.sizes[0])), classes).sums["n"].sum(axis=0)
        return counted

    def discord(self, tally: Tally, classes: Sequence[Key]) -> str | None:
        return self.layout.discord(self.columns, tally.aligned(positions(self.layout.size), classes).sums["n"])


def _widest(layout: PairLayout) -> int:
    """The paired column with the most codes; the last one on a tie."""
    return max(np.flatnonzero(layout.is_paired).tolist(), key=lambda j: (int(layout.sizes[j]), j))


@dataclass(frozen=True, kw_only=True, repr=False)
class Tuples(Pairs):
    """A few columns that depend on one another, counted in triples, for dependences that pairs cannot express.

    Like `Pairs`, except that "k-dependence" lets a column depend on up to `k` others, and "averaged" makes each pair in
    turn the parents of all others (A2DE), for up to 16 columns. In your own network a column may have two parents,
    `{"wind": ("outlook", "season")}`. P(level | class, both parents) is shrunk towards P(level | class, first parent)
    with the weight of `m` rows; in "averaged" towards the mean of both.

    >>> from tallybayes import Model
    >>> rows = {"a": ["0", "0", "1", "1"] * 50, "b": ["0", "1"] * 100, "c": ["0", "1", "1", "0"] * 50}
    >>> model = Model.train({("a", "b", "c"): Tuples()}, rows, ["even"] * 200)
    >>> odd = Model.train(model.schema, {**rows, "c": ["1", "0", "0", "1"] * 50}, ["odd"] * 200)
    >>> (model + odd).posterior({"a": ["1"], "b": ["1"], "c": ["0"]}).round(2).tolist()
    [[0.95, 0.05]]
    >>> (model + odd).believing(structure="tree").posterior({"a": ["1"], "b": ["1"], "c": ["0"]}).round(2).tolist()
    [[0.5, 0.5]]
    """

    most_averaged: ClassVar[int] = 16
    k: int = setting(2, "how many other columns each is counted with", least=1, most=2, counting=True)

    @property
    def others(self) -> int:
        return self.k

    def averaged(self, counts: PairCounts) -> Belief:
        return super().averaged(counts) if self.k < 2 else AveragedByTwoBelief(self, counts)
