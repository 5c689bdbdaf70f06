"""Texts drawn word by word, each word given the ones before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.families.base import by_class
from tallybayes.families.text.run_tally import START
from tallybayes.families.text.tokens import CHARACTERS
from tallybayes.kernels.strings import index_strings, index_words

NONE = -1  # the empty run


def draw_sequences(belief: Any, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
    """One text for each of the classes; missing if a class has no texts, and so no lengths to draw from."""
    result: list[str | None] = [None] * len(classes)
    space = "" if belief.family.unit == CHARACTERS else " "
    for number, rows in by_class(classes):
        spread = belief.texts[:, number]
        if not spread.sum() > 0:
            continue
        urn = Urn(belief, number)
        lengths = random.choice(belief.lengths, len(rows), p=spread / spread.sum())
        for row, length in zip(rows.tolist(), lengths.tolist(), strict=True):
            result[row] = space.join(urn.text(random, length))
    return pa.array(result, pa.large_string())


class Urn:
    """The words that may follow each n-gram in one class, sorted, so that the order of learning does not matter."""

    def __init__(self, belief: Any, number: int) -> None:
        runs, classes, kept, rest, before, last, base = belief.chain.cells()
        self.names = index_strings(belief.index).to_pylist()
        self.order = belief.family.order
        self.start = int(index_words(belief.index, [START], grow=False)[0])
        single = np.unique(runs[before[runs] < 0])
        self.words = sorted((int(run) for run in single if run != self.start), key=lambda run: self.names[run])
        own = classes == number
        self.rest = dict(zip(runs[own].tolist(), rest[own].tolist(), strict=True))
        self.rest[NONE] = float(base[number]) * (len(self.words) + 1)
        own &= runs != self.start
        runs, kept = runs[own], kept[own]
        rank = np.zeros(len(self.names), np.int64)
        rank[self.words] = np.arange(len(self.words))
        ends = np.where(before[runs] < 0, runs, last[runs])
        order = np.lexsort((rank[ends], before[runs]))
        self.kept, self.ends, self.runs = kept[order], ends[order], runs[order]
        firsts = before[runs][order]
        from_, starts = np.unique(firsts, return_index=True)
        self.spans = dict(
            zip(from_.tolist(), zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True), strict=True)
        )

        self.edges: dict[int, Floats] = {}

    def text(self, random: np.random.Generator, length: int) -> list[str]:
        """A text of `length` words, or fewer if there is no word to draw."""
        found: list[str] = []
        before = [self.start]  # the runs that end here, the shortest first
        while len(found) < length and self.words:
            word, behind = self.next(random, before)
            found.append(self.names[word])
            before = [word, *behind][: self.order]
        return found

    def next(self, random: np.random.Generator, before: list[int]) -> tuple[int, list[int]]:
        """A word, and the runs that end in it, as far as they were counted."""
        while True:
            drawn = next(
                (word for run in [*before[::-1], NONE] if (word := self._behind(random, run)) is not None), None
            )
            if drawn is None:
                at = int(random.integers(len(self.words) + 1))
                if at == len(self.words):
                    continue  # an unseen word has no text: draw again
                drawn = self.words[at]
            return drawn, [run for start in before if (run := self._run(start, drawn)) is not None]

    def _behind(self, random: np.random.Generator, run: int) -> int | None:
        """A word that followed a run, or None to back off to a shorter one."""
        if run not in self.spans or random.random() < self.rest.get(run, 1.0):
            return None
        start, stop = self.spans[run]
        edges = self.edges.get(run)
        if edges is None:
            edges = self.edges[run] = np.cumsum(self.kept[start:stop])
        at = int(np.searchsorted(edges, random.random() * edges[-1], side="right"))
        return int(self.ends[start + min(at, stop - start - 1)])

    def _run(self, before: int, word: int) -> int | None:
        start, stop = self.spans.get(before, (0, 0))
        at = np.flatnonzero(self.ends[start:stop] == word)
        return int(self.runs[start + at[0]]) if at.size else None
