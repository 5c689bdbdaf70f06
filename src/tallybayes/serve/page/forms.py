"""Parses forms: their fields and uploaded files.

The body is in memory already and within its limit.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn
from urllib.parse import parse_qsl

from tallybayes.serve.problems import Problem

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
MOST_FIELDS = 10_000
BOUNDARY = re.compile(r';\s*boundary="?([^";,\s]{1,70})"?\s*(?:;|$)', re.IGNORECASE)
DISPOSITION = re.compile(rb"^content-disposition:\s*form-data(.*)$", re.IGNORECASE | re.MULTILINE)
PARAMETER = re.compile(rb';\s*(name|filename)="([^"\r\n]*)"', re.IGNORECASE)


class Upload(NamedTuple):
    """An uploaded file and its name."""

    name: str
    content: bytes


class Form(NamedTuple):
    fields: dict[str, str]
    files: dict[str, Upload]


def form_of(content_type: str, body: bytes) -> Form:
    """The form in a body, in either encoding that browsers use."""
    kind = content_type.split(";")[0].strip().lower()
    if kind == URLENCODED:
        return Form(fields_of(body), {})
    if kind != MULTIPART:
        raise Problem(415, f"The body is {kind[:80]!r}; send a form, {URLENCODED} or {MULTIPART}.")
    found = BOUNDARY.search(content_type)
    if found is None:
        _broken("it has no boundary")
    return _multipart(body, found[1].encode("latin-1"))


def fields_of(encoded: bytes) -> dict[str, str]:
    """Percent-encoded names and values, with Unix line ends."""
    try:
        pairs = parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        _broken(f"names and values must be UTF-8, percent-encoded, and at most {MOST_FIELDS:,}")
    return {name: _lines(value) for name, value in pairs}


def _multipart(body: bytes, boundary: bytes) -> Form:
    between = b"\r\n--" + boundary
    first, *parts = (b"\r\n" + body).split(between, MOST_FIELDS)
    if first or not parts or not parts[-1].startswith(b"--"):
        _broken("it is truncated")
    form = Form({}, {})
    for part in parts[:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        disposition = DISPOSITION.search(head.replace(b"\r\n", b"\n"))
        about = {key.lower(): value for key, value in PARAMETER.findall(disposition[1])} if disposition else {}
        if b"name" not in about:
            _broken("a part has no name")
        name = _text(about[b"name"])
        if b"filename" in about:
            form.files[name] = Upload(_text(about[b"filename"]), content)
        else:
            form.fields[name] = _lines(_text(content))
    return form


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        _broken("its text must be UTF-8")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _broken(why: str) -> NoReturn:
    raise Problem(400, f"The form cannot be read: {why}.")
