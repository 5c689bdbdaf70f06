"""Leave-one-out of texts: each text scored by the words of all others.

The reading "auto" is that of `mixed_belief`, but every document has counts of its own, so that of each word all classes
are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Counts, Floats, Indices, Mask
from tallybayes.counts.rows import places_of
from tallybayes.counts.sums import added_up
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.belief import by_class
from tallybayes.families.left_out import totals_without
from tallybayes.families.text.concentration import Document, concentration, concentration_without
from tallybayes.families.text.counted_words import CountedWords, LeftWords, Listed, Vocabulary
from tallybayes.families.text.counting import own_sums
from tallybayes.families.text.mix import AUTO, BASES, POWERS, Mix, block_count, blocks_of, mix_of
from tallybayes.families.text.mix_formulas import cell_evidence, parts_of, word_information
from tallybayes.families.text.readings import ONCE
from tallybayes.families.text.readings_left_out import NEEDS, evidence_of
from tallybayes.families.text.tokens import UNKNOWN
from tallybayes.families.text.word_statistics import chosen_words, named_words
from tallybayes.families.text.word_tally import WordTally, rounded_lengths
from tallybayes.kernels.strings import index_strings, index_words

STEP = 1 << 20  # words × classes at a time
OCCURRENCES = BASES.index("n")


class WordsLeftOut:
    """The counts of all words, and documents subtracted from them."""

    def __init__(self, family: Any, tally: WordTally, classes: list[Key]) -> None:
        self.family, self.index = family, tally.words.index
        self.once = family.presence or family.reading in ONCE
        self.unknown = int(index_words(self.index, [UNKNOWN], grow=False)[0]) if family.unknown else -1
        self.counted = _counted(family, tally, classes)
        if family.reading == AUTO:
            self.mix = MixLeftOut(family, self.counted, blocks_of(family, self.index))
        if family.reading == "dirichlet-multinomial":
            known = tally.lengths.canonical()
            self.different = tally.words.sum_of("documents", classes)
            self.lengths = np.array(known.slots, np.float64)
            self.spread = known.aligned(known.slots, classes).sums["n"].round()
            self.concentration = concentration(self.lengths, self.spread, self.different.round())

    def __call__(self, cells: Any, rows: Rows) -> Floats:
        documents = self.family.cutter.documents(cells)
        reading = self.family.cutter.reading(documents, self.family.presence, max(self.unknown, -1))
        starts, words, counts = kernels.list_words(documents, reading, self.index, False)
        missing = self.family.missing(cells)
        evidence = np.zeros((len(rows), len(rows.classes)))
        for start, stop in _blocks(starts, STEP // len(rows.classes)):
            span, some = slice(starts[start], starts[stop]), rows.slice(start, stop)
            row = np.repeat(np.arange(stop - start), np.diff(starts[start : stop + 1]))
            own = own_sums(row, counts[span].astype(np.int64), some, NEEDS[self.family.reading])
            listed = Listed(row, words[span].astype(np.int64), counts[span].astype(np.float64), own)
            evidence[start:stop] = self._evidence(listed, some, missing[start:stop])
        return evidence

    def _evidence(self, listed: Listed, rows: Rows, missing: Mask) -> Floats:
        left = self.counted.without(listed, rows, missing, self.once)
        if self.family.reading == AUTO:
            return self.mix.evidence(left)
        if self.family.reading == "dirichlet-multinomial":
            left = replace(left, concentration=self._concentration(left, listed, rows))
        return evidence_of(self.family, left)

    def _concentration(self, left: LeftWords, listed: Listed, rows: Rows) -> Floats:
        """The concentration of every class without each document; ignored words are part of a document too."""
        found = np.tile(self.concentration, (len(rows), 1))
        lengths = rounded_lengths(np.bincount(listed.row, listed.times, len(rows)).astype(np.int64))
        different = totals_without(self.different, listed.own["documents"], listed.row, rows.codes)
        there = np.flatnonzero(~left.missing)
        for c, some in by_class(rows.codes[there]):
            at = there[some]
            gone = Document(lengths[at].astype(np.float64), left.weights[at], different[at, c])
            found[at, c] = concentration_without(self.lengths, self.spread[:, c], self.concentration[c], gone)
        return found


def _blocks(starts: Counts, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of documents with at most `most` words together."""
    start, last = 0, len(starts) - 1
    while start < last:
        stop = int(np.searchsorted(starts, starts[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), last)
        yield start, stop
        start = stop


def _counted(family: Any, tally: WordTally, classes: list[Key]) -> CountedWords:
    words, columns, sums = tally.words.cells()
    place = places_of(tally.words.classes, classes)[columns]
    held = holding(sums) & (place >= 0) if len(words) else np.zeros(0, bool)
    words, at = words[held], place[held]
    vocabulary = _vocabulary(family, tally.words.index, len(tally.words), words, sums["n"][held].round())
    needed = {name: sums[name][held] for name in NEEDS[family.reading]}
    return CountedWords(words.astype(np.int64), at, needed, tally.texts(classes), vocabulary)


def _vocabulary(family: Any, index: kernels.StringIndex, size: int, words: Any, n: Floats) -> Vocabulary:
    met, always = np.zeros(size, bool), np.zeros(size, bool)
    met[words] = True
    chosen = chosen_words(family, index, met, words, n)
    unmet = kernels.StringIndex()
    if not family.min_count:
        named = named_words(family, index, met, chosen)
        always[named.met], unmet = True, named.unmet

    def names() -> tuple[list[str], list[str]]:
        return index_strings(index).to_pylist()[:size], index_strings(unmet).to_pylist()

    return Vocabulary(chosen, always, len(unmet), names)


class MixLeftOut:
    """The counts of all words by block; `blocks` has the block of each word."""

    def __init__(self, family: Any, counted: CountedWords, blocks: Indices) -> None:
        self.family, self.blocks, self.width = family, blocks, counted.width
        at = blocks[counted.key[counted.kept] // counted.width]
        own = counted.classes[counted.kept]
        self.totals = {
            name: [
                added_up(counted.sums[name][counted.kept][at == b], own[at == b], self.width) for b in range(self.count)
            ]
            for name in BASES
        }

    @property
    def count(self) -> int:
        return block_count(self.family)

    def evidence(self, left: LeftWords) -> Floats:
        """[document, class]"""
        totals = {name: self._without(name, left) for name in BASES}
        met = np.count_nonzero(left.texts > 0, axis=1)
        found = np.zeros((left.rows, self.width))
        for classes in np.unique(met).tolist():  # more than one value only if a class has a single text
            mix = mix_of(self.family, classes)
            lengths = np.bincount(left.row, minlength=left.rows)
            each = left.added(self._words(left, totals, mix, classes <= 2))
            found = np.where((met == classes)[:, None], each * mix.factor(lengths)[:, None], found)
        return np.where(left.missing[:, None], 0.0, found)

    def _without(self, name: str, left: LeftWords) -> Floats:
        """The totals of each block without each document: [document, block, class]."""
        listed, block = left.forgotten, self.blocks[left.forgotten.words]
        found = np.empty((left.rows, self.count, self.width))
        for b, sums in enumerate(self.totals[name]):
            mine = block == b
            found[:, b] = totals_without(sums, listed.own[name][mine], listed.row[mine], left.classes)
        return found

    def _words(self, left: LeftWords, totals: dict[str, Floats], mix: Mix, two: bool) -> Floats:
        """The evidence of every word: [word, class]."""
        block, held = self.blocks[left.words], left.sums[BASES[0]] > 0
        theta = np.array(mix.theta).reshape(-1, len(BASES), len(POWERS))
        documents = totals[BASES[0]].sum(axis=2)
        doublings = np.log2((1.0 + left.times) / 2.0)[:, None]
        found = np.zeros(held.shape)
        for number, name in enumerate(BASES):
            if not theta[:, number].any():
                continue
            whole = totals[name].sum(axis=2)
            scale = np.divide(documents, whole, out=np.ones_like(whole), where=whole > 0)
            counts = np.where(held, left.sums[name], 0.0) * scale[left.row, block][:, None]
            part = parts_of(totals[name])[left.row, block]
            evidence, information = _pieces(counts, part, held, mix.a, two)
            worth = (theta[block, number] * np.stack([information**power for power in POWERS], axis=1)).sum(axis=1)
            found += evidence * worth[:, None] * (1.0 + doublings if number == OCCURRENCES else 1.0)
        return found


def _pieces(counts: Floats, part: Floats, held: Mask, a: float, two: bool) -> tuple[Floats, Floats]:
    """The evidence of every word for every class, 0 if the class does not have it; and every word's information."""
    overall = counts.sum(axis=1)
    row, at = np.nonzero(held)
    evidence, added = np.zeros(counts.shape), np.zeros(counts.shape)
    evidence[row, at], added[row, at] = cell_evidence(counts[row, at], overall[row], part[row, at], a, two)
    rest = 1.0 - np.where(held, part, 0.0).sum(axis=1)
    return evidence, word_information(added.sum(axis=1), overall, rest, a)
