"""Which words of a text spoke for the answer, and which against it, each where it stands.

What a word is, only its family knows: small letters, stems, runs of characters. So every word of the text is shown to
it by itself, and what it makes of it is looked up in what was said of the whole text. Runs of several words share what
they said among their words.
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
START = "<s>"  # before the first word of a text, where runs are counted from there
STEPS = (0.1, 0.5, 1.2, 2.5)  # log-odds from which on a mark is stronger

Known = Callable[[Sequence[str]], Sequence[Sequence[Part]]]  # what a family makes of each of some texts


@dataclass(frozen=True)
class Piece:
    """Some of a text; of a mark how strong it is, above zero for the answer and below against it."""

    text: str
    strength: int = 0
    odds: str = ""


def marked(text: str, words: Sequence[WordFacts], known: Known) -> list[Piece]:
    """The text in pieces, of which those are marked that said something."""
    shown = text[:LONGEST]
    spans = [(found.start(), found.end()) for found in WORD.finditer(shown)]
    said = _said([shown[start:end] for start, end in spans], {word.word: word for word in words if word.word}, known)
    pieces, at = [], 0
    for (start, end), log_odds in zip(spans, said, strict=True):
        strength = sum(abs(log_odds) >= step for step in STEPS)
        if strength:
            pieces += [Piece(shown[at:start])] * (start > at)
            pieces.append(Piece(shown[start:end], int(math.copysign(strength, log_odds)), times(log_odds)))
            at = end
    return [*pieces, *[Piece(shown[at:])] * (at < len(shown))]


def _said(tokens: list[str], words: Mapping[str, WordFacts], known: Known) -> list[float]:
    """What each token said: all of its occurrences said as much."""
    different = list(dict.fromkeys(tokens))
    parts = dict(zip(different, known(different), strict=True)) if different else {}
    alone = {token: sum(_share(words, part) for part in parts[token]) for token in different}
    said = [alone[token] for token in tokens]
    units = [next((part.word.rpartition(" ")[2] for part in parts[token] if part.word), "") for token in tokens]
    for run, log_odds in _runs(units, words):
        for at in run:
            said[at] += log_odds / len(run)
    return said


def _share(words: Mapping[str, WordFacts], part: Part) -> float:
    word = words.get(part.word)
    if word is None or not word.times or " " in part.word:
        return 0.0
    return word.log_odds * part.times / word.times


def _runs(units: list[str], words: Mapping[str, WordFacts]) -> Iterator[tuple[list[int], float]]:
    """Where runs of several words are, and what each of them said. What is no word to the family is passed over."""
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
