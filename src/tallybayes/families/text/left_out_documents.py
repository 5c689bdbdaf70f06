"""Documents to fit a mix on: a sample of those counted, each left out by its weight, which is that of its copies too.

The sample and its order depend on a hash of the texts alone, so that any order, batching and threads give the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Floats, Indices, Mask
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.left_out import weights_of
from tallybayes.families.text.counting import start_index
from tallybayes.families.text.word_statistics import WordStatistics

MOST_DOCUMENTS = 10_000
ENOUGH_DOCUMENTS = 1000
MOST_SCORES = 400_000  # documents × classes, unless that leaves too few documents
MOST_CELLS = 2_000_000  # words of documents × classes that have them, likewise


@dataclass(frozen=True)
class Documents:
    """Distinct texts of each class and weight, and the words of each that were counted."""

    own: Floats  # [document, class]: its weight, which is left out
    held: Floats  # the same times how often it was met: its weight in the fit
    document: Indices  # the document of each word …
    word: Codes  # … its number …
    times: Floats  # … its occurrences …
    share: Floats  # … and its share of the document

    def __len__(self) -> int:
        return len(self.held)

    def part(self, first: int, last: int) -> Documents:
        """Some of the documents."""
        lo, hi = np.searchsorted(self.document, [first, last])
        own, held, document = self.own[first:last], self.held[first:last], self.document[lo:hi] - first
        return Documents(own, held, document, self.word[lo:hi], self.times[lo:hi], self.share[lo:hi])

    def those(self, chosen: Mask) -> Documents:
        """The documents that are chosen."""
        words, number = chosen[self.document], np.cumsum(chosen) - 1
        cells = (self.word[words], self.times[words], self.share[words])
        return Documents(self.own[chosen], self.held[chosen], number[self.document[words]], *cells)

    def ends(self, sizes: Counts) -> Counts:
        """The cumulative number of cells of the documents' words, given that of each word."""
        return np.cumsum(np.bincount(self.document, sizes[self.word], len(self)).astype(np.int64))

    def worth(self, cells: int, starts: Counts) -> int:
        """How many documents have at most `cells` cells together, given where each word's cells start; at least enough
        to fit on."""
        return max(int(np.searchsorted(self.ends(np.diff(starts)), cells)), min(ENOUGH_DOCUMENTS, len(self)))


class Rowwise(NamedTuple):
    """Documents, and the index of every row's document; −1 if it has no text."""

    documents: Documents
    of_row: Indices


def left_out_documents(family: Any, cells: Any, rows: Rows, classes: list[Key], seen: WordStatistics) -> Rowwise:
    """All documents of these rows."""
    firsts, times, of_row = _grouped(cells, rows, classes)
    asked = cells.take(pa.array(firsts)) if hasattr(cells, "take") else [cells[i] for i in firsts.tolist()]
    own = np.zeros((len(firsts), len(classes)))
    own[np.arange(len(firsts)), rows.codes_in(classes)[firsts]] = weights_of(rows, firsts)
    return Rowwise(_listed(family, asked, own, own * times[:, None], seen), of_row)


def worth_fitting(documents: Documents, seen: WordStatistics) -> Documents:
    """As many documents as the limits allow."""
    width = documents.own.shape[1]
    most = min(MOST_DOCUMENTS, max(MOST_SCORES // width, ENOUGH_DOCUMENTS), max(2 * MOST_SCORES // width, 1))
    found = documents.part(0, min(most, len(documents)))
    return found.part(0, found.worth(MOST_CELLS, seen.starts))


def _grouped(cells: Any, rows: Rows, classes: list[Key]) -> tuple[Counts, Floats, Indices]:
    """For each document its first row and how often it was met; for each row its document."""
    groups: dict[tuple[bytes, int, float], list[int]] = {}
    labels, weights = rows.codes_in(classes), weights_of(rows).tolist()
    for row, (text, label) in enumerate(zip(_texts(cells), labels.tolist(), strict=True)):
        if text is not None and label >= 0:
            groups.setdefault((blake2b(text, digest_size=16).digest(), label, weights[row]), []).append(row)
    of_row = np.full(len(labels), -1, np.intp)
    alike = [groups[key] for key in sorted(groups)]
    for i, group in enumerate(alike):
        of_row[group] = i
    return np.array([group[0] for group in alike], np.int64), np.array([*map(len, alike)], np.float64), of_row


def _texts(cells: Any) -> Iterator[bytes | None]:
    if type(cells) is list:
        yield from (None if text is None else text.encode() for text in cells)
    elif pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        for tokens in cells.to_pylist():
            yield None if tokens is None else "\0".join(tokens).encode()
    else:
        large = pa.types.is_large_string(cells.type)
        yield from cells.view(pa.large_binary() if large else pa.binary()).to_pylist()


def _listed(family: Any, cells: Any, own: Floats, held: Floats, seen: WordStatistics) -> Documents:
    """The words of these documents that are not ignored. They are numbered anew in the order of the documents: the
    model's numbers depend on history, which would show in the last digits of sums."""
    index, unknown = start_index(family)
    documents = family.cutter.documents(cells)
    reading = family.cutter.reading(documents, family.presence, unknown)
    starts, words, counts = kernels.list_words(documents, reading, index, True)
    document = np.repeat(np.arange(len(held)), np.diff(starts))
    lengths = np.bincount(document, counts, len(held))
    times = np.ones(len(counts)) if family.presence else counts.astype(np.float64)
    number = seen.index.find_all(index)[words] if len(index) else words
    found = Documents(own, held, document, number, times, times / np.maximum(lengths, 1.0)[document])
    known = number >= 0
    if known.all():
        return found
    return replace(found, **{name: getattr(found, name)[known] for name in ("document", "word", "times", "share")})
