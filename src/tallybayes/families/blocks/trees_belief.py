"""The evidence of a forest for a new row, and for a counted row that is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Indices
from tallybayes.counts.tally import Rows
from tallybayes.families.belief import Belief, Part
from tallybayes.families.blocks.coding import Bytes
from tallybayes.families.blocks.growing import GUIDED
from tallybayes.families.blocks.questions import Questions
from tallybayes.families.posteriors import Posterior

PARTS = ("mean of logs", "log of mean")  # of the probabilities in the trees of a kind
TINY = 1e-300
FEW = 256  # for fewer rows, walking down the trees is faster than smoothing all leaves first
SHOWN = 8  # root questions that are listed


class TreesBelief(Belief):
    """P(class) in every leaf. The evidence of a row is the mean over the trees divided by P(class) at the root, so that
    the prior is not counted twice."""

    likelihood = False
    has_parts = parts_are_columns = True

    def __init__(self, family: Any, questions: Questions, counts: Floats) -> None:
        self.family = family
        self.questions = questions
        self.counts = counts
        self.shares = _shares(counts, questions, family.m)

    def add_evidence(self, cells: Bytes, scores: Floats) -> None:
        total, trees = np.zeros((len(cells), scores.shape[0])), 0
        for first, last in self.questions.averaged:
            total += self._sums(cells, first, last)[0]
            trees += last - first
        scores[:, : len(cells)] += (np.log(total / trees + TINY) - self.shares).T

    def add_parts(self, cells: Bytes, weights: Floats, evidence: Floats) -> None:
        """Most of the time is for walking down the trees, so a kind without weight is left out."""
        for kind, (first, last) in enumerate(self.questions.kinds.values()):
            these = slice(len(PARTS) * kind, len(PARTS) * (kind + 1))
            if weights[these].any():
                for at, part in zip(
                    evidence[these], _parts(*self._sums(cells, first, last), last - first), strict=True
                ):
                    at[:, : len(cells)] += part.T

    def _sums(self, cells: Bytes, first: int, last: int) -> tuple[Floats, Floats]:
        codes = np.ascontiguousarray(cells)
        if len(codes) < FEW:
            return self.questions.forest.few_sums(codes, self._node_counts, self.family.m, first, last)
        return self.questions.forest.sums(codes, *self.leaf_tables, first, last)

    @cached_property
    def _node_counts(self) -> Floats:
        return self.questions.forest.node_counts(self.counts)

    @cached_property
    def leaf_tables(self) -> tuple[Floats, Floats]:
        """P(class) and its logarithm in every leaf."""
        return self.questions.forest.believe(self.counts, self.family.m)

    def parts(self, cells: Bytes) -> Iterator[list[Part]]:
        """The evidence of each column: how much its questions change the mean log-probability along the paths."""
        for row in range(len(cells)):
            one = np.ascontiguousarray(cells[row : row + 1])
            found = self.questions.forest.changes(one, self.counts, self.family.m)[0] / len(self.questions)
            changes = self.questions.by_column(found)
            columns = zip(self.family.columns, changes, strict=True)
            yield [Part(column, 1.0, change) for column, change in columns]

    def drawing(self) -> list[str]:
        """The questions at the roots, the most frequent first."""
        texts = []
        for root in self.questions.roots.tolist():
            question = self.questions.question(root)
            if question is not None:
                texts.append(self.questions.text(question, self.family.columns, self.family.codes))
        counted = sorted(Counter(texts).items(), key=lambda each: (-each[1], each[0]))
        return [f"{text}? ({n} of {len(self.questions)} trees)" for text, n in counted[:SHOWN]]

    def estimates(self) -> dict[str, Floats]:
        return {"share": np.exp(self.shares)}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("Trees have no parameters, only the counts of their leaves.")

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        raise TypeError("Trees model P(class | row), not the distribution of rows, so no rows can be drawn from them.")


def _parts(sums: Floats, log_sums: Floats, trees: Any) -> tuple[Floats, Floats]:
    return log_sums / trees, np.log(sums / trees + TINY)


def _shares(counts: Floats, questions: Questions, m: float) -> Floats:
    """log P(class) at the root."""
    totals = counts[: questions.first_size].sum(axis=0)
    shares: Floats = np.log((totals + m / len(totals)) / (totals.sum() + m))
    return shares


def left_out_parts(family: Any, questions: Questions, counts: Floats, cells: Bytes, rows: Rows) -> Floats:
    """The evidence for each row from the counts without it, [row, class, part]. If labels affected the questions, only
    trees that were grown without the row are used."""
    parts: list[Floats] = []
    for first, last in questions.kinds.values():
        sums, log_sums, used = _left_out_sums(family, questions, counts, cells, rows, first, last)
        parts += _parts(sums, log_sums, used)
    return np.ascontiguousarray(np.array(parts).transpose(1, 2, 0))


def _left_out_sums(
    family: Any, questions: Questions, counts: Floats, cells: Bytes, rows: Rows, first: int, last: int
) -> tuple[Floats, Floats, Floats]:
    """For a row that all trees were grown with, the classes are equally probable."""
    cells = np.ascontiguousarray(cells)
    marks = questions.marks(cells) if family.questions == GUIDED else None
    given = (cells, rows.codes, rows.weights, marks, counts, family.m, first, last)
    sums, log_sums, used = questions.forest.left_out_sums(*given)
    none = used == 0
    sums[none], log_sums[none] = 1.0 / counts.shape[1], -np.log(counts.shape[1])
    return sums, log_sums, np.maximum(used, 1).astype(np.float64)[:, None]


def left_out_evidence(family: Any, questions: Questions, counts: Floats, cells: Bytes, rows: Rows) -> Floats:
    """The same, [row, class], as the mean over the trees that count if kinds are not weighed."""
    total: Any = 0.0
    used: Any = 0.0
    for first, last in questions.averaged:
        sums, _, times = _left_out_sums(family, questions, counts, cells, rows, first, last)
        total, used = total + sums, used + times
    own = np.zeros((len(cells), counts.shape[1]))
    own[np.arange(len(cells)), rows.codes] = 1.0 if rows.weights is None else rows.weights
    rest = np.maximum(counts[: questions.first_size].sum(axis=0) - own, 0.0)
    shares = (rest + family.m / rest.shape[1]) / (rest.sum(axis=1, keepdims=True) + family.m)
    return np.asarray(np.log(total / used + TINY) - np.log(shares))
