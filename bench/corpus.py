"""Texts for benchmarks: real mails, and synthetic texts of any size whose vocabulary never stops growing.

A synthetic word is its rank, spelled: frequent words are short, and one in ten is accented, Greek, Cyrillic or Chinese.
Ranks follow an unbounded Zipf-Mandelbrot law, so that new words keep appearing as in Heaps' law: twice the text has
about 1.6 times the words. Documents have 150 words on average and vary in length; some words of each are specific to
its class. Everything is vectorised, tens of MB a second, and deterministic by seed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "text"
MAILS = DATA / "enron1-2.jsonl.gz"

MB = 1_000_000
MADE_UP = 150  # MB
TOKENS = 1 << 20  # generated at a time
FREQUENT = 1 << 17  # words that are spelled in advance
LAST = 1 << 42  # upper limit of ranks
WORDS_A_DOCUMENT = 150
TAIL = 0.45  # P(rank > r) falls as r to the minus this
SHIFT = 8.0

LETTERS = (  # consonants, vowels
    ("bcdfghjklmnprstv", "aeiou"),
    ("bcdfghjklmnprstv", "éàöñû"),
    ("βγδζθκλμνξπρστφχ", "αεηιο"),
    ("бвгджзклмнпрстфх", "аеиоу"),
)
CHINESE = tuple(chr(0x4E00 + 37 * i) for i in range(80))
SYLLABLES = (*("".join(pair) for letters in LETTERS for pair in product(*letters)), *CHINESE, "")
SCRIPTS = np.repeat(np.arange(5), (230, 16, 4, 4, 2))  # how many of 256 words use which letters
ENDINGS = pa.array(["", "", "", "s", "n", "t", "r", "ng"])


class Texts(NamedTuple):
    name: str
    table: pa.Table

    def speed(self, seconds: float) -> float:
        return pc.sum(pc.binary_length(self.table["body"])).as_py() / MB / seconds

    def document(self, characters: int) -> str:
        """The first one that is long enough, truncated."""
        long = pc.greater_equal(pc.utf8_length(self.table["body"]), characters)
        return self.table["body"].filter(long)[0].as_py()[:characters]


def corpora() -> list[Texts]:
    """The mails three times over, if available, and the synthetic corpus."""
    texts, labels = mails()
    real = pa.table({"body": texts * 3, "label": labels * 3})
    made = pa.Table.from_batches(batches(MADE_UP)).combine_chunks()
    return [*([Texts("Enron × 3", real)] if texts else []), Texts("synthetic", made)]


def mails() -> tuple[list[str], list[str]]:
    """The Enron mails, which begin with their subject, and their labels; nothing if the file is missing."""
    if not MAILS.exists():
        print("../shared/data/text/enron1-2.jsonl.gz is missing: no Enron mails.")
        return [], []
    with gzip.open(MAILS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def spell(ranks: Any) -> pa.Array:
    """The word of each rank: its base-80 digits as syllables, and an ending."""
    mixed = (ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(48)
    script, ending = SCRIPTS[mixed & np.uint64(255)], (mixed >> np.uint64(8)) & np.uint64(7)
    syllables, parts, left = pa.array(SYLLABLES), [], ranks.astype(np.int64) + 1
    while left.any():
        left -= 1
        parts.append(syllables.take(pa.array(np.where(left >= 0, script * 80 + left % 80, len(SYLLABLES) - 1))))
        left = np.maximum(left // 80, 0)
    parts.append(ENDINGS.take(pa.array(ending)))
    return pc.binary_join_element_wise(*parts, "")


def batches(
    megabytes: float, classes: int = 2, own: float = 0.3, tail: float = TAIL, seed: int = 0
) -> Iterator[pa.RecordBatch]:
    """Documents ("body") and their classes ("label"), up to this many megabytes; `own` is the share of class-specific
    words.
    """
    rng = np.random.default_rng(seed)
    words = spell(np.arange(FREQUENT))
    forms = (words, pc.utf8_capitalize(words), *(pc.binary_join_element_wise(words, end, "") for end in (",", ".\n")))
    known, left = pa.concat_arrays(forms), megabytes * MB
    while left > 0:
        batch = _batch(rng, known, classes, own, tail)
        size = batch["body"].get_total_buffer_size()
        if size > left:
            batch = batch.slice(0, max(int(len(batch) * left / size), 1))
        left -= size
        yield batch


def _batch(rng: np.random.Generator, known: pa.Array, classes: int, own: float, tail: float) -> pa.RecordBatch:
    lengths = np.maximum(rng.lognormal(np.log(WORDS_A_DOCUMENT) - 0.32, 0.8, TOKENS // WORDS_A_DOCUMENT), 1).astype(int)
    starts = np.append(0, np.cumsum(lengths))
    label = rng.integers(0, classes, len(lengths))
    uniform = rng.random(starts[-1])
    ranks = np.minimum((SHIFT + 1) * (np.maximum(uniform, 1e-18) ** (-1 / tail) - 1), LAST).astype(np.int64)
    alone = rng.random(starts[-1]) < own
    ranks[alone] = ranks[alone] * classes + np.repeat(label, lengths)[alone]
    form = np.searchsorted([0.85, 0.9, 0.95], rng.random(starts[-1]))
    rare = ranks >= FREQUENT
    place = np.where(rare, 4 * FREQUENT - 1 + np.cumsum(rare), form * FREQUENT + ranks)
    tokens = pa.concat_arrays([known, spell(ranks[rare])]).take(pa.array(place))
    documents = pc.binary_join(pa.ListArray.from_arrays(pa.array(starts, pa.int32()), tokens), " ")
    return pa.record_batch({"body": documents, "label": pa.array(label).cast(pa.string())})
