"""The patterns that find header fields and hosts are written for speed; here are plain ones that find the same."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes.mail.decoding import encoded_words, one_line, plain, text_of
from tallybayes.mail.headers import NAMES, field_text, hosts, split_headers
from tallybayes.mail.html import BLOCK, INLINE
from tallybayes.mail.stamping import head_of, without

PIECES = [
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b":",
    b"Subject",
    b"X-Spam-Flag: YES",
    b"x-spam-",
    b"x-tall:",
    b"a",
    b"\xe9",
]
RECEIVED = [*PIECES, b".", b"-", b"_", b"1.2.3.4", b"10", b"Mx.Example.ORG", b"a.b", b"com", b"\x00", "é".encode()]
TAGS = ["<", "/", ">", " ", "\n", "ſ", "x", *INLINE.split("|"), *INLINE.upper().split("|")]
some = st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join)

HOST = r"(?<![\w.-])(?:\d{1,3}+(?:\.\d{1,3}+){3}(?![\w.-])|(?:[\w-]++\.)++[a-z]{2,}+)"
VALUE = rb"[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)"


@given(st.lists(st.sampled_from(RECEIVED), max_size=12).map(b"".join))
@example(b"a.b.com2.org c.1.2.3.4 1.2.3.4.5 x..y.com")
def test_hosts(value):
    text = value.decode("utf-8", "replace").replace("\x00", "")
    found = re.findall(HOST, text, re.IGNORECASE | re.ASCII)
    assert hosts({"received": value}) == " ".join(dict.fromkeys(host.lower() for host in found))


@given(some)
def test_fields_end_at_the_first_line_that_is_none(content):
    end = re.search(rb"^(?![ \t]|[!-9;-~]++[ \t]*+:)", content, re.MULTILINE)
    at = end.start() if end else len(content)
    first = {}
    for name, value in re.findall(rb"^(%b)%b" % (NAMES, VALUE), content[:at], re.MULTILINE | re.IGNORECASE):
        first.setdefault(name.decode().lower(), value)
    assert split_headers(content) == (first, content[at:].removeprefix(b"\n"))


@given(st.lists(st.sampled_from([*PIECES, b"=?", b"?=", b"=?utf-8?q?a=C3=A9?=", b"\x7f", b"\x1c"])).map(b"".join))
def test_plain_fields_are_read_as_all_others(value):
    assert field_text({"subject": value}, "subject") == one_line(encoded_words(text_of(value)))


@given(some)
def test_fields_are_removed_from_the_head(raw):
    end = re.search(rb"^\r?\n", raw, re.MULTILINE)
    head = raw[: end.end()] if end else raw
    field = rb"^(?:x-tall|x-spam-[!-9;-~]*+)%b\n?" % VALUE
    assert head_of(raw) == head
    rest = re.sub(field, b"", head, flags=re.MULTILINE | re.IGNORECASE)
    assert without(raw, "X-Tall", "X-Spam-*") == rest + raw[len(head) :]


@given(st.lists(st.sampled_from(TAGS)).map("".join))
def test_tags_that_divide_words(page):
    found = re.finditer(rf"<(?=[/a-zA-Z])(?!/?(?:{INLINE})[\s>])", page, re.IGNORECASE | re.ASCII)
    assert [each.start() for each in BLOCK.finditer(page)] == [each.start() for each in found]


@given(st.text(st.characters(max_codepoint=127)), st.sampled_from(["", "us-ascii", "latin1", "utf-8", "koi8-r"]))
def test_ascii_is_decoded_as_any_text_is(text, charset):
    assert text_of(text.encode(), charset) == plain(text)
    assert text_of(b"caf+AOk-", "utf-7") == "café"  # which is ASCII, too
