"""Mails shared by the tests of mail, and a check for every row."""

import base64

from tallybayes.mail import COLUMNS, read_mail

NESTED = b"""From ann@example.org Mon Sep  2 12:23:11 2002
Received: from mx.example.org ([192.0.2.7])
\tby list.example.net; Mon, 2 Sep 2002 12:23:11 +0200
Received: from mx.example.org
From: =?iso-8859-1?Q?Andr=E9?= <andre@example.org>
To: bob@example.org,
\tcarol@example.org
Subject: =?utf-8?B?w6R?= =?utf-8?B?w7Y=?=
List-Id: friends <friends.example.org>
X-Mailer: Mutt
Content-Type: multipart/mixed; boundary="out er"

preamble
--out er
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe, lunch =
on Monday?
--inner
Content-Type: text/html; charset=utf-8

<p>Gr\xc3\xbc\xc3\x9fe, <b>lunch</b> on <a href="http://example.org/a">Monday</a>?
--inner--
--out er
Content-Type: image/png; name=picture.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--out er--
epilogue
"""
EXAMPLES = [
    NESTED,
    b"Subject: hello\n\nbody\n",
    b"Content-Type: text/html\n\n<html><body><p>Free &amp; easy</p><img src='http://x.example/1.gif'></body></html>",
    b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + base64.b64encode("é€".encode()),
    b"Content-Type: message/rfc822\n\nSubject: inner\n\ninner body\n",
    b"Content-Type: multipart/digest; boundary=a\n\n--a\n\nSubject: one\n\none\n--a--\n",
]
CONTROLS = {*map(chr, range(32)), *map(chr, range(127, 160))}
TYPES = {"parts": int, "has_html": bool, "has_attachment": bool}


def valid(raw):
    """The row, after checking what holds for every row."""
    found = read_mail(raw)
    assert tuple(found) == COLUMNS
    for name, value in found.items():
        assert type(value) is TYPES.get(name, str)
        assert str(value).encode("utf-8") is not None
        allowed = "\n\t" if name == "body" else "\n" if name == "links" else ""
        assert not CONTROLS & set(str(value)) - set(allowed)
    return found
