"""How every benchmark measures: the best of several runs, ours and the peer's in turn, reported as a ratio; servers run
in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
Clock = Callable[[], float]
CLOCK: Clock = time.perf_counter
CPU: Clock = time.process_time  # of all threads; other programs disturb it less


def timed(work: Callable[[], T], clock: Clock = CLOCK) -> tuple[float, T]:
    """The seconds that the work takes, and its result."""
    start = clock()
    result = work()
    return clock() - start, result


def best_of(works: Mapping[str, Callable[[], object]], rounds: int = 5, clock: Clock = CLOCK) -> dict[str, float]:
    """The shortest time of each; all run once per round, so that a noisy minute affects all of them."""
    times: dict[str, float] = {}
    for _ in range(rounds):
        for name, work in works.items():
            took, _ = timed(work, clock)
            times[name] = min(took, times.get(name, took))
    return times


def report(title: str, works: Mapping[str, Callable[[], object]], peer: str, rounds: int = 5) -> dict[str, float]:
    """Print each time, and how many times as fast as the peer it is."""
    times = best_of(works, rounds)
    wide = max(map(len, times))
    print(f"\n{title} (best of {rounds})")
    for name, seconds in times.items():
        ratio = "" if name == peer else f"{times[peer] / seconds:8.1f} × as fast"
        print(f"  {name:{wide}}  {seconds * 1e3:9.1f} ms{ratio}", flush=True)
    return times


def each(work: Callable[[], object], times: int) -> Callable[[], object]:
    """Work too short to be timed alone, repeated; divide the time by `times`."""

    def repeated() -> None:
        for _ in range(times):
            work()

    return repeated


def row(work: str, ours: str, peer: str = "", ratio: float | str = "", target: str = "") -> None:
    """Print one line of a table of measurements and targets."""
    told = ratio if isinstance(ratio, str) else f"{ratio:.1f} ×"
    print(f"  {work:52}  {ours:>14}  {peer:>14}  {told:>9}  {target:>9}", flush=True)


@contextmanager
def served(code: str, *arguments: object) -> Iterator[int]:
    """The port of a server, a Python program that prints it, while it runs in a separate process."""
    server = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield int(server.stdout.readline())
    finally:
        server.terminate()
        server.wait()
