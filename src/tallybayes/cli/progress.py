"""Progress on standard error, if that is a terminal: rows, speed and time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tallybayes.cli.terminal import console, is_terminal, say
from tallybayes.report.blocks import how_many

if TYPE_CHECKING:
    from rich.progress import Task

    from tallybayes.sources import Source

FIRST = 1.0  # seconds before a bar: answers of a quick verb may go to the same terminal, as through `grep` or `head`
EVERY = 0.2  # … between updates
_told: list[str] = []  # the text of the bar, if it replaces the default


def tell(text: str) -> None:
    """Sets the text of the progress bar."""
    _told[:] = [text]


@contextmanager
def watching(source: Source, doing: str, shown: bool = True) -> Iterator[None]:
    """Shows progress through a source while the block runs, and afterwards lists the rows that were skipped."""
    if shown and is_terminal(sys.stderr):
        with _bar(source, doing):
            yield
    else:
        yield
    if source.skipped:
        from tallybayes.sources.faults import SKIP  # advice that was followed

        say(f"{how_many(source.skipped)} {'was' if source.skipped == 1 else 'were'} skipped:")
        say(*(f"  {bad.where}: {bad.reason.replace(f', {SKIP}', '')}" for bad in source.bad))
        if source.skipped > len(source.bad):
            say(f"  … and {source.skipped - len(source.bad):,} more")


@contextmanager
def watching_passes(open_again: Callable[[], Source]) -> Iterator[Callable[[], Source]]:
    """The same for rows that are counted and then scored, perhaps several times: opens the source of each pass."""
    doing = iter(["counting"])
    with ExitStack() as stack:

        def opened() -> Source:
            stack.close()
            source = open_again()
            stack.enter_context(watching(source, next(doing, "scoring")))
            return source

        yield opened


@contextmanager
def counting(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for work that may report its own progress and total; until then, it only moves."""
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
    progress = Progress(*columns, console=console(sys.stderr), transient=True)
    task = progress.add_task(doing, total=source.total)
    done = Event()

    def look() -> None:
        pause = FIRST
        while not done.wait(pause):
            progress.update(task, completed=source.done, description=next(iter(_told), doing))
            progress.start()
            pause = EVERY

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        progress.stop()
        _told.clear()
