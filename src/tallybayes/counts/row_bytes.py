"""The sums of one class as few bytes in canonical form, for a journal of rows.

The arrays, names and checksums of a model file would be larger than a row. This has only labels and numbers; the reader
must know the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import Cells
from tallybayes.counts.exact import Exact

FEW = 4096  # labels that recur, like levels


def write_table(slots: Iterable[Any], sums: Mapping[str, Exact]) -> bytes:
    """Writes a table by slot and class, of at most one class."""
    labels = [_label_bytes(slot) for slot in slots]
    if not all(array.limbs.size for array in sums.values()):  # no slots, or no class
        return kernels.write_labels([], [])
    return kernels.write_labels(labels, [(array.limbs.reshape(len(labels), -1), array.low) for array in sums.values()])


def read_table(tables: list[bytes], names: Sequence[str]) -> tuple[list[Any], dict[str, Exact]]:
    """The sum of several written rows."""
    labels, sums = kernels.read_labels(tables, len(names))
    exact = (Exact(limbs[:, None], low) for limbs, low in sums)
    return [_label_from(label) for label in labels], dict(zip(names, exact, strict=True))


def write_words(index: kernels.StringIndex, cells: Cells) -> bytes:
    """Writes the words and sums of one class."""
    return kernels.write_words(index, cells.words, [(array.limbs, array.low) for array in cells.sums.values()])


def read_words(texts: list[bytes], names: Sequence[str]) -> tuple[kernels.StringIndex, Cells]:
    """The sum of several written texts."""
    index, sums = kernels.read_words(texts, len(names))
    words = np.arange(len(index), dtype=np.int32)
    exact = {name: Exact(limbs, low) for name, (limbs, low) in zip(names, sums, strict=True)}
    return index, Cells(words, np.zeros_like(words), exact)


@lru_cache(FEW, typed=True)
def _label_bytes(slot: Any) -> bytes:
    return json.dumps(slot, separators=(",", ":")).encode()


@lru_cache(FEW)
def _label_from(data: bytes) -> Any:
    found = json.loads(data)
    return tuple(found) if isinstance(found, list) else found
