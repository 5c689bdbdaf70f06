"""A report on standard output: drawn in the terminal, or as JSON or HTML."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from tallybayes.cli.options import ReportFormat
from tallybayes.cli.terminal import console

if TYPE_CHECKING:
    from tallybayes import Report


def print_report(report: Report, form: ReportFormat) -> None:
    if form is ReportFormat.json:
        print(json.dumps(report.to_json(), indent=2))
    elif form is ReportFormat.html:
        print(report.html())
    else:
        _draw(report)


def _draw(report: Report) -> None:
    """Colours are rich's, and what needs none is as it would be anywhere."""
    from rich.text import Text

    from tallybayes.report import text

    styles = {text.BOLD: "bold", text.FOR: "green", text.AGAINST: "red"}
    screen = console(sys.stdout)
    for line in text.lines(report.blocks, wide=screen.width, ascii=not screen.encoding.startswith("utf")):
        screen.print(Text.assemble(*((span, styles.get(style, "")) for span, style in line)), soft_wrap=True)
