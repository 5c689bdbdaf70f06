"""Parsing raw mail: megabytes a second on real mail, and the time for hostile mail.

    python bench/mail.py

The peer is the standard library with `email.policy.default`, which does less: the same headers, and text parts as
bytes, HTML unconverted. A hostile mail is 1 MB; where the standard library would take minutes, it gets a tenth or a
hundredth of that, as the table says. A hostile mbox is 1 MB too; one full of tiny mails takes the time of that many
mails.
"""

from __future__ import annotations

import email
import email.policy
import os
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from corpus import DATA
from tallybayes.mail import read_mail
from tallybayes.sources.mbox import MboxCutter
from timing import best_of

MAILS = Path(os.environ.get("TALLYBAYES_TEXTS", DATA)) / "spamassassin-raw.tar.xz"
HEADERS = ("subject", "from", "to", "reply-to", "list-id", "x-mailer", "user-agent", "content-type")
MB = 1_000_000
ASKED = 250  # ms for a hostile mail


class Mail(NamedTuple):
    folder: str
    raw: bytes


def there_is(path: Path) -> bool:
    if not path.exists():
        print(f"{path.name} is neither in ../shared/data/text nor in TALLYBAYES_TEXTS.")
    return path.exists()


def raw_mails() -> list[Mail]:
    """The mails of SpamAssassin by folder, sorted by name; none, with a message, if the file is missing."""
    if not there_is(MAILS):
        return []
    with tarfile.open(MAILS) as archive:
        files = sorted((member for member in archive if member.isfile()), key=lambda member: member.name)
        return [Mail(Path(file.name).parent.name, archive.extractfile(file).read()) for file in files]


def standard(raw: bytes) -> None:
    """The same headers as text, and the bytes of every text part."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    for name in HEADERS:
        str(message[name])
    for part in message.walk():
        if part.get_content_maintype() == "text":
            part.get_payload(decode=True)


def hostile() -> dict[str, tuple[Callable[[int], bytes], int]]:
    """Generators of mails of about this many bytes, and the fraction that the standard library gets."""
    html = b"Content-Type: text/html\n\n"
    mixed = b"Content-Type: multipart/mixed; boundary=a\n\n"

    def filled(head: bytes, piece: bytes) -> Callable[[int], bytes]:
        return lambda size: head + piece * (size // len(piece))

    def nested(size: int) -> bytes:
        level = b"Content-Type: multipart/mixed; boundary=%05d\n\n--%05d\n"
        return b"".join(level % (i, i) for i in range(size // 58))

    def both(size: int) -> bytes:
        words = b" ".join(b"%x" % i for i in range(size // 9))
        return mixed + b"--a\n\n" + words + b"\n--a\n" + html + b"<p>" * (size // 8)

    def attributes(size: int) -> bytes:
        return html + b"<a " + b" ".join(b"b%d" % i for i in range(size // 8))

    return {
        "To: of addresses": (filled(b"To: ", b"a@b.c, "), 30),
        "To: of quotes": (filled(b"To: ", b'"'), 100),
        "Subject: of encoded words": (filled(b"Subject: ", b"=?utf-8?b?4oKs?= "), 100),
        'Subject: of "=?utf-8?b?"': (filled(b"Subject: ", b"=?utf-8?b?"), 30),
        "header fields": (filled(b"", b"To:\n"), 30),
        "nested parts": (nested, 10),
        "64 parts around almost boundaries": (filled(nested(63 * 58), b"\n--0"), 10),
        "nested messages": (filled(b"", b"Content-Type: message/rfc822\n\n"), 10),
        "parts": (filled(mixed, b"--a\n\n"), 10),
        "almost boundaries": (filled(mixed, b"--ab\n"), 10),
        "garbage in base64": (filled(b"Content-Transfer-Encoding: base64\n\n", bytes(range(256))), 1),
        "quoted-printable": (filled(b"Content-Transfer-Encoding: quoted-printable\n\n", b"=\n=4"), 1),
        "NUL": (filled(b"\n", b"\0"), 1),
        "high control characters": (filled(b"\n", b"\xc2\x9b"), 1),
        "uuencode": (filled(b"\n", b"begin 644 a\n"), 1),
        "HTML: <div> in <div>": (filled(html, b"<div>"), 1),
        "HTML: <b> and <p> in each other": (filled(html, b"<b><p>"), 1),
        "HTML: <p>": (filled(html, b"<p>"), 1),
        "HTML: </p>": (filled(html, b"<b></p>"), 1),
        "words, and HTML <p>": (both, 1),
        "HTML: attributes": (attributes, 1),
        "HTML: <": (filled(html, b"<"), 1),
        "HTML: &": (filled(html, b"&"), 1),
        "HTML: &#": (filled(html, b"&#1;"), 1),
        "HTML: <!--": (filled(html, b"<!--"), 1),
        "HTML: <script>": (filled(html, b"<script>x</script>"), 1),
        "HTML: links": (filled(html, b"<a href=x>"), 1),
    }


def hostile_mboxes() -> dict[str, bytes]:
    line = b"From ann@example.org Mon Sep  2 12:23:11 2002\n"
    pieces = {
        '"From "': b"From ",
        '"From " after empty lines': b"\n\nFrom ",
        '"From " and repeated half dates': b"\n\nFrom " + b"Mon Sep " * 38,
        "lines that separate no mails": line,
        "lines that separate mails": b"\n" + line,
        "mails of one letter": line + b"A:\n\nb\n\n",
        "empty lines": b"\n",
        "quoted lines": b">From \n",
    }
    return {name: line + piece * (MB // len(piece)) for name, piece in pieces.items()}


def read_mbox(content: bytes) -> int:
    """The number of mails, all of them parsed."""
    cutter = MboxCutter("mbox")
    documents = [raw for piece in (*cutter.pieces(content), *cutter.rest()) for raw in piece.documents()]
    return len([read_mail(raw.content) for raw in documents])


def failures(mails: list[Mail], work: Callable[[bytes], object]) -> int:
    failed = 0
    for mail in mails:
        try:
            work(mail.raw)
        except Exception:
            failed += 1
    return failed


def measured(raw: bytes) -> str:
    try:
        return f"{best_of({'it': lambda: standard(raw)}, rounds=1)['it'] * 1e3:,.0f} ms"
    except Exception as error:
        return type(error).__name__


def main() -> None:
    mails = raw_mails()
    if mails:
        size = sum(len(mail.raw) for mail in mails) / MB
        works = {"tallybayes.mail": read_mail, "email.policy.default": standard}
        times = best_of({name: partial(failures, mails, work) for name, work in works.items()}, rounds=3)
        print(f"{len(mails):,} mails, {size:.0f} MB, best of 3:")
        for name, work in works.items():
            print(f"  {name:20}  {size / times[name]:5.1f} MB/s, {failures(mails, work)} mails failed")
    print(f"\n  {'1 MB of':34}  {'tallybayes':>10}  {'target':>7}  {'email.policy.default':>22}")
    for name, (make, part) in hostile().items():
        raw = make(MB)
        ours = best_of({"it": partial(read_mail, raw)})["it"] * 1e3
        given = "" if part == 1 else f" of 1/{part}"
        print(f"  {name:34}  {ours:7.0f} ms  {ASKED:4} ms  {measured(make(MB // part)) + given:>22}", flush=True)
    print(f"\n  {'an mbox of 1 MB of':42}  {'mails':>8}  {'tallybayes':>10}")
    for name, content in hostile_mboxes().items():
        ours = best_of({"it": partial(read_mbox, content)})["it"] * 1e3
        print(f"  {name:42}  {read_mbox(content):8,}  {ours:7.0f} ms", flush=True)


if __name__ == "__main__":
    main()
