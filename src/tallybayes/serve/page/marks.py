"""A text with its words marked as evidence for or against the answer.

Only the family knows how a text is cut into words: lower case, stems, character n-grams. So every token of the text is
given to it separately, and its words are looked up in the evidence of the whole text. The evidence of a word n-gram is
divided among its words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tallybayes.families.base import Part
from tallybayes.report.blocks import times
from tallybayes.report.evidence import WordFacts

WORD = re.compile(r"\w+")
LONGEST = 20_000  # characters that are shown
START = "<s>"  # the start of a text in n-grams
STEPS = (0.1, 0.5, 1.2, 2.5)  # log-odds at which a mark gets stronger

Known = Callable[[Sequence[str]], Sequence[Sequence[Part]]]  # the parts of each text, by the family


@dataclass(frozen=True)
class Piece:
    """A part of a text, and the strength of its mark: positive for the answer, negative against it."""

    text: str
    strength: int = 0
    odds: str = ""


def marked(text: str, words: Sequence[WordFacts], known: Known) -> list[Piece]:
    """The text in pieces, with those marked that are evidence."""
    shown = text[:LONGEST]
    spans = [(found.start(), found.end()) for found in WORD.finditer(shown)]
    tokens = [shown[start:end] for start, end in spans]
    evidence = _log_odds(tokens, {word.word: word for word in words if word.word}, known)
    pieces, at = [], 0
    for (start, end), log_odds in zip(spans, evidence, strict=True):
        strength = sum(abs(log_odds) >= step for step in STEPS)
        if strength:
            pieces += [Piece(shown[at:start])] * (start > at)
            pieces.append(Piece(shown[start:end], int(math.copysign(strength, log_odds)), times(log_odds)))
            at = end
    return [*pieces, *[Piece(shown[at:])] * (at < len(shown))]


def _log_odds(tokens: list[str], words: Mapping[str, WordFacts], known: Known) -> list[float]:
    """The log-odds of each token, the same for all its occurrences."""
    different = list(dict.fromkeys(tokens))
    parts = dict(zip(different, known(different), strict=True)) if different else {}
    alone = {token: sum(_share(words, part) for part in parts[token]) for token in different}
    found = [alone[token] for token in tokens]
    units = [next((part.word.rpartition(" ")[2] for part in parts[token] if part.word), "") for token in tokens]
    for run, log_odds in _runs(units, words):
        for at in run:
            found[at] += log_odds / len(run)
    return found


def _share(words: Mapping[str, WordFacts], part: Part) -> float:
    word = words.get(part.word)
    if word is None or not word.times or " " in part.word:
        return 0.0
    return word.log_odds * part.times / word.times


def _runs(units: list[str], words: Mapping[str, WordFacts]) -> Iterator[tuple[list[int], float]]:
    """The positions and log-odds of word n-grams. Tokens that are no words to the family are skipped."""
    known = [(at, unit) for at, unit in enumerate(units) if unit]
    sequence = [START, *(unit for _, unit in known)]
    places = defaultdict(list)
    for at, unit in enumerate(sequence):
        places[unit].append(at)
    for word in words.values():
        run = word.word.split(" ")
        if len(run) > 1 and all(run):
            starts = [at for at in places[run[0]] if sequence[at : at + len(run)] == run]
            for start in starts:
                yield [known[at - 1][0] for at in range(max(start, 1), start + len(run))], word.log_odds / len(starts)
