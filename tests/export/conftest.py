"""Databases without a server."""

import pytest
from asked import ASKED


@pytest.fixture(params=ASKED)
def dialect(request):
    return request.param
