"""How unusual a row is: how many rows drawn from the model are as improbable.

A row's probability means little by itself: long texts are improbable, and so is every exact number. So it is compared
with rows drawn from the model, with the same cells missing and about as many words. For a text, the probability of its
words mostly reflects how rare they are. What counts instead is how much more probable the classes make them than all
texts together do: a text of no class gains nothing. An unseen word or level is no evidence about the classes; here it
counts, as improbable as what was seen once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Mask
from tallybayes.model.draw import sample
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, joined, members

_Pattern = Mapping[Name, Mask]  # which columns of every entry are missing

KEPT = 256  # patterns whose drawn rows are kept for the next batch
NEAR = 200  # drawn texts of about the same length to compare with


class Comparison:
    """Rows drawn from a model, with the evidence of each of their columns."""

    def __init__(self, known: Beliefs, tallies: Mapping[Name, Any], labels: Any, draws: int, seed: int) -> None:
        self.known = known
        self._pooled = {
            name: family.believe(tallies[name].merged({0: known.keys}), [0])
            for name, family in known.schema.columns.items()
            if family.is_text
        }
        self._rows, _ = sample(known.columns, known.prior, labels, draws, seed)
        (batch,) = known.encoded(self._rows)
        self._drawn = self._scored(batch.cells, batch.rows)
        self._by_pattern: dict[bytes, _Scores] = {}

    def novelty(self, cells: Mapping[Name, Any], rows: int) -> Floats:
        """For every row, the share of drawn rows that are as improbable, including the row itself."""
        scored = self._scored(cells, rows)
        gaps = {name: self.known.schema.columns[name].gaps(cells[name]) for name in cells}
        found = np.empty(rows)
        for pattern, at in _patterns(gaps, rows):
            there = [name for name, gone in pattern.items() if not gone.all()]
            found[at] = _shares(_total(self.known, scored, there, at), self._of(pattern, there))
        return found

    def _scored(self, cells: Mapping[Name, Any], rows: int) -> _Scored:
        found = _Scored(rows)
        for name, belief in self.known.columns.items():
            if name not in cells:
                continue
            scores = belief.evidence_for(cells[name], len(self.known.keys))
            if name in self._pooled:
                common = self._pooled[name].evidence_for(cells[name], 1)
                scores -= np.where(np.isfinite(common), common, 0.0)
            found.evidence[name] = scores
            found.words[name], found.new[name] = belief.unseen(cells[name])
        return found

    def _of(self, pattern: _Pattern, there: list[Name]) -> _Scores:
        """The drawn rows with the same cells missing, sorted by their number of words."""
        key = b"".join(gone.tobytes() for gone in pattern.values())
        if key not in self._by_pattern:
            scores = _total(self.known, self._with_gaps(pattern, there), there)
            if len(self._by_pattern) >= KEPT:  # where cells are missing at random, every row has a pattern of its own
                self._by_pattern.clear()
            self._by_pattern[key] = scores.take(np.argsort(scores.words, kind="stable"))
        return self._by_pattern[key]

    def _with_gaps(self, pattern: _Pattern, there: list[Name]) -> _Scored:
        """The drawn rows, with blocks scored again of which some columns are missing."""
        cells = {}
        for name in there:
            if pattern[name].any():
                drawn = {column: self._rows.column(column) for column in members(name)}
                for column in np.array(members(name))[pattern[name]].tolist():
                    drawn[column] = pa.nulls(len(drawn[column]), drawn[column].type)
                cells[name] = self.known.schema.columns[name].encode(joined(name, drawn))
        again = self._scored(cells, self._drawn.rows)
        return self._drawn.replaced(again)


class _Scored:
    """The evidence of each column, and that of unseen words and levels."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.evidence: dict[Name, Floats] = {}  # [class, row]
        self.words: dict[Name, Floats] = {}
        self.new: dict[Name, Floats] = {}

    def replaced(self, other: _Scored) -> _Scored:
        """The same with the columns that the other has."""
        found = _Scored(self.rows)
        for name in ("evidence", "words", "new"):
            setattr(found, name, getattr(self, name) | getattr(other, name))
        return found


class _Scores(NamedTuple):
    """log P(row) of some columns: of those without text, of those with text, and the number of words."""

    others: Floats
    texts: Floats
    words: Floats

    def take(self, at: Any) -> _Scores:
        return _Scores(*(each[at] for each in self))


def _total(known: Beliefs, scored: _Scored, names: list[Name], at: Any = slice(None)) -> _Scores:
    rows = len(np.arange(scored.rows)[at])
    joint = np.repeat(known.prior[:, None], rows, axis=1)
    words, before = np.zeros(rows), np.zeros(rows)
    total = {False: np.zeros(rows), True: np.zeros(rows)}
    for texts in (False, True):
        own = [name for name in names if known.schema.columns[name].is_text == texts]
        for name in own:
            joint += scored.evidence[name][:, at]
            words += scored.words[name][at]
            total[texts] += scored.new[name][at]
        if own or not texts:
            after = _log_sums(joint)
            total[texts] += after - np.where(np.isfinite(before), before, 0.0)  # else the row is impossible already
            before = after
    return _Scores(total[False], total[True], words)


def _log_sums(joint: Floats) -> Floats:
    """log Σ exp over the classes; −∞ if all are. numpy's logaddexp takes four times as long."""
    highest = joint.max(axis=0)
    peak = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(peak + np.log(np.exp(joint - peak).sum(axis=0)))


def _patterns(gaps: _Pattern, rows: int) -> list[tuple[_Pattern, Any]]:
    """Which cells are missing together, and the rows where they are."""
    if not gaps:
        return [({}, np.arange(rows))]
    ends = np.cumsum([each.shape[1] for each in gaps.values()])[:-1]
    kinds, at = np.unique(np.concatenate(list(gaps.values()), axis=1), axis=0, return_inverse=True)
    at = at.reshape(-1)
    return [
        (dict(zip(gaps, np.split(kind, ends), strict=True)), np.flatnonzero(at == number))
        for number, kind in enumerate(kinds)
    ]


def _shares(scored: _Scores, drawn: _Scores) -> Floats:
    """The share of drawn rows of about the same length that are no more probable, counting the row itself. Few are
    exactly as long, so their scores are rescaled: their deviation from the mean per word grows with the square root of
    the number of words."""
    if not drawn.words.any():
        lower = np.searchsorted(np.sort(drawn.others), scored.others, "right")
        return np.asarray((1.0 + lower) / (1.0 + len(drawn.others)))
    near = min(NEAR, len(drawn.words))
    first = np.clip(np.searchsorted(drawn.words, scored.words) - near // 2, 0, len(drawn.words) - near)
    around = drawn.take(first[:, None] + np.arange(near))
    each = around.texts.sum(axis=1) / np.maximum(around.words.sum(axis=1), 1.0)  # the mean score per word
    wide = np.sqrt(np.maximum(around.words, 1.0) / np.maximum(scored.words, 1.0)[:, None])  # scales deviations from it
    with np.errstate(invalid="ignore"):  # NaN, of an impossible text among empty ones, is below nothing
        texts = around.words * each[:, None] + wide * (scored.texts - scored.words * each)[:, None]
    there = scored.words[:, None] > 0
    below = around.others + np.where(there, around.texts - texts, 0.0) <= scored.others[:, None]
    return np.asarray((1.0 + below.sum(axis=1)) / (1.0 + near))
