"""Blocks as HTML: readable on light and dark backgrounds, without scripts or external resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Any

from tallybayes.report.blocks import (
    FAINT,
    Bar,
    Bars,
    Block,
    Heading,
    Lines,
    Marked,
    Picture,
    Piece,
    Table,
    share,
    strongest,
)
from tallybayes.report.characters import LONGEST_CELL, clean, short

GREEN, RED = "#2a9d5c", "#d9534f"  # visible on white and on black
STYLE = f"""\
.tallybayes {{ font: 13px/1.45 system-ui, sans-serif; color: inherit; text-align: left; overflow-x: auto; }}
.tallybayes p {{ margin: 0 0 .4em; white-space: pre-wrap; overflow-wrap: anywhere; }}
.tallybayes table {{ border-collapse: collapse; border: 0; margin: 0 0 1em; color: inherit; font: inherit; }}
.tallybayes caption, .tallybayes summary, .tallybayes h4 {{ text-align: left; font: inherit; font-weight: 600;
  color: inherit; caption-side: top; margin: 0; padding: .2em 0; white-space: nowrap; }}
.tallybayes summary, .tallybayes h4 {{ white-space: normal; overflow-wrap: anywhere; }}
.tallybayes details + h4 {{ margin-top: 1em; }}
.tallybayes summary {{ cursor: pointer; }}
.tallybayes tr, .tallybayes tr:hover {{ background: transparent; }}
.tallybayes th, .tallybayes td {{ text-align: left; vertical-align: top; padding: .1em .9em .1em 0;
  white-space: pre-wrap; max-width: 36em; border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3);
  background: transparent; }}
.tallybayes th {{ font-weight: 600; opacity: .75; }}
.tallybayes .n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: pre; }}
.tallybayes .bars td, .tallybayes .bars th {{ border: 0; white-space: pre; font-weight: inherit; opacity: 1; }}
.tallybayes .bars th {{ white-space: pre-wrap; overflow-wrap: anywhere; max-width: 24em; }}
.tallybayes .bars td.half {{ width: 9em; min-width: 9em; padding: .1em 0; }}
.tallybayes .bars td.half:first-of-type {{ border-right: 1px solid rgba(128, 128, 128, .6); }}
.tallybayes .half div {{ height: .8em; margin-top: .3em; background: {GREEN}; }}
.tallybayes .half .against {{ background: {RED}; margin-left: auto; }}
.tallybayes .odds {{ padding-left: .9em; }}
.tallybayes h1, .tallybayes h2 {{ font: inherit; font-size: 1.35em; font-weight: 600; margin: 1.6em 0 .5em; }}
.tallybayes h1 {{ font-size: 1.8em; margin: 0 0 .4em; overflow-wrap: anywhere; }}
.tallybayes .pictures {{ display: flex; flex-wrap: wrap; gap: .8em .3em; margin: 0 0 1em; align-items: flex-start; }}
.tallybayes figure {{ margin: 0; max-width: 100%; overflow-x: auto; }}
.tallybayes svg {{ display: block; max-width: 100%; height: auto; }}
@media (max-width: 40em) {{
  .tallybayes .bars td.half {{ width: 3.6em; min-width: 3.6em; }}
  .tallybayes svg.wide {{ max-width: none; width: 34em; }}
}}
.tallybayes mark {{ color: inherit; border-radius: .2em;
  background: color-mix(in srgb, {GREEN} var(--share), transparent); }}
.tallybayes mark.against {{ text-decoration: underline; text-decoration-color: {RED};
  background: color-mix(in srgb, {RED} var(--share), transparent); }}"""


PAGE = """\
body { margin: 0 auto; max-width: 62em; padding: 1em; }
@media print {
  :root { color-scheme: light; }
  figure, svg, table, tr { break-inside: avoid; }
  h1, h2, h3, h4, :is(h2, h3, h4) + p, :is(h2, h3, h4) + p + p { break-after: avoid; }
  details:not([open]) { display: none; }
}"""


def page(title: str, blocks: Iterable[Block]) -> str:
    """A whole page, for screens of any width and for paper."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(title)}</title>\n<style>\n{PAGE}\n</style>\n</head>\n<body>\n{fragment(blocks)}\n</body>\n</html>"
    )


def fragment(blocks: Iterable[Block]) -> str:
    """A fragment for a notebook or any page. The style applies to the fragment only."""
    shown = [
        _pictures(some) if pictures else "\n".join(map(_block, some))
        for pictures, some in groupby(blocks, lambda block: isinstance(block, Picture))
    ]
    return f'<div class="tallybayes">\n<style>\n{STYLE}\n</style>\n' + "\n".join(shown) + "\n</div>"


def _pictures(pictures: Iterable[Any]) -> str:
    """Consecutive pictures, side by side if there is room."""
    return f'<div class="pictures">{"".join(f"<figure>{each.svg}</figure>" for each in pictures)}</div>'


def _block(block: Any) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_cell(block.title)}</h{block.level}>"
    if isinstance(block, Marked):
        most = strongest(block.pieces)
        return f"<p>{''.join(_piece(piece, most) for piece in block.pieces)}{'…' * bool(block.more)}</p>"
    if isinstance(block, Bars):
        most = strongest(block.bars)
        return f'<table class="bars"><tbody>{"".join(_bar(block, bar, most) for bar in block.bars)}</tbody></table>'
    if isinstance(block, Lines):
        title = f"<h4>{_cell(block.title)}</h4>" if block.title else ""
        return title + "".join(f"<p>{_text(line)}</p>" for line in block.lines)
    if block.detail:
        return f"<details><summary>{_cell(block.title)}</summary>{_table(block, caption='')}</details>"
    return _table(block, f"<caption>{_cell(block.title)}</caption>" if block.title else "")


def _piece(piece: Piece, most: float) -> str:
    """The stronger, the more intense the colour; words for the second class are also underlined."""
    strength = share(piece, most)
    if strength < FAINT:
        return _text(piece.text, "\n")
    against = ' class="against"' if piece.log_odds < 0 else ""
    return f'<mark{against} style="--share:{round(15 + 45 * strength)}%">{_text(piece.text)}</mark>'


def _table(table: Table, caption: str) -> str:
    head = f"<thead>{_row(table, 'th', table.head)}</thead>" if table.head else ""
    body = "".join(_row(table, "td", row) for row in table.rows)
    wide = max((len(row) for row in (table.head, *table.rows)), default=1)
    more = f'<tr><td colspan="{wide}">… and {table.more:,} more</td></tr>' if table.more else ""
    return f"<table>{caption}{head}<tbody>{body}{more}</tbody></table>"


def _row(table: Table, tag: str, cells: Sequence[str]) -> str:
    classes = (' class="n"' if table.at_right(i) else "" for i in range(len(cells)))
    return f"<tr>{''.join(f'<{tag}{c}>{_cell(cell)}</{tag}>' for c, cell in zip(classes, cells, strict=True))}</tr>"


def _bar(bars: Bars, bar: Bar, most: float) -> str:
    """To the right for the first class, to the left for the second."""
    width = f"{100 * share(bar, most):.1f}%"
    left, right = "", ""
    if bar.log_odds > 0:
        right = f'<div style="width:{width}"></div>'
    elif bar.log_odds < 0:
        left = f'<div class="against" style="width:{width}"></div>'
    title = " " * bar.indent + bar.title + bar.remark
    halves = f'<td class="half">{left}</td><td class="half">{right}</td>'
    return f'<tr><th>{_cell(title)}</th>{halves}<td class="odds">{_text(bars.odds(bar))}</td></tr>'


def _cell(text: str) -> str:
    return escape(short(text, LONGEST_CELL))


def _text(text: str, kept: str = "") -> str:
    return escape(clean(text, kept))
