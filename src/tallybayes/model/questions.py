"""What to ask next: the expected value of knowing a missing cell of a row.

The answer is computed for every possible value of the cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.matching import MISSING
from tallybayes.model import decide
from tallybayes.model.possible_values import DRAWN, at_most, values_of
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, apart, each_once, in_order


class Question(NamedTuple):
    """A missing cell, and the expected gain from knowing it."""

    column: Name
    gain: float  # in nats, or in units of cost


def questions(known: Beliefs, row: Any, costs: Floats | None) -> list[Question]:
    """All missing cells, the most informative first."""
    batches = list(known.encoded(row, MISSING))
    if len(batches) != 1 or batches[0].rows != 1:
        raise ValueError(f"There are {sum(b.rows for b in batches)} rows; give one.")
    cells = batches[0].cells
    scores = known.scores_of(cells, 1)
    asked = dict.fromkeys(each_once(cells))
    lacking = [name for name, _ in in_order(asked) if bool(known.schema.columns[name].missing(cells[name])[0])]
    if known.schema.overlaps:
        (given,) = frames.batches(known.schema.frame(row))
        gains = [_gain_of_rows(known, name, given, scores, costs) for name in lacking]
    else:
        gains = [_gain(known, name, scores, costs) for name in lacking]
    found = [Question(name, max(gain, 0.0)) for name, gain in zip(lacking, gains, strict=True)]  # rounding may be below
    return sorted(found, key=lambda question: -question.gain)


def _gain(known: Beliefs, name: Name, scores: Floats, costs: Floats | None) -> float:
    """The uncertainty before, minus the expected uncertainty afterwards."""
    values = values_of(known.schema.columns[name], known.counted[name], len(known.keys))
    if values is None:
        return 0.0
    before = decide.probabilities(scores, known.prior)
    weights = before[:, 0] @ np.exp(values.logs)
    after = np.repeat(scores, len(weights), axis=1)
    known.columns[name].add_evidence(values.cells, after)
    left = (weights * _open(decide.probabilities(after, known.prior), costs)).sum() / weights.sum()
    return float(_open(before, costs)[0] - left)


def _gain_of_rows(known: Beliefs, name: Name, row: pa.RecordBatch, scores: Floats, costs: Floats | None) -> float:
    """The same for a column that is in several entries: from rows with drawn values filled in."""
    drawn = at_most(DRAWN, len(known.keys))
    values = known.counted[name].draw(np.random.default_rng(0), np.repeat(np.arange(len(known.keys)), drawn))
    copies = pa.Table.from_batches([row]).take(pa.array(np.zeros(len(values), np.int64)))
    filled = {**dict(zip(copies.column_names, copies.columns, strict=True)), **apart(name, values)}
    before = decide.probabilities(scores, known.prior)
    after = [known.scores_of(batch.cells, batch.rows) for batch in known.encoded(pa.table(filled), MISSING)]
    open_still = _open(decide.probabilities(np.concatenate(after, axis=1), known.prior), costs)
    return float(_open(before, costs)[0] - np.repeat(before[:, 0] / drawn, drawn) @ open_still)


def _open(posterior: Floats, costs: Floats | None) -> Floats:
    """The entropy of every answer, or the expected cost of the best decision."""
    if costs is not None:
        return np.asarray(decide.expected_cost(posterior.T, costs).min(axis=1))
    logs = np.log(np.where(posterior > 0, posterior, 1.0))
    return np.asarray(0.0 - (posterior * logs).sum(axis=0))
