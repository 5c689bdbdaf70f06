"""Machines are noisy: no test has a time limit of its own. On CI the examples drawn are the same every time."""

import os

from hypothesis import settings

settings.register_profile("tallybayes", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tallybayes")
