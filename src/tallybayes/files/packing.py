"""Tallies as plain arrays, and back: what a model file holds between its header's lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.decay import holding
from tallybayes.counts.exact import Exact
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Key, Tally
from tallybayes.families.text.word_tally import WordTally, rounded_lengths
from tallybayes.files.tensors import Arrays, FileError
from tallybayes.kernels.strings import index_words

MOST_LIMBS = 400  # more than any sum of products of doubles needs
WHOLE, TEXT, WORDS = "whole", "text", "words"


def pack(prefix: str, tally: Tally | WordTally, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
    """A canonical tally's numbers into the arrays; what they mean is returned."""
    if isinstance(tally, WordTally):
        return _pack_words(prefix, tally, keys, arrays)
    slots = tally.slots
    whole = bool(slots) and all(isinstance(slot, int) for slot in slots)
    if whole:
        arrays[f"{prefix}/slots"] = np.array(slots, np.int64)
    else:
        _pack_texts(prefix, pa.array(slots, pa.large_string()), arrays)
    low = _pack_sums(prefix, tally.aligned(slots, keys).sums, arrays)
    return {"low": low, "slots": WHOLE if whole else TEXT}


def unpack(prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> Any:
    """The tally that was packed, out of the arrays; a `FileError`, if it was not packed as it is here."""
    if about["slots"] == WORDS:
        return _unpack_words(prefix, about, keys, arrays)
    _check_fields(about, "low", "slots")
    slots: list[Any]
    if about["slots"] == WHOLE:
        slots = _array(arrays, f"{prefix}/slots", np.int64, 1).tolist()
        if not slots or slots != sorted(set(slots)):
            raise FileError("its labels are not sorted")
    elif about["slots"] == TEXT:
        slots = _unpack_texts(prefix, arrays).to_pylist()
    else:
        raise FileError(f"there are no slots of kind {about['slots']!r}")
    sums = _unpack_sums(prefix, about["low"], (len(slots), len(keys)), arrays)
    if not np.all(sum(array.limbs.any(axis=(1, 2)) for array in sums.values())):
        raise FileError("it names something of which nothing is counted")
    return Tally(keys, slots, sums)


def _pack_words(prefix: str, tally: WordTally, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
    """Only the cells that hold something: of each its word, its class and its sums, in that order."""
    words, columns, sums = tally.words.cells()
    number = {key: i for i, key in enumerate(keys)}
    place = np.array([number[key] for key in tally.words.classes], np.int32)
    _pack_texts(prefix, tally.words.words(), arrays)
    arrays[f"{prefix}/words"] = np.ascontiguousarray(words)
    arrays[f"{prefix}/classes"] = place[columns]
    low = _pack_sums(prefix, sums, arrays)
    return {"low": low, "slots": WORDS, "lengths": pack(f"{prefix}/lengths", tally.lengths, keys, arrays)}


def _unpack_words(prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> WordTally:
    _check_fields(about, "low", "slots", "lengths")
    texts = _unpack_texts(prefix, arrays)
    words, classes = (_array(arrays, f"{prefix}/{name}", np.int32, 1) for name in ("words", "classes"))
    pairs = words.astype(np.int64) * max(len(keys), 1) + classes
    inside = len(words) == len(classes) and _within(words, len(texts)) and _within(classes, len(keys))
    if not inside or np.any(np.diff(pairs) <= 0) or _different(words) != len(texts):
        raise FileError("its words do not fit their counts")
    index = kernels.StringIndex()
    index_words(index, texts)
    sums = _unpack_sums(prefix, about["low"], (len(words),), arrays)
    if not {"n"} <= set(sums) or not holding(sums).all():
        raise FileError("its words have cells that hold nothing")
    lengths = unpack(f"{prefix}/lengths", about["lengths"], keys, arrays)
    met = np.array(lengths.slots or [0])
    if met.dtype != np.int64 or not np.array_equal(rounded_lengths(met), met) or met.min() < 0:
        raise FileError("its lengths of documents are not lengths")
    if set(lengths.sums) != {"n"}:
        raise FileError("its documents are not counted as documents are")
    return WordTally(SparseTally(keys, index, words.copy(), classes.copy(), sums), lengths)


def _pack_texts(prefix: str, texts: pa.Array, arrays: Arrays) -> None:
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[: len(texts) + 1] if len(texts) else np.zeros(1, np.int64)
    arrays[f"{prefix}/slots"] = np.frombuffer(data or b"", np.uint8)[: ends[-1]]
    arrays[f"{prefix}/ends"] = np.ascontiguousarray(ends[1:])


def _unpack_texts(prefix: str, arrays: Arrays) -> pa.Array:
    data = _array(arrays, f"{prefix}/slots", np.uint8, 1)
    ends = np.append(0, _array(arrays, f"{prefix}/ends", np.int64, 1))
    if np.any(np.diff(ends) < 0) or ends[-1] != len(data):
        raise FileError("its labels do not fit their bytes")
    texts = pa.LargeStringArray.from_buffers(
        len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))
    )
    texts.validate(full=True)
    if len(texts) > 1 and not pc.all(pc.less(texts[:-1], texts[1:])).as_py():
        raise FileError("its labels are not sorted")
    return texts


def _pack_sums(prefix: str, sums: Mapping[str, Exact], arrays: Arrays) -> dict[str, int]:
    for name, array in sums.items():
        arrays[f"{prefix}/sums/{name}"] = np.ascontiguousarray(array.limbs)
    return {name: array.low for name, array in sums.items()}


def _unpack_sums(prefix: str, lows: Mapping[str, Any], shape: tuple[int, ...], arrays: Arrays) -> dict[str, Exact]:
    sums = {}
    for name, low in lows.items():
        limbs = _array(arrays, f"{prefix}/sums/{name}", np.int64, len(shape) + 1)
        fits = limbs.shape[:-1] == shape and 1 <= limbs.shape[-1] <= MOST_LIMBS
        if not fits or type(low) is not int or abs(low) > MOST_LIMBS:
            raise FileError("its sums do not fit its labels")
        sums[name] = Exact(limbs, low)
        if not sums[name].is_canonical():
            raise FileError("its sums are not canonical")
    return sums


def _check_fields(about: Mapping[str, Any], *names: str) -> None:
    if set(about) != set(names):
        raise FileError(f"of its numbers it says {', '.join(sorted(about))}, not {', '.join(sorted(names))}")


def _different(codes: NDArray[Any]) -> int:
    """How many there are of codes that are sorted."""
    return int(np.count_nonzero(np.diff(codes))) + bool(codes.size)


def _within(codes: NDArray[Any], count: int) -> bool:
    return not codes.size or (int(codes.min()) >= 0 and int(codes.max()) < count)


def _array(arrays: Arrays, name: str, kind: type, dimensions: int) -> NDArray[Any]:
    """An array, which is taken away: what is left in the end means nothing."""
    array = arrays.pop(name)
    if array.dtype != kind or array.ndim != dimensions:
        raise FileError(f"{name} is of type {array.dtype} and has {array.ndim} dimensions")
    return array
