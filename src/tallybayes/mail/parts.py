"""The MIME parts of a mail, found iteratively.

Every part is a slice of its parent, so the work is bounded by the size of the mail times `DEPTH`. Whatever exceeds a
limit stays unparsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tallybayes.mail.decoding import decoded, line_ends
from tallybayes.mail.headers import Fields, keyword, media_type, parameter, split_headers

DEPTH = 64  # of nesting
PARTS = 1_000  # of one mail, including multiparts
LINES = 10_000  # of one mail that may be boundaries
BOUNDARY = 256  # characters; the standard allows 70


@dataclass(slots=True)
class MailPart:
    """A part with its header fields; `opened` if it is a multipart whose parts follow it."""

    fields: Fields
    body: bytes
    depth: int
    opened: bool = False
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        self.kind = media_type(self.fields)


class Boundaries:
    """Splits bodies at their boundaries, up to `LINES` lines."""

    def __init__(self) -> None:
        self.left = LINES

    def cut(self, body: bytes, boundary: bytes) -> Iterator[bytes]:
        """The parts between lines "--boundary", up to "--boundary--"; none if there is no such line."""
        lines, delimiter, start, at = b"\n" + body, b"\n--" + boundary, None, 0
        while self.left:
            at = lines.find(delimiter, at)
            if at < 0:
                break
            self.left -= 1
            end = lines.find(b"\n", at + 1)
            end = len(lines) if end < 0 else end
            rest = lines[at + len(delimiter) : end].rstrip(b" \t")
            if rest in (b"", b"--"):
                if start is not None:
                    yield lines[start:at]
                if rest:
                    return
                start = end + 1
            at = end
        if start is not None:
            yield lines[start:]


def parts_of(raw: bytes) -> list[MailPart]:
    """The mail itself as a part, followed by all its parts in order; at least one, at most `PARTS`."""
    lines = line_ends(raw)
    if lines.startswith((b"From ", b">From ")):
        lines = lines.partition(b"\n")[2]
    boundaries, waiting = Boundaries(), [(lines, 0)]
    parts: list[MailPart] = []
    while waiting and len(parts) < PARTS:
        content, depth = waiting.pop()
        part = MailPart(*split_headers(content), depth)
        parts.append(part)
        if depth < DEPTH:
            inner = _inner(part, boundaries, PARTS - len(parts))
            part.opened = bool(inner)
            waiting.extend((content, depth + 1) for content in reversed(inner))
    return parts


def _inner(part: MailPart, boundaries: Boundaries, most: int) -> list[bytes]:
    if part.kind == "message/rfc822":
        return [decoded(part.body, keyword(part.fields, "content-transfer-encoding"))]
    if not part.kind.startswith("multipart/"):
        return []
    boundary = parameter(part.fields, "content-type", "boundary").encode("utf-8", "surrogateescape")
    if not 0 < len(boundary) <= BOUNDARY:
        return []
    return [content for _, content in zip(range(most), boundaries.cut(part.body, boundary), strict=False)]
