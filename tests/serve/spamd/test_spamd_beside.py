"""spamd next to the HTTP service: the same stores, and TELL restricted by tokens."""

import re
import signal
import socket
from contextlib import ExitStack

import pytest

from letters import spam, trained
from service import asked, process, serving
from spamd_client import free_port, say
from tallybayes import Store
from tallybayes.mail import read_mail
from tallybayes.serve.spamd.beside import address_of, spamd_at
from tallybayes.serve.spamd.server import bound_sockets
from tallybayes.serve.tokens import new_token

TELL = b"TELL SPAMC/1.5\r\nMessage-class: ham\r\nSet: local\r\nContent-length: %d\r\n\r\n%b"
CHECK = b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b"


def said(line, port):
    return say(port, line % (len(spam(99)), spam(99)))


def test_http_and_spamd_share_the_store(store):
    port = free_port()
    with spamd_at(f"127.0.0.1:{port}") as spamd, serving({"spam": store}, beside=[spamd]) as client:
        before = asked(client, "predict", {"row": read_mail(spam(99))})["answers"][0]["probability"]
        assert b"Spam: True" in said(CHECK, port)
        assert b"DidSet: local" in said(TELL, port)
        after = asked(client, "predict", {"row": read_mail(spam(99))})
    assert after["version"] == 1
    assert after["answers"][0]["probability"] < before


def test_what_clients_teach_is_counted(store):
    port, forget = free_port(), TELL.replace(b"Set", b"Remove")
    with spamd_at(f"127.0.0.1:{port}") as spamd, serving({"spam": store}, beside=[spamd]) as client:
        for line in (TELL, TELL, TELL.replace(b"ham", b"spam"), forget, forget, CHECK):
            assert said(line, port).startswith(b"SPAMD/1.1 0 EX_OK")
        counted = re.findall(r"tallybayes_rows_total{(.*)} (\d+)", client.get("/metrics").text)
    assert dict(counted) == {
        'model="spam",what="learned"': "1",
        'model="spam",what="corrected"': "1",
        'model="spam",what="forgotten"': "1",
    }


@pytest.mark.parametrize(("allowed", "answer"), [(False, b"69 EX_UNAVAILABLE"), (True, b"0 EX_OK")])
def test_telling_with_tokens_must_be_allowed(store, allowed, answer):
    new_token(store, "learn")
    port = free_port()
    with spamd_at(f"127.0.0.1:{port}", tell=allowed) as spamd, serving({"spam": store}, beside=[spamd]):
        assert said(TELL, port).startswith(b"SPAMD/1.1 " + answer)
        assert said(CHECK, port).startswith(b"SPAMD/1.1 0 EX_OK")


@pytest.mark.parametrize("place", ["", "7830", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:7830", "x:y"])
def test_listen_option_is_an_address_and_a_port(place):
    with pytest.raises(ValueError, match="give an address and a port"):
        address_of(place)


def test_invalid_network_is_an_error():
    wrong = pytest.raises(ValueError, match=r"--spamd-allow 192\.0\.2\.1/24: .* Give a network such as")
    with wrong, spamd_at("127.0.0.1:7830", ["192.0.2.1/24"]):
        pass


def test_all_addresses_of_a_host_are_taken():
    found = {each[4][0] for each in socket.getaddrinfo("localhost", 0)}
    with bound_sockets("localhost", 0) as bound:
        assert {each.getsockname()[0] for each in bound} == found


def test_the_address_of_all_of_ipv6_is_for_ipv4_too(store):
    port = free_port()
    with spamd_at(f"[::]:{port}") as spamd, serving({"spam": store}, beside=[spamd]):
        assert said(CHECK, port).startswith(b"SPAMD/1.1 0 EX_OK")
        assert b"DidSet: local" in said(TELL, port)  # from this machine


@pytest.mark.slow
def test_shutdown_ignores_silent_clients(tmp_path):
    Store.create(tmp_path / "spam", trained()).close()
    port = free_port()
    with process(tmp_path / "spam", "--spamd", f"127.0.0.1:{port}") as (child, _), ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(3)]
        idle[0].sendall(b"CHECK SPAMC/1.5\r\n")
        assert say(port, b"PING SPAMC/1.5\r\n\r\n").endswith(b"PONG\r\n")
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 0
        assert child.stderr.read().splitlines()[1:] == []  # after its message about tokens


def test_addresses_of_a_kind_that_the_system_lacks(monkeypatch):
    unknown, known = ((family, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0)) for family in (99, socket.AF_INET))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [unknown, known])
    with bound_sockets("localhost", 0) as bound:
        assert [each.family for each in bound] == [socket.AF_INET]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [unknown])
    with pytest.raises(OSError, match="not supported"), bound_sockets("localhost", 0):
        pass
