"""The evidence of a row as steps from the prior to the answer."""

from __future__ import annotations

from tallybayes.report.blocks import Bar
from tallybayes.report.evidence import ColumnFacts, RowFacts, WordFacts, together, word_title
from tallybayes.report.evidence import titled as column_title

TOP = 12  # steps that are shown separately


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
