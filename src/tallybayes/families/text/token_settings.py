"""Settings that all text families share: the tokeniser, and what happens to bytes that are not UTF-8."""

from __future__ import annotations

from typing import Any

from tallybayes.families.settings import setting
from tallybayes.families.text.tokens import REPLACE, STRICT, Tokeniser


def own_tokeniser() -> Any:
    return setting(None, "a function from a text to its tokens", check=_as_tokeniser, counting=True)


def not_utf8() -> Any:
    about = (
        'what to do with bytes that are not UTF-8: "strict" is an error, "replace" inserts U+FFFD, which is in no word'
    )
    return setting(STRICT, about, choices=(STRICT, REPLACE))


def _as_tokeniser(family: Any, name: str, given: Any) -> Tokeniser:
    if not callable(given) and not isinstance(given, str):
        raise ValueError(f"{type(family).__name__}(tokeniser={given!r}): give a function from a text to its tokens.")
    return Tokeniser(given)
