"""Values of every type as JSON and as text."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A value as JSON: NaN is null; an infinite number, and whatever else JSON lacks, is a string. Facts are objects,
    where `class_` becomes "class".

    >>> plain({1: [float("nan"), float("-inf")], "raw": b"\\xe9t\\xe9"})
    {'1': [None, '-inf'], 'raw': '\\\\xe9t\\\\xe9'}
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if is_dataclass(value):
        return {field.name.rstrip("_"): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {to_text(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return to_text(value)


def to_text(value: Any) -> str:
    """A value as one text.

    >>> to_text(0.5), to_text(b"ham"), to_text([1.0, None])
    ('0.5', 'ham', '[1.0, null]')
    """
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)
