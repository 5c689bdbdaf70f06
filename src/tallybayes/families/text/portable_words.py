"""Whether other programs can split a text into the same words: how, or why not."""

from __future__ import annotations

from typing import Any

from tallybayes.families.portable import Cutting, NotPortableError
from tallybayes.families.text.tokens import CHARACTERS


def cutting_of(family: Any) -> Cutting:
    for given, reason in (
        (family.tokeniser, "its tokeniser is a Python function, and an export holds no code."),
        (family.stems, "its stems are found by code, and an export holds none."),
        (family.unit == CHARACTERS, "with unit='characters' there are no words to look up."),
        (family.unknown, "with unknown=True, words that are in no table count too."),
    ):
        if given:
            raise NotPortableError(reason)
    return Cutting(**{name: getattr(family, name) for name in Cutting._fields})
