"""What some tests need beside Python: programs that a machine has or has not.

A test whose part is missing is skipped, and says so. Where TALLYBAYES_CI_PARTS names the part, as `.ci/run` does on
machines where it may install it, the test fails instead: what ought to run there must not be skipped.
"""

import os
import shutil
from importlib.util import find_spec

import pytest

EXPECTED = frozenset(os.environ.get("TALLYBAYES_CI_PARTS", "").replace(",", " ").split())


def missing(part, why):
    """Ends the test: this part is not there."""
    (pytest.fail if part in EXPECTED else pytest.skip)(f"{part}: {why}")


def module(part, name):
    """Whether a package of Python is there; if not, the test ends."""
    if find_spec(name) is None:
        missing(part, f"there is no package {name} here")


def program(part, name=None):
    """The path of a program, by default called as its part is."""
    path = shutil.which(name or part, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        missing(part, f"there is no program {name or part} here")
    return path
