"""A store of a few mails."""

import pytest

from letters import trained
from tallybayes import Store


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store", trained()) as store:
        yield store
