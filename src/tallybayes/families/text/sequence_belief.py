"""The evidence of words, each given the ones before it: in new texts, and in counted ones that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.base import MANY_PARTS, Belief, Part, WordWeight, heaviest, log_odds
from tallybayes.families.left_out import LeftOut, one_by_one, weights_of
from tallybayes.families.posteriors import Posterior
from tallybayes.families.text.drawn_sequences import draw_sequences
from tallybayes.families.text.run_tally import START, RunTally
from tallybayes.families.text.tokens import CHARACTERS, not_utf8
from tallybayes.kernels.strings import index_strings

SHOWN = "<s>"  # the start mark, as it is shown


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

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        return draw_sequences(self, random, classes)


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
