"""No test has a time limit, since machines are noisy. On CI, hypothesis draws the same examples every time, and more of
them, and long tests and all cases of thinned ones run."""

import gc
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

MORE = 20
for profile, most in {"fewest": 3, "few": 5, "more": MORE, "all": 100}.items():
    settings.register_profile(profile, deadline=None, max_examples=most, derandomize=bool(os.environ.get("CI")))
settings.load_profile("few")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background jobs; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONG = pytest.mark.skip(reason="a long test; EXAMPLES=more, as on CI, runs it")
FACES = {"export", "filtering", "plots", "serve", "spark"}  # each loads a framework, and most start servers


def pytest_ignore_collect(collection_path, config):
    """Without slow tests, their frameworks are not even imported."""
    if config.option.markexpr == "not slow" and collection_path.parent == Path(__file__).parent:
        return True if collection_path.name in FACES else None
    return None


def pytest_collection_modifyitems(config, items):
    is_ci = settings().max_examples >= MORE
    if not is_ci:
        _thin(config, items)
    for item in items:
        starts_a_process = "program" in getattr(item, "fixturenames", ())
        if starts_a_process or not FACES.isdisjoint(item.path.parts):
            item.add_marker("slow")
        if item.get_closest_marker("long") or "spark" in getattr(item, "fixturenames", ()):  # a JVM for each worker
            item.add_marker("slow")
            if not is_ci:
                item.add_marker(LONG)


def pytest_collection_finish():
    """What was imported and collected stays: collecting garbage need not look at it again."""
    gc.collect()
    gc.freeze()


def _thin(config, items):
    """Leaves every n-th case of a test marked `thinned(n)`. If n has no divisor in common with the number of values of
    a parameter, each of these values is still there."""
    seen, kept, dropped = Counter(), [], []
    for item in items:
        marker = item.get_closest_marker("thinned")
        test = item.nodeid.partition("[")[0]
        (dropped if marker and seen[test] % marker.args[0] else kept).append(item)
        seen[test] += 1
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)
