"""Hosts and origins that may use the service, and response headers for browsers."""

import re
import socket

import pytest

from service import asked, problem, spam_service
from tallybayes.serve.guard import POLICY, Guard
from tallybayes.serve.settings import Settings

LEARN = {"row": {"text": "x"}, "label": "ham"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = Settings(hosts=frozenset(["filter.example.org"]))
    with spam_service(tmp_path_factory.mktemp("guard"), settings) as (client, _):
        yield client


def learned(client, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/v1/models/spam/learn", json=LEARN, headers=named)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765", "filter.example.org", "Filter.Example.org:443"]
)
def test_local_and_allowed_hosts_are_answered(client, host):
    assert client.get("/v1/models", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[::2]",
        "10.0.0.1",
        "a@localhost",
        "localhost:1@evil.example",
        "localhost:evil",
        "x:y:z",
    ],
)
def test_other_host_names_are_refused(client, host):
    assert "--allowed-host" in problem(client.get("/v1/models", headers={"host": host}), 421)
    assert client.get("/healthz/live", headers={"host": host}).status_code == 421


def test_connected_address_is_accepted_as_host(client):
    """Behind 0.0.0.0 it is one of many. Names are different: anybody can point a name at an address."""
    guard = Guard(None, client.app.state.service)

    def check(host, server):
        guard.check({"method": "GET", "server": (server, 8765)}, {"host": host})

    check("192.0.2.7:8765", "192.0.2.7")
    check("[2001:db8::1]:8765", "2001:db8::1")
    check("[2001:DB8:0::1]:8765", "2001:db8::1")
    check("192.0.2.7:8765", "::ffff:192.0.2.7")  # a client over IPv4, if the service listens on "::"
    with pytest.raises(Exception, match="does not answer for the host"):
        check("192.0.2.8:8765", "192.0.2.7")
    with pytest.raises(Exception, match="does not answer for the host"):
        check("192.0.2.7%evil.example:8765", "192.0.2.7")
    with pytest.raises(Exception, match="does not answer for the host"):
        check("192.0.2.8:8765", "::ffff:192.0.2.7")
    with pytest.raises(Exception, match="does not answer for the host"):
        check("name", "name")


def test_changes_from_a_page_need_the_same_origin(client):
    here = f"{client.base_url.host}:{client.base_url.port}"
    assert learned(client, origin=f"http://{here}").status_code == 200
    assert learned(client, origin="https://filter.example.org", host="filter.example.org:443").status_code == 200
    assert learned(client, sec_fetch_site="same-origin").status_code == 200
    assert learned(client, sec_fetch_site="none").status_code == 200
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://{here}.evil.example"},
        {"origin": f"http://{client.base_url.host}:1"},
        {"origin": f"file://{here}"},
        {"origin": "http://[", "host": "localhost"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ):
        assert "another origin" in problem(learned(client, **headers), 403)


def test_repeated_security_headers_are_refused(client):
    for headers in ([("authorization", "Bearer x")] * 2, [("origin", "http://localhost"), ("origin", "http://evil")]):
        assert "twice" in problem(client.get("/v1/models", headers=headers), 400)
    request = b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n"
    with socket.create_connection((client.base_url.host, client.base_url.port)) as connection:
        connection.sendall(request)
        assert b"'host' was sent twice" in b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("path", ["/v1/models", "/documentation", "/documentation.css", "/nothing", "/healthz/live"])
def test_browsers_may_run_and_load_nothing_else(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_documentation_loads_nothing_from_elsewhere(client):
    page = client.get("/documentation").text
    for link in re.findall(r'(?:href|src)="([^"]*)"', page):
        assert link.startswith(("/", "#"))
        assert client.get(link, follow_redirects=True).status_code == 200
    assert "<script" not in page
    assert "style=" not in page
    for operation in ("predict", "explain", "learn", "forget", "correct", "evaluate", "file", "receipt", "metrics"):
        assert f'id="{operation}"' in page


def test_cors_preflight_is_refused(client):
    headers = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = client.options("/v1/models/spam/learn", headers=headers)
    problem(answer, 405)
    assert "access-control-allow-origin" not in answer.headers
    assert asked(client, "predict", {"row": {"text": "x"}})
