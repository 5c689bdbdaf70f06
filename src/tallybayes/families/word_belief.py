"""What the words of new texts say, worked out from the counts under one of the readings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.exact import Codes, Counts, Floats
from tallybayes.families import special
from tallybayes.families.base import Belief, NotLinearError, Part, Terms, WordWeight
from tallybayes.families.cutting import not_utf8
from tallybayes.families.drawn_texts import draw_texts
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.families.readings import READINGS, Said
from tallybayes.families.seen import Seen, kept_words
from tallybayes.families.word_tally import WordTally
from tallybayes.sparse import index_strings
from tallybayes.tally import Key

DENSE = 1 << 24  # up to so many numbers, words × classes are a table; more are kept sparse
STEP = 1 << 16  # words looked at at once, when all are


def believe_words(family: Any, tally: WordTally, classes: list[Key]) -> WordBelief:
    kind = CompoundBelief if family.reading == "compound" else WordBelief
    return kind(family, kept_words(family, tally, classes))


class WordBelief(Belief):
    """An index of words, and what each says."""

    has_parts = True

    def __init__(self, family: Any, seen: Seen) -> None:
        self.family = family
        self.seen = seen
        self.said: Said = READINGS[family.reading](seen, family.alpha)
        self.likelihood = family.reading != "complement"
        self._index = seen.index
        self._once = family.presence or family.reading == "bernoulli"
        self._width = len(seen.texts)
        # Where nothing is counted or believed, all words are as likely as each other.
        hopeless = not np.isfinite(self.said.otherwise).any() and self.said.table is None and self.said.certain is None
        met = np.bincount(seen.classes, minlength=self._width)
        self._blank = np.flatnonzero((met == 0) & hopeless)
        self._scorer = self._make_scorer()
        self._certain = self._make_certain()
        self._rest = np.asarray(self.said.document)[:, None]
        self._plain = not len(self._blank) and not self._rest.any() and not self.said.rate and self._certain is None
        self._reading: kernels.Reading | None = None

    def add_evidence(self, cells: pa.Array, scores: Floats) -> None:
        documents = self.family.cutter.documents(cells)
        reading = self._read(documents)
        before = scores[self._blank]
        try:
            lengths = self._scorer.add(documents, reading, scores)
        except kernels.NotUtf8Error as error:
            raise not_utf8(error) from None
        if len(before):
            before[:, : len(cells)] += np.maximum(lengths, 0) * self.said.each[self._blank][:, None]
            scores[self._blank] = before
        if not self._plain:
            self._add_rest(lengths, scores)
        if self._certain is not None:
            met = np.zeros_like(scores)
            self._certain[0].add(documents, reading, met)
            scores[:, : len(cells)][(met[:, : len(cells)] < self._certain[1][:, None]) & (lengths >= 0)] = -np.inf

    def add_text(self, text: str, scores: Floats) -> bool:
        """The same for a single text, if that needs nothing but looking words up."""
        if self._reading is None or not self._plain:
            return False
        self._scorer.add_text(text, self._reading, scores)
        return True

    def _add_rest(self, lengths: Counts, scores: Floats) -> None:
        there = lengths >= 0
        rest = self._rest - special.gammaln(lengths + 1.0) if self.said.rate else self._rest
        scores[:, : len(lengths)] += np.where(there, rest, 0.0)

    def _read(self, documents: kernels.Documents) -> kernels.Reading:
        if self._reading is not None:
            return self._reading
        reading = self.family.cutter.reading(documents, self._index, self._once)
        if not isinstance(self.family.stems, str):
            self._reading = reading
        return reading

    @cached_property
    def _order(self) -> tuple[Any, Counts]:
        """The cells in the order of their words, and where each word's start."""
        order = np.lexsort((self.seen.classes, self.seen.words))
        starts = np.zeros(self.seen.size + 1, np.int64)
        np.cumsum(np.bincount(self.seen.words, minlength=self.seen.size), out=starts[1:])
        return order, starts

    def _make_scorer(self) -> kernels.WordScorer:
        said = self.said
        if said.table is not None or self.seen.size * self._width <= DENSE:
            return kernels.WordScorer(self._index, self._table)
        order, starts = self._order
        classes = np.ascontiguousarray(self.seen.classes[order], np.int32)
        return kernels.WordScorer(self._index, starts, classes, said.cells[order], said.otherwise, said.each)

    @cached_property
    def _table(self) -> Floats:
        said = self.said
        if said.table is not None:
            return np.ascontiguousarray(said.table)
        table = said.otherwise[:, None] + said.each
        base = np.where(np.isfinite(said.otherwise), said.otherwise, 0.0)[self.seen.words]
        table[self.seen.words, self.seen.classes] = base + said.cells + said.each[self.seen.classes]
        table[:, self._blank] = said.each[self._blank]
        return np.ascontiguousarray(table)

    def _make_certain(self) -> tuple[kernels.WordScorer, Floats] | None:
        """For each class, the words that it says every document has: how many there are, and a table of them."""
        certain = self.said.certain
        if certain is None:
            return None
        table = np.zeros((self.seen.size, self._width))
        table[self.seen.words[certain], self.seen.classes[certain]] = 1.0
        return kernels.WordScorer(self._index, table), table.sum(axis=0)

    def rows(self, words: Codes) -> Floats:
        """What these words say about every class, one row for each."""
        if self.said.table is not None or self.seen.size * self._width <= DENSE:
            return self._table[words]
        said, (order, starts) = self.said, self._order
        rows = said.otherwise[words][:, None] + said.each
        for i, word in enumerate(words.tolist()):
            at = order[starts[word] : starts[word + 1]]
            base = said.otherwise[word] if np.isfinite(said.otherwise[word]) else 0.0
            classes = self.seen.classes[at]
            rows[i, classes] = base + said.cells[at] + said.each[classes]
        rows[:, self._blank] = said.each[self._blank]
        return rows

    def words(self) -> list[str]:
        return self.seen.vocabulary

    def parts(self, cells: pa.Array) -> Iterator[list[Part]]:
        """For every text what each of its words says; what is said of none in particular comes last."""
        documents = self.family.cutter.documents(cells)
        starts, words, counts = kernels.list_words(documents, self._read(documents), self._index, False)
        names = pc.take(index_strings(self._index), pa.array(words)).to_pylist()
        said = self._said_by(words, counts)
        total = np.zeros((self._width, len(cells)))
        self.add_evidence(cells, total)
        for row in range(len(cells)):
            span = range(starts[row], starts[row + 1])
            found = [Part(names[i], int(counts[i]), said[i]) for i in span]
            with np.errstate(invalid="ignore"):
                rest = total[:, row] - said[starts[row] : starts[row + 1]].sum(axis=0)
            rest = np.where(np.isnan(rest), 0.0, rest)
            yield found if np.allclose(rest, 0.0, atol=1e-9) else [*found, Part("", 1, rest)]

    def _said_by(self, words: Codes, counts: Codes) -> Floats:
        return self.rows(words) * (1 if self._once else counts[:, None])

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        if not isinstance(top, int) or top < 0:
            raise ValueError(f"top={top!r}: give how many words to name, a whole number of at least 0.")
        counts = np.zeros(self.seen.size)
        mine = self.seen.classes == index
        counts[self.seen.words[mine]] = self.seen.n[mine]
        odds = self._odds(index, prior)
        words = np.array(self.words(), object)
        best = np.lexsort((words, -odds))[:top]
        return [WordWeight(words[i], float(counts[i]), float(odds[i])) for i in best]

    def _odds(self, index: int, prior: Floats) -> Floats:
        """How much more every word says for a class than for the others, taken together as often as they come."""
        others = np.arange(self._width) != index
        if not others.any():
            return np.zeros(self.seen.size)
        shares = prior[others] - np.logaddexp.reduce(prior[others])
        odds = np.empty(self.seen.size)
        for start in range(0, self.seen.size, STEP):
            rows = self._weights(np.arange(start, min(start + STEP, self.seen.size), dtype=np.int32))
            with np.errstate(invalid="ignore"):
                rest = np.logaddexp.reduce(rows[:, others] + shares, axis=1)
                odds[start : start + STEP] = rows[:, index] - rest
        return np.where(np.isnan(odds), 0.0, odds)

    def _weights(self, words: Codes) -> Floats:
        """How much these words say for every class, when classes are compared."""
        return self.rows(words)

    def estimates(self) -> dict[str, Floats]:
        """P(word | class); of Bernoulli that a document has it, of Poisson how many it has, of complement P(word |
        other classes), of the compound its Dirichlet parameters."""
        rows = self.rows(np.arange(self.seen.size, dtype=np.int32))
        if self.family.reading == "bernoulli":
            values = special.expit(rows)
            if self.said.certain is not None:
                values[self.seen.words[self.said.certain], self.seen.classes[self.said.certain]] = 1.0
        else:
            values = np.exp(rows if self.likelihood else -rows)
        return dict(zip(self.words(), values, strict=True))

    def linear(self) -> Terms:
        if self.said.certain is not None:
            raise NotLinearError("with alpha=0, words that every document has rule documents out; use alpha above 0.")
        rows = self.rows(np.arange(self.seen.size, dtype=np.int32))
        return Terms(self.words(), rows, np.asarray(self.said.document))

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        return draw_texts(self, random, classes)

    def posterior(self, index: int) -> Posterior:
        if self.family.reading != "pooled":
            raise TypeError(f"Words(reading={self.family.reading!r}) has no posterior of its parameters; 'pooled' has.")
        alpha = self.seen.pseudo(self.family.alpha, self.seen.n)
        mine = self.seen.classes == index
        alpha[self.seen.words[mine]] += self.seen.n[mine]
        return Dirichlet(dict(zip(self.words(), alpha.tolist(), strict=True)))


class CompoundBelief(WordBelief):
    """Where a word's coming makes it likelier to come again."""

    def add_evidence(self, cells: pa.Array, scores: Floats) -> None:
        super().add_evidence(cells, scores)
        documents = self.family.cutter.documents(cells)
        starts, words, counts = kernels.list_words(documents, self._read(documents), self._index, False)
        row = np.repeat(np.arange(len(cells)), np.diff(starts))
        lengths = np.bincount(row, counts, len(cells))
        scores[:, : len(cells)] -= special.log_rising(np.exp(self._concentrated)[:, None], lengths)
        again = counts > 1
        row, words, times = row[again], words[again], counts[again][:, None]
        start = 0
        while start < len(row):  # whole documents, some at a time
            stop = int(np.searchsorted(row, row[min(start + STEP, len(row) - 1)], side="right"))
            rows = self.rows(words[start:stop])
            more = self._rising(rows, times[start:stop]) - np.where(np.isfinite(rows), rows * times[start:stop], 0.0)
            for c, column in enumerate(more.T):
                order = np.lexsort((column, row[start:stop]))  # the order of words in the index must not show
                scores[c, : len(cells)] += np.bincount(row[start:stop][order], column[order], len(cells))
            start = stop

    def add_text(self, text: str, scores: Floats) -> bool:
        return False

    def linear(self) -> Terms:
        raise NotLinearError("reading='compound' is not linear: a word's second coming says less than its first.")

    def _rising(self, rows: Floats, counts: Any) -> Floats:
        return np.where(np.isfinite(rows), special.log_rising(np.exp(rows), counts), 0.0)

    def _weights(self, words: Codes) -> Floats:
        """Without the concentration, which all words of a document have in common."""
        return self.rows(words) - self._concentrated

    def _said_by(self, words: Codes, counts: Codes) -> Floats:
        rows, times = self.rows(words), counts[:, None]
        return np.where(np.isfinite(rows), self._rising(rows, times), rows) - times * self._concentrated

    @property
    def _concentrated(self) -> Floats:
        assert self.said.concentration is not None
        return np.log(self.said.concentration)
