"""Families and priors as people write them, and back: `Categorical(alpha=0.5)`, on a command line or in a file.

The text is data and never executed: names of families and settings, numbers, quoted strings, lists, tuples and
dictionaries. It is parsed here from left to right, in linear time and to a limited depth; Python's own parser promises
neither for untrusted text.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from tallybayes.data.errors import quoted
from tallybayes.data.naming import closest
from tallybayes.families import FAMILIES, JEFFREYS, LAPLACE, Dirichlet, Family, MEstimate, Mix

LEFT_OUT = "left out"
LONGEST = 1 << 24  # characters
DEEPEST = 16  # levels of nested brackets
LONGEST_NUMBER = 64  # digits and signs; no setting needs more
SHOWN = 60  # characters that an error shows

VALUES = {"True": True, "False": False, "None": None, "LAPLACE": LAPLACE, "JEFFREYS": JEFFREYS}
PRIORS: Mapping[str, type[Any]] = {"MEstimate": MEstimate, "Dirichlet": Dirichlet, "Mix": Mix}
ESCAPES = r"\\(?:[\\'\"nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"  # those that `repr` writes
TOKENS = re.compile(
    r"[ \t\r\n]*+(?:(?P<key>[^\W\d]\w*+)[ \t]*+="
    r"|(?P<name>[^\W\d]\w*+)"
    r"|(?P<number>[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
    rf"|(?P<text>'(?:[^'\\\n]|{ESCAPES})*+'|\"(?:[^\"\\\n]|{ESCAPES})*+\")"
    r"|(?P<mark>[()\[\]{},:])"
    r"|(?P<end>\Z))"
)
PLAIN_NAME = re.compile(r"[^\W\d][\w -]*+")
ENDS = {"(": ")", "[": "]", "{": "}"}

T = TypeVar("T")


class Token(NamedTuple):
    kind: str  # "key", "name", "number", "text", "mark" or "end"
    text: str
    at: int


def family_from_text(text: str) -> Family:
    """The family that is written: its name, and in parentheses the settings that are not the default.

    >>> family_from_text("Categorical(alpha=0.5, levels=['rain', 'sun'])")
    Categorical(alpha=0.5, levels=('rain', 'sun'))
    >>> family_from_text("Gausian")
    Traceback (most recent call last):
    ValueError: There is no family 'Gausian'. Did you mean Gaussian? There are Bag, Bernoulli, Categorical, ...
    """
    return _Reader(text).family()


def family_to_text(family: Family) -> str:
    """A family as `family_from_text` reads it."""
    if FAMILIES.get(type(family).__name__) is not type(family):
        raise ValueError(f"{family!r} cannot be written as text: only {', '.join(FAMILIES)} can.")
    return repr(family)


def column_from_text(text: str) -> Family | None:
    """The same for a column, which may be `left out`: then there is no family."""
    return None if text.strip().casefold() == LEFT_OUT else family_from_text(text)


def prior_from_text(text: str) -> Any:
    """A prior of the classes as `Schema` takes it: a name, a number, or a number for each class.

    >>> prior_from_text("{'ham': 2, 'spam': 5}"), prior_from_text("0.5"), prior_from_text("uniform")
    ({'ham': 2, 'spam': 5}, 0.5, 'uniform')
    """
    return text if text.isidentifier() else _Reader(text, "a prior", "{'ham': 2, 'spam': 5}").value()


def setting_from_text(text: str) -> Any:
    """A setting of a family: a number, a name without quotes, or anything that may stand in a family's parentheses.

    >>> setting_from_text("0.5"), setting_from_text("equal count"), setting_from_text("True"), setting_from_text("None")
    (0.5, 'equal count', True, None)
    """
    plain = PLAIN_NAME.fullmatch(text) and text not in VALUES
    return text if plain else _Reader(text, "a setting", "0.5").value()


class _Reader:
    """A parser of one text; `ahead` is the next token."""

    def __init__(self, text: str, kind: str = "a family", example: str = "Categorical(alpha=0.5)") -> None:
        self.kind = kind
        self.example = example
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is not text; write a family like 'Gaussian()'.")
        if len(text) > LONGEST:
            raise ValueError(f"The family has {len(text)} characters; at most {LONGEST} are allowed.")
        self.text = text
        self.depth = 0
        self._tokens = self._cut()
        self.ahead = next(self._tokens)

    def family(self) -> Family:
        """The whole text as a family."""
        if self.ahead.kind != "name":
            raise self._unexpected("the name of a family")
        name = self._next().text
        if name not in FAMILIES:
            raise ValueError(f"There is no family {quoted(name)}. {_nearest(name)}There are {', '.join(FAMILIES)}.")
        made: Family = self._made(name)
        self._end()
        return made

    def value(self) -> Any:
        """The whole text as the value of a setting."""
        value = self._value()
        self._end()
        return value

    def _end(self) -> None:
        if self.ahead.kind != "end":
            raise self._unexpected("the end")

    def _cut(self) -> Iterator[Token]:
        at, kind = 0, ""
        while kind != "end":
            found = TOKENS.match(self.text, at)
            if found is None:
                at = len(self.text) - len(self.text[at:].lstrip(" \t\r\n"))
                raise self._unreadable(
                    at, f"{quoted(self.text[at : at + 12])} is not a name, a number or a quoted string"
                )
            kind = str(found.lastgroup)
            yield Token(kind, found[kind], found.start(kind))
            at = found.end()

    def _next(self) -> Token:
        token, self.ahead = self.ahead, next(self._tokens, self.ahead)
        return token

    def _is(self, mark: str) -> bool:
        return self.ahead.kind == "mark" and self.ahead.text == mark

    def _between(self, opening: str, read: Callable[[], T]) -> tuple[list[T], bool]:
        """The items in these brackets, separated by commas; and whether there is a comma."""
        if self.depth == DEEPEST:
            raise self._unreadable(self.ahead.at, f"more than {DEEPEST} brackets are nested")
        self.depth += 1
        self._next()
        found, closing, comma = [], ENDS[opening], False
        while not self._is(closing):
            found.append(read())
            if not self._is(","):
                break
            comma = True
            self._next()
        if not self._is(closing):
            raise self._unexpected(f"',' or {closing!r}")
        self._next()
        self.depth -= 1
        return found, comma

    def _made(self, name: str) -> Any:
        """The family or m-estimate of this name, with the settings that follow."""
        maker: type[Any] = FAMILIES.get(name) or PRIORS[name]
        given = self._between("(", self._setting)[0] if self._is("(") else []
        fields = [field for field in dataclasses.fields(maker) if field.init]
        known = [field.name for field in fields]
        unnamed = iter([field.name for field in fields if not field.kw_only])
        settings: dict[str, Any] = {}
        for key, value in given:
            setting = next(unnamed, None) if key is None else key
            if setting is None:
                raise ValueError(f"{name}({quoted(value)}): name the setting; {name} has {', '.join(known)}.")
            if setting not in known:
                near = _nearest(setting, known)
                raise ValueError(f"{name} has no setting {quoted(setting)}. {near}It has {', '.join(known)}.")
            if setting in settings:
                raise ValueError(f"{name} is given the setting {setting!r} twice.")
            settings[setting] = value
        try:
            return maker(**settings)
        except TypeError as error:
            if str(error).startswith(f"{name}("):
                raise ValueError(str(error)) from None
            shown = ", ".join(f"{setting}={value!r}" for setting, value in settings.items())
            raise ValueError(f"{name}({_cut_off(shown)}) cannot be made: {error}.") from None

    def _setting(self) -> tuple[str | None, Any]:
        key = self._next().text if self.ahead.kind == "key" else None
        return key, self._value()

    def _value(self) -> Any:
        if self._is("("):
            values, comma = self._between("(", self._value)
            return values[0] if len(values) == 1 and not comma else tuple(values)
        if self._is("["):
            return self._between("[", self._value)[0]
        if self._is("{"):
            return self._dictionary()
        if self.ahead.kind not in ("name", "number", "text"):
            raise self._unexpected("a value")
        token = self._next()
        if token.kind == "number":
            return self._number(token)
        return self._named(token) if token.kind == "name" else self._text(token)

    def _dictionary(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for at, key, value in self._between("{", self._entry)[0]:
            if key in found:
                raise self._unreadable(at, f"{quoted(key)} is given twice")
            found[key] = value
        return found

    def _entry(self) -> tuple[int, Any, Any]:
        at, key = self.ahead.at, self._value()
        if not isinstance(key, (str, int, float)):
            raise self._unreadable(at, "the key before ':' must be a string or a number")
        if not self._is(":"):
            raise self._unexpected("':'")
        self._next()
        return at, key, self._value()

    def _number(self, token: Token) -> int | float:
        if len(token.text) > LONGEST_NUMBER:
            raise self._unreadable(token.at, f"a number of {len(token.text)} characters is too long")
        return int(token.text) if token.text.lstrip("+-").isdecimal() else float(token.text)

    def _text(self, token: Token) -> str:
        """A single text in quotes, all of whose escapes are known."""
        if "\\" not in token.text:
            return token.text[1:-1]
        try:
            return str(ast.literal_eval(token.text))
        except (SyntaxError, ValueError):
            raise self._unreadable(token.at, f"{quoted(token.text)} has an escape that is not a character") from None

    def _named(self, token: Token) -> Any:
        if token.text in VALUES:
            return VALUES[token.text]
        if token.text in FAMILIES or token.text in PRIORS:
            return self._made(token.text)
        name = _cut_off(token.text)
        raise self._unreadable(token.at, f"{name} is not a value; if it is a string, put it in quotes: {name!r}")

    def _unexpected(self, wanted: str) -> ValueError:
        found = "the end" if self.ahead.kind == "end" else quoted(self.ahead.text)
        return self._unreadable(self.ahead.at, f"expected {wanted}, found {found}")

    def _unreadable(self, at: int, reason: str) -> ValueError:
        return ValueError(
            f"{quoted(self.text)} cannot be read as {self.kind}; at character {at + 1}, {reason}. Write it like "
            f"{self.example}."
        )


def _nearest(name: str, known: Iterable[str] = FAMILIES) -> str:
    near = closest(name, known)
    return f"Did you mean {near}? " if near else ""


def _cut_off(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
