"""What the counts in the leaves of trees say of a new row, and of one that was counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.base import Belief, Part
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.growing import GUIDED
from tallybayes.families.blocks.questions import Questions
from tallybayes.families.posteriors import Posterior

PARTS = ("mean of logs", "log of mean")  # of the probabilities that trees of a kind give
TINY = 1e-300
FEW = 256  # rows that are sooner taken down the trees node by node than all leaves are believed
SHOWN = 8  # first questions of trees


class TreesBelief(Belief):
    """P(class) in every leaf. What is said of a row is the mean over the trees, divided by the classes' own shares: the
    part that the row has in it."""

    likelihood = False
    has_parts = True

    def __init__(self, family: Any, asked: Questions, counts: Floats) -> None:
        self.family = family
        self.asked = asked
        self.counts = counts
        self.shares = _shares(counts, asked, family.m)

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        total = np.zeros((len(cells), scores.shape[0]))
        for first, last in self.asked.kinds.values():
            total += self._sums(cells, first, last)[0]
        scores[:, : len(cells)] += (np.log(total / len(self.asked) + TINY) - self.shares).T

    def add_parts(self, cells: Bytes, said: Floats) -> None:
        """[part, class, row]"""
        at = 0
        for first, last in self.asked.kinds.values():
            for part in _parts(*self._sums(cells, first, last), last - first):
                said[at, :, : len(cells)] += part.T
                at += 1

    def _sums(self, cells: Bytes, first: int, last: int) -> tuple[Floats, Floats]:
        codes = np.ascontiguousarray(cells)
        if len(codes) < FEW:
            return self.asked.forest.few_sums(codes, self._node_counts, self.family.m, first, last)
        return self.asked.forest.sums(codes, *self.leaf_tables, first, last)

    @cached_property
    def _node_counts(self) -> Floats:
        return self.asked.forest.node_counts(self.counts)

    @cached_property
    def leaf_tables(self) -> tuple[Floats, Floats]:
        """P(class) and its logarithm in every leaf."""
        return self.asked.forest.believe(self.counts, self.family.m)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """What the answers about each column change, in the mean of the trees' logarithms."""
        for row in range(len(cells)):
            one = np.ascontiguousarray(cells[row : row + 1])
            changes = self.asked.forest.changes(one, self.counts, self.family.m)[0] / len(self.asked)
            columns = zip(self.family.columns, changes, strict=True)
            yield [Part(column, 1.0, said) for column, said in columns if said.any()]

    def drawing(self) -> list[str]:
        """The questions that trees ask first, the most frequent before the others."""
        texts = []
        for root in self.asked.roots.tolist():
            asked = self.asked.question(root)
            if asked is not None:
                texts.append(self.asked.text(asked, self.family.columns[asked.column], self.family.codes[asked.column]))
        counted = sorted(Counter(texts).items(), key=lambda each: (-each[1], each[0]))
        return [f"{text}? ({n} of {len(self.asked)} trees)" for text, n in counted[:SHOWN]]

    def estimates(self) -> dict[str, Floats]:
        return {"share": np.exp(self.shares)}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("Trees have no parameters but the counts of their leaves.")

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        raise TypeError("Trees say which class a row has, and not how rows come about: none can be drawn from them.")


def _parts(sums: Floats, log_sums: Floats, trees: Any) -> tuple[Floats, Floats]:
    return log_sums / trees, np.log(sums / trees + TINY)


def _shares(counts: Floats, asked: Questions, m: float) -> Floats:
    """log P(class) at the root, where all rows are."""
    totals = counts[: asked.first_size].sum(axis=0)
    shares: Floats = np.log((totals + m / len(totals)) / (totals.sum() + m))
    return shares


def left_out_parts(family: Any, asked: Questions, counts: Floats, cells: Bytes, rows: Rows) -> Floats:
    """[row, class, part]: what trees say of a row by the counts without it; those, where labels shaped the questions,
    that were grown without it."""
    parts: list[Floats] = []
    for first, last in asked.kinds.values():
        sums, log_sums, used = _left_out_sums(family, asked, counts, cells, rows, first, last)
        parts += _parts(sums, log_sums, used)
    return np.ascontiguousarray(np.array(parts).transpose(1, 2, 0))


def _left_out_sums(
    family: Any, asked: Questions, counts: Floats, cells: Bytes, rows: Rows, first: int, last: int
) -> tuple[Floats, Floats, Floats]:
    """Of a row that all trees were grown with, the classes are equally probable."""
    cells = np.ascontiguousarray(cells)
    marks = asked.marks(cells) if family.questions == GUIDED else None
    given = (cells, rows.codes, rows.weights, marks, counts, family.m, first, last)
    sums, log_sums, used = asked.forest.left_out_sums(*given)
    none = used == 0
    sums[none], log_sums[none] = 1.0 / counts.shape[1], -np.log(counts.shape[1])
    return sums, log_sums, np.maximum(used, 1).astype(np.float64)[:, None]


class TreesLeftOut:
    """Rows that were counted, each by the counts without it and by the trees that were grown without it."""

    def __init__(self, family: Any, asked: Questions, counts: Floats) -> None:
        self.family = family
        self.asked = asked
        self.counts = counts

    def __call__(self, cells: Bytes, rows: Rows) -> Floats:
        total: Any = 0.0
        used: Any = 0.0
        for first, last in self.asked.kinds.values():
            sums, _, times = _left_out_sums(self.family, self.asked, self.counts, cells, rows, first, last)
            total, used = total + sums, used + times
        own = np.zeros((len(cells), self.counts.shape[1]))
        own[np.arange(len(cells)), rows.codes] = 1.0 if rows.weights is None else rows.weights
        rest = np.maximum(self.counts[: self.asked.first_size].sum(axis=0) - own, 0.0)
        shares = (rest + self.family.m / rest.shape[1]) / (rest.sum(axis=1, keepdims=True) + self.family.m)
        return np.asarray(np.log(total / used + TINY) - np.log(shares))
