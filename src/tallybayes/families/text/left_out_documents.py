"""Documents to fit a mix on: some of those that were counted, each known by its words, and left out with its like.

Which ones, and in which order, is decided by a hash of their text alone, so that the same documents in any order,
batches and threads are the same sample. Equal texts are left out together: one would tell of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.text.counting import start_index
from tallybayes.families.text.word_statistics import WordStatistics
from tallybayes.families.text.word_table import by_word

MOST_DOCUMENTS = 10_000
ENOUGH_DOCUMENTS = 1000
MOST_SCORES = 400_000  # documents × classes, unless there were too few documents
MOST_CELLS = 2_000_000  # words of documents × classes that met them, likewise
CHUNK = 500_000  # cells at a time


@dataclass(frozen=True)
class Documents:
    """Different texts, one after the other, and the words of each that were counted."""

    held: Floats  # [document, class]: how often the text was counted there, or what it weighs
    document: NDArray[np.intp]  # of each word which document has it …
    word: Codes  # … its number …
    times: Floats  # … how often it comes …
    share: Floats  # … and what part of the document it is

    def __len__(self) -> int:
        return len(self.held)

    @cached_property
    def weight(self) -> Floats:
        """What each text weighs in all classes."""
        return np.asarray(self.held.sum(axis=1))

    def part(self, first: int, last: int) -> Documents:
        """Some of the documents."""
        lo, hi = np.searchsorted(self.document, [first, last])
        held, document = self.held[first:last], self.document[lo:hi] - first
        return Documents(held, document, self.word[lo:hi], self.times[lo:hi], self.share[lo:hi])

    def ends(self, sizes: Counts) -> Counts:
        """How many cells the words of the documents have, up to each: of every word so many."""
        return np.cumsum(np.bincount(self.document, sizes[self.word], len(self)))

    def worth(self, cells: int, sizes: Counts) -> int:
        """How many documents have so many cells; or more, to have enough documents."""
        return max(int(np.searchsorted(self.ends(sizes), cells)), min(ENOUGH_DOCUMENTS, len(self)))


@dataclass(frozen=True)
class Cells:
    """Which classes met the words of documents, looking words up one after the other."""

    at: NDArray[np.intp]  # the number of each cell
    token: NDArray[np.intp]  # which of the documents' words it is of


class Lookup:
    """Finds the cells of words."""

    def __init__(self, seen: WordStatistics) -> None:
        self._order, self._starts = by_word(seen.words, seen.classes, seen.size)
        self.sizes = np.diff(self._starts)

    def __call__(self, words: Codes) -> Cells:
        sizes = self.sizes[words]
        token = np.repeat(np.arange(len(words)), sizes)
        first = np.repeat(self._starts[words] - (np.cumsum(sizes) - sizes), sizes)
        return Cells(self._order[np.arange(len(token)) + first], token)


def left_out_documents(
    family: Any, cells: Any, rows: Rows, classes: list[Key], seen: WordStatistics, lookup: Lookup
) -> Documents:
    """As many as are worth their time."""
    width = len(classes)
    most = min(MOST_DOCUMENTS, max(MOST_SCORES // width, ENOUGH_DOCUMENTS), max(2 * MOST_SCORES // width, 1))
    chosen, held = _chosen(cells, rows, classes, most)
    found = _listed(family, cells.take(pa.array(chosen)) if hasattr(cells, "take") else cells, held, seen)
    return found.part(0, found.worth(MOST_CELLS, lookup.sizes))


def chunks(documents: Documents, lookup: Lookup) -> Iterator[tuple[slice, Documents]]:
    """A few documents at a time, so that what is worked out for them stays small."""
    ends = documents.ends(lookup.sizes)
    first = 0
    while first < len(documents):
        start = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, start + CHUNK, side="right")), first + 1)
        yield slice(first, last), documents.part(first, last)
        first = last


def _chosen(cells: Any, rows: Rows, classes: list[Key], most: int) -> tuple[Counts, Floats]:
    """The first row of each text that is chosen, and how often each class has it."""
    number = {key: i for i, key in enumerate(classes)}
    place = np.array([number.get(key, -1) for key in rows.classes] or [-1])
    labels = np.where(rows.codes >= 0, place[rows.codes], -1)
    alike: dict[bytes, list[int]] = {}
    for row, text in enumerate(_texts(cells)):
        if text is not None and labels[row] >= 0:
            alike.setdefault(blake2b(text, digest_size=16).digest(), []).append(row)
    digests = sorted(alike)[:most]
    held = np.zeros((len(digests), len(classes)))
    for i, digest in enumerate(digests):
        for row in alike[digest]:
            held[i, labels[row]] += 1.0 if rows.weights is None else rows.weights[row]
    return np.array([alike[digest][0] for digest in digests], np.int64), held


def _texts(cells: Any) -> Iterator[bytes | None]:
    if type(cells) is list:
        yield from (None if text is None else text.encode() for text in cells)
    elif pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        for tokens in cells.to_pylist():
            yield None if tokens is None else "\0".join(tokens).encode()
    else:
        large = pa.types.is_large_string(cells.type)
        yield from cells.view(pa.large_binary() if large else pa.binary()).to_pylist()


def _listed(family: Any, cells: Any, held: Floats, seen: WordStatistics) -> Documents:
    """The words of these documents that are not ignored. An index of its own numbers them, in the order of the
    documents: the model's depends on history, and sums would show it in their last digits."""
    index, unknown = start_index(family)
    documents = family.cutter.documents(cells)
    reading = family.cutter.reading(documents, family.presence, unknown)
    starts, words, counts = kernels.list_words(documents, reading, index, True)
    document = np.repeat(np.arange(len(held)), np.diff(starts))
    lengths = np.bincount(document, counts, len(held))
    times = np.ones(len(counts)) if family.presence else counts.astype(np.float64)
    number = seen.index.find_all(index)[words] if len(index) else words
    found = Documents(held, document, number, times, times / np.maximum(lengths, 1.0)[document])
    known = number >= 0
    return replace(found, **{name: getattr(found, name)[known] for name in ("document", "word", "times", "share")})
