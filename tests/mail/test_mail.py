"""Valid and malformed mails as rows."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rough_mail import EXAMPLES, NESTED, valid
from tallybayes.mail import html, read_mail


def body(content, head=b""):
    return valid(head + b"\n\n" + content if head else b"\n" + content)["body"]


def test_multipart_mail_is_one_row():
    assert valid(NESTED) == {
        "subject": "äö",
        "from": "André <andre@example.org>",
        "to": "bob@example.org, carol@example.org",
        "reply_to": "",
        "list_id": "friends <friends.example.org>",
        "received": "mx.example.org 192.0.2.7 list.example.net",
        "mailer": "Mutt",
        "content_type": "multipart/mixed",
        "charset": "iso-8859-1",
        "parts": 3,
        "has_html": True,
        "has_attachment": True,
        "links": "http://example.org/a",
        "body": "Grüße, lunch on Monday?",
    }


@pytest.mark.parametrize("raw", EXAMPLES)
def test_line_endings_and_mbox_lines_do_not_matter(raw):
    plain = read_mail(raw)
    for ends in (b"\r\n", b"\r"):
        assert read_mail(raw.replace(b"\n", ends)) == plain
    assert read_mail(b"From someone Mon Sep  2\n" + raw.removeprefix(NESTED.partition(b"\n")[0] + b"\n")) == plain


def test_html_that_differs_from_the_plain_text_is_read_too():
    head = (
        b"Content-Type: multipart/alternative; boundary=a\n\n--a\n\nsee you at lunch\n--a\nContent-Type: text/html\n\n"
    )
    assert valid(head + b"<p>buy cheap pills now\n--a--")["body"] == "see you at lunch\nbuy cheap pills now"
    assert valid(head + b"<p>see you <i>at</i> lunch!\n--a--")["body"] == "see you at lunch"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"=?utf-8?q?a_b=21?=", "a b!"),
        (b"=?UTF-8?B?4oI=?=\n =?utf-8?b?rA==?=", "€"),  # one character split over two words
        (b"x =?koi8-r?b?8NLJ18XU?= y", "x Привет y"),
        (b"=?utf-8*en?q?a?= =?iso-8859-1?q?=E9?=", "aé"),
        (b"=?no-such?q?=C3=A9=80?=", "Ã©€"),
        (b"=?utf-8?b?w6Q", "=?utf-8?b?w6Q"),
        (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
        (b"=?utf-8?b?w6?=", "Ã"),  # half a character
        (b"=?rot13?q?uryyb?=", "uryyb"),  # a Python codec that is no charset
        (b"=?utf-8?q?a=00=0D=0A=1B[31m?=", "a [31m"),
        (b"=?utf-7?q?+2AA-?=", "?"),  # half a character that UTF-8 cannot encode
        ("gr\u00fcn".encode(), "grün"),
        (b"gr\xfcn \x80", "grün €"),
        (b"a\n\t\tb\n c\x00d\x07", "a b cd"),
        (b"", ""),
    ],
)
def test_subjects(value, said):
    assert valid(b"Subject: " + value + b"\nTo: x\n\n")["subject"] == said


@pytest.mark.parametrize(
    ("charset", "content", "said"),
    [
        (b"iso-8859-1", b"caf\xe9 \x93a\x94", "café “a”"),
        (b"us-ascii", "café".encode(), "café"),
        (b"iso-8859-1", "café".encode(), "café"),
        (b"utf-8", b"caf\xe9", "café"),
        (b"x-unknown", b"caf\xe9", "café"),
        (b'"', b"caf\xe9", "café"),
        (b"gb2312", "你好镕".encode("gbk"), "你好镕"),
        (b"ISO-2022-JP", "日本".encode("iso2022_jp"), "日本"),
        (b"big5", b"\xa4", "\ufffd"),
        (b"zlib", b"abc", "abc"),
        (b"punycode", b"abc-def", "abc-def"),
        (b"utf-8", b"\xef\xbb\xbfa\x00b", "ab"),
        (b"utf-8", "\x93a\x94\x81 \x9b31m".encode(), "“a” ›31m"),  # windows-1252 mistaken for Latin-1 on the way
        (b"iso-8859-5", b"\x9b31m", "›31m"),
    ],
)
def test_charsets_declared_rightly_and_wrongly(charset, content, said):
    assert body(content, b"Content-Type: text/plain; charset=" + charset) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            b"from a.example ([192.0.2.1]) by mx-1.Example.ORG; Mon, 2 Sep 2002 12:23:11 +0200",
            "a.example 192.0.2.1 mx-1.example.org",
        ),
        (b"by a.example with SMTP id g7MB8Z5.x9; (8.11.6/8.11.6) 1.2.3 1.2.3.4.5 1234.1.1.1", "a.example"),
        (b"from localhost by b.example\nreceived: from a.example", "b.example a.example"),
        (b"..a..b.c- -.x. a.b", ""),
        (b"by a.example\nReceived:from b.example\nRECEIVED: c.example\xff.org", "a.example b.example c.example"),
        (b"", ""),
    ],
)
def test_hosts_of_received_headers(value, said):
    assert valid(b"Received: " + value + b"\n\nReceived: from body.example")["received"] == said


def test_undeclared_eight_bit_text():
    assert body(b"caf\xe9") == body("café".encode()) == "café"


@pytest.mark.parametrize(
    ("encoding", "content", "said"),
    [
        (b"base64", b"aGVs\nbG8=", "hello"),
        (b"BASE64", b"aGVsbG8", "hello"),  # without its padding
        (b"base64", b"aGVsbG8hI", "hello! "),  # truncated
        (b"base64", b"a!G?V\xffs bG8=", "hello"),
        (b"base64", b"aGVsbG8=\n-- a footer that a list put there", "hello"),
        (b"base64", b"=", ""),
        (b"quoted-printable", b"a=3Db=\nc=E9=ZZ=", "a=bcé=ZZ"),
        (b"'7bit'", b"a=3D", "a=3D"),
        (b"x-no-such", b"a=3D", "a=3D"),
    ],
)
def test_transfer_encodings_valid_and_broken(encoding, content, said):
    assert body(content, b"Content-Transfer-Encoding: " + encoding) == said


def test_uuencoded_parts_are_attachments():
    found = valid(b"\nsee\nbegin 644 a.txt\n#86)C\n`\nend\nyou")
    assert (found["body"], found["has_attachment"]) == ("see\nyou", True)
    assert body(b"begin 644 a.txt\n#86)C\n") == "begin 644 a.txt\n#86)C\n"


@pytest.mark.parametrize(
    ("raw", "subject", "said"),
    [
        (b"", "", ""),
        (b"\n", "", ""),
        (b"\n\nSubject: a", "", "\nSubject: a"),
        (b"no headers, only this", "", "no headers, only this"),
        (b"Subject: a", "a", ""),
        (b"Subject: a\n", "a", ""),
        (b"Subject: a\nno colon here\nTo: b", "a", "no colon here\nTo: b"),
        (b"SUBJECT : a\nSubject: b\n\n", "a", ""),
        (b" continued\nSubject: a\n\nb", "a", "b"),
        (b"From a b c", "", ""),
        (b"Content-Type: multipart/mixed\nSubject: a\n\n--x\n\nb", "a", "--x\n\nb"),
        (b"Content-Type: multipart/mixed; boundary=x\n\nnowhere", "", "nowhere"),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x", "", "one\n"),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x \n\none\n--xy\n--x--\n--x\n\ntwo", "", "one\n--xy"),
        (b"Content-Type: nonsense\n\na", "", "a"),
        (b"<html><p>a</html>", "", "a"),
        (b"Content-Type: message/rfc822\n\nSubject: inner\n\nb", "", "b"),
    ],
)
def test_missing_headers_and_boundaries(raw, subject, said):
    found = valid(raw)
    assert (found["subject"], found["body"]) == (subject, said)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<td>one</td><td>two</td>th<b>re</b>e<br>four", "one two three four"),
        ("a<!-- b -->c<style>d</style><script>e</script>f&nbsp;g&eacute;&#8364;&bogus;", "ac f gé€&bogus;"),
        ("<div>" * 300 + "deep &lt; down", "deep < down"),
        ("<div>" * 300 + "&#" + "9" * 5_000 + ";&#65;", "\ufffdA"),
        ("<title>t</title><p>x", "t x"),
        ("a&#27;[31m&#0;&#1;&#xd800;&#x110000;b&#10;c", "a[31m\ufffd\ufffd\ufffdb c"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ("<?xml version='1.0' encoding='utf-16'?><p>é", "é"),
        ("<meta charset=koi8-r><p>é", "é"),
        ("&#147;a&#148;&#129;", "“a”"),
        (" ", ""),
        ("<!--", ""),
    ],
)
def test_html_as_text(page, said):
    assert html.html_text(page) == said


def test_html_may_declare_its_charset():
    assert body("<meta charset=koi8-r><p>Привет".encode("koi8-r"), b"Content-Type: text/html") == "Привет"


def test_error_without_lxml_says_what_to_install():
    code = "import sys; sys.modules['lxml'] = None; from tallybayes.mail import read_mail"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "Reading mail needs lxml, for HTML: pip install 'tallybayes[mail]'." in told


UNSEEN = ["\u00ad", "\u2060", "\ufeff", "\u034f", "\u200b", "\u200b\u00ad\u200b", "\u200c", "\u200d\u200e", "\u2062"]


@given(st.lists(st.sampled_from(["free", "pills", "Größe", "приз", "1000"]), min_size=1, max_size=5), st.data())
def test_characters_that_nobody_sees_cut_no_words_apart(words, data):
    text = " ".join(words)
    hidden = "".join(
        letter + data.draw(st.sampled_from(["", *UNSEEN])) * (letter.isalnum() and after.isalnum())
        for letter, after in zip(text, text[1:] + " ", strict=True)
    )
    entities = "".join(letter if letter.isascii() else f"&#{ord(letter)};" for letter in hidden)
    for kind, body in (("plain", hidden), ("html", entities)):
        mail = f"Subject: {hidden}\nContent-Type: text/{kind}; charset=utf-8\n\n{body}\n"
        row = read_mail(mail.encode())
        assert (row["subject"], row["body"].strip()) == (text, text)


@pytest.mark.parametrize("text", ["می‌خواهم", "👩‍💻", "ភាសា\u200bខ្មែរ", "क्‍ष"])
def test_characters_that_scripts_need_are_kept(text):
    row = read_mail(f"Subject: {text}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n".encode())
    assert (row["subject"], row["body"].strip()) == (text, text)
