"""Machines are noisy: no test has a time limit of its own. On CI the examples drawn are the same every time."""

import os

from hypothesis import settings

for profile, most in {"fewest": 5, "few": 20, "all": 100}.items():
    settings.register_profile(profile, deadline=None, max_examples=most, derandomize=bool(os.environ.get("CI")))
settings.load_profile("few")


def pytest_collection_modifyitems(items):
    for item in items:
        if "program" in getattr(item, "fixturenames", ()):  # which starts a process
            item.add_marker("slow")
