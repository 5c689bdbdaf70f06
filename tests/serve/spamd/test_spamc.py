"""Debian's spamc, in all its modes, against our spamd."""

import subprocess

import pytest

import parts
from letters import ham, spam

SPAM_FOUND = 1


@pytest.fixture
def spamc(spamd):
    """Run it with a mail; returns its exit code and output."""
    path = parts.program("spamc")

    def run(*arguments, mail=b""):
        command = [path, "-d", "127.0.0.1", "-p", str(spamd), "--connect-retries=1", *arguments]
        done = subprocess.run(command, input=mail, capture_output=True, check=False)
        return done.returncode, done.stdout

    return run


def test_ping(spamc):
    assert spamc("-K")[0] == 0


def test_marks_mail(spamc):
    code, out = spamc(mail=spam(7))
    assert code == 0
    assert out.startswith(b"X-Tallybayes: spam, 1.0000, score ")
    assert out.endswith(spam(7))
    assert b"X-Spam-Flag: YES\n" in out
    assert b"X-Spam-Flag" not in spamc(mail=ham(7))[1]


def test_exit_code(spamc):
    assert spamc("-E", mail=spam(7))[0] == SPAM_FOUND
    assert spamc("-E", mail=ham(7))[0] == 0
    code, out = spamc("-c", mail=spam(7))
    assert code == SPAM_FOUND
    assert out.endswith(b"/4.6\n")
    assert spamc("-c", mail=ham(7))[0] == 0


def test_report(spamc):
    assert b"prize" in spamc("-R", mail=spam(7))[1]
    assert b"noon" in spamc("-R", mail=ham(7))[1]
    assert b"prize" in spamc("-r", mail=spam(7))[1]
    assert b"noon" not in spamc("-r", mail=ham(7))[1]


def test_symbols(spamc):
    assert spamc("-y", mail=spam(7))[1].strip() == b"TALLYBAYES_SPAM"
    assert spamc("-y", mail=ham(7))[1].strip() == b"TALLYBAYES_HAM"


def test_headers_only(spamc):
    assert spamc("--headers", mail=spam(7)) == spamc(mail=spam(7))


def test_learns_corrects_and_forgets(spamc, store):
    before, learned, already = store.digest(), b"Message successfully un/learned\n", b"Message was already un/learned\n"
    assert spamc("-L", "spam", mail=spam(99)) == (0, learned)
    assert spamc("-L", "spam", mail=spam(99)) == (0, already)
    assert spamc("-L", "ham", mail=spam(99)) == (0, learned)
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}
    assert spamc("-L", "forget", mail=spam(99)) == (0, learned)
    assert spamc("-L", "forget", mail=spam(99)) == (0, already)
    assert store.digest() == before


def test_reports_and_revokes_locally(spamc, store):
    spamc("-C", "report", mail=spam(99))
    assert store.model().rows_by_class() == {"ham": 10, "spam": 11}
    spamc("-C", "revoke", mail=spam(99))
    assert store.model().rows_by_class() == {"ham": 11, "spam": 10}


def test_compressed_mail_where_supported(spamc):
    code, out = spamc("-z", mail=spam(7))
    if code == 64:
        pytest.skip("spamc was built without zlib, as Debian's is")
    assert out.endswith(spam(7))


@pytest.mark.parametrize(
    "mail", [b"", b"\x00\xff\r\n\r\n\x80", b"Subject: x\r\n\r\nCRLF\r\n", b"X: " + b"y" * 300_000, b"a\n" * 100_000]
)
def test_any_mail_passes(spamc, mail):
    assert spamc(mail=mail)[1].endswith(mail)


def test_mail_passes_if_telling_is_forbidden_or_nothing_listens(limited, store):
    path = parts.program("spamc")
    with limited(tell=False, size=1000) as port:
        base = [path, "-d", "127.0.0.1", "-p", str(port), "--connect-retries=1", "--filter-retries=1"]
        told = subprocess.run([*base, "-L", "spam"], input=spam(1), capture_output=True, check=False)
        assert b"successfully" not in told.stdout  # it prints "already": spamc ignores the code of a refusal
        assert store.number == 0
        large = ham(1) + b"x" * 2000
        assert subprocess.run(base, input=large, capture_output=True, check=True).stdout == large
    assert subprocess.run(base, input=ham(1), capture_output=True, check=True).stdout == ham(1)
