"""Rules for columns of texts: categories, free text, lists of tags, names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.families import Words
from tallybayes.families.numbers.values import ENOUGH
from tallybayes.schema.infer.choice import CATEGORY, Choice, all_the_same

FREE_TEXT = Words(reading="auto", ngrams=2, shortest=1, punctuation=True)
SHORT_TEXT = replace(FREE_TEXT, characters=(2, 5))
TAGS = Words(reading="auto", shortest=1)
NAMES = replace(TAGS, characters=(2, 5))
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
MANY_CHARACTERS = 8.0  # in a cell of a script without spaces
SHORT = 40.0  # words: in texts of up to this many, character n-grams are counted too …
SOME_TEXTS = 200  # … if there are at least this many texts: they are harder to read than words
MANY_WORDS = 3.0  # this many in a cell make it free text …
FEW_EACH = 5.0  # … if a text occurs less often than this
SOME = 1000  # cells that are split into words
SEPARATORS = "|;,/"
NO_SEPARATOR = re.compile(f"[^{SEPARATORS}]*")
SEVERAL = 1.5  # tags in a cell make it a list …
OFTEN = 5.0  # … if each tag occurs this often, and not nearly all cells have a list that does
WORD, DIGIT = re.compile(r"\w+"), re.compile(r"\d")
HALF = 0.5  # of the cells share a word with another if names are informative …
NEARLY_ALL = 0.9  # … and not one that is in nearly every cell


def choose_for_texts(present: pa.Array, whole: bool, missing: bool) -> Choice:
    """The family for texts like these; `missing` is whether other cells are missing."""
    different = pc.unique(present)
    levels, n = len(different), len(present)
    if n >= ENOUGH and levels == 1:
        return all_the_same(n, CATEGORY, whole, missing)
    some = present if n <= SOME else present.take(pa.array(np.linspace(0, n - 1, SOME, dtype=np.int64)))
    mostly_different = levels > n / 2
    characters = _mean_count(some, UNSPACED) if mostly_different else 0.0
    if characters >= MANY_CHARACTERS:
        return Choice(
            Words(unit="characters", ngrams=2, reading="auto"),
            f"free text without spaces, {characters:.0f} characters in a cell",
        )
    rarely_alike = mostly_different or (n >= ENOUGH and n < FEW_EACH * levels)
    words = _mean_count(some, r"\S+") if rarely_alike else 0.0
    if words >= MANY_WORDS:
        family = SHORT_TEXT if words <= SHORT and n >= SOME_TEXTS else FREE_TEXT
        return Choice(family, f"{'short' if family is SHORT_TEXT else 'free'} text, {words:.0f} words in a cell")
    separator = _separator(some, different) if n >= ENOUGH else None
    if separator is not None and not _are_repeated(present):
        return Choice(TAGS, f"lists of tags, with {separator!r} between them")
    if mostly_different and n >= ENOUGH:
        return _for_names(some.to_pylist(), levels, n)
    return Choice(CATEGORY, f"text, {levels} level{'s' * (levels != 1)} in {n} cell{'s' * (n != 1)}")


def _mean_count(texts: pa.Array, pattern: str) -> float:
    return float(pc.mean(pc.count_substring_regex(texts, pattern)).as_py())


def _are_repeated(present: pa.Array) -> bool:
    """Whether nearly all cells have a text that occurs often: levels such as genotypes (A/A, A/C), not lists."""
    times = present.value_counts().field("counts").to_numpy()
    return bool(times[times >= OFTEN].sum() >= NEARLY_ALL * len(present))


def _separator(some: pa.Array, different: pa.Array) -> str | None:
    """The separator of tags that recur in different lists. Most columns have none, which is found quickly if few texts
    are different."""
    if len(different) < len(some) and NO_SEPARATOR.fullmatch("".join(different.to_pylist())):
        return None
    texts = some.to_pylist()
    every = "".join(texts)
    for separator in SEPARATORS:
        if every.count(separator) < (SEVERAL - 1.0) * len(texts):
            continue
        tags = [tag.strip() for text in texts for tag in text.split(separator)]
        different = len(set(tags))
        if different <= len(set(texts)) / 2 and len(tags) >= OFTEN * different:
            return separator
    return None


def _for_names(texts: list[str], levels: int, n: int) -> Choice:
    """Texts that rarely repeat, though their parts may, as in names of people, packages and places. Numbers and
    mixtures of letters and digits do not count as parts: those of identifiers repeat by chance. If no other column is
    counted, names are read by their characters; codes, most of which have a digit, if there are no names either."""
    parts = [
        {word for word in map(str.lower, WORD.findall(text)) if len(word) > 1 and word.isalpha()} for text in texts
    ]
    cells = Counter(word for words in parts for word in words)
    shared_words = {word for word, times in cells.items() if 1 < times < NEARLY_ALL * len(texts)}
    shared = sum(not shared_words.isdisjoint(words) for words in parts) / len(parts)
    told = f"{levels} different texts in {n} cells"
    if shared >= HALF:
        return Choice(TAGS, f"{told}, {shared:.0%} of which share a word with another", NAMES)
    codes = sum(DIGIT.search(text) is not None for text in texts) > HALF * len(texts)
    return Choice(None, f"{told}: names rather than a category or free text", NAMES, last=codes)
