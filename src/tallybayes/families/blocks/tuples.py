"""Columns that depend on one another: counted in pairs and triples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tallybayes.families.base import Belief
from tallybayes.families.blocks.averaged_belief import AveragedByTwoBelief
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.blocks.pairs import Pairs
from tallybayes.families.settings import setting


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
