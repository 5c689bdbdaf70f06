"""Progress on standard error, where that is a terminal: rows, speed and the time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tallybayes.cli.terminal import console, is_terminal, say
from tallybayes.report.blocks import how_many

if TYPE_CHECKING:
    from rich.progress import Task

    from tallybayes.sources import Source

EVERY = 0.2  # seconds between two looks
_told: list[str] = []  # what the bar says instead of what is being done


def tell(text: str) -> None:
    """Has a bar that is shown say this."""
    _told[:] = [text]


@contextmanager
def watching(source: Source, doing: str, shown: bool = True) -> Iterator[None]:
    """Shows how far a source is read while the block runs, and says afterwards which rows were skipped."""
    if shown and is_terminal(sys.stderr):
        with _bar(source, doing):
            yield
    else:
        yield
    if source.skipped:
        from tallybayes.sources.faults import SKIP  # which was followed

        say(f"{how_many(source.skipped)} {'was' if source.skipped == 1 else 'were'} skipped:")
        say(*(f"  {bad.where}: {bad.reason.replace(f', {SKIP}', '')}" for bad in source.bad))
        if source.skipped > len(source.bad):
            say(f"  … and {source.skipped - len(source.bad):,} more")


@contextmanager
def counting(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for work that says itself how much is done, and how much there is in all."""
    if not is_terminal(sys.stderr):
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(doing, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def _bar(source: Source, doing: str) -> Iterator[None]:
    from threading import Event, Thread

    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.text import Text

    class Rows(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{source.rows:,} rows")

    columns = (TextColumn("{task.description}"), BarColumn(), Rows(), TransferSpeedColumn(), TimeRemainingColumn())
    done = Event()
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(doing, total=source.total)

        def look() -> None:
            while not done.wait(EVERY):
                progress.update(task, completed=source.done, description=next(iter(_told), doing))

        watcher = Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
            _told.clear()
