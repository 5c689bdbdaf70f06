"""The filter backed by a real service, over HTTP."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from letters import ham, spam, trained
from service import serving
from tallybayes import Store
from tallybayes.filtering.at_server import ServerError, ServerFilter
from tallybayes.filtering.base import ANY, Letter, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.in_store import StoreFilter
from tallybayes.filtering.site import Site
from tallybayes.serve.tokens import new_token


@pytest.fixture
def url(store):
    with serving({"spam": store}) as client:
        yield str(client.base_url)


@pytest.fixture
def at():
    """Filters for a URL, closed at the end."""
    with ExitStack() as opened:
        yield lambda url, **more: opened.enter_context(ServerFilter(url, Names(), **more))


def test_answer_equals_that_of_the_store(at, url, store):
    for raw in (ham(77), spam(77), b"", b"\x00\xff\xfe", "Subject: é\u2028 ☃\n\n".encode("utf-8")):
        assert at(url).verdict(Letter(raw)) == StoreFilter(store).verdict(Letter(raw))
    assert at(f"{url}/v1/models/spam/").verdict(Letter(spam(1))).is_spam


def test_thresholds_default_to_the_stores(at, url, store):
    score = at(url).verdict(Letter(spam(1))).score
    store.set("thresholds", {"spam": score + 1, "ham": 0.0})
    assert at(url).verdict(Letter(spam(1))).word == "unsure"
    assert at(url, spam=score - 1).verdict(Letter(spam(1))).word == "spam"


def test_repeat_counts_once_and_other_class_corrects(at, url, store):
    asked, letter, before = at(url), Letter(spam(50)), store.digest()
    assert asked.change(letter, Wanted(learn="spam"))
    assert not asked.change(letter, Wanted(learn="spam"))
    assert asked.change(letter, Wanted(learn="ham"))
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}
    assert not asked.learn_own(letter, asked.verdict(letter))
    assert asked.change(letter, Wanted(forget=ANY))
    assert not asked.change(letter, Wanted(forget=ANY))
    assert not asked.change(Letter(b"never seen"), Wanted(forget=ANY))
    assert store.digest() == before
    assert asked.learn_own(letter, asked.verdict(letter))


def test_empty_store_learns_its_first_row(at, tmp_path):
    with Store.create(tmp_path / "new", trained().schema) as store, serving({"new": store}) as client:
        asked = at(str(client.base_url))
        assert asked.change(Letter(spam(1)), Wanted(learn="spam"))
        assert asked.verdict(Letter(spam(1))).word == "unsure"
        assert asked.change(Letter(ham(1)), Wanted(learn="ham"))
        assert asked.verdict(Letter(spam(1))).word == "spam"


def test_several_models_are_selected_by_name(at, tmp_path, store):
    with Store.create(tmp_path / "other", trained()) as other, serving({"spam": store, "a b/c": other}) as client:
        url = str(client.base_url)
        with pytest.raises(
            ServerError, match=r"Which model\? http://.* has 'spam', 'a b/c'; give http://.*/v1/models/NAME"
        ):
            at(url).verdict(Letter(spam(1)))
        assert at(f"{url}/v1/models/spam").verdict(Letter(spam(1))).is_spam
        with pytest.raises(ServerError, match="404"):
            at(f"{url}/v1/models/nothing").verdict(Letter(spam(1)))


def test_a_token_is_sent(at, store):
    token = new_token(store, "learn")
    with serving({"spam": store}) as client:
        url = f"{client.base_url}/v1/models/spam"
        with pytest.raises(ServerError, match="401"):
            at(url).verdict(Letter(spam(1)))
        assert at(url, token=token).change(Letter(spam(50)), Wanted(learn="spam"))


@pytest.mark.parametrize("url", ["spam.tally", "ftp://x", "http://", "http://[::1", "http://x:port"])
def test_invalid_url_is_refused(at, url):
    with pytest.raises(ServerError, match="give a URL such as"):
        at(url)


@pytest.mark.parametrize(
    ("url", "host", "name"),
    [
        ("http://me:secret@LOCALHOST:81/a%20b", "localhost", "LOCALHOST:81"),
        ("http://[::1]:81/a%20b", "::1", "[::1]:81"),
        ("http://bücher.example:81/a%20b", "xn--bcher-kva.example", "xn--bcher-kva.example:81"),
    ],
)
def test_host_of_a_url(url, host, name):
    assert Site.of(url) == ("http", host, 81, name, "/a%20b")
    assert Site.of(url.replace("http", "https").replace(":81", ""))[:3] == ("https", host, 443)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\nhello",
        b'HTTP/1.1 200 OK\r\n\r\n{"answers": []}',
        b"\x00\xff",
        b"HTTP/1.1 500 No\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\n\r\n{"answers": [{"probabilities": {"spam": "high"}}]}',
        b'HTTP/1.1 200 OK\r\n\r\n{"answers": [{"probabilities": {"spam": NaN, "ham": 1e999}}]}',
        b'HTTP/1.1 200 OK\r\n\r\n{"answers": [{"probabilities": {"spam": 1%s, "ham": -1}}]}' % (400 * b"0"),
        b"HTTP/1.1 200 OK\r\n\r\n" + 10_000 * b"[",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    ],
    ids=lambda said: repr(said)[:70],
)
def test_any_other_server_is_an_error_with_a_message(at, said):
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1/models/spam"
        with pytest.raises(
            ServerError,
            match=r"^http://127\.0\.0\.1:\d+/v1/models/spam (?:does not answer|answered 500|is not a tallybayes)",
        ):
            at(url).verdict(Letter(spam(1)))
        thread.join()


@pytest.mark.parametrize("refused", [(415, {"detail": "No mail here."}), (415, {}), (413, {})])
def test_service_that_reads_no_mail_gets_its_row(at, refused):
    """Such as one without lxml, or behind a proxy that lets only small requests pass."""
    row, asked = Letter(spam(1)).row, []
    answers = [refused, (200, {"answers": [{"probabilities": {"ham": 0.25, "spam": 0.75}}]})]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            for status, facts in answers:
                connection, _ = listening.accept()
                with connection, connection.makefile("rb") as sent:
                    head = dict(line.split(b": ") for line in [*iter(sent.readline, b"\r\n")][1:])
                    asked.append((head[b"Content-Type"].strip(), sent.read(int(head[b"Content-Length"]))))
                    body = json.dumps(facts).encode()
                    connection.sendall(b"HTTP/1.1 %d Any\r\nServer: x\r\n\r\n%b" % (status, body))

        thread = threading.Thread(target=answer)
        thread.start()
        found = at(f"http://127.0.0.1:{listening.getsockname()[1]}/v1/models/spam").verdict(Letter(spam(1)))
        thread.join()
    assert found.probability == 0.75
    assert asked[0] == (b"message/rfc822", spam(1))
    assert (asked[1][0], json.loads(asked[1][1])) == (b"application/json", {"row": row})


def test_mail_with_a_large_attachment_is_sent_as_its_row(at, url, store):
    attached = b"\n".join([b"QUJD" * 19] * 200_000)
    parts = [
        b"Content-Type: text/plain",
        b"",
        b"a free prize",
        b"--x",
        b"Content-Type: image/png",
        b"",
        attached,
        b"--x--",
    ]
    raw = b"\n".join([b"Subject: prize", b"Content-Type: multipart/mixed; boundary=x", b"", b"--x", *parts, b""])
    assert len(raw) > 10_000_000  # more than the service takes
    assert at(url).verdict(Letter(raw)) == StoreFilter(store).verdict(Letter(raw))


@pytest.mark.parametrize("token", ["tally\r\nX-Forged: yes", "t\xe4lly"])
def test_strange_token_is_refused(at, url, token):
    with pytest.raises(ServerError, match="The token has characters that no token has"):
        at(url, token=token)


def test_asking_a_service_loads_little():
    """A filter starts for every mail."""
    code = (
        "import sys, tallybayes.cli.judging as judging; "
        "judging.judge(judging.options_of(['-e', '--server', 'http://127.0.0.1:1'])); "
        "heavy = {'numpy', 'pyarrow', 'lxml', 'typer', 'rich', 'http', 'email', 'dataclasses', 'hashlib'}; "
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, check=True)
    assert b"127.0.0.1:1 does not answer: " in done.stderr
    assert done.stderr.splitlines()[-1] == b"[]"


def test_help_and_reading_mail_need_neither_numpy_nor_arrow():
    code = (
        "import sys, tallybayes.cli.program, tallybayes.filtering.at_server, tallybayes.mail.row as row; "
        "row.read_mail(b'x'); print(sorted({'numpy', 'pyarrow', 'scipy', 'starlette'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"
