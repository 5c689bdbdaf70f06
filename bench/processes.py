"""What processes cost: the CPU time of a whole tree, for programs that start others, such as Spark; peak memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from timing import timed

TICK = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Seconds: on the clock, and of processors, in all processes together."""

    clock: float
    processor: float


def spent_on(work: Callable[[], object]) -> Spent:
    before = _ticks()
    clock, _ = timed(work)
    ticks = sum(now - before.get(process, 0) for process, now in _ticks().items())
    return Spent(clock, ticks / TICK)


def compare(title: str, works: Mapping[str, Callable[[], object]], peer: str, rounds: int) -> dict[str, Spent]:
    """Like `timing.report`, with CPU time beside the clock, since other programs disturb it less. The least of each."""
    found: dict[str, Spent] = {}
    for _ in range(rounds):
        for name, work in works.items():
            now = spent_on(work)
            found[name] = Spent(*map(min, now, found.get(name, now)))
    wide = max(map(len, found))
    print(f"\n{title} (best of {rounds})")
    for name, spent in found.items():
        ratios = [theirs / ours for theirs, ours in zip(found[peer], spent, strict=True)]
        told = "" if name == peer else f"   {ratios[0]:5.2f} × as fast, in CPU time {ratios[1]:5.2f} ×"
        print(f"  {name:{wide}}  {spent.clock:7.2f} s, CPU {spent.processor:7.2f} s{told}", flush=True)
    return found


def peak_memory(process: int | str = "self") -> float:
    """The most memory that a process has had, in MB. That of getrusage is at least what its parent had when it started
    the process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _ticks() -> dict[int, int]:
    """The CPU time so far of this process and its descendants."""
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it just ended
            continue
        process = int(folder.name)
        parents[process], ticks[process] = int(fields[1]), int(fields[11]) + int(fields[12])
    return {process: ticks[process] for process in ticks if _descends(process, parents)}


def _descends(process: int, parents: Mapping[int, int]) -> bool:
    while process and process != os.getpid():
        process = parents.get(process, 0)
    return process != 0
