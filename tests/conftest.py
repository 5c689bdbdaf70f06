"""No test has a time limit, since machines are noisy. On CI, hypothesis draws the same examples every time, and more of
them, and long tests run."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

MORE = 20
for profile, most in {"fewest": 5, "few": 10, "more": MORE, "all": 100}.items():
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


def pytest_collection_modifyitems(items):
    for item in items:
        starts_a_process = "program" in getattr(item, "fixturenames", ())
        if starts_a_process or not FACES.isdisjoint(item.path.parts):
            item.add_marker("slow")
        if item.get_closest_marker("long"):
            item.add_marker("slow")
            if settings().max_examples < MORE:
                item.add_marker(LONG)
