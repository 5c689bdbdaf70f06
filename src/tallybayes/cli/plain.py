"""Values of every type as JSON and as text have them."""

from __future__ import annotations

import json
import math
from typing import Any


def plain(value: Any) -> Any:
    """A value as JSON has it: what is not a number is nothing, one without end and all that JSON does not know a text.

    >>> plain({1: [float("nan"), float("-inf")], "raw": b"\\xe9t\\xe9"})
    {'1': [None, '-inf'], 'raw': '\\\\xe9t\\\\xe9'}
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return {spoken(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return spoken(value)


def spoken(value: Any) -> str:
    """A value as one text.

    >>> spoken(0.5), spoken(b"ham"), spoken([1.0, None])
    ('0.5', 'ham', '[1.0, null]')
    """
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)
