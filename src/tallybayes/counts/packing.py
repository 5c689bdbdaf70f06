"""Labels and exact sums as plain arrays for model files, or as few bytes for a journal of rows, and back.

Tallies pack themselves with these. Whatever is read from a file must be exactly what would be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.cells import Cells
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Exact

Arrays = dict[str, NDArray[Any]]

MOST_LIMBS = 400  # more than any sum of products of doubles needs
WHOLE, TEXT, WORDS = "whole", "text", "words"
FEW = 4096  # labels that recur, like levels


class PackError(ValueError):
    """Arrays that are not what a tally would be packed as."""


def pack_table(prefix: str, slots: Sequence[Any], sums: Mapping[str, Exact], arrays: Arrays) -> dict[str, Any]:
    """Packs sums by slot and class into the arrays; returns their description."""
    kind = pack_labels(prefix, slots, arrays)
    return {"low": pack_sums(prefix, sums, arrays), "slots": kind}


def unpack_table(
    prefix: str, about: Mapping[str, Any], names: Sequence[str], classes: int, arrays: Arrays
) -> tuple[list[Any], dict[str, Exact]]:
    """The slots, and the sums of these names."""
    _check_fields(about)
    slots = unpack_labels(prefix, about["slots"], arrays)
    sums = unpack_sums(prefix, about["low"], names, (len(slots), classes), arrays)
    if not np.all(sum(array.limbs.any(axis=(1, 2)) for array in sums.values())):
        raise PackError("it names something without counts")
    return slots, sums


def pack_cells(prefix: str, texts: pa.Array, cells: Cells, arrays: Arrays) -> dict[str, Any]:
    """Packs words and their cells, sorted by word and class, into the arrays; returns their description."""
    pack_texts(prefix, texts, arrays)
    arrays[f"{prefix}/words"] = np.ascontiguousarray(cells.words)
    arrays[f"{prefix}/classes"] = np.ascontiguousarray(cells.classes)
    return {"low": pack_sums(prefix, cells.sums, arrays), "slots": WORDS}


def unpack_cells(
    prefix: str, about: Mapping[str, Any], names: Sequence[str], classes: int, arrays: Arrays
) -> tuple[pa.Array, Cells]:
    """The words, and the non-empty cells with the sums of these names."""
    _check_fields(about)
    if about["slots"] != WORDS:
        raise PackError(f"there are no slots of kind {about['slots']!r}")
    texts = unpack_texts(prefix, arrays)
    words, columns = (take(arrays, f"{prefix}/{name}", np.int32, 1) for name in ("words", "classes"))
    pairs = words.astype(np.int64) * max(classes, 1) + columns
    inside = len(words) == len(columns) and _within(words, len(texts)) and _within(columns, classes)
    different = int(np.count_nonzero(np.diff(words))) + bool(len(words))  # they are sorted
    if not inside or np.any(np.diff(pairs) <= 0) or different != len(texts):
        raise PackError("its words do not fit their counts")
    sums = unpack_sums(prefix, about["low"], names, (len(words),), arrays)
    if not holding(sums).all():
        raise PackError("its words have cells that hold nothing")
    return texts, Cells(words.copy(), columns.copy(), sums)


def pack_labels(prefix: str, labels: Sequence[Any], arrays: Arrays) -> Any:
    """Packs sorted labels: texts, whole numbers, or tuples of these, place by place; returns their kind."""
    if labels and isinstance(labels[0], tuple):
        places = [sorted(set(place)) for place in zip(*labels, strict=True)]
        numbers = [{label: i for i, label in enumerate(place)} for place in places]
        codes = [[number[part] for number, part in zip(numbers, label, strict=True)] for label in labels]
        arrays[f"{prefix}/codes"] = np.array(codes, np.int32)
        return [pack_labels(f"{prefix}/{i}", place, arrays) for i, place in enumerate(places)]
    if labels and isinstance(labels[0], int):
        arrays[f"{prefix}/slots"] = np.array(labels, np.int64)
        return WHOLE
    pack_texts(prefix, pa.array(labels, pa.large_string()), arrays)
    return TEXT


def unpack_labels(prefix: str, kind: Any, arrays: Arrays) -> list[Any]:
    if kind == TEXT:
        return unpack_texts(prefix, arrays).to_pylist()
    if kind == WHOLE:
        found = take(arrays, f"{prefix}/slots", np.int64, 1)
        if not len(found) or np.any(found[1:] <= found[:-1]):
            raise PackError("its labels are not sorted")
        return found.tolist()
    if not isinstance(kind, list) or len(kind) < 2 or not set(map(type, kind)) <= {str}:
        raise PackError(f"there are no slots of kind {kind!r}")
    codes = take(arrays, f"{prefix}/codes", np.int32, 2)
    places = [unpack_labels(f"{prefix}/{i}", each, arrays) for i, each in enumerate(kind)]
    pairs = zip(codes.T, places, strict=False)
    used = all(np.array_equal(np.unique(column), np.arange(len(place))) for column, place in pairs)
    if codes.shape[1] != len(places) or not len(codes) or not used:
        raise PackError("its labels do not fit their parts")
    rows = list(map(tuple, codes.tolist()))
    if any(one >= other for one, other in pairwise(rows)):
        raise PackError("its labels are not sorted")
    return [tuple(place[code] for place, code in zip(places, row, strict=True)) for row in rows]


def pack_texts(prefix: str, texts: pa.Array, arrays: Arrays) -> None:
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[: len(texts) + 1] if len(texts) else np.zeros(1, np.int64)
    arrays[f"{prefix}/slots"] = np.frombuffer(data or b"", np.uint8)[: ends[-1]]
    arrays[f"{prefix}/ends"] = np.ascontiguousarray(ends[1:])


def unpack_texts(prefix: str, arrays: Arrays) -> pa.Array:
    data = take(arrays, f"{prefix}/slots", np.uint8, 1)
    ends = np.append(0, take(arrays, f"{prefix}/ends", np.int64, 1))
    if np.any(np.diff(ends) < 0) or ends[-1] != len(data):
        raise PackError("its labels do not fit their bytes")
    texts = pa.LargeStringArray.from_buffers(
        len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    )
    texts.validate(full=True)
    if len(texts) > 1 and not pc.all(pc.less(texts[:-1], texts[1:])).as_py():
        raise PackError("its labels are not sorted")
    return texts


def pack_sums(prefix: str, sums: Mapping[str, Exact], arrays: Arrays) -> dict[str, int]:
    for name, array in sums.items():
        arrays[f"{prefix}/sums/{name}"] = np.ascontiguousarray(array.limbs)
    return {name: array.low for name, array in sums.items()}


def unpack_sums(
    prefix: str, lows: Mapping[str, Any], names: Sequence[str], shape: tuple[int, ...], arrays: Arrays
) -> dict[str, Exact]:
    """The sums of these names, each of this shape."""
    if set(lows) != set(names):
        raise PackError(f"it has sums of {', '.join(lows)}, not of {', '.join(names)}")
    sums = {}
    for name, low in lows.items():
        limbs = take(arrays, f"{prefix}/sums/{name}", np.int64, len(shape) + 1)
        fits = limbs.shape[:-1] == shape and 1 <= limbs.shape[-1] <= MOST_LIMBS
        if not fits or type(low) is not int or abs(low) > MOST_LIMBS:
            raise PackError("its sums do not fit its labels")
        sums[name] = Exact(limbs, low)
        if not sums[name].is_canonical():
            raise PackError("its sums are not canonical")
    return {name: sums[name] for name in names}


def _check_fields(about: Mapping[str, Any]) -> None:
    if set(about) != {"low", "slots"}:
        raise PackError(f"its numbers are described by {', '.join(sorted(about))}, not by low, slots")


def _within(codes: NDArray[np.int32], count: int) -> bool:
    return not codes.size or (int(codes.min()) >= 0 and int(codes.max()) < count)


def take(arrays: Arrays, name: str, kind: type, dimensions: int) -> NDArray[Any]:
    """Removes and returns an array: whatever remains at the end is an error."""
    array = arrays.pop(name)
    if array.dtype != kind or array.ndim != dimensions:
        raise PackError(f"{name} is of type {array.dtype} and has {array.ndim} dimensions")
    return array


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
