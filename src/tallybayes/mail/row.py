"""The columns of a mail, and which of its parts are its text.

No bytes cause an error or take long: the work is bounded by the limits in `parts`, `headers` and `html`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tallybayes.mail.decoding import as_seen, decoded, one_line, text_of
from tallybayes.mail.headers import field_text, hosts, keyword, parameter
from tallybayes.mail.html import html_links, html_text
from tallybayes.mail.parts import MailPart, parts_of

Row = dict[str, str | bool | int]

HEADERS = ("subject", "from", "to", "reply_to", "list_id")
ABOUT = ("received", "mailer", "content_type", "charset", "parts", "has_html", "has_attachment")
COLUMNS = (*HEADERS, *ABOUT, "links", "body")
TEXTS = (
    *HEADERS,
    "received",
    "mailer",
    "links",
    "body",
)  # always text, however few distinct values they have

HTML_READ = 1 << 18  # characters of HTML that are read in one mail
SAME = 0.75  # if this share of an HTML part's words is in the plain text, it is a duplicate
WORD = re.compile(r"\w+")
LOOKS_LIKE_HTML = re.compile(rb"\s*+<(?:!doctype\s++html|html|head|body)\b", re.IGNORECASE)
META_CHARSET = re.compile(rb"charset\s*+=\s*+[\"']?([\w.:-]++)", re.IGNORECASE)
META_READ = 1024  # bytes at the start of HTML in which its charset may be declared
ENCLOSED = re.compile(r"^begin [0-7]{3,4} [^\n]++\n(?:[ -`]{1,62}+\n)*+end$\n?", re.MULTILINE)


def read_mail(raw: bytes) -> Row:
    """The row of a mail: strings (empty if absent), booleans, and the number of parts.

    `body` is the plain text, and the text of HTML that differs from it; `links` are the URLs in HTML, and `received`
    the hosts that the mail went through. The row does not depend on the kind of line ends or on the "From " line of an
    mbox.

    >>> row = read_mail(b"From: Ann <ann@example.org>\\nSubject: =?utf-8?q?Caf=C3=A9?=\\n\\nAt noon?\\n")
    >>> row["subject"], row["from"], row["body"]
    ('Café', 'Ann <ann@example.org>', 'At noon?\\n')
    """
    parts = parts_of(raw)
    fields = parts[0].fields  # the mail itself is its first part
    leaves = [part for part in parts if not part.opened]
    plain, pages, charset = _texts(leaves)
    body, enclosed = _without_enclosed(as_seen("\n".join(plain)))
    words = set(WORD.findall(body.lower())) if pages else set()
    more = [text for text in map(as_seen, map(html_text, pages)) if not _says_the_same(text, words)]
    return {
        **{name: as_seen(field_text(fields, name.replace("_", "-"))) for name in HEADERS},
        "received": hosts(fields),
        "mailer": field_text(fields, "x-mailer") or field_text(fields, "user-agent"),
        "content_type": parts[0].kind,
        "charset": charset,
        "parts": len(leaves),
        "has_html": bool(pages),
        "has_attachment": enclosed > 0 or any(map(_is_attached, leaves)),
        "links": "\n".join(link for page in pages for link in html_links(page)),
        "body": "\n".join([body, *more] if body or not more else more),
    }


def _texts(leaves: Sequence[MailPart]) -> tuple[list[str], list[str], str]:
    """The plain texts, the HTML pages, and the first declared charset."""
    plain, pages, first, left = [], [], "", HTML_READ
    for part in leaves:
        if not part.kind.startswith(("text/", "multipart/")):  # a multipart that could not be parsed is text
            continue
        content = decoded(part.body, keyword(part.fields, "content-transfer-encoding"))
        charset = one_line(parameter(part.fields, "content-type", "charset").lower())
        first = first or charset
        if part.kind == "text/html" or ("content-type" not in part.fields and LOOKS_LIKE_HTML.match(content)):
            page = text_of(content, charset or _meta_charset(content))[:left]
            left -= len(page)
            pages.append(page)
        else:
            plain.append(text_of(content, charset))
    return plain, pages, first


def _without_enclosed(text: str) -> tuple[str, int]:
    """A text without files in the old uuencode format, and their number."""
    return ENCLOSED.subn("", text) if "begin " in text else (text, 0)


def _meta_charset(page: bytes) -> str:
    found = META_CHARSET.search(page[:META_READ])
    return found[1].decode("ascii", "replace") if found else ""


def _says_the_same(text: str, known: set[str]) -> bool:
    if not known:
        return not WORD.search(text)
    words = set(WORD.findall(text.lower()))
    return len(words & known) >= SAME * len(words)


def _is_attached(part: MailPart) -> bool:
    named = parameter(part.fields, "content-disposition", "filename") or parameter(part.fields, "content-type", "name")
    return bool(named) or keyword(part.fields, "content-disposition") == "attachment"
