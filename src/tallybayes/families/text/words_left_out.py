"""Leave-one-out of texts: what each text that was counted says by the words of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.text.coefficient import has_orders, log_orders
from tallybayes.families.text.counted_words import CountedWords, Listed
from tallybayes.families.text.counting import share_parts
from tallybayes.families.text.left_readings import READINGS
from tallybayes.families.text.readings import ONCE
from tallybayes.families.text.tokens import UNKNOWN
from tallybayes.families.text.word_statistics import chosen_words, named_words
from tallybayes.families.text.word_tally import FIELDS, WordTally
from tallybayes.kernels.strings import index_strings, index_words

STEP = 1 << 20  # words × classes that are looked at at once


class WordsLeftOut:
    """What was counted of all words, and how to take documents away from it."""

    def __init__(self, family: Any, tally: WordTally, classes: list[Key]) -> None:
        self.family, self.index = family, tally.words.index
        self.once = family.presence or family.reading in ONCE
        self.unknown = int(index_words(self.index, [UNKNOWN], grow=False)[0]) if family.unknown else -1
        self.counted = _counted(family, tally, classes)

    def __call__(self, cells: Any, rows: Rows) -> Floats:
        documents = self.family.cutter.documents(cells)
        reading = self.family.cutter.reading(documents, self.family.presence, max(self.unknown, -1))
        starts, words, counts = kernels.list_words(documents, reading, self.index, False)
        missing = np.array([cell is None for cell in cells]) if type(cells) is list else cells.is_null().to_numpy(False)
        said = np.zeros((len(rows), len(rows.classes)))
        for start, stop in self._blocks(starts, len(rows.classes)):
            span = slice(starts[start], starts[stop])
            row = np.repeat(np.arange(stop - start), np.diff(starts[start : stop + 1]))
            listed = self._listed(row, words[span].astype(np.int64), counts[span].astype(np.float64), stop - start)
            said[start:stop] = self._said(listed, rows.slice(start, stop), missing[start:stop])
        return said

    def _blocks(self, starts: Any, width: int) -> Any:
        """Some documents at a time."""
        start, last = 0, len(starts) - 1
        while start < last:
            stop = int(np.searchsorted(starts, starts[start] + STEP // width, side="right")) - 1
            stop = min(max(stop, start + 1), last)
            yield start, stop
            start = stop

    def _listed(self, row: Any, words: Any, times: Floats, rows: int) -> Listed:
        if self.family.reading != "averaged":
            return Listed(row, words, times, ())
        lengths = np.bincount(row, times, rows).astype(np.int64)
        return Listed(row, words, times, share_parts(lengths[row]))

    def _said(self, listed: Listed, rows: Rows, missing: Any) -> Floats:
        left = self.counted.without(listed, rows, missing, self.once)
        said = READINGS[self.family.reading](left, self.family.alpha)
        if has_orders(self.family):
            said = said + log_orders(left.row, left.times, left.rows)[:, None]
        return np.where(missing[:, None], 0.0, said)


def _counted(family: Any, tally: WordTally, classes: list[Key]) -> CountedWords:
    words, columns, sums = tally.words.cells()
    names = FIELDS if family.reading == "averaged" else FIELDS[:2]
    number = {key: i for i, key in enumerate(classes)}
    place = np.array([number.get(key, -1) for key in tally.words.classes] or [-1], np.int32)
    held = holding(sums) & (place[columns] >= 0)
    words, at = words[held], place[columns[held]]
    kept = {name: sums[name][held] for name in names}
    met = np.zeros(len(tally.words), bool)
    met[words] = True
    chosen = chosen_words(family, tally.words.index, met, words, sums["n"][held].round())
    always, unmet = np.zeros(len(met), bool), kernels.StringIndex()
    if not family.min_count:
        named = named_words(family, tally.words.index, met, chosen)
        always[named.met], unmet = True, named.unmet

    def spelled() -> tuple[list[str], list[str]]:
        return index_strings(tally.words.index).to_pylist()[: len(met)], index_strings(unmet).to_pylist()

    return CountedWords(
        words.astype(np.int64),
        at,
        kept,
        tally.documents(classes),
        chosen,
        always,
        len(unmet),
        tally.lengths.aligned(tally.lengths.slots, classes),
        spelled,
    )
