"""Machines are noisy: no test has a time limit of its own."""

from hypothesis import settings

settings.register_profile("tallybayes", deadline=None)
settings.load_profile("tallybayes")
