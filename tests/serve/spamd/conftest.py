"""A running spamd with a store of a few mails."""

import pytest

from letters import trained
from spamd_client import running, say
from tallybayes import Store


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store", trained()) as store:
        yield store


@pytest.fixture
def spamd(store):
    """The port of a spamd with default limits."""
    with running(store) as port:
        yield port


@pytest.fixture
def limited(store):
    """Starts one with other settings."""

    def start(**settings):
        return running(store, **settings)

    return start


@pytest.fixture
def tell(spamd):
    """Sends bytes to it."""
    return lambda *parts, **how: say(spamd, *parts, **how)
