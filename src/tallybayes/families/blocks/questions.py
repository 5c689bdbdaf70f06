"""The questions (splits) of a forest, as arrays of numbers.

Questions are fixed before anything is counted, and are part of the schema. A model file holds them as arrays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.packing import Arrays, PackError, take
from tallybayes.families.blocks.coding import Bytes, Coding, code_count, code_text, is_numeric
from tallybayes.families.blocks.crossing import CODES, NO_PAIRS, ColumnPairs, are_pairs, with_pairs
from tallybayes.families.numbers.intervals import edge_texts
from tallybayes.families.settings import refused

SHOWN = 6  # hex digits of the digest
MOST_TEXTS = 4  # levels that a question names
ARRAYS = {"nodes": np.int64, "roots": np.int32, "ranks": np.uint8, "common": np.int64}
CROSSED = "crossed"  # an array more, if there are pairs of columns
TOGETHER = 2048  # rows whose pairs are coded at a time: they take more room than the columns
MANY = 20  # equal rows of a sample, of which no single one matters to a tree
COMMON = 0  # the mark of such rows
ENOUGH = 100  # rows that a level needs to be ranked by its classes …
ENOUGH_OF_PAIR = 30  # … and a pair of levels


class Question(NamedTuple):
    """Is the rank of a column's code from `low` to `high`? Columns are followed by pairs of them."""

    column: int
    low: int
    high: int


class Questions:
    """Consecutive trees: each node's question and its yes branch, packed into a number; where each tree begins; the
    order of every column's codes; and the marks of rows that were frequent. The first `best` trees ask the best
    question each time, the next `drawn` (None: all others) the best of a random choice, the others random ones. Pairs
    of columns that are `crossed` follow the columns."""

    def __init__(
        self,
        nodes: NDArray[np.int64],
        roots: NDArray[np.int32],
        ranks: Bytes,
        common: NDArray[np.int64],
        best: int,
        drawn: int | None = None,
        crossed: ColumnPairs = NO_PAIRS,
    ) -> None:
        self.nodes = np.ascontiguousarray(nodes, np.int64)
        self.roots = np.ascontiguousarray(roots, np.int32)
        self.ranks = np.ascontiguousarray(ranks, np.uint8)
        self.common = np.ascontiguousarray(common, np.int64)
        self.crossed = np.ascontiguousarray(crossed, np.int32)
        self.columns = len(self.ranks) - len(self.crossed)
        self.best = int(best)
        self.drawn = len(self.roots) - self.best if drawn is None else int(drawn)
        kinds = (self.best, self.drawn, len(self.roots) - self.best - self.drawn)
        if min(kinds) < 0 or self.ranks.shape[1:] != (CODES,) or not are_pairs(self.crossed, self.columns):
            raise ValueError("these are not the questions of a forest")
        self.forest = kernels.Forest(self.nodes, self.roots, len(self.ranks))  # raises an error if they are invalid

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def leaves(self) -> int:
        return self.forest.leaves

    @cached_property
    def first_leaves(self) -> NDArray[np.int64]:
        """The first leaf of each tree."""
        return np.array([self.forest.first_leaf(tree) for tree in range(len(self))], np.int64)

    @property
    def first_size(self) -> int:
        """The number of leaves of the first tree."""
        return int(self.first_leaves[1]) if len(self) > 1 else self.leaves

    @property
    def kinds(self) -> dict[str, tuple[int, int]]:
        """The range of trees of each kind."""
        last = self.best + self.drawn
        parts = {"best": (0, self.best), "drawn": (self.best, last), "random": (last, len(self))}
        return {kind: part for kind, part in parts.items() if part[0] < part[1]}

    @property
    def averaged(self) -> list[tuple[int, int]]:
        """The ranges of trees whose mean is the evidence if kinds are not weighed: without random ones beside others,
        which only weights keep from blurring it."""
        kinds = self.kinds
        return [part for kind, part in kinds.items() if kind != "random" or len(kinds) == 1]

    def ranked(self, codes: Bytes) -> Bytes:
        """The codes of columns, and of pairs of them, by their rank."""
        if len(codes) <= TOGETHER or not len(self.crossed):
            return ranked_by(self.ranks, with_pairs(codes, self.crossed))
        found = np.empty((len(codes), len(self.ranks)), np.uint8)
        for start in range(0, len(codes), TOGETHER):
            some = slice(start, start + TOGETHER)
            found[some] = self.ranked(codes[some])
        return found

    def marks(self, ranked: Bytes) -> NDArray[np.uint64]:
        """The mark of each row, which decides which trees are grown on it."""
        return marks_of(ranked, self.common)

    @cached_property
    def digest(self) -> str:
        sha = hashlib.sha256(" ".join(str(number) for number in self._sizes().values()).encode())
        for name, array in sorted(self.arrays().items()):
            sha.update(f"\n{name} {array.shape}\n".encode() + array.tobytes())
        return sha.hexdigest()

    def question(self, node: int) -> Question | None:
        """The question of a node; None if it is a leaf."""
        bits = int(self.nodes[node]) & (2**64 - 1)
        yes, column, low, span = bits & (2**32 - 1), bits >> 32 & 0xFFFF, bits >> 48 & 0xFF, bits >> 56
        return None if yes == node else Question(column, low, low + span)

    def text(self, question: Question, columns: Sequence[str], coding: Coding) -> str:
        """A question as text, the same only for questions that no row answers differently: levels are in the order of
        their ranks, so the first one and their number are enough."""
        ranks = self.ranks[question.column]
        codes = [c for c in np.argsort(ranks, kind="stable").tolist() if question.low <= ranks[c] <= question.high]
        if question.column >= self.columns:
            return self._text_of_pair(codes, self.crossed[question.column - self.columns].tolist(), columns, coding)
        column, code = columns[question.column], coding[question.column]
        known = [c for c in codes if c < code_count(code)]
        if code is None or not is_numeric(code):
            return f"{column} is {_any_of([code_text(code, c) for c in known])}"
        last = known[-1]
        bound = f"{column} ≤ {edge_texts(code)[last - 1]}" if 0 < last <= len(code) else f"{column} is there"
        return f"{column} is missing" if known == [0] else f"{bound} or missing" if 0 in known else bound

    @staticmethod
    def _text_of_pair(codes: list[int], pair: list[int], columns: Sequence[str], coding: Coding) -> str:
        first, second, width = pair
        known = [divmod(c, width) for c in codes if c // width < code_count(coding[first])]
        texts = [f"({code_text(coding[first], a)}, {code_text(coding[second], b)})" for a, b in known]
        return f"({columns[first]}, {columns[second]}) is {_any_of(texts)}"

    def by_column(self, changes: Floats) -> Floats:
        """What questions about columns and pairs of them say, by column: half of a pair's for each of its two."""
        found = changes[: self.columns].copy()
        for at in (0, 1):
            np.add.at(found, self.crossed[:, at], changes[self.columns :] / 2.0)
        return found

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Questions) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{len(self)} trees, {self.digest[:SHOWN]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Questions, (self.nodes, self.roots, self.ranks, self.common, self.best, self.drawn, self.crossed)

    def _sizes(self) -> dict[str, int]:
        """How many trees of each kind there are, but the last one."""
        return {"best": self.best} if self.best + self.drawn == len(self) else {"best": self.best, "drawn": self.drawn}

    def to_json(self) -> dict[str, Any]:
        pairs = {CROSSED: len(self.crossed)} if len(self.crossed) else {}
        return {**self._sizes(), **pairs, "sha256": self.digest}

    def arrays(self) -> Arrays:
        pairs = {CROSSED: self.crossed} if len(self.crossed) else {}
        return {name: getattr(self, name) for name in ARRAYS} | pairs


class Filed(NamedTuple):
    """Questions as read from a file's metadata, without their arrays."""

    best: int
    sha256: str
    drawn: int | None = None
    crossed: int = 0

    def to_json(self) -> dict[str, Any]:
        drawn = {} if self.drawn is None else {"drawn": self.drawn}
        pairs = {CROSSED: self.crossed} if self.crossed else {}
        return {"best": self.best, **drawn, **pairs, "sha256": self.sha256}

    def found(self, prefix: str, arrays: Arrays) -> Questions:
        given = {name: take(arrays, f"{prefix}/{name}", kind, 1 + (name == "ranks")) for name, kind in ARRAYS.items()}
        pairs = take(arrays, f"{prefix}/{CROSSED}", np.int32, 2) if self.crossed else NO_PAIRS
        questions = Questions(**given, best=self.best, drawn=self.drawn, crossed=pairs)
        if questions.digest != self.sha256:
            raise PackError("its questions do not match their digest")
        return questions


def marks_of(ranked: Bytes, common: NDArray[np.int64]) -> NDArray[np.uint64]:
    marks = kernels.mark_codes(np.ascontiguousarray(ranked))
    if len(common):
        marks[np.isin(marks.view(np.int64), common)] = COMMON
    return marks


def common_marks(ranked: Bytes) -> NDArray[np.int64]:
    """The marks of frequent rows of a sample, which has copies of a row as one row, whatever they weigh."""
    marks, counts = np.unique(kernels.mark_codes(np.ascontiguousarray(ranked)).view(np.int64), return_counts=True)
    return marks[counts >= MANY]


def as_questions(family: Any, name: str, given: Any) -> Questions | Filed:
    """The setting `grown`, validated."""
    if isinstance(given, Mapping) and set(given) - {"drawn", CROSSED} == {"best", "sha256"}:
        drawn = int(given["drawn"]) if "drawn" in given else None
        return Filed(int(given["best"]), str(given["sha256"]), drawn, int(given.get(CROSSED, 0)))
    if isinstance(given, (Questions, Filed)):
        return given
    raise refused(family, name, given, "questions that were grown, or None")


def name_ranks(columns: int) -> Bytes:
    """Ranks of every column's codes: numbers in their order, levels alphabetically."""
    return np.tile(np.arange(CODES, dtype=np.uint8), (columns, 1))


def ranked_by(ranks: Bytes, codes: Bytes) -> Bytes:
    return np.ascontiguousarray(ranks[np.arange(codes.shape[1]), codes])


def level_ranks(codes: Bytes, labels: NDArray[np.int32], weights: Any, classes: int, coding: Coding) -> Bytes:
    """Ranks of the codes of every column, and of the pairs that follow: numbers in their order, levels by their class
    shares, so that a question may split several levels from the others. Rare levels follow in alphabetical order."""
    ranks = name_ranks(codes.shape[1])
    for at in range(codes.shape[1]):
        if at >= len(coding):
            ranks[at] = _ranks(codes[:, at], labels, weights, classes, ENOUGH_OF_PAIR)
        elif coding[at] is not None and not is_numeric(coding[at]):
            ranks[at] = _ranks(codes[:, at], labels, weights, classes, ENOUGH)
    return ranks


def _any_of(texts: list[str]) -> str:
    more = f" … ({len(texts)} in all)" if len(texts) > MOST_TEXTS else ""
    return " or ".join(texts[:MOST_TEXTS]) + more


def _ranks(codes: Bytes, labels: NDArray[np.int32], weights: Any, classes: int, enough: int) -> Bytes:
    cells = codes.astype(np.int64) * classes + labels
    table = np.bincount(cells, weights, CODES * classes).reshape(CODES, classes)
    rows = table.sum(axis=1)
    overall = table.sum(axis=0) / max(rows.sum(), 1e-300)
    shares = (table + overall) / (rows[:, None] + 1.0) - overall
    often = (rows >= enough) & (np.arange(CODES) > 0)
    score = np.full(CODES, np.inf)
    if often.any():
        *_, axes = np.linalg.svd(shares[often] * np.sqrt(rows[often])[:, None], full_matrices=False)
        axis = axes[0] * np.where(axes[0][np.argmax(np.abs(axes[0]))] < 0, -1.0, 1.0)
        score[often] = np.round(shares[often] @ axis, 12)
    score[0] = -np.inf  # missing stays first
    ranks = np.empty(CODES, np.uint8)
    ranks[np.lexsort((np.arange(CODES), score))] = np.arange(CODES)
    return ranks
