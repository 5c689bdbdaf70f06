"""The statistics that numeric families sum: families with the same ones can use each other's counts."""

from __future__ import annotations

from typing import Any, NamedTuple


class Totals(NamedTuple):
    n: Any  # how many values
    x: Any  # their total


class PowerSums(NamedTuple):
    n: Any  # how many values
    x: Any  # their total
    xx: Any  # the total of their exact squares


class LogTotals(NamedTuple):
    n: Any  # how many values
    x: Any  # their total
    log_x: Any  # the total of their logarithms


class LogPowerSums(NamedTuple):
    n: Any  # how many values
    log_x: Any  # the total of their logarithms
    log_xx: Any  # the total of the exact squares of those
