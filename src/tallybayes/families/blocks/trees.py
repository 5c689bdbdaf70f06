"""A forest that is counts: trees ask yes/no questions of a row, and count the classes of rows in the same leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.packing import Arrays
from tallybayes.counts.slots import positions
from tallybayes.counts.sums import concatenated
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells
from tallybayes.families.base import Belief, Family
from tallybayes.families.blocks.coded import CodedBlock
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.growing import GUIDED, RANDOM, grow
from tallybayes.families.blocks.questions import Filed, Questions, as_questions
from tallybayes.families.blocks.trees_belief import PARTS, TreesBelief, TreesLeftOut, left_out_parts
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import setting

FEW = 4  # rows that have less than one of so many leaves are counted by those they have
LEAF = 8  # bytes of a count


@dataclass(frozen=True, kw_only=True, repr=False)
class Trees(CodedBlock):
    """Several columns, of which `n` trees ask yes/no questions: whether a number is at most v, or a level one of some.
    The rows that give the same answers end in the same leaf, and their classes are counted there.

    P(class) in a leaf is smoothed by what is counted on the way down: in each node the node above counts as `m` rows.
    All trees together say the mean of this. Where evidence is weighed, the mean of the logarithms as well, for each
    kind of tree by itself.

    Questions are found on a sample of rows, before these are counted: with `questions="guided"` those that part the
    classes, by half of the trees the best, by the others the best of some that are drawn; with "random" whatever
    `seed` has, so that no label shapes them. They are part of the schema, and stay when rows are forgotten: the counts
    forget, and a schema that is prepared again forgets what the rows helped to choose.

    >>> from tallybayes import Model
    >>> rows = {"a": [0, 0, 1, 1] * 20, "b": [0, 1, 0, 1] * 20}
    >>> model = Model.train({("a", "b"): Trees(n=10)}, rows, ["same", "other", "other", "same"] * 20)
    >>> model.posterior({"a": [1], "b": [1]}).round(2)
    array([[0.01, 0.99]])
    """

    least: ClassVar[int] = 2
    n: int = setting(200, "how many trees", least=1, most=10_000, counting=True)
    questions: str = setting(
        GUIDED,
        '"guided": questions that part the classes of a sample of rows; "random": such as `seed` has, whatever the '
        "classes",
        choices=(GUIDED, RANDOM),
        counting=True,
    )
    seed: int = setting(0, "of what is drawn", least=0, most=2**62, counting=True)
    m: float = setting(0.5, "how many rows the node above counts as", above=0)
    grown: Any = setting(
        None,
        "the questions, once they are found",
        check=as_questions,
        counting=True,
        to_json=lambda value: None if value is None else value.to_json(),
    )

    @property
    def is_prepared(self) -> bool:
        return self.codes is not None and self.grown is not None

    @property
    def looks_at_labels(self) -> bool:
        return self.questions == GUIDED

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        if self.is_prepared:
            return self
        coded = super().prepared(cells, rows)
        assert coded.codes is not None
        found = grow(coded.coder.encode(cells), rows, coded.codes, n=self.n, questions=self.questions, seed=self.seed)
        return replace(coded, grown=found).over(self.columns)

    @property
    def brief(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        """Questions are no text: trees that are made again from this find theirs again."""
        return self.shown(("codes", "grown"))

    def difference(self, other: Family) -> str:
        theirs = getattr(other, "grown", None)
        if self.grown == theirs or super().difference(other):
            return super().difference(other)
        return (
            f" The questions differ: {self.grown!r} and {theirs!r}. Models to be merged are trained with one schema, "
            "prepared once: prepare(schema, rows, labels)."
        )

    def arrays(self) -> Arrays:
        return self.grown.arrays() if isinstance(self.grown, Questions) else {}

    def with_arrays(self, prefix: str, arrays: Arrays) -> Self:
        if not isinstance(self.grown, Filed):
            return self
        found = self.grown.found(prefix, arrays)
        if len(found.ranks) != len(self.columns):
            raise ValueError("its questions are about other columns")
        return replace(self, grown=found).over(self.columns)

    def encode(self, cells: Cells) -> Bytes:
        return self._asked.ranked(self.coder.encode(cells))

    def missing(self, cells: Any) -> Any:
        return np.zeros(len(cells), bool)  # that all are missing is an answer, too

    @property
    def _asked(self) -> Questions:
        if not isinstance(self.grown, Questions):
            raise ValueError(
                "Trees() has no questions yet. Model.train finds them on a frame or a source; for a stream, find them "
                "with prepare(schema, some_rows, labels)."
            )
        return self.grown

    def table_size(self, classes: int) -> int:
        return LEAF * self._leaves * classes

    def empty(self) -> Tally:
        return Tally.empty(("n",))

    def tally(self, cells: Bytes, rows: Rows) -> Tally:
        asked = self._asked
        if len(cells) * len(asked) * FEW < asked.leaves:
            return self._few(cells, rows)
        sizes = np.diff([*asked.first_leaves.tolist(), asked.leaves]).tolist()
        counted = [rows.count(asked.forest.find(cells, tree), size) for tree, size in enumerate(sizes)]
        return Tally(rows.classes, positions(asked.leaves), {"n": concatenated(counted)})

    def _few(self, cells: Bytes, rows: Rows) -> Tally:
        """Of a few rows, those leaves that they have."""
        trees = len(self._asked)
        met, at = np.unique(self._asked.forest.find_all(cells), return_inverse=True)
        weights = None if rows.weights is None else np.repeat(rows.weights, trees)
        spread = Rows(rows.classes, np.repeat(rows.codes, trees), weights)
        return Tally(rows.classes, met.tolist(), {"n": spread.count(at.reshape(-1).astype(np.int32), len(met))})

    def counts_of(self, tally: Tally, classes: Sequence[Key]) -> Floats:
        """How many rows of each class every leaf has."""
        return np.ascontiguousarray(tally.read(positions(self._asked.leaves), classes)["n"].round())

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return TreesBelief(self, self._asked, self.counts_of(tally, classes))

    @property
    def parts(self) -> tuple[str, ...]:
        if not isinstance(self.grown, Questions):
            return ()
        return tuple(f"{kind} {part}" for kind in self.grown.kinds for part in PARTS)

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        return TreesLeftOut(self, self._asked, self.counts_of(tally, classes))

    def left_out_parts(self, tally: Tally, classes: Sequence[Key], cells: Bytes, rows: Rows) -> Floats:
        return left_out_parts(self, self._asked, self.counts_of(tally, classes), cells, rows)

    def takes(self, slots: Sequence[Any]) -> bool:
        return all(isinstance(slot, int) and 0 <= slot < self._leaves for slot in slots)

    @property
    def _leaves(self) -> int:
        return self.grown.leaves if isinstance(self.grown, Questions) else 0

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        """Every tree counts every row."""
        slots = range(self.grown.first_size if isinstance(self.grown, Questions) else 0)
        if tally.slots_are_positions and tally.classes == list(classes):
            return tally.sums["n"][: len(slots)].sum(axis=0)
        return tally.aligned(slots, classes).sums["n"].sum(axis=0)

    def discord(self, tally: Tally, classes: Sequence[Key]) -> str | None:
        sums = tally.aligned(positions(self._leaves), classes).sums["n"]
        if not sums.limbs.size:
            return None
        each = Exact(np.add.reduceat(sums.limbs, self._asked.first_leaves, axis=0), sums.low).carried()
        rest = each - Exact(np.repeat(each.limbs[:1], len(each), axis=0), each.low)
        trace = 4 * TRACE * (1.0 + each.round())
        if (rest.is_below(trace) | (-rest).is_below(trace)).any():
            return "one tree would have counted other rows than another"
        return None
