"""The evidence of vectors of counts, under the same readings as texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats, Indices
from tallybayes.counts.tally import Key
from tallybayes.families.belief import (
    MANY_PARTS,
    Belief,
    Free,
    Part,
    Terms,
    WordWeight,
    by_class,
    heaviest,
    log_odds,
    with_rest,
)
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.families.text import readings
from tallybayes.families.text.multinomial_coefficient import has_orders, log_orders
from tallybayes.families.text.word_statistics import Whole, WordStatistics
from tallybayes.families.text.word_table import dense_table
from tallybayes.families.vectors.matrix_cells import Dense, Sparse, Vectors, has_gaps, refuse_infinite
from tallybayes.kernels import special

READINGS = {name: readings.READINGS[name] for name in ("multinomial", "averaged", "bernoulli", "poisson", "complement")}
BY_POSITION = ("bernoulli", "poisson")  # readings in which each position may be missing by itself


SEEN_AS = {"n": "documents", "x": "n", "share": "share"}  # the names of vectors' sums among those of texts


class BagCounts(NamedTuple):
    """Stands in for a corpus."""

    texts: Floats  # vectors of each class
    keys: list[Key]


@dataclass
class PositionStatistics(WordStatistics):
    """The counts of every position, as those of words."""

    positions: int = 0

    @property
    def size(self) -> int:
        return self.positions

    @property
    def vocabulary(self) -> list[str]:
        return [str(i) for i in range(self.positions)]

    def by_class(self, values: Floats) -> Floats:
        """The order of positions is always the same, so values need not be sorted for their sums to come out the
        same."""
        return np.bincount(self.classes, values, self.width).astype(np.float64)


class PositionSums(NamedTuple):
    """The counts of some positions, and last those of the vectors themselves."""

    sums: Mapping[str, Exact]
    positions: NDArray[np.int64]
    size: int  # how many positions there are


def seen_positions(met: PositionSums, classes: Sequence[Key], gaps: Floats | None) -> PositionStatistics:
    """The non-empty positions, as words."""
    sums, count = met.sums, len(met.positions)
    at = np.flatnonzero(~sums["n"][:count].is_zero())
    words, columns = np.divmod(at, len(classes))
    limbs = {name: array.limbs.reshape(-1, array.limbs.shape[-1]).take(at, axis=0) for name, array in sums.items()}
    held = {SEEN_AS[name]: Exact(limbs[name], array.low).round() for name, array in sums.items()}
    seen = PositionStatistics(
        words=met.positions[words].astype(np.int32),
        classes=columns.astype(np.int32),
        n=held["n"],
        documents=held["documents"],
        share=held.get("share", np.zeros(len(words))),
        index=kernels.StringIndex(),
        whole=Whole(0, np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)),
        corpus=BagCounts(sums["n"][count].round(), list(classes)),
        gaps=gaps,
        positions=met.size,
    )
    seen.whole = seen.added_up()
    return seen


def _gaps(cells: Vectors) -> Vectors:
    """Vectors with a 1 where a number is missing; zero if all are."""
    if isinstance(cells, Sparse):
        return Sparse(cells.starts - cells.starts[0], cells.positions, np.isnan(cells.values) * 1.0, cells.missing)
    matrix = cells.turned().matrix
    return Dense(np.isnan(matrix) * ~cells.missing[:, None] * 1.0)


def held_in(cells: Vectors, size: int) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """The vector, position and value of every number above zero."""
    if isinstance(cells, Sparse):
        held = (cells.values > 0) & (cells.positions < size)
        return cells.rows[held], cells.positions[held], cells.values[held]
    matrix = cells.turned().matrix[:, :size]
    rows, positions = np.nonzero(matrix > 0)
    return rows, positions, matrix[rows, positions]


class BagBelief(Belief):
    """A table of the evidence of one count in each position for each class."""

    has_parts = True
    bound = MANY_PARTS

    def __init__(self, family: Any, met: PositionSums, classes: Sequence[Key], gaps: Floats | None = None) -> None:
        self.family = family
        self.seen = seen_positions(met, classes, gaps)
        self.alpha = self.seen.resolved_alpha(family.alpha)
        self.evidence = READINGS[family.reading](self.seen, self.alpha)
        self.likelihood = self.adds_up = family.reading != "complement"
        self.table = dense_table(self.seen, self.evidence)
        if family.norm and not self.likelihood:
            total = np.abs(self.table).sum(axis=0)
            self.table = np.ascontiguousarray(self.table / np.where(total > 0, total, 1.0))
        if self.evidence.rate and gaps is not None:
            self._raise_rates(gaps)
        self._once = family.reading == "bernoulli"
        self._orders = has_orders(family)
        self._rest = np.asarray(self.evidence.document)[:, None]
        self._certain = self._make_certain()

    def _raise_rates(self, gaps: Floats) -> None:
        """A position that is missing in some vectors has its rate from the others alone."""
        vectors = self.seen.texts + self.evidence.assumed
        known = vectors - gaps
        with np.errstate(divide="ignore", invalid="ignore"):
            self.table += np.where(known > 0, np.log(vectors / known), 0.0)
        self.evidence = self.evidence._replace(document=-np.exp(self.table).sum(axis=0))

    def _make_certain(self) -> Floats | None:
        """A table with a 1 where every vector of a class is above zero."""
        if self.evidence.certain is None:
            return None
        table = np.zeros_like(self.table)
        table[self.evidence.certain] = 1.0
        return table

    def add_evidence(self, cells: Vectors, scores: Floats) -> None:
        rows = len(cells)
        self._add(cells, self.table, scores)
        if self._once or not np.isfinite(scores[:, :rows]).all():  # where values are ignored, scores show no infinity
            refuse_infinite(cells, "a finite number")
        gaps = _gaps(cells) if self.family.reading in BY_POSITION and has_gaps(cells) else None
        if gaps is not None:
            self._add(gaps, self._absent, scores)
        if self._certain is not None:
            met = np.zeros_like(scores)
            for each in (cells,) if gaps is None else (cells, gaps):
                self._add(each, self._certain, met)
            lacking = met[:, :rows] < self._certain.sum(axis=0)[:, None]
            scores[:, :rows][lacking & ~cells.missing] = -np.inf
        if self._rest.any():
            scores[:, :rows] += np.where(cells.missing, 0.0, self._rest)
        if self.evidence.rate or self._orders:
            scores[:, :rows] += self._log_orders(cells)

    def _log_orders(self, cells: Vectors) -> Floats:
        """The multinomial coefficient, the same for every class, if requested."""
        row, _, values = held_in(cells, len(self.table))
        evidence = np.zeros(len(cells))
        if self.evidence.rate:
            evidence -= special.gammaln(np.bincount(row, values, len(cells)) + 1.0)
        return evidence + log_orders(row, values, len(cells)) if self._orders else evidence

    @cached_property
    def _absent(self) -> Floats:
        """−log P(a position is zero | class): corrects for missing positions, which were scored as zero."""
        if self.evidence.rate:
            return np.exp(self.table)
        table = np.logaddexp(0.0, self.table)
        table[:, self.evidence.blank] = 0.0
        return table if self._certain is None else np.where(self._certain > 0, 0.0, table)

    def _add(self, cells: Vectors, table: Floats, scores: Floats) -> None:
        if isinstance(cells, Sparse):
            kernels.add_bags(cells.starts, cells.all_positions, cells.all_values, table, self._once, scores)
            return
        matrix = cells.turned().matrix
        matrix = np.ascontiguousarray(matrix[:, : len(table)])
        times = (matrix > 0).astype(np.float64) if self._once else matrix
        kernels.add_linear(times, np.ascontiguousarray(table[: matrix.shape[1]]), scores)

    def parts(self, cells: Vectors) -> Iterator[list[Part]]:
        """For every vector, the evidence of each of its positions, and last that of the rest."""
        total = self.evidence_for(cells, self.table.shape[1])
        for row in range(len(cells)):
            _, positions, values = held_in(cells[row : row + 1], len(self.table))
            times = np.ones(len(values)) if self._once else values
            evidence = times[:, None] * self.table[positions]
            found = [Part(str(at), float(n), each) for at, n, each in zip(positions, values, evidence, strict=True)]
            yield with_rest(found, total[:, row], evidence)

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        odds = log_odds(self.table, index, prior)
        return heaviest(self.seen.vocabulary, self.seen.counts_of(index), odds, top)

    def estimates(self) -> dict[str, Floats]:
        """P(position | class); for Bernoulli the probability that it is above zero, for Poisson its expected value, for
        complement P(position | other classes)."""
        return dict(zip(self.seen.vocabulary, self.probabilities(), strict=True))

    def probabilities(self) -> Floats:
        return readings.probabilities(self.family.reading, self.evidence, self.table)

    def log_presence(self) -> Floats:
        """For Bernoulli, log P(a position is above zero | class): −log(1 + exp(−log-odds))."""
        with np.errstate(over="ignore"):
            logs = np.exp(-self.table)
        np.negative(np.log1p(logs, out=logs), out=logs)
        if self._certain is not None:
            logs[self.evidence.certain] = 0.0
        return logs

    def posterior(self, index: int) -> Posterior:
        if self.family.reading != "multinomial":
            raise TypeError(
                f"Bag(reading={self.family.reading!r}) has no posterior of its parameters; 'multinomial' has."
            )
        alpha = self.seen.pseudo(self.alpha, self.seen.n)
        counts = alpha + self.seen.counts_of(index)
        return Dirichlet(dict(zip(self.seen.vocabulary, counts.tolist(), strict=True)))

    def linear(self) -> Terms:
        return Terms(self.seen.vocabulary, self.table, np.asarray(self.evidence.document), self.evidence.certain)

    def free(self) -> Free:
        return readings.free_of_words(self.family.reading, self.seen.size)

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """For Bernoulli and Poisson each position by itself; for the multinomial a total drawn from a Poisson with the
        class's mean."""
        if not self.likelihood:
            raise TypeError("reading='complement' gives scores, so no vectors can be drawn.")
        chances, size = self.probabilities(), self.seen.size
        drawn = np.zeros((len(classes), size))
        totals = self.seen.whole.n / np.maximum(self.seen.texts, 1e-300)
        for number, rows in by_class(classes):
            if self._once:
                drawn[rows] = random.random((len(rows), size)) < chances[:, number]
            elif self.evidence.rate:
                drawn[rows] = random.poisson(chances[:, number], (len(rows), size))
            else:
                drawn[rows] = random.multinomial(random.poisson(totals[number], len(rows)), chances[:, number])
        return pa.FixedSizeListArray.from_arrays(pa.array(drawn.reshape(-1)), size)
