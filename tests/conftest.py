"""Machines are noisy: no test has a time limit of its own. On CI the examples drawn are the same every time."""

import os

from hypothesis import settings

for profile, most in {"fewest": 5, "few": 20, "all": 100}.items():
    settings.register_profile(profile, deadline=None, max_examples=most, derandomize=bool(os.environ.get("CI")))
settings.load_profile("few")

FACES = {"export", "filtering", "plots", "serve", "spark"}  # each loads a framework, and most start servers


def pytest_collection_modifyitems(items):
    for item in items:
        starts_a_process = "program" in getattr(item, "fixturenames", ())
        if starts_a_process or not FACES.isdisjoint(item.path.parts):
            item.add_marker("slow")
