"""The evidence of words, each given the ones before it: in new texts, in counted ones that are left out, and in texts
that are drawn word by word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Indices
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.belief import MANY_PARTS, Belief, Part, WordWeight, by_class, heaviest, log_odds
from tallybayes.families.left_out import LeftOut, one_by_one, weights_of
from tallybayes.families.posteriors import Posterior
from tallybayes.families.text.run_tally import START, RunTally
from tallybayes.families.text.tokens import CHARACTERS, not_utf8
from tallybayes.kernels.strings import index_strings, index_words

SHOWN = "<s>"  # the start mark, as it is shown
NONE = -1  # the empty run


def _chain(family: Any, index: Any, runs: Any, columns: Any, n: Floats, width: int, counts: bool) -> kernels.Chain:
    """The counts of runs, ready to score."""
    discount = -1.0 if isinstance(family.discount, str) else family.discount
    return kernels.Chain(index, family.unit == CHARACTERS, runs, columns, n, width, family.order, discount, counts)


def _cells(tally: RunTally, classes: list[Key]) -> tuple[Any, Any, Any, Floats]:
    """The non-empty cells. Fractional numbers are sorted by run, since the order of learning must not show in sums."""
    found = tally.runs
    runs, columns, sums = found.cells()
    n = sums["n"].round()
    if np.any(n != np.floor(n)):
        found = found.canonical()
        runs, columns, sums = found.cells()
        n = sums["n"].round()
    place = places_of(found.classes, classes)[columns]
    held = (n > 0) & (place >= 0)
    return found.index, runs[held], place[held], n[held]


class SequenceBelief(Belief):
    """P(word | class, the words before it), by interpolated absolute discounting."""

    has_parts = True
    bound = MANY_PARTS

    def __init__(self, family: Any, tally: RunTally, classes: list[Key]) -> None:
        self.family, self.width = family, len(classes)
        self.index, self._runs, self._columns, self._n = _cells(tally, classes)
        self.chain = _chain(family, self.index, self._runs, self._columns, self._n, self.width, False)
        known = tally.lengths.canonical()
        self.lengths = np.array(known.slots, np.int64)
        self.texts = known.aligned(known.slots, classes).sums["n"].round()  # of each length, by class

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        self._add(cells, scores)

    def _add(self, cells: Any, scores: Floats) -> Any:
        documents = self.family.word_cutter.documents(cells)
        try:
            return self.chain.add(documents, self.family.word_cutter.reading(documents, False, -1), scores)
        except kernels.NotUtf8Error as error:
            raise not_utf8(error) from None

    def perplexity(self, texts: Any) -> Floats:
        """The perplexity of texts under each class: exp(−log P(texts | class) / words)."""
        cells = self.family.encode(texts if isinstance(texts, pa.Array) else pa.array(texts))
        scores = np.zeros((self.width, len(cells)))
        words = self._add(cells, scores)
        total = int(np.maximum(words, 0).sum())
        if not total:
            raise ValueError("The texts have no words, so they have no perplexity.")
        return np.asarray(np.exp(-scores.sum(axis=1) / total))

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        """For every text the evidence of each word given the ones before it, in the order of the text."""
        names, documents = kernels.StringIndex(), self.family.word_cutter.documents(cells)
        reading = self.family.word_cutter.reading(documents, False, -1)
        starts, words, evidence = self.chain.take_apart(documents, reading, names)
        evidence, texts = evidence.reshape(-1, self.width), index_strings(names).to_pylist()
        between = "" if self.family.unit == CHARACTERS else " "
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            found: dict[str, list[int]] = {}
            for at in range(start, stop):
                first = max(start, at - self.family.order)
                run = between.join(texts[i] for i in words[first : at + 1])
                found.setdefault(run if at - first == self.family.order else f"{SHOWN}{between}{run}", []).append(at)
            yield [Part(run, len(places), evidence[places].sum(axis=0)) for run, places in found.items()]

    @cached_property
    def _known(self) -> tuple[list[str], Any]:
        """The informative runs as they are shown, sorted, and their indices."""
        names = index_strings(self.index).to_pylist()
        met = [run for run in np.unique(self._runs).tolist() if names[run] != START]
        shown = sorted((names[run].replace(START, SHOWN), run) for run in met)
        return [name for name, _ in shown], np.array([run for _, run in shown], np.intp)

    def estimates(self) -> dict[str, Floats]:
        """P(last word | class, the words before it) of every run."""
        names, runs = self._known
        return dict(zip(names, self.chain.probabilities()[runs], strict=True))

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        names, runs = self._known
        with np.errstate(divide="ignore"):
            odds = log_odds(np.log(self.chain.probabilities()[runs]), index, prior)
        counts = np.zeros(len(self.chain))
        own = self._columns == index
        counts[self._runs[own]] = self._n[own]
        return heaviest(names, counts[runs], odds, top)

    def posterior(self, index: int) -> Posterior:
        raise TypeError("WordSequence discounts counts, so its parameters have no posterior; use Words.")

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """Word by word; missing if a class has no texts, and so no lengths to draw from."""
        result: list[str | None] = [None] * len(classes)
        space = "" if self.family.unit == CHARACTERS else " "
        for number, rows in by_class(classes):
            spread = self.texts[:, number]
            if not spread.sum() > 0:
                continue
            urn = Urn(self, number)
            lengths = random.choice(self.lengths, len(rows), p=spread / spread.sum())
            for row, length in zip(rows.tolist(), lengths.tolist(), strict=True):
                result[row] = space.join(urn.text(random, length))
        return pa.array(result, pa.large_string())


def sequence_left_out(family: Any, tally: RunTally, classes: list[Key]) -> LeftOut | None:
    """A function that scores left-out texts; None if counts are fractional."""
    n = tally.runs.cells().sums["n"].round()
    if np.any(n != np.floor(n)):
        return None
    chain = _chain(family, *_cells(tally, classes), len(classes), True)

    def score(cells: Any, rows: Rows) -> Floats:
        weights = weights_of(rows)
        if np.any(weights != np.floor(weights)):
            return one_by_one(family, tally, classes)(cells, rows)
        documents = family.word_cutter.documents(cells)
        evidence = np.zeros((len(rows), len(classes)))
        reading = family.word_cutter.reading(documents, False, -1)
        chain.left_out(documents, reading, rows.codes, weights, evidence)
        return evidence

    return score


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
        stops = np.append(starts, len(order))[1:]
        self.spans = dict(zip(from_.tolist(), zip(starts.tolist(), stops.tolist(), strict=True), strict=True))
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
