"""A text with its words highlighted as evidence for or against the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tallybayes.report.blocks import Piece, times
from tallybayes.report.evidence import WordFacts
from tallybayes.report.marks import Cut, marked

LONGEST = 20_000  # characters that are shown
STEPS = (0.1, 0.5, 1.2, 2.5)  # log-odds at which a highlight gets stronger


@dataclass(frozen=True)
class Highlight:
    """A part of a text, and the strength of its mark: positive for the answer, negative against it."""

    text: str
    strength: int = 0
    odds: str = ""


def highlighted(text: str, words: Sequence[WordFacts], cut: Cut) -> list[Highlight]:
    """The text, up to a limit, with the weakest evidence left unmarked."""
    found: list[Highlight] = []
    for strength, pieces in groupby(marked(text[:LONGEST], words, cut), _strength):
        if strength:
            found += [Highlight(piece.text, strength, times(piece.log_odds)) for piece in pieces]
        else:
            found.append(Highlight("".join(piece.text for piece in pieces)))
    return found


def _strength(piece: Piece) -> int:
    return int(math.copysign(sum(abs(piece.log_odds) >= step for step in STEPS), piece.log_odds))
