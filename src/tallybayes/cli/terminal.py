"""Output to the terminal: never a control character from untrusted text, and no colour if none is wanted."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

from tallybayes.report.characters import clean

if TYPE_CHECKING:
    from rich.console import Console

    from tallybayes import Report
    from tallybayes.cli.options import ReportFormat

KEPT = "\n"  # the control character that is allowed


def standard_streams() -> None:
    """Makes standard streams safe: closed ones are opened on /dev/null, or else the next file opened would get their
    descriptor and their output; characters that their encoding lacks are escaped; and unbuffered output, which may
    write a part and report no error if the disk fills up or the reader goes away, gets a buffer."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:  # answers without a destination are an error
        nowhere = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = io.TextIOWrapper(io.FileIO(nowhere, "w"), write_through=True)
    elif isinstance(sys.stdout.buffer, io.RawIOBase):  # PYTHONUNBUFFERED
        written = {"encoding": sys.stdout.encoding, "line_buffering": is_terminal(sys.stdout)}
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(sys.stdout.buffer), **written)
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def say(*lines: object) -> None:
    """Prints to standard error whatever is not an answer, after the answers so far."""
    with suppress(OSError, ValueError, AttributeError):  # standard output is gone, which the next answer finds out
        sys.stdout.flush()
    text = "\n".join(clean(line, KEPT) for line in lines)
    with suppress(OSError):  # standard error is gone
        print(text, file=sys.stderr, flush=True)


def waiting_for(model: str) -> Callable[[], None]:
    """A function that reports a wait, once however often others come first."""
    return cache(lambda: say(f"Waiting for another process that changes {model} …"))


def console(file: TextIO | None = None, **settings: Any) -> Console:
    """A console for tables and progress bars. Text is printed verbatim, not as markup."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Plain(file=file, markup=False, highlight=False, emoji=False, **settings)


def is_terminal(file: Any) -> bool:
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError):
        return False


def print_text(text: str) -> None:
    """Prints a text that may be redirected to a file: in UTF-8, unless it is shown in a terminal."""
    if is_terminal(sys.stdout):
        print(clean(text, KEPT), end="")
    else:
        sys.stdout.buffer.write(text.encode())


def save_report(report: Report, form: ReportFormat, path: str) -> None:
    """Writes a report to a file, atomically."""
    from tallybayes.files.replacing import replacing

    with replacing(path) as file:
        file.write(_rendered(report, form))


def print_report(report: Report, form: ReportFormat) -> None:
    """Writes a report to standard output; HTML in its declared encoding, whatever the terminal's."""
    if form == "text":
        _draw(report)
    else:
        sys.stdout.buffer.write(_rendered(report, form))


def _rendered(report: Report, form: ReportFormat) -> bytes:
    texts = {"json": lambda: json.dumps(report.to_json(), indent=2), "html": report.html, "text": report.text}
    return texts[form]().encode() + b"\n"


def _draw(report: Report) -> None:
    """In colour on a terminal, otherwise as plain text."""
    from rich.text import Text

    from tallybayes.report import text

    styles = {text.BOLD: "bold", text.FOR: "green", text.AGAINST: "red"}
    screen = console(sys.stdout)
    for line in text.lines(report.blocks, wide=screen.width, ascii=not screen.encoding.startswith("utf")):
        screen.print(Text.assemble(*((span, styles.get(style, "")) for span, style in line)), soft_wrap=True)
