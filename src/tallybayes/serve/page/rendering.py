"""Renders facts as HTML. All text is escaped, and control and bidirectional characters are spelled out."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tallybayes.report.blocks import count, how_many, times
from tallybayes.report.characters import clean, short
from tallybayes.report.plain import to_text
from tallybayes.serve.page.fields import OTHER

FOLDER = Path(__file__).parent
SURE = 0.9999995  # above this, a percentage would be rounded to 100 %


def percent(share: float) -> str:
    """A readable probability, never rounded to 0 or 1.

    >>> [percent(p) for p in (0.5, 0.0312, 0.99987, 1 - 1e-9, 1e-9, 1.0, 0.0)]
    ['50.0%', '3.1%', '99.987%', 'over 99.9999%', 'under 0.0001%', '100%', '0%']
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if 0.001 <= share <= 0.999:
        return f"{share:.1%}"
    if share > 0.5:
        return "over 99.9999%" if share > SURE else f"{share:.4%}".rstrip("0%").rstrip(".") + "%"
    return "under 0.0001%" if share < 1 - SURE else f"{100 * share:.2g}%"


def shown(value: object) -> str:
    """Any value as text without control characters."""
    return clean(to_text(value))


def paragraphs(text: str) -> str:
    """The same for text of several lines."""
    return clean(text, kept="\n\t")


@cache
def static_file(name: str) -> bytes:
    return (FOLDER / "static" / name).read_bytes()


@cache
def address_of(name: str) -> str:
    """The URL of a static file. It changes with the content, so that browsers may cache it for ever."""
    return f"/page/{name}?{hashlib.sha256(static_file(name)).hexdigest()[:12]}"


def render(template: str, **facts: Any) -> str:
    return _environment().get_template(template).render(**facts)


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {
        "percent": percent,
        "shown": shown,
        "short": short,
        "paragraphs": paragraphs,
        "count": count,
        "how_many": how_many,
        "times": times,
    }
    found.globals |= {"address_of": address_of, "other": OTHER}
    return found
