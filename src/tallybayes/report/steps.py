"""The evidence of a row as steps from the prior to the answer, and a text marked with the evidence of its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tallybayes.report.blocks import Bar, Piece
from tallybayes.report.evidence import ColumnFacts, RowFacts, WordFacts, together, word_title
from tallybayes.report.evidence import titled as column_title

TOP = 12  # steps that are shown separately
WORD = re.compile(r"\w+")


def steps(row: RowFacts, top: int = TOP, named: bool = True) -> list[Bar]:
    """The prior, the columns and words with the most evidence, the rest as one step, and the total. A text is split
    into its words."""
    prior, *others = row.columns
    pieces: list[tuple[str, ColumnFacts | WordFacts]] = []
    for column in others:
        if column.words:
            pieces += [(word_title(word), word) for word in column.words]
        else:
            pieces.append((column_title(column, named), column))
    informative = [piece for piece in pieces if piece[1].log_odds != 0]
    ranked = sorted(informative, key=lambda piece: -abs(piece[1].log_odds))
    shown = [Bar("prior", prior.log_odds), *(Bar(name, piece.log_odds) for name, piece in ranked[:top])]
    rest = [piece for _, piece in ranked[top:]]
    if rest:
        shown.append(Bar(f"{len(rest):,} more", together(row, rest)))
    return [*shown, Bar("all together", together(row, row.columns))]


def marked(text: str, words: Sequence[WordFacts]) -> list[Piece]:
    """A text in pieces, with the evidence of each word. The evidence of a word n-gram is divided among its words; stems
    and character n-grams do not occur in the text as such and stay unmarked.

    >>> marked("Free lunch!", [WordFacts("free", 1, {}, 1.5), WordFacts("free lunch", 1, {}, 1.0)])
    [Piece(text='Free', log_odds=2.0), Piece(text=' ', log_odds=0.0), Piece(text='lunch', log_odds=0.5), ...]
    """
    found = list(WORD.finditer(text))
    lower = [match.group().lower() for match in found]
    log_odds_of = [0.0] * len(found)
    places: dict[str, list[int]] = {}
    for at, word in enumerate(lower):
        places.setdefault(word, []).append(at)
    for piece in words:
        run = piece.word.split(" ")
        starts = [at for at in places.get(run[0], []) if lower[at : at + len(run)] == run]
        for at in starts:
            for step in range(len(run)):
                log_odds_of[at + step] += piece.log_odds / len(starts) / len(run)
    pieces, end = [], 0
    for match, log_odds in zip(found, log_odds_of, strict=True):
        pieces += [Piece(text[end : match.start()], 0.0)] if match.start() > end else []
        pieces.append(Piece(match.group(), log_odds))
        end = match.end()
    return [*pieces, Piece(text[end:], 0.0)] if end < len(text) else pieces
