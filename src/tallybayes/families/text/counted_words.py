"""What was counted of words, exactly, and what is left of it without each of some documents: leave-one-out of texts,
and of vectors that are read as texts are.

Without a document, only what was counted of its own words and of its class is another; and how many words there are,
where no other document has a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Counts, Exact, Floats
from tallybayes.counts.sums import added_up, weighted_sums
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.left_out import Places, taken, weights_of
from tallybayes.families.text.concentration import concentration
from tallybayes.families.text.word_tally import rounded_lengths

STEP = 1 << 18  # numbers that are worked out at once

Mask = NDArray[np.bool_]


class Listed(NamedTuple):
    """The words of some documents, one document after the other."""

    row: Places  # of each word the document
    words: Counts  # its number
    times: Floats  # how often the document has it
    part: tuple[Floats, ...]  # numbers that add up to what part of its document it is

    def where(self, kept: Mask) -> Listed:
        return Listed(self.row[kept], self.words[kept], self.times[kept], tuple(part[kept] for part in self.part))


class Whole(NamedTuple):
    """What there is of all words that are not ignored: of each document how many words, and [document, class] the sums
    over them."""

    size: Floats
    n: Floats
    documents: Floats
    share: Floats
    met: Floats  # different words


@dataclass(frozen=True)
class LeftWords:
    """What is left without each of some documents: of the words that it has and that are known without it, and of all
    words. It is for `left_readings` what `WordStatistics` is for `readings`."""

    row: Places  # of each word the document
    words: Counts  # its number
    times: Floats  # how often the document has it
    sums: Mapping[str, Floats]  # of the word: [word, class]
    whole: Whole
    texts: Floats  # documents: [document, class]
    forgotten: Listed  # the words of documents that are not ignored, whether or not they are known without it
    counted: CountedWords
    classes: Codes  # of each document
    weights: Floats
    length: Counts  # how many words each document has, those that are ignored too
    different: Floats  # the sum of `documents` over all words, of each document's class
    missing: Mask  # which documents are

    @property
    def rows(self) -> int:
        return len(self.texts)

    @cached_property
    def lengths(self) -> Floats:
        """How many words each document has, of those that are known."""
        return np.bincount(self.row, self.times, self.rows).astype(np.float64)

    def changed(self, each: Floats) -> Floats:
        """How much less words that have these numbers add up to, without those that are not known: of each document."""
        before = np.bincount(self.forgotten.row, each[self.forgotten.words], self.rows)
        return np.asarray(before - np.bincount(self.row, each[self.words], self.rows), np.float64)

    def added(self, said: Floats, row: Places | None = None) -> Floats:
        """What words say, added up by document: [document, class]."""
        total = np.zeros((self.rows, said.shape[1]))
        rows, starts = np.unique(self.row if row is None else row, return_index=True)
        if rows.size:
            total[rows] = np.add.reduceat(said, starts, axis=0)
        return total

    def concentration(self) -> Floats:
        """Of every class: how likely a document's words are to come again in it."""
        known = self.counted.lengths
        assert known is not None
        slots = np.array(known.slots, np.int64)
        n, lengths = known.sums["n"], slots.astype(np.float64)
        found = np.tile(concentration(lengths, n.round(), self.counted.different.round()), (self.rows, 1))
        there = np.flatnonzero(~self.missing)
        order = np.argsort(slots)
        at = order[np.searchsorted(slots[order], rounded_lengths(self.length[there]))]
        for kinds in _in_steps(len(there), len(slots)):
            each, codes, place = there[kinds], self.classes[there[kinds]], at[kinds]
            spread = n.round()[:, codes]
            left = taken(n, (place, codes), Exact.of(self.weights[each])).round()
            spread[place, np.arange(len(each))] = left
            found[each, codes] = concentration(lengths, spread, self.different[each])
        return found


def _in_steps(count: int, each: int) -> Iterator[slice]:
    step = max(STEP // max(each, 1), 1)
    return (slice(start, start + step) for start in range(0, count, step))


class CountedWords:
    """Exact sums by word and class, of the cells that hold something, in the order of words and classes."""

    def __init__(
        self,
        words: Counts,
        classes: Codes,
        sums: Mapping[str, Exact],
        texts: Exact,
        chosen: Mask,
        always: Mask,
        unmet: int,
        lengths: Tally | None,
        names: Callable[[], tuple[list[str], list[str]]],
    ) -> None:
        self.width = len(texts)
        key = words.astype(np.int64) * self.width + classes
        order = np.argsort(key)
        self.key, self.classes = key[order], classes[order]
        self.sums = {name: Exact(array.limbs[order], array.low) for name, array in sums.items()}
        self.rounded = {name: array.round() for name, array in self.sums.items()}
        self.texts, self.chosen = texts, chosen
        self.always = always  # words that there are, whether or not any document has them
        self.unmet = unmet  # how many of these no document has
        self.lengths = lengths  # of documents
        self.names = names  # of the words by number, and of those that no document has
        self.starts = np.searchsorted(self.key, np.arange(len(chosen) + 1) * self.width)
        kept = chosen[self.key // self.width]
        self.totals = {name: added_up(array[kept], self.classes[kept], self.width) for name, array in self.sums.items()}
        self.different = added_up(self.sums["documents"], self.classes, self.width)
        self.met = np.bincount(self.classes[kept], minlength=self.width).astype(np.float64)
        self.size = int(chosen.sum()) + unmet

    def without(self, listed: Listed, rows: Rows, missing: Mask, once: bool) -> LeftWords:
        """What is left without each of these documents."""
        weights, codes = weights_of(rows), rows.codes
        own = _own(listed, weights)
        at = np.searchsorted(self.key, listed.words * self.width + codes[listed.row])
        left = without_traces({name: taken(array, at, own[name]) for name, array in self.sums.items()}, own)
        mine = {name: array.round() for name, array in left.items()}
        cell_gone = (mine["n"] <= 0) & (mine["documents"] <= 0)
        chosen = self.chosen[listed.words]
        alone = cell_gone & (np.diff(self.starts)[listed.words] == 1) & ~self.always[listed.words]
        known = chosen & ~alone
        totals = {
            name: self._total(array, own[name][chosen], listed.row[chosen], codes)
            for name, array in self.totals.items()
        }
        met = np.tile(self.met, (len(rows), 1))
        met[np.arange(len(rows)), codes] -= np.bincount(listed.row, chosen & cell_gone, len(rows))
        size = np.asarray(self.size - np.bincount(listed.row, chosen & alone, len(rows)), np.float64)
        whole = Whole(size, totals["n"], totals["documents"], totals.get("share", np.zeros((0, self.width))), met)
        different = self._total(self.different, own["documents"], listed.row, codes)
        return LeftWords(
            row=listed.row[known],
            words=listed.words[known],
            times=np.ones(int(known.sum())) if once else listed.times[known],
            sums=self._sums(listed.where(known), {name: values[known] for name, values in mine.items()}, codes),
            whole=whole,
            texts=self._total(self.texts, Exact.of(weights[~missing]), np.flatnonzero(~missing), codes),
            forgotten=listed.where(chosen),
            counted=self,
            classes=codes,
            weights=weights,
            length=np.bincount(listed.row, listed.times, len(rows)).astype(np.int64),
            different=different[np.arange(len(rows)), codes],
            missing=missing,
        )

    def dense(self, name: str, words: Counts) -> Floats:
        """One of the sums of these words, as all documents have it: [word, class]."""
        different, back = np.unique(words, return_inverse=True)
        lengths = self.starts[different + 1] - self.starts[different]
        ends = np.cumsum(lengths)
        cells = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[different] - (ends - lengths), lengths)
        table = np.zeros((len(different), self.width))
        table[np.repeat(np.arange(len(different)), lengths), self.classes[cells]] = self.rounded[name][cells]
        return table[back.reshape(-1)]

    def _sums(self, listed: Listed, mine: Mapping[str, Floats], codes: Codes) -> dict[str, Floats]:
        found = {name: self.dense(name, listed.words) for name in mine}
        for name, values in mine.items():
            found[name][np.arange(len(values)), codes[listed.row]] = values
        return found

    def _total(self, sums: Exact, own: Exact, row: Places, codes: Codes) -> Floats:
        """Sums by class without what each document added to those of its own: [document, class]."""
        each = np.arange(len(codes))
        added = {"n": added_up(own, row, len(codes))}
        left = without_traces({"n": taken(sums, codes, added["n"])}, added)["n"]
        table = np.tile(sums.round(), (len(codes), 1))
        table[each, codes] = left.round()
        return table


def _own(listed: Listed, weights: Floats) -> dict[str, Exact]:
    """What each word of a document added to the sums."""
    weight, each = weights[listed.row], np.arange(len(listed.row), dtype=np.int32)

    def product(*factors: Floats) -> Exact:
        return weighted_sums([weight, *factors], each, len(each))

    own = {"n": product(listed.times), "documents": Exact.of(weight)}
    parts = [product(listed.times, part) for part in listed.part]
    for part in parts:
        own["share"] = own["share"] + part if "share" in own else part
    return own
