"""Adding and removing header fields leaves all other bytes unchanged."""

import re
from email import message_from_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes.mail import read_mail
from tallybayes.mail.stamping import head_of, message_id, stamped, without

MARK = {"X-Mark": "ham, 0.1"}
LINES = [
    b"Subject: a",
    b"X-Mark: old",
    b"x-mark : old",
    b" folded",
    b"\tfolded",
    b"From: x",
    b"no field",
    b"",
    b"\x00\xff: \x80",
    b">From x",
]
lines = st.lists(st.sampled_from(LINES), max_size=8)
newlines = st.sampled_from([b"\n", b"\r\n"])
mails = st.builds(
    lambda first, lines, newline: first + newline.join(lines),
    st.sampled_from([b"", b"From a@b Mon\n"]),
    lines,
    newlines,
)


@given(mails | st.binary(max_size=60))
@example(b"")
@example(b"From ")
@example(b" folded before anything\n\n")
def test_any_bytes_get_one_field_and_lose_nothing_else(raw):
    marked = stamped(raw, MARK)
    assert re.findall(rb"(?im)^x-mark[ \t]*:(.*)$", head_of(marked)) in ([b" ham, 0.1"], [b" ham, 0.1\r"])
    if not raw.startswith(b">From ") and b"\r" not in raw.replace(b"\r\n", b"\n"):  # Python parses these differently
        assert message_from_bytes(marked).get_all("X-Mark") == ["ham, 0.1"]
    plain = without(raw, "X-Mark")
    assert marked.replace(b"\r\n", b"\n").endswith(plain.partition(b"\n")[2].replace(b"\r\n", b"\n"))
    assert stamped(marked, MARK) == marked


@given(mails)
def test_removing_a_mark_restores_the_mail(raw):
    plain = without(raw, "X-Mark")
    if re.match(rb"[!-9;-~]+[ \t]*:|\r?\n", plain):  # others get an empty line as well
        assert without(stamped(raw, MARK), "X-Mark") == plain


@given(mails)
def test_row_of_a_mail_ignores_marks(raw):
    plain = without(raw, "X-Mark")
    if not re.match(rb"(?:>?From [^\n]*\n)?[ \t]", plain):  # a folded line of no field
        assert read_mail(stamped(plain, MARK)) == read_mail(plain)


@pytest.mark.parametrize(
    ("raw", "marked"),
    [
        (b"A: 1\n\nbody", b"X-Mark: ham, 0.1\nA: 1\n\nbody"),
        (b"A: 1\r\n\r\nbody\n", b"X-Mark: ham, 0.1\r\nA: 1\r\n\r\nbody\n"),
        (b"From a Mon\nA: 1\n\n", b"From a Mon\nX-Mark: ham, 0.1\nA: 1\n\n"),
        (b"\nbody", b"X-Mark: ham, 0.1\n\nbody"),
        (b"no head at all", b"X-Mark: ham, 0.1\n\nno head at all"),
        (b"", b"X-Mark: ham, 0.1\n\n"),
        (b"A: 1", b"X-Mark: ham, 0.1\nA: 1"),
        (b"X-MARK:\n spam\n\tfor sure\nA: 1\n\nX-Mark: x\n", b"X-Mark: ham, 0.1\nA: 1\n\nX-Mark: x\n"),
        (b"A: \x00\xff\n\n\x00\xfe", b"X-Mark: ham, 0.1\nA: \x00\xff\n\n\x00\xfe"),
    ],
)
def test_mark_is_the_first_field(raw, marked):
    assert stamped(raw, MARK) == marked


def test_value_cannot_add_a_field():
    marked = stamped(b"A: 1\n\n", {"X-Mark": "spam\r\nBcc: eve@example.org\n\nbody\x00\u2028é"})
    assert marked == b"X-Mark: spam??Bcc: eve@example.org??body???\nA: 1\n\n"


def test_removing_many_fields_is_fast():
    raw = b"X-Mark: 1\n" * 200_000 + b"X-Mark: 1\n \n" * 100_000 + b"\nbody"
    assert without(raw, "X-Mark") == b"\nbody"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"Message-ID: <a@b>", b"a@b"),
        (b"message-id:<a@b> (comment)", b"a@b"),
        (b"Message-Id:\r\n\t<a@\r\n b>", b"a@b"),
        (b"Message-ID: bare@b ", b"bare@b"),
        (b"Message-ID: <>", b""),
        (b"Subject: none", b""),
        (b"\nMessage-ID: <in.the.body@b>", b""),
    ],
)
def test_message_id_is_between_angle_brackets(head, name):
    assert message_id(head + b"\n\n") == name
