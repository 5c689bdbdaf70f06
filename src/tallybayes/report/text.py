"""Blocks as lines of text. A line is made of spans, each a text and its style, which a terminal may colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tallybayes.report.blocks import FAINT, Bar, Bars, Block, Heading, Lines, Marked, Picture, Table, share, strongest
from tallybayes.report.characters import LONGEST_CELL, aligned, clean, padded, short, width

BOLD, FOR, AGAINST = "bold", "for", "against"
WIDE = 80  # characters of a line, by default
WIDEST = 110  # characters of a line with a bar
WIDEST_TITLE = 32
ROOM = 34  # for the text after a bar, without the class name

Line = list[tuple[str, str]]


def plain_text(blocks: Iterable[Block], *, details: bool = False) -> str:
    """The lines without styles."""
    return "\n".join("".join(text for text, _ in line) for line in lines(blocks, details=details))


def lines(blocks: Iterable[Block], *, wide: int = WIDE, ascii: bool = False, details: bool = False) -> Iterator[Line]:
    """Block by block, with an empty line between them; lines of bars are no wider than `wide` if possible."""
    first = True
    for block in blocks:
        if isinstance(block, Table) and block.detail and not details:
            continue
        if not first:
            yield []
        first = False
        if isinstance(block, Heading):
            title = short(block.title, LONGEST_CELL)
            yield [(title if block.level == 1 else title.upper(), BOLD)]
            continue
        if isinstance(block, (Picture, Marked)):
            yield _described(block)
            continue
        if isinstance(block, Bars):
            yield from _bars(block, min(wide, WIDEST), ascii)
            continue
        if block.title:
            yield [(short(block.title, LONGEST_CELL), BOLD)]
        content = [clean(line) for line in block.lines] if isinstance(block, Lines) else _table(block)
        indent = "  " if block.title else ""
        yield from ([(indent + line, "")] for line in content)


def _described(block: Picture | Marked) -> Line:
    """The description of a picture, or a text with its strongest words in brackets."""
    if isinstance(block, Picture):
        return [(f"[{clean(block.alt)}]", "")]
    marks = {True: ("⟨", "⟩"), False: ("‹", "›")}
    pieces, most = [], strongest(block.pieces)
    for piece in block.pieces:
        before, after = marks[piece.log_odds > 0] if share(piece, most) >= FAINT else ("", "")
        pieces.append(f"{before}{clean(piece.text)}{after}")
    return [("".join(pieces) + "…" * bool(block.more), "")]


def _table(table: Table) -> list[str]:
    rows = [table.head, *table.rows] if table.head else table.rows
    more = [f"… and {table.more:,} more"] if table.more else []
    return aligned(rows, table.at_right) + more


def _bars(bars: Bars, wide: int, ascii: bool) -> Iterator[Line]:
    """One line per bar: filled for the first class, light for the second."""
    titles = [_title(bar) for bar in bars.bars]
    longest = max(map(width, titles), default=0)
    room = max(wide - longest - ROOM - max(width(clean(name)) for name in (bars.first, bars.second)), 10)
    full, light, cross = "#-x" if ascii else "█░×"
    most = strongest(bars.bars)
    for bar, title in zip(bars.bars, titles, strict=True):
        length = round(room * share(bar, most))
        drawn = ((full if bar.log_odds > 0 else light) * length, FOR if bar.log_odds > 0 else AGAINST)
        odds = clean(bars.odds(bar)).replace("×", cross, 1)
        yield [(padded(title, longest) + "  ", ""), drawn, (" " * (room - length) + "  " + odds, "")]


def _title(bar: Bar) -> str:
    return " " * bar.indent + short(bar.title, WIDEST_TITLE - bar.indent - len(bar.remark)) + bar.remark
