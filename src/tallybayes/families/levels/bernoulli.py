"""Yes or no: a category of two levels that are always known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.exact import Codes, Indices
from tallybayes.counts.row_tally import ONCE, RowTally
from tallybayes.counts.tally import Rows, Tally
from tallybayes.data import frames
from tallybayes.data.cells import Cells, arrow
from tallybayes.data.errors import UnreadableError, quoted
from tallybayes.families.base import Belief
from tallybayes.families.levels.categorical import ABOUT_LEVELS, Categorical, as_levels
from tallybayes.families.portable import ByLevel, Portable
from tallybayes.families.posteriors import Beta, Posterior
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import Smoothed, SmoothedBelief

LEVELS = ("false", "true")
WORDS = {"": np.nan, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


def _both(family: Any, name: str, given: Any) -> tuple[str, ...]:
    if as_levels(family, name, given) != LEVELS:
        raise ValueError(f"Bernoulli(levels={given!r}): the levels are {LEVELS!r}. Use Categorical for others.")
    return LEVELS


@dataclass(frozen=True, kw_only=True, repr=False)
class Bernoulli(Categorical):
    """True or false: booleans, 0 and 1, or those words.

    `alpha` is the Beta prior: one pseudo-count for both, or one for each, `alpha={"true": 2.0, "false": 1.0}`.

    >>> from tallybayes import Model
    >>> model = Model.train({"free": Bernoulli(alpha={1: 1, 0: 3})}, {"free": [1, 1, 0]}, ["spam", "spam", "ham"])
    >>> model.estimates("free")["true"]  # 1 / (1 + 4), (2 + 1) / (2 + 4)
    {'ham': 0.2, 'spam': 0.5}
    """

    levels: Collection[str] = setting(LEVELS, ABOUT_LEVELS, check=_both)

    def level_named(self, text: str) -> str:
        truth = _truth(text)
        if truth not in (0.0, 1.0):
            raise ValueError(f"{text!r} is neither true nor false (1 or 0). Use Categorical for other levels.")
        return LEVELS[int(truth)]

    def encode(self, cells: Cells) -> Codes:
        if type(cells) is list:
            truth = _truth(cells[0]) if cells[0] is None or type(cells[0]) is str else float(cells[0])
            if truth in (0.0, 1.0) or truth != truth:
                return np.array([truth if truth == truth else -1.0], np.int32)
            cells = arrow(cells)
        cells = frames.decoded(cells)
        if frames.is_text(cells.type):
            coded = pc.dictionary_encode(cells)
            read = np.append([_truth(word) for word in coded.dictionary.to_pylist()], np.nan)
            numbers = read[coded.indices.fill_null(len(read) - 1).to_numpy(zero_copy_only=False)]
        else:
            numbers = frames.numbers(cells)
        missing = np.isnan(numbers)
        codes = np.where(missing, -1.0, numbers)
        bad = np.flatnonzero((codes != 0) & (codes != 1) & ~missing)
        if bad.size:
            row = int(bad[0])
            found = quoted(cells[row].as_py())
            raise UnreadableError(row, f"{found} is neither true nor false (1 or 0). Use Categorical for other values.")
        return codes.astype(np.int32)

    def takes(self, slots: Sequence[object]) -> bool:
        return set(slots) <= set(LEVELS)

    def tally(self, cells: Codes, rows: Rows) -> Tally:
        if rows.only is not None and (code := cells.item(0)) >= 0:
            return RowTally((LEVELS[code], rows.only, *ONCE))
        return Tally(rows.numbers, LEVELS, {"n": rows.count(cells, 2)})

    def scorer(self, levels: list[str], known: Smoothed) -> Belief:
        return BernoulliBelief(known)

    def coder(self, levels: list[str]) -> Callable[[Any], Codes]:
        return lambda cells: cells


def _truth(word: str | None) -> float:
    """1 for true, 0 for false, NaN for nothing, 2 for anything else."""
    found = WORDS.get((word or "").strip().lower())
    if found is not None:
        return found
    try:
        return float(word or "nan")
    except ValueError:
        return 2.0


class BernoulliBelief(SmoothedBelief):
    def __init__(self, known: Smoothed) -> None:
        super().__init__(known)
        self.levels = list(LEVELS)

    def portable(self) -> Portable:
        return ByLevel(self.levels, self.table, truth=True)

    def posterior(self, index: int) -> Posterior:
        misses, hits = self.raised[:, index].tolist()
        return Beta("true", hits, misses)

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        return self.draw_codes(random, classes).cast(pa.bool_())
