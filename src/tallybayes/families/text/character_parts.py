"""The evidence of character n-grams, attributed to the words that contain them, for readers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.cells import SPELLED
from tallybayes.families.belief import Part
from tallybayes.families.text.tokens import Cutter
from tallybayes.kernels.strings import index_strings

LEFT = "(characters)"  # evidence that belongs to no word


def words_of(family: Any, documents: kernels.Documents) -> list[dict[str, int]]:
    """The words of every text and their occurrences, including unseen words."""
    cutter, met = Cutter(replace(family, characters=None, ngrams=1, mix=None)), kernels.StringIndex()
    starts, words, counts = kernels.list_words(documents, cutter.reading(documents, False, -1), met, True)
    names = index_strings(met).to_pylist()
    return [{names[words[i]]: int(counts[i]) for i in range(*span)} for span in pairwise(starts)]


def attributed_to_words(parts: Sequence[Part], words: Mapping[str, int], lengths: tuple[int, int]) -> list[Part]:
    """The parts with the evidence of every character n-gram divided among the words that contain it, including unseen
    words."""
    owners = _owners(words, lengths)
    found = {part.word: part for part in parts if not part.word.startswith(SPELLED)}
    added: dict[str, Any] = {}
    for part in parts:
        if not part.word.startswith(SPELLED):
            continue
        of = owners.get(part.word[1:]) or _across(part.word[1:], words) or [LEFT]
        for word in of:
            added[word] = added.get(word, 0.0) + part.evidence / len(of)
    for word, evidence in added.items():
        known = found.get(word, Part(word, words.get(word, 1), np.zeros_like(evidence)))
        found[word] = known._replace(evidence=known.evidence + evidence)
    return list(found.values())


def _owners(words: Mapping[str, int], lengths: tuple[int, int]) -> dict[str, list[str]]:
    """Which words contain each run, with a space before and after the word."""
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        spaced = f" {word} "
        runs = {spaced[i : i + n] for n in range(lengths[0], lengths[1] + 1) for i in range(len(spaced) - n + 1)}
        for run in runs:
            found[run].append(word)
    return found


def _across(run: str, words: Mapping[str, int]) -> list[str]:
    """The words that a run may span, from the end of one to the beginning of another."""
    before, after = run.partition(" ")[0], run.rpartition(" ")[2]
    return [word for word in words if (before and word.endswith(before)) or (after and word.startswith(after))]
