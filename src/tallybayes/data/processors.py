"""How many processors there are for counting and for reading."""

from __future__ import annotations

import os


def processors() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
