"""The databases that need no server."""

import pytest
from asked import ASKED


@pytest.fixture(params=ASKED)
def dialect(request):
    return request.param
