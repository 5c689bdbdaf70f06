"""The spamd protocol byte by byte: valid, broken and hostile clients."""

import re
import socket
import zlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from letters import ham, spam
from spamd_client import heard, running, say
from tallybayes import Store
from tallybayes.mail.stamping import without
from tallybayes.serve.room import Room
from tallybayes.serve.spamd.protocol import Coming, RefusedError, Request, read_request, refusal
from tallybayes.serve.spamd.settings import SpamdSettings


def request(command, mail, *headers, version="1.5", length=True):
    lines = [f"{command} SPAMC/{version}", *headers, *([f"Content-length: {len(mail)}"] if length else []), "", ""]
    return "\r\n".join(lines).encode() + mail


def taken_apart(answer):
    """The status line, the headers, and the body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def test_ping(tell):
    assert tell(b"PING SPAMC/1.5\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"


def test_skip_has_no_response(tell):
    assert tell(b"SKIP SPAMC/1.5\r\n\r\n") == b""
    assert tell(b"") == b""


@pytest.mark.parametrize("version", ["1.3", "1.4", "1.5"])
@pytest.mark.parametrize("length", [True, False])
def test_check_has_a_verdict_and_no_body(tell, version, length):
    first, headers, body = taken_apart(tell(request("CHECK", spam(77), version=version, length=length)))
    assert (first, headers["Content-length"], body) == ("SPAMD/1.1 0 EX_OK", "0", b"")
    verdict, score, threshold = re.fullmatch(r"(\w+) ; (\S+) / (\S+)", headers["Spam"]).groups()
    assert (verdict, threshold) == ("True", "4.60")
    assert float(score) > 10
    assert taken_apart(tell(request("CHECK", ham(77))))[1]["Spam"].startswith("False ; -")


@pytest.mark.parametrize("command", ["CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM"])
def test_old_clients_find_the_scores_in_the_body(tell, command):
    new = taken_apart(tell(request(command, spam(7))))
    old = taken_apart(tell(request(command, spam(7), version="1.2")))
    scores = new[1]["Spam"].removeprefix("True ; ").replace(" / ", "/")
    assert old[2] == f"{scores}\r\n".encode() + new[2]
    assert old[1] == {"Content-length": str(len(old[2]))}
    assert "Spam" in taken_apart(tell(request("PROCESS", spam(7), version="1.2")))[1]


@pytest.mark.parametrize(
    ("command", "mail", "pattern"),
    [
        ("SYMBOLS", spam(7), rb"TALLYBAYES_SPAM\r\n"),
        ("SYMBOLS", ham(7), rb"TALLYBAYES_HAM\r\n"),
        ("REPORT", ham(7), rb"ham, 0\.0.*noon.*for ham.*\n"),
        ("REPORT_IFSPAM", spam(7), rb"spam, 1\.0.*prize.*for spam.*\n"),
        ("REPORT_IFSPAM", ham(7), rb""),
        (
            "PROCESS",
            spam(7),
            rb"X-Tallybayes: spam, 1\.0000, score .*X-Spam-Flag: YES\nX-Spam-Status: Yes, .*From: offers.*",
        ),
        ("HEADERS", ham(7), rb"X-Tallybayes: ham, .*X-Spam-Status: No, .*Message-ID: <ham-7@example.org>\n\n"),
    ],
)
def test_every_command_has_its_response(tell, command, mail, pattern):
    first, headers, body = taken_apart(tell(request(command, mail)))
    assert (first, int(headers["Content-length"])) == ("SPAMD/1.1 0 EX_OK", len(body))
    assert re.fullmatch(pattern, body, re.DOTALL)
    assert "Spam" in headers


def test_processed_mail_has_no_forged_marks(tell):
    mail = spam(7).replace(b"\n", b"\r\n")
    forged = b"X-Spam-Flag: NO\r\nX-Spam-Checker:\r\n\tforged\r\nx-tallybayes: ham\r\n" + mail
    body = taken_apart(tell(request("PROCESS", forged)))[2]
    assert without(body, "X-Spam-*", "X-Tallybayes") == mail
    assert body.count(b"X-Spam-Flag") == body.lower().count(b"x-tallybayes:") == 1


def test_tell_learns_corrects_and_forgets_by_message_id(tell, store):
    before = store.digest()

    def told(*headers):
        return taken_apart(tell(request("TELL", spam(99), *headers)))

    assert told("Message-class: spam", "Set: local")[:2] == (
        "SPAMD/1.1 0 EX_OK",
        {"Content-length": "0", "DidSet": "local"},
    )
    assert "DidSet" not in told("Message-class: spam", "Set: local")[1]
    assert told("Message-class: ham", "Set: local, remote")[1]["DidSet"] == "local"
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}
    assert told("Remove: local")[1]["DidRemove"] == "local"
    assert "DidRemove" not in told("Remove: local")[1]
    assert store.digest() == before


@pytest.mark.parametrize(
    "headers", [[], ["Set: remote", "Message-class: spam"], ["Set: local"], ["Set: local", "Message-class: eggs"]]
)
def test_tell_with_an_impossible_request_is_refused(tell, store, headers):
    before = store.digest()
    assert tell(request("TELL", spam(1), *headers)).startswith(b"SPAMD/1.1 76 EX_PROTOCOL TELL ")
    assert store.digest() == before


def test_tell_may_be_forbidden(limited, store):
    with limited(tell=False) as port:
        refused = say(port, request("TELL", spam(1), "Set: local", "Message-class: spam"))
        assert refused.startswith(b"SPAMD/1.1 69 EX_UNAVAILABLE TELL is not allowed")
        assert say(port, request("CHECK", spam(1))).startswith(b"SPAMD/1.1 0 EX_OK")
    assert store.number == 0


def test_user_selects_a_store(tmp_path, store):
    with Store.create(tmp_path / "other", store.schema) as other, running({"first": store, "other": other}) as port:
        for user, line in (("first", "True"), ("other", "False ; 0.00"), ("nobody", "True"), ("../first", "True")):
            assert taken_apart(say(port, request("CHECK", spam(1), f"User: {user}")))[1]["Spam"].startswith(line)


def test_thresholds_may_change_at_any_time(store, tell):
    assert "True" in taken_apart(tell(request("CHECK", spam(1))))[1]["Spam"]
    store.set("thresholds", {"spam": 900.0})
    assert taken_apart(tell(request("CHECK", spam(1))))[1]["Spam"].endswith(" / 900.00")
    store.set("thresholds", "high")
    assert tell(request("CHECK", spam(1))).startswith(b"SPAMD/1.1 75 EX_TEMPFAIL The thresholds are 'high'")


def test_only_allowed_networks_are_answered(limited):
    with limited(allowed=("192.0.2.0/24", "::1/128")) as port:
        assert say(port, request("CHECK", spam(1))).startswith(b"SPAMD/1.1 77 EX_NOPERM This address")


def test_compressed_mail(tell):
    packed = zlib.compress(spam(7))
    body = taken_apart(tell(request("PROCESS", packed, "Compress: zlib")))[2]
    assert body.endswith(spam(7))


def test_decompression_bomb_is_refused(limited):
    bomb = zlib.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    with limited(size=100_000) as port:
        assert say(port, request("CHECK", bomb, "Compress: zlib")).startswith(b"SPAMD/1.1 98 EX_TOOBIG")
        assert say(port, request("CHECK", bytes(100_001))).startswith(b"SPAMD/1.1 98 EX_TOOBIG")
        assert say(port, request("CHECK", bytes(300_000), length=False)).startswith(b"SPAMD/1.1 98 EX_TOOBIG")
        assert say(port, request("CHECK", bytes(100_000))).startswith(b"SPAMD/1.1 0 EX_OK")


@pytest.mark.parametrize(
    "said",
    [
        b"CHECK\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"EAT SPAMC/1.5\r\n\r\n",
        b"check SPAMC/1.5\r\n\r\n",
        b"CHECK SPAMC/x\r\n\r\n",
        b"\x00\xff\r\n",
        b"\r\n",
        b"CHECK SPAMC/1.5\r\nno colon\r\n\r\n",
        b"CHECK SPAMC/1.5\r\nContent-length: -1\r\n\r\n",
        b"CHECK SPAMC/1.5\r\nContent-length: 1e3\r\n\r\n",
        b"CHECK SPAMC/1.5\r\nContent-length: " + b"9" * 5000 + b"\r\n\r\n",
        "CHECK SPAMC/1.5\r\nContent-length: ٣\r\n\r\n".encode(),
        b"CHECK SPAMC/1.5\r\nContent-length: 10\r\n\r\nshort",
        b"CHECK SPAMC/1.5\r\nCompress: rot13\r\nContent-length: 1\r\n\r\nx",
        b"CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: 4\r\n\r\nabcd",
        b"CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: 4\r\n\r\n" + zlib.compress(b"cut")[:4],
        b"A" * 100_000,
        b"CHECK SPAMC/1.5\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"CHECK SPAMC/1.5\r\n" + b"X: y\r\n" * 101 + b"\r\n",
    ],
    ids=lambda said: repr(said[:40]),
)
def test_invalid_requests_are_refused_in_one_line(tell, said):
    refused = tell(said)
    assert re.fullmatch(rb"SPAMD/1\.1 76 EX_PROTOCOL [ -~]{1,200}\r\n\r\n", refused)


def test_multi_line_error_is_reported_in_one_line():
    error = RefusedError((70, "EX_SOFTWARE"), "one\r\nDidSet: local\n\ntwo")
    assert refusal(error) == b"SPAMD/1.1 70 EX_SOFTWARE one DidSet: local two\r\n\r\n"


def test_unknown_headers_are_ignored_and_the_first_of_a_name_counts(tell):
    said = request("CHECK", spam(1), "X-Unknown: \x7f\xff: odd", "content-LENGTH: 5", length=False)
    assert tell(said).startswith(b"SPAMD/1.1 0 EX_OK")
    assert tell(request("CHECK", spam(1), f"Content-length: {len(spam(1))}")).startswith(b"SPAMD/1.1 0 EX_OK")


@pytest.mark.parametrize(
    "mail", [b"", b"\n", b"\x00" * 100, b"\xff\xfe\r\r\r", b"Subject: x", b"no head", b": :\n\n" * 1000], ids=repr
)
@pytest.mark.parametrize("command", ["CHECK", "PROCESS", "HEADERS", "REPORT"])
def test_any_bytes_are_a_mail(tell, command, mail):
    first, headers, body = taken_apart(tell(request(command, mail)))
    assert (first, int(headers["Content-length"])) == ("SPAMD/1.1 0 EX_OK", len(body))
    if command == "PROCESS":
        assert body.endswith(mail)


def test_silent_client_times_out_and_blocks_nobody(limited):
    with limited(seconds=0.3) as port, socket.create_connection(("127.0.0.1", port), timeout=120) as silent:
        silent.sendall(b"CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\nhalf")
        while not say(port, request("CHECK", spam(1))).startswith(b"SPAMD/1.1 0 EX_OK"):
            pass  # a busy machine may take longer
        assert heard(silent).startswith(b"SPAMD/1.1 79 EX_TIMEOUT")


def test_too_many_connections_get_try_again(limited):
    with limited(connections=2) as port:
        idle = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(2)]
        for connection in idle:
            connection.sendall(b"CHECK")
        answers = [say(port, request("CHECK", spam(1))) for _ in range(3)]
        for connection in idle:
            connection.close()
        assert all(answer.startswith(b"SPAMD/1.1 75 EX_TEMPFAIL Too many") for answer in answers)
        while not say(port, request("CHECK", spam(1))).startswith(b"SPAMD/1.1 0 EX_OK"):
            pass  # until it notices that they are gone


def test_memory_limit_gets_try_again(limited):
    with limited(room=100_000) as port:
        assert say(port, request("CHECK", bytes(200_000))).startswith(b"SPAMD/1.1 75 EX_TEMPFAIL Too much")
        for _ in range(5):  # an answered request takes no memory
            assert say(port, request("CHECK", bytes(90_000))).startswith(b"SPAMD/1.1 0 EX_OK")


def test_client_that_does_not_half_close_is_answered(tell):
    assert tell(request("CHECK", spam(1)), end=False).startswith(b"SPAMD/1.1 0 EX_OK")
    assert tell(*(bytes([byte]) for byte in request("CHECK", spam(1)))).startswith(b"SPAMD/1.1 0 EX_OK")


def test_disconnecting_client_leaves_no_trace(spamd):
    for said in (b"", b"CHECK SPAMC", request("CHECK", spam(1))[:-5], request("PROCESS", spam(1))):
        with socket.create_connection(("127.0.0.1", spamd), timeout=120) as gone:
            gone.sendall(said)
    assert say(spamd, request("CHECK", spam(1))).startswith(b"SPAMD/1.1 0 EX_OK")


def read_all(said, limits, chunk):
    """What is read of these bytes, which arrive in chunks of this size."""
    coming = Coming(limits, Room(limits.room))
    reading = read_request(coming)
    try:
        for start in range(0, len(said), chunk):
            coming.feed(said[start : start + chunk])
            reading.send(None)
        coming.end()
        reading.send(None)
    except StopIteration as complete:
        return complete.value
    raise AssertionError("It waits for more after the end.")


pieces = st.sampled_from(
    [
        b"CHECK",
        b"TELL",
        b" ",
        b"SPAMC/1.5",
        b"\r\n",
        b"\n",
        b"Content-length:",
        b"Compress: zlib",
        b"3",
        b"99999",
        b":",
        b"\x00",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pieces | st.binary(max_size=5), max_size=20).map(b"".join), st.integers(1, 30))
@example(b"CHECK SPAMC/1.5\r\nContent-length: 3\r\n\r\nabc", 7)
def test_any_bytes_are_a_request_or_refused_however_they_arrive(said, chunk):
    found = []
    for size in (chunk, len(said) + 1):
        try:
            found.append(read_all(said, SpamdSettings(line=100, lines=5, size=1000), size))
        except RefusedError as error:
            found.append(error.sentence)
    assert found[0] == found[1]
    assert found[0] is None or isinstance(found[0], Request) or found[0].isprintable()
