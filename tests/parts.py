"""Optional programs and packages that some tests need.

A test whose requirement is missing is skipped with a message. If TALLYBAYES_CI_PARTS names it, as `.ci/run` does on
machines where it can be installed, the test fails instead, so that CI never skips it silently.
"""

import os
import shutil
from importlib.util import find_spec

import pytest

EXPECTED = frozenset(os.environ.get("TALLYBAYES_CI_PARTS", "").replace(",", " ").split())


def missing(part, why):
    """Skip or fail the test: this requirement is missing."""
    (pytest.fail if part in EXPECTED else pytest.skip)(f"{part}: {why}")


def module(part, name):
    """Require a Python package."""
    if find_spec(name) is None:
        missing(part, f"there is no package {name} here")


def program(part, name=None):
    """The path of a program, by default named like its requirement."""
    path = shutil.which(name or part, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        missing(part, f"there is no program {name or part} here")
    return path
