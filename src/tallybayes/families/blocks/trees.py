"""A forest of counts: trees of yes/no questions, with the class counts of the rows in each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.packing import Arrays
from tallybayes.counts.slots import positions
from tallybayes.counts.sums import concatenated
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells
from tallybayes.families.base import Belief, Family
from tallybayes.families.blocks.block import CodedBlock
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.crossing import are_coded
from tallybayes.families.blocks.growing import GUIDED, RANDOM, grow
from tallybayes.families.blocks.questions import Filed, Questions, as_questions
from tallybayes.families.blocks.trees_belief import PARTS, TreesBelief, left_out_evidence, left_out_parts
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import setting

FEW = 4  # rows that reach less than a quarter of the leaves are counted sparsely
LEAF = 8  # bytes of a count


@dataclass(frozen=True, kw_only=True, repr=False)
class Trees(CodedBlock):
    """A forest over several columns. Each of `n` trees asks yes/no questions: is a number at most v, is a level one of
    a set? Each leaf counts the classes of the rows that reach it.

    P(class) in a leaf is smoothed along its path: in each node, the distribution of the parent counts as `m` rows. The
    forest gives the mean over its trees. If evidence is weighed, the mean of the logarithms is a second part, and each
    kind of tree has its own weights; then `random` more trees, which ask random questions, may add to the others.

    Questions are chosen on a sample of rows before anything is counted. With `questions="guided"` they separate the
    classes: half of the `n` trees take the best split, the others the best of a few random ones. Where columns matter
    only together, `crossed` lets the first half ask about pairs of levels, too. With "random" they depend on `seed`
    alone, so no label affects them. Questions are part of the schema and stay when rows are forgotten: the counts
    forget, but only preparing the schema again forgets what the rows contributed to it.

    >>> from tallybayes import Model
    >>> rows = {"a": [0, 0, 1, 1] * 20, "b": [0, 1, 0, 1] * 20}
    >>> model = Model.train({("a", "b"): Trees(n=10)}, rows, ["same", "other", "other", "same"] * 20)
    >>> model.posterior({"a": [1], "b": [1]}).round(3)
    array([[0.005, 0.995]])
    """

    least: ClassVar[int] = 2
    n: int = setting(200, "the number of trees", least=1, most=10_000, counting=True)
    questions: str = setting(
        GUIDED,
        '"guided": questions that separate the classes in a sample of rows; "random": questions that depend on `seed` '
        "alone",
        choices=(GUIDED, RANDOM),
        counting=True,
    )
    random: int = setting(
        0,
        "how many more trees ask random questions, beside guided ones; they count only if evidence is weighed",
        least=0,
        most=10_000,
        counting=True,
        later=True,
    )
    crossed: int = setting(
        0,
        "with guided questions: trees of best splits may also ask about pairs of columns with at most 256 pairs of "
        "levels, if every column is in such a pair and there are at most this many; 0: never",
        least=0,
        most=10_000,
        counting=True,
        later=True,
    )
    seed: int = setting(0, "the random seed", least=0, most=2**62, counting=True)
    m: float = setting(0.2, "how many rows the parent node's distribution counts as", above=0)
    grown: Any = setting(
        None,
        "the questions, once the trees are grown",
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
        given = (coded.coder.encode(cells), rows, coded.codes)
        settings = {name: getattr(self, name) for name in ("n", "random", "crossed", "questions", "seed")}
        found = grow(*given, **settings)
        return replace(coded, grown=found).over(self.columns)

    @property
    def brief(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        """Without the questions, which have no text form; trees made from this are grown again."""
        return self.shown(("codes", "grown"))

    def difference(self, other: Family) -> str:
        theirs = getattr(other, "grown", None)
        if self.grown == theirs or super().difference(other):
            return super().difference(other)
        return (
            f" The questions differ: {self.grown!r} and {theirs!r}. To merge models, prepare one schema with "
            "prepare(schema, rows, labels) and train all of them with it."
        )

    def arrays(self) -> Arrays:
        return self.grown.arrays() if isinstance(self.grown, Questions) else {}

    def with_arrays(self, prefix: str, arrays: Arrays) -> Self:
        if not isinstance(self.grown, Filed):
            return self
        found = self.grown.found(prefix, arrays)
        if found.columns != len(self.columns) or not are_coded(found.crossed, self.codes or ()):
            raise ValueError("its questions refer to other columns")
        return replace(self, grown=found).over(self.columns)

    def encode(self, cells: Cells) -> Bytes:
        return self._questions.ranked(self.coder.encode(cells))

    def missing(self, cells: Any) -> Any:
        return np.zeros(len(cells), bool)  # a row without any cell is counted, too

    @property
    def _questions(self) -> Questions:
        if not isinstance(self.grown, Questions):
            raise ValueError(
                "Trees() has no questions yet. Model.train chooses them from a frame or a source; for a stream, call "
                "prepare(schema, some_rows, labels) first."
            )
        return self.grown

    def table_size(self, classes: int) -> int:
        return LEAF * self._leaves * classes

    def tally(self, cells: Bytes, rows: Rows) -> Tally:
        questions = self._questions
        if len(cells) * len(questions) * FEW < questions.leaves:
            return self._few(cells, rows)
        sizes = np.diff([*questions.first_leaves.tolist(), questions.leaves]).tolist()
        counted = [rows.count(questions.forest.find(cells, tree), size) for tree, size in enumerate(sizes)]
        return Tally(rows.classes, positions(questions.leaves), {"n": concatenated(counted)})

    def _few(self, cells: Bytes, rows: Rows) -> Tally:
        """A sparse tally of the leaves that a few rows reach."""
        met, at = np.unique(self._questions.forest.find_all(cells), return_inverse=True)
        spread = rows.take(np.repeat(np.arange(len(rows)), len(self._questions)))
        return Tally(rows.classes, met.tolist(), {"n": spread.count(at.reshape(-1).astype(np.int32), len(met))})

    def counts_of(self, tally: Tally, classes: Sequence[Key]) -> Floats:
        """The number of rows by leaf and class."""
        return np.ascontiguousarray(tally.read(positions(self._questions.leaves), classes)["n"].round())

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return TreesBelief(self, self._questions, self.counts_of(tally, classes))

    @property
    def parts(self) -> tuple[str, ...]:
        if not isinstance(self.grown, Questions):
            return ()
        return tuple(f"{kind} {part}" for kind in self.grown.kinds for part in PARTS)

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        return partial(left_out_evidence, self, self._questions, self.counts_of(tally, classes))

    def left_out_parts(self, tally: Tally, classes: Sequence[Key], cells: Bytes, rows: Rows) -> Floats:
        return left_out_parts(self, self._questions, self.counts_of(tally, classes), cells, rows)

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
        each = Exact(np.add.reduceat(sums.limbs, self._questions.first_leaves, axis=0), sums.low).carried()
        return "the trees would have counted different rows" if each.differs(each[:1], 4).any() else None
