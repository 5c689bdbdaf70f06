"""Whether the words of a text can be found by other programs: how these would cut it, or why they cannot."""

from __future__ import annotations

from typing import Any

from tallybayes.families.portable import Cutting, NotPortableError
from tallybayes.families.text.tokens import CHARACTERS


def cutting_of(family: Any) -> Cutting:
    for given, reason in (
        (family.tokeniser, "its tokeniser is a function of yours, and an export holds no code."),
        (family.stems, "its stems are found by code, and an export holds none."),
        (family.unit == CHARACTERS, "with unit='characters' there are no words to look up."),
        (family.unknown, "with unknown=True, words count that no table has."),
    ):
        if given:
            raise NotPortableError(reason)
    return Cutting(**{name: getattr(family, name) for name in Cutting._fields})
