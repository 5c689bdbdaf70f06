"""Databases without a server, and the runtime of graphs."""

import pytest
from asked import ASKED


@pytest.fixture(params=ASKED)
def dialect(request):
    return request.param


@pytest.fixture(params=[*ASKED, "onnx"])
def engine(request):
    return request.param
