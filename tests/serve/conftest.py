"""A browser for the tests of pages."""

import pytest


@pytest.fixture(scope="module")
def browser():
    from browser import chromium  # slow to load, and only some tests need it

    with chromium() as found:
        yield found
