"""Columns that depend on one another: every two of them counted together, and read as a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.slots import positions
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells
from tallybayes.data.fingerprints import Marks
from tallybayes.families.base import Belief
from tallybayes.families.blocks.coded import CodedBlock
from tallybayes.families.blocks.coding import MOST, Bytes, code_count, is_numeric
from tallybayes.families.blocks.network_belief import AveragedBelief, NetworkBelief
from tallybayes.families.blocks.networks import NONE
from tallybayes.families.blocks.pair_counts import PairCounts, Smoothing
from tallybayes.families.blocks.pair_layout import PairLayout
from tallybayes.families.blocks.pairs_left_out import PairsLeftOut
from tallybayes.families.blocks.structures import (
    AUTO,
    AVERAGED,
    CANDIDATES,
    DEPENDENT,
    MOST_AVERAGED,
    NAIVE,
    TREE,
    Structure,
    as_structure,
    candidates,
    found_parents,
    given_parents,
    least_loss,
)
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import refused, setting
from tallybayes.families.smoothing import LAPLACE, Alpha, MEstimate, alpha_from_json, alpha_to_json, as_alpha

MOST_POSITIONS = 3_000_000  # of columns and pairs of columns: each is named, and takes some 150 bytes …
MOST_CELLS = 25_000_000  # … and of each in every class
LEVEL, IGNORED = "level", "ignored"
FEW_ROWS = 1000  # of which numbers get fewer intervals


def as_own_alpha(family: Any, name: str, given: Any) -> Alpha:
    """Pseudo-counts for the levels of any column: none of them can be named."""
    alpha = as_alpha(family, name, given)
    if isinstance(alpha, float) or (isinstance(alpha, MEstimate) and isinstance(alpha.p, str)):
        return alpha
    raise refused(family, name, given, "a number of at least 0, or MEstimate(m) or MEstimate(m, 'overall')")


def as_names(family: Any, name: str, given: Any) -> tuple[str, ...]:
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(each, str) for each in names):
        raise refused(family, name, given, "a tuple of columns' names")
    return tuple(sorted(set(names)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Pairs(CodedBlock):
    """Several columns of numbers, levels or both that depend on one another; every two are counted together.

    Numbers are counted by intervals, and a missing cell as a level of its own. What the counts mean can be changed
    later: `structure` is "naive", where columns are independent; "tree", where each depends on one other
    (tree-augmented naive Bayes); "k-dependence", where each depends on at most one that says more about the class;
    "averaged", where all depend on each in turn (AODE); a network of your own, `{"wind": "outlook"}`; or "auto": the
    one that suits left-out rows best, once `weigh` has chosen it, and until then "averaged".

    `alpha` are the pseudo-counts of each level. P(level | class, parent) is drawn towards P(level | class) as `m` more
    rows would draw it; with `m=0` it has pseudo-counts like any other. A level that was never met says nothing.

    >>> from tallybayes import Model
    >>> rows = {"wind": ["weak", "weak", "strong", "strong"], "sea": ["calm", "calm", "rough", "rough"]}
    >>> model = Model.train({("sea", "wind"): Pairs(structure="tree")}, rows, ["sail", "stay", "stay", "stay"])
    >>> model.belief("wind").parents
    {'wind': 'sea'}
    """

    structure: Structure = setting(
        AUTO,
        '"naive", "tree", "k-dependence", "averaged", "auto", or a parent for each column that has one, `{"wind": '
        '"outlook"}`',
        check=as_structure,
        last=True,
    )
    chosen: str | None = setting(
        None, 'for structure="auto": the one that suited left-out rows best; None: "averaged"', choices=CANDIDATES
    )
    m: float = setting(5.0, "how many rows a column's own distribution is worth beside that given its parent", least=0)
    alpha: Alpha = setting(
        LAPLACE,
        "pseudo-counts of every level, or `MEstimate(m, p)` with p `uniform` or `overall`",
        check=as_own_alpha,
        to_json=alpha_to_json,
        from_json=alpha_from_json,
    )
    missing_cells: str = setting(
        LEVEL, '"level": that a cell is missing says something; "ignored": it says nothing', choices=(LEVEL, IGNORED)
    )
    alone: tuple[str, ...] = setting(
        (), "columns that are counted by themselves, in no pair", check=as_names, counting=True
    )
    told: str = field(default="", init=False, compare=False)  # why some columns are alone

    def intervals(self, rows: float) -> int:
        return 5 if rows < FEW_ROWS else 10

    def over(self, columns: tuple[str, ...]) -> Self:
        found = super().over(columns)
        for name in self.alone:
            if name not in columns:
                raise refused(self, "alone", self.alone, f"some of {', '.join(map(repr, columns))}")
        paired = len(columns) - len(self.alone)
        if self.structure == AVERAGED and paired > MOST_AVERAGED:
            raise ValueError(
                f"Pairs(structure='averaged') averages over at most {MOST_AVERAGED} columns, not {paired}: it would "
                "take long. Use 'tree' or 'k-dependence', or several blocks."
            )
        if not isinstance(self.structure, str):
            given_parents(self.structure, columns, self.alone)
        if found.codes is not None and found.layout.size > MOST_POSITIONS:
            widest = found.columns[found._widest(found.layout)]
            raise ValueError(
                f"Pairs of these {paired} columns would be counted in {found.layout.size:,} positions, more than "
                f"{MOST_POSITIONS:,}. Name columns of many levels in alone=(…): {widest!r} has most."
            )
        return found

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        """Columns of too many levels, and those of most codes if pairs of all would be too many, are counted alone."""
        if self.codes is not None:
            return self
        coded = replace(self, structure=NAIVE, alone=())
        object.__setattr__(coded, "columns", self.columns)
        parts = cells.flatten() if pa.types.is_struct(cells.type) else [cells]
        codes = tuple(coded._chosen(part, rows.weights) for part in parts)
        reasons = dict.fromkeys(self.alone, "as given") | self._too_many_levels(cells, codes)
        sizes = [code_count(code) for code in codes]
        while True:
            layout = PairLayout(sizes, [self.columns.index(name) for name in reasons])
            if layout.size <= MOST_POSITIONS and layout.size * len(rows.classes) <= MOST_CELLS:
                break
            widest = self._widest(layout)
            reasons[self.columns[widest]] = f"{sizes[widest]:,} codes, and pairs of all columns would be too many"
        found = replace(self, codes=codes, alone=tuple(reasons)).over(self.columns)
        told = "; ".join(f"{name!r} alone: {why}" for name, why in reasons.items())
        object.__setattr__(found, "told", told)
        return found

    @property
    def reason(self) -> str:
        return self.told

    def _too_many_levels(self, cells: Cells, codes: Sequence[Any]) -> dict[str, str]:
        parts = cells.flatten() if pa.types.is_struct(cells.type) else [cells]
        found = {}
        for column, part, code in zip(self.columns, parts, codes, strict=True):
            if code is not None and not is_numeric(code) and len(code) == MOST:
                levels = pc.count_distinct(part).as_py()
                if levels > MOST:
                    found[column] = f"{levels:,} levels in {len(part):,} rows, more than {MOST}"
        return found

    @staticmethod
    def _widest(layout: PairLayout) -> int:
        """Of the columns that are in pairs, the one of most codes; of equals the last."""
        return max(np.flatnonzero(layout.is_paired).tolist(), key=lambda j: (int(layout.sizes[j]), j))

    @cached_property
    def layout(self) -> PairLayout:
        sizes = [code_count(code) for code in self.codes or [None] * len(self.columns)]
        return PairLayout(sizes, [self.columns.index(name) for name in self.alone])

    def table_size(self, classes: int) -> int:
        return 8 * self.layout.size * classes

    def tally(self, cells: Bytes, rows: Rows) -> Tally:
        return self.layout.tally(cells, rows)

    @property
    def reading(self) -> Structure:
        """The structure that counts are read by."""
        if self.structure != AUTO:
            return self.structure
        usual = AVERAGED if len(self.columns) - len(self.alone) <= MOST_AVERAGED else TREE
        return self.chosen if self.chosen in candidates(len(self.columns) - len(self.alone)) else usual

    def counted(self, tally: Tally, classes: Sequence[Key]) -> PairCounts:
        n = tally.read(positions(self.layout.size), classes)["n"].round()
        return PairCounts(self.layout, n, Smoothing.of(self.alpha, self.m, self.missing_cells == IGNORED))

    def parents(self, counts: PairCounts) -> Any:
        """Of every column its parent's number, or −1; nothing, where all depend on each in turn."""
        reading = self.reading
        if reading == AVERAGED:
            return None
        return found_parents(reading, counts) if isinstance(reading, str) else given_parents(reading, self.columns, ())

    def named(self, parents: Any) -> dict[str, str]:
        """The same network by the names of the columns."""
        return {self.columns[j]: self.columns[p] for j, p in enumerate(parents.tolist()) if p != NONE}

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        counts = self.counted(tally, classes)
        parents = self.parents(counts)
        if parents is None:
            return AveragedBelief(self, counts)
        return NetworkBelief(self, counts, [[p] if p != NONE else [] for p in parents.tolist()])

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        counts = self.counted(tally, classes)
        return PairsLeftOut(self, tally, counts, self.parents(counts), classes)

    @property
    def stays(self) -> str | None:
        return "which column depends on which" if self.reading in (TREE, DEPENDENT) else None

    def fit_left_out(
        self, tally: Tally, cells: Bytes, rows: Rows, classes: Sequence[Key], copies: Marks | None = None
    ) -> tuple[Self, Floats | None]:
        """For structure="auto" with the one that suits these rows, each left out, best."""
        if self.structure != AUTO:
            return self, None
        names = candidates(len(self.columns) - len(self.alone))
        ways = {name: replace(self, structure=name).over(self.columns).left_out(tally, classes) for name in names}
        best = least_loss(ways, self.counted(tally, classes).totals, cells, rows, classes)
        return (self if best == self.chosen else replace(self, chosen=best).over(self.columns)), None

    def takes(self, slots: Sequence[Any]) -> bool:
        return all(type(slot) is int and 0 <= slot < self.layout.size for slot in slots)

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        """A row has one code of the first column, be it that of a missing cell."""
        counted: Exact = tally.aligned(range(int(self.layout.sizes[0])), classes).sums["n"].sum(axis=0)
        return counted

    def discord(self, tally: Tally, classes: Sequence[Key]) -> str | None:
        """All columns have as many cells; and a level of a column is as often there as with all levels of another."""
        n = tally.aligned(positions(self.layout.size), classes).sums["n"]
        singles = [n[a : a + size] for a, size in zip(self.layout.singles, self.layout.sizes, strict=True)]
        rows = singles[0].sum()
        for column, single in zip(self.columns, singles, strict=True):
            if _differ(single.sum(), rows):
                return f"{column!r} would not have as many cells as {self.columns[0]!r}"
        layout = zip(self.layout.first.tolist(), self.layout.second.tolist(), self.layout.starts.tolist(), strict=True)
        for i, j, start in layout:
            shape = (len(singles[i]), len(singles[j]), len(classes), n.limbs.shape[-1])
            both = Exact(n.limbs[start : start + shape[0] * shape[1]].reshape(shape), n.low)
            if _differ(both.sum(axis=1), singles[i]) or _differ(both.sum(axis=0), singles[j]):
                return f"{self.columns[i]!r} and {self.columns[j]!r} would not be there as often as together"
        return None


def _differ(one: Exact, other: Exact) -> bool:
    """By more than decay may have cut off."""
    rest = one - other
    if rest.is_zero().all():
        return False
    trace = 256 * TRACE * (1.0 + np.abs(other.round()))
    return bool((rest.is_below(trace) | (-rest).is_below(trace)).any())
