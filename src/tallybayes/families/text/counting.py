"""From documents to counts: one pass of the kernel, or for weighted rows, words listed and summed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import ranges
from tallybayes.counts.exact import Codes, Counts, Exact, Floats, Indices, Mask
from tallybayes.counts.row_tally import ONCE, RowTally
from tallybayes.counts.rows import SharedRows
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.sums import weighted_sums
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.text.tokens import UNKNOWN, not_utf8
from tallybayes.families.text.word_tally import WordTally, distinct_lengths
from tallybayes.kernels.strings import index_words


def count(family: Any, documents: kernels.Documents, rows: Rows) -> WordTally:
    """The tally of a `Words` family for unweighted documents."""
    index, unknown = start_index(family)
    try:
        reading = family.cutter.reading(documents, family.presence, unknown)
        found = kernels.count_words(documents, reading, index, True, rows.codes, len(rows.classes))
    except kernels.NotUtf8Error as error:
        raise not_utf8(error) from None
    return _tallied(index, rows, *found)


@dataclass(frozen=True)
class ListedTexts:
    """Documents as lists of their words."""

    vocabulary: kernels.StringIndex
    starts: Counts  # of each document's words, and the end
    words: Codes
    counts: Codes
    missing: Mask

    def __len__(self) -> int:
        return len(self.missing)

    @cached_property
    def row(self) -> Indices:
        """The document of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def lengths(self) -> Counts:
        return np.bincount(self.row, self.counts, len(self)).astype(np.int64)

    @cached_property
    def distinct_lengths(self) -> tuple[Counts, Codes]:
        return distinct_lengths(np.where(self.missing, -1, self.lengths))


def listed(family: Any, documents: kernels.Documents, missing: Mask) -> ListedTexts:
    """The words of every document, from which weighted rows are counted."""
    index, unknown = start_index(family)
    try:
        reading = family.cutter.reading(documents, family.presence, unknown)
        return ListedTexts(index, *kernels.list_words(documents, reading, index, True), missing)
    except kernels.NotUtf8Error as error:
        raise not_utf8(error) from None


def count_listed(documents: ListedTexts, rows: Rows) -> WordTally:
    """The same as `count` for rows with weights or shares in several classes: slower, since every document's words are
    listed first."""
    index, words, counts = documents.vocabulary, documents.words, documents.counts
    if isinstance(rows, SharedRows) and rows.units is not None:
        tally = _shared_words(documents, rows, rows.units)
    elif isinstance(rows, SharedRows):
        of, word = ranges(documents.starts[rows.at], documents.starts[rows.at + 1])  # each share has all words
        lengths = documents.lengths[rows.at]
        tally = _weighted_words(index, rows.spread, of, words[word], counts[word].astype(np.float64), lengths)
    else:
        row, kept = documents.row, rows.codes[documents.row] >= 0
        times = counts[kept].astype(np.float64)
        tally = _weighted_words(index, rows, row[kept], words[kept], times, documents.lengths)
    met, codes = documents.distinct_lengths
    return WordTally(tally, Tally(rows.classes, met.tolist(), {"n": rows.count(codes, len(met))}))


def _shared_words(documents: ListedTexts, rows: SharedRows, units: Counts) -> SparseTally:
    """The same for shares that are multiples of 2⁻³²."""
    index, shares = documents.vocabulary, (rows.starts, np.ascontiguousarray(rows.codes), units, len(rows.classes))
    given = documents.starts, documents.words, documents.counts, len(index)
    found, columns, *sums = kernels.count_shared(*given, *shares)
    n, texts, share = (limbs.reshape(len(found), -1) if len(found) else limbs[:, None] for limbs in sums)
    fields = {"n": Exact(n, -1), "documents": Exact(texts, -1), "share": Exact(share, -3)}
    return SparseTally(rows.classes, index, found, columns, fields)


def start_index(family: Any) -> tuple[kernels.StringIndex, int]:
    """An index with only the unknown word, if there is one, and its number."""
    index = kernels.StringIndex()
    return index, int(index_words(index, [UNKNOWN])[0]) if family.unknown else -1


def _tallied(index: kernels.StringIndex, rows: Rows, cells: int, sums: Counts, codes: Codes) -> WordTally:
    """The kernel's two blocks, unpacked."""
    n, documents, share = sums[:cells, None], sums[cells : 2 * cells, None], sums[2 * cells : 5 * cells].reshape(-1, 3)
    fields = {"n": Exact(n), "documents": Exact(documents), "share": Exact(share, -2)}
    words = SparseTally(rows.classes, index, codes[:cells], codes[cells : 2 * cells], fields)
    lengths = sums[5 * cells :].tolist()
    if rows.only is not None and lengths:
        return WordTally(words, RowTally((lengths[0], rows.only, *ONCE)))
    counts = rows.count(codes[2 * cells :], len(lengths))
    return WordTally(words, Tally(rows.classes, lengths, {"n": counts}))


def _weighted_words(
    index: kernels.StringIndex, rows: Rows, row: Indices, words: Codes, counts: Floats, lengths: Counts
) -> SparseTally:
    """Exact sums of weights, of weights times counts, and of weights times shares, by word and class."""
    found, columns, summed = by_word_and_class(rows, row, words)
    high, low = (part.astype(np.float64) for part in share_parts(lengths[row]))
    share = summed(counts, high * 2.0**-32) + summed(counts, low * 2.0**-64)
    sums = {"n": summed(counts), "documents": summed(), "share": share}
    return SparseTally(rows.classes, index, found, columns, sums)


def by_word_and_class(rows: Rows, row: Indices, words: Codes) -> tuple[Codes, Codes, Callable[..., Exact]]:
    """The words and classes of the cells that these words of weighted rows go to; and a function that sums numbers by
    cell, each times its factors and the weight of its row."""
    pairs, at = np.unique(words.astype(np.int64) * len(rows.classes) + rows.codes[row], return_inverse=True)
    assert rows.weights is not None
    weights, cell = rows.weights[row], at.astype(np.int32).reshape(-1)

    def summed(*factors: Floats) -> Exact:
        return weighted_sums([weights, *factors], cell, len(pairs))

    found, columns = (half.astype(np.int32) for half in np.divmod(pairs, len(rows.classes)))
    return found, columns, summed


def share_parts(lengths: Counts) -> tuple[Counts, Counts]:
    """One word's share of a document of this length, truncated to 2⁻⁶⁴ like the kernel's: in units of 2⁻³² and 2⁻⁶⁴."""
    different, at = np.unique(lengths, return_inverse=True)
    whole = [divmod((1 << 64) // n if n else 0, 1 << 32) for n in different.tolist()]
    parts = np.array(whole, np.int64).reshape(-1, 2)[at.reshape(-1)]
    return parts[:, 0], parts[:, 1]


def own_sums(row: Indices, counts: Counts, rows: Rows, names: Sequence[str]) -> dict[str, Exact]:
    """What each word of some documents adds to these sums: `row` is its document, and `counts` its occurrences
    there."""
    lengths = np.bincount(row, counts, len(rows)).astype(np.int64)
    high, low = share_parts(lengths[row]) if "share" in names else (counts, counts)
    if rows.weights is None:
        plain = {"n": counts[:, None], "documents": np.ones((len(counts), 1), np.int64)}
        share = Exact(np.stack([counts * low, counts * high], axis=-1), -2)
        return {name: share if name == "share" else Exact(plain[name]) for name in names}
    weights, each = rows.weights[row], np.arange(len(row), dtype=np.int32)

    def product(*factors: Any) -> Exact:
        return weighted_sums([weights, *factors], each, len(each))

    times = counts.astype(np.float64)
    sums = {"n": product(times), "documents": product()}
    if "share" in names:
        sums["share"] = product(times, high * 2.0**-32) + product(times, low * 2.0**-64)
    return {name: sums[name] for name in names}
