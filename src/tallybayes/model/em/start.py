"""Where EM starts a class without labelled rows: at rows far from the starts of the others, as k-means++ does.

A class starts with one row plus the average of all rows with the weight of one row. So it gives every other row a
probability, for columns of any family; a row is far from a class in which it is improbable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.model.em.fit import EMProblem
from tallybayes.model.em.rows import RowBlock
from tallybayes.model.em.settings import EM, RESTARTS
from tallybayes.model.model import Model
from tallybayes.model.scoring import Beliefs
from tallybayes.model.tallying import Piece, tallies_of

MOST = 1 << 13  # rows that may be drawn


def starts_of(problem: EMProblem, settings: EM) -> list[Model]:
    """The labelled rows alone, if every class is one component and has some; otherwise `restarts` random starts."""
    if problem.fixed is not None and set(problem.keys) <= set(problem.fixed.keys()):
        return [problem.fixed]
    seeds = Seeds(problem.settled(Model(problem.given, problem.label_type)))
    number = settings.restarts or RESTARTS
    return [seeds.start(np.random.default_rng([settings.seed, again])) for again in range(number)]


class Seeds:
    """Draws rows to start from. Rows are in the order of their fingerprints, so the first ones are a random sample."""

    def __init__(self, problem: EMProblem) -> None:
        self.problem = problem
        self._all = self._whole()
        self._pools: list[RowBlock] = list(problem.rows.each(_first, problem.threads))

    def start(self, random: np.random.Generator) -> Model:
        """Counts to start from: those of the labelled rows, and one row for every class that has none."""
        problem = self.problem
        counts = Model(problem.given, problem.label_type) if problem.fixed is None else problem.fixed.copy()
        started = [key for key in problem.keys if key in set(counts.keys())]
        for at, key in enumerate(problem.keys):
            if key in started:
                continue
            rivals = [other for other in started if problem.of_class[problem.keys.index(other)] == problem.of_class[at]]
            pool = [block for block in self._pools if self._fits(block, at)]
            block, row = self._drawn(pool, at, counts, rivals if problem.fixed is None else started, random)
            self._add(counts, key, block, row)
            started.append(key)
        return counts

    def _fits(self, block: RowBlock, component: int) -> bool:
        """Whether the block's rows may start this component: labelled rows of its own class, or if there are none,
        unlabelled rows."""
        code = self.problem.of_class[component]
        has_own = any(other.labelled and bool((other.codes == code).any()) for other in self._pools)
        return bool((block.codes == code).any()) if block.labelled else not has_own

    def _drawn(
        self, pool: Sequence[RowBlock], component: int, counts: Model, started: list[Key], random: np.random.Generator
    ) -> tuple[RowBlock, int]:
        code = self.problem.of_class[component]
        may = [np.flatnonzero(block.codes == code) if block.labelled else np.arange(len(block.codes)) for block in pool]
        far = np.concatenate([self._far(block, counts, started)[at] for block, at in zip(pool, may, strict=True)])
        total = far.sum()
        chosen = int(random.choice(len(far), p=far / total if total > 0 else None))
        for block, at in zip(pool, may, strict=True):
            if chosen < len(at):
                return block, int(at[chosen])
            chosen -= len(at)
        raise AssertionError("no row was drawn")

    def _far(self, block: RowBlock, counts: Model, started: list[Key]) -> Floats:
        """The distance of each row to the components that have started, relative to the nearest row."""
        if not started:
            return np.ones(len(block.codes))
        rows = np.ones(len(started))
        known = Beliefs(self.problem.schema, started, [*range(len(started))], rows, counts.columns)
        nearest = known.scores_of(block.encoded, len(block.codes)).max(axis=0)
        finite = np.isfinite(nearest)
        if not finite.any():
            return np.ones(len(nearest))
        highest, lowest = nearest[finite].max(), nearest[finite].min()
        return np.asarray(highest - np.where(finite, nearest, lowest))

    def _add(self, counts: Model, key: Key, block: RowBlock, row: int) -> None:
        only = Rows([key], np.zeros(1, np.int32), np.ones(1))
        encoded = {name: cells[row : row + 1] for name, cells in block.encoded.items()}
        counts._take(counts.label_type, Tally.of_rows(only), tallies_of(self.problem.given, encoded, only, 0))
        share = 1.0 / max(self._all.n, 1.0)
        counts._take(
            counts.label_type,
            (self._all.rows * share).renamed([key]),
            {name: (tally * share).renamed([key] * len(tally.classes)) for name, tally in self._all.columns.items()},
        )

    def _whole(self) -> Model:
        """All rows as one class."""
        problem = self.problem
        whole = Model(problem.given, problem.label_type)

        def count(block: RowBlock) -> Piece:
            rows = Rows([0], np.zeros(len(block.codes), np.int32), block.weights)
            return Tally.of_rows(rows), tallies_of(problem.given, block.encoded, rows, 0)

        for piece in problem.rows.each(count, problem.threads):
            whole._take(problem.label_type, *piece)
        return whole


def _first(block: RowBlock) -> RowBlock:
    """The rows of a block that may be drawn."""
    if len(block.codes) <= MOST:
        return block
    at: Counts = np.arange(MOST)
    encoded = {name: cells[:MOST] for name, cells in block.encoded.items()}
    return RowBlock(block.cells.slice(0, MOST), encoded, encoded, block.codes[at], block.weights[at], block.places[at])
