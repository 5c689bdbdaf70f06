"""Hostile mail: never an error, and never more work than the limits allow."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from rough_mail import EXAMPLES, valid
from tallybayes.mail import headers, html, parts, read_mail, row


@given(st.binary(max_size=300))
def test_any_bytes_parse(raw):
    valid(raw)


LINES = st.sampled_from(
    sorted({line for raw in EXAMPLES for line in raw.split(b"\n")} | {b"--a", b"--a--", b"\r", b"\0"})
)


@given(st.lists(st.one_of(LINES, st.binary(max_size=20)), max_size=40))
def test_any_mail_lines_parse(lines):
    valid(b"\n".join(lines))


PIECES = [
    "<p>",
    "<b",
    ">",
    "</p>",
    "<!--",
    "-->",
    "&#27;",
    "&#xD800;",
    "&",
    "<script>",
    "<a href='",
    "src=&#10;x ",
    "<?",
    "é",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=20))
def test_any_html_becomes_text(pieces):
    valid(b"Content-Type: text/html\n\n" + "".join(pieces).encode())


@pytest.mark.slow
@settings(max_examples=some(300))
@given(st.data())
def test_truncated_mixed_and_broken_mails_parse(data):
    raw = bytearray(b"".join(data.draw(st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=3))))
    for _ in range(data.draw(st.integers(0, 8))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    found = valid(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    assert found["parts"] <= parts.PARTS


@given(st.lists(st.one_of(LINES, st.text(max_size=20).map(str.encode)), max_size=30))
def test_line_endings_do_not_matter(lines):
    raw = b"\n".join(lines).replace(b"\r", b"")
    assert read_mail(raw) == read_mail(raw.replace(b"\n", b"\r\n"))


def test_nesting_limit():
    level = b"Content-Type: multipart/mixed; boundary=%05d\n\n--%05d\n"
    for raw in (b"".join(level % (i, i) for i in range(10_000)), b"Content-Type: message/rfc822\n\n" * 10_000):
        found = parts.parts_of(raw)
        assert max(part.depth for part in found) == parts.DEPTH == len(found) - 1
        assert valid(raw)["parts"] == 1


def test_part_limit():
    flat = b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\n" * 100_000
    broad = b"--a\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 100
    for raw in (flat, b"Content-Type: multipart/mixed; boundary=a\n\n" + broad * 1_000):
        assert len(parts.parts_of(raw)) == parts.PARTS
        assert valid(raw)["parts"] <= parts.PARTS


def test_boundary_limit():
    boundaries = parts.Boundaries()
    assert list(boundaries.cut(b"--ab\n" * 100_000 + b"--a\nunread", b"a")) == []
    assert boundaries.left == 0
    assert list(boundaries.cut(b"--a\nunread", b"a")) == []
    assert valid(b'Content-Type: multipart/mixed; boundary="' + b"a" * 1_000 + b'"\n\n--a')["parts"] == 1


def test_header_limit():
    for piece in (b"a@b.c, ", b'"', b"=?utf-8?b?", b"=?utf-8?b?w6Q=?= ", b"\\", b"(", b"\n "):
        found = valid(b"To: " + piece * (1_000_000 // len(piece)))
        assert len(found["to"]) <= headers.FIELD_READ
    for piece in (b"a.", b"a.b ", b"1.", b"-", b"aa.aa\nReceived: "):
        assert len(valid(b"Received: " + piece * (1_000_000 // len(piece)))["received"]) <= 2 * headers.FIELD_READ
    many = valid(b"To:\n" * headers.FIELDS + b"Subject: unread\n\n")
    assert (many["subject"], many["to"]) == ("", "")


@pytest.mark.parametrize("piece", ["<", "&", "<!--", "<div>", "<b><p>", "</", "&#", "<a href=x>", "<table>", "x "])
def test_html_limit(piece):
    found = valid(b"Content-Type: text/html\n\n" + (piece * (1_000_000 // len(piece)) + "unread").encode())
    assert len(found["body"]) <= row.HTML_READ
    assert "unread" not in found["body"]
    assert len(found["links"].split()) <= html.LINKS


LONG = "<p>and more</p>" * 2_000


@pytest.mark.parametrize("attribute", ["a%d", "a%d=1", "a%d = '>'", 'a%d="</b>"', "/a%d", "'a%d", "a%d=x'"])
def test_attribute_limit(attribute):
    many = [attribute % number for number in range(20_000)]
    few, more = (" ".join(many[:count]) for count in (html.ATTRIBUTES, html.ATTRIBUTES + 1))
    assert not html.is_crowded(f"<p {few}>" + LONG)
    assert html.is_crowded(f"<p {more}>" + LONG)
    assert not html.is_crowded(f"<p {more}>")
    assert html.html_text(f"<p {' '.join(many)}>free <b>money</b>").endswith("free money")


@pytest.mark.parametrize(
    "hidden", ["<!-- <b %s -->", "<style>/* <b %s */</style>", "<SCRIPT>if (i <n %s)</Script>", "<? <b %s ?>", "<b %s>"]
)
def test_many_words_in_a_tag_or_a_comment_hide_no_text(hidden):
    words = " ".join(f"a{number}" for number in range(html.ATTRIBUTES + 10))
    for more in ("", ' x="', " x='"):
        page = hidden % (words + more) + "<p>free money</p>" + LONG
        assert "free money" in html.html_text(page)


@pytest.mark.parametrize("before", ['<!-- <b x="-->', '<style><b x="</style>', '<? <b x=" ?>', '</b x=">'])
def test_attributes_are_found_after_a_quote_that_opens_nothing(before):
    many = " ".join(f"a{number}" for number in range(html.ATTRIBUTES + 1))
    assert html.is_crowded(f'{before}<p {many}>"' + LONG)


@given(st.lists(st.sampled_from([*PIECES, " ", "=", '"', "/", "a"]), max_size=html.ATTRIBUTES // 4).map("".join))
def test_pages_with_few_attributes_are_parsed(page):
    assert not html.is_crowded(page + "\n" * html.SHORT)


def test_megabyte_of_garbage():
    garbage = bytes(range(256)) * 4_000
    for encoding in (b"base64", b"quoted-printable", b"8bit", b"x-uuencode"):
        valid(b"Content-Transfer-Encoding: " + encoding + b"\n\n" + garbage)
    valid(garbage)
