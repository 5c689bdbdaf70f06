"""Parses a question into a condition on each column. Nothing in it is ever executed.

`outlook=sunny, 20 < temp <= 25`: conditions with commas between them, each a column and a level or bounds. Names and
levels that contain a comma, a bar, an operator or outer spaces are put in quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from numbers import Real
from typing import Any, NamedTuple

from tallybayes.counts.lookup import nearest
from tallybayes.data.errors import quoted
from tallybayes.families.events import Event, number_of

SIGNS = {"=": "=", "==": "=", "!=": "!=", "≠": "!=", "<": "<", "<=": "<=", "≤": "<=", ">": ">", ">=": ">=", "≥": ">="}
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
TOKEN = re.compile(
    r"""\s*+(?:(?P<quoted>"[^"]*+"|'[^']*+')|(?P<sign>==|!=|<=|>=|[=<>≠≤≥])|(?P<bar>[|,])"""
    r"""|(?P<bare>(?:[^"'=<>≠≤≥!|,]|!(?!=))(?:[^=<>≠≤≥!|,]|!(?!=))*+))\s*+"""
)
LONGEST = 100_000  # characters of a question


class Operand(NamedTuple):
    text: str


Condition = list[Any]  # operands, and the operators between them
Events = dict[str, Event]


def asked_events(question: Any, columns: Sequence[str]) -> Events:
    """The condition on each column. A question is a text, or a mapping of columns to a level, a list of levels or two
    bounds."""
    if question is None:
        return {}
    if isinstance(question, Mapping):
        return {_known(name, columns): _given(value) for name, value in question.items()}
    if not isinstance(question, str):
        raise TypeError(f"A question is a text like 'outlook=sunny' or a mapping, not {question!r}.")
    found: Events = {}
    for condition in conditions(question):
        name, event = _event(condition, columns)
        found[name] = found[name].both(event) if name in found else event
    return found


def asked(question: Any, given: Any, columns: Sequence[str], example: str) -> tuple[Events, Events, Any]:
    """What is asked and what is given, as events; and the condition as it was written, perhaps after a bar."""
    if isinstance(question, str) and given is None:
        question, given = parted(question)
    events, known = asked_events(question, columns), asked_events(given, columns)
    if not events:
        raise ValueError(f"The question asks nothing. Write a column and a level, like {example!r}.")
    return events, known, given


def parted(question: str) -> tuple[str, str | None]:
    """The parts before and after the bar: the question and the condition."""
    for match in _tokens(question):
        if match["bar"] == "|":
            return question[: match.start("bar")].strip(), question[match.end("bar") :].strip()
    return question, None


def conditions(text: str) -> list[Condition]:
    """Operands and operators, condition by condition."""
    found: list[Condition] = [[]]
    for match in _tokens(text):
        if match["bar"] == "|":
            raise ValueError(f"{quoted(text)} has a bar, which separates the question from its condition.")
        if match["bar"]:
            found.append([])
        elif match["sign"]:
            found[-1].append(match["sign"])
        else:
            found[-1].append(Operand(match["quoted"][1:-1] if match["quoted"] else match["bare"].strip()))
    return [] if found == [[]] else [_checked(condition, text) for condition in found]


def _tokens(text: str) -> list[re.Match[str]]:
    if len(text) > LONGEST:
        raise ValueError(f"The question has {len(text):,} characters, more than {LONGEST:,}.")
    found, at = [], 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"{quoted(text)} cannot be parsed from {quoted(text[at:])} on. {HOW}")
        found.append(match)
        at = match.end()
    return found


HOW = "Write column=level, or bounds like 20 < column <= 25, separated by commas; quote unusual names."


def _checked(condition: Condition, text: str) -> Condition:
    """Two operands with an operator between them, or three with two."""
    shape = "".join("s" if isinstance(each, str) else "o" for each in condition)
    bounds = all(SIGNS[sign][0] in "<>" for sign in condition[1::2] if isinstance(sign, str))
    if shape == "oso" or (shape == "ososo" and bounds):
        return condition
    shown = " ".join(each if isinstance(each, str) else each.text for each in condition)
    if shape == "o":
        raise ValueError(f"{quoted(shown)} has no condition on the column. {HOW}")
    if shape == "os":
        raise ValueError(f"{quoted(shown)} compares the column with nothing. {HOW}")
    raise ValueError(f"{quoted(shown or text)} is not a condition. {HOW}")


def _event(condition: Condition, columns: Sequence[str]) -> tuple[str, Event]:
    """The column of a condition, and the event it describes."""
    if len(condition) == 5:
        low, first, name, second, high = condition
        column = _known(name.text, columns)
        one, other = _compared(MIRRORED[SIGNS[first]], low.text), _compared(SIGNS[second], high.text)
        return column, one.both(other)
    left, sign, right = condition
    turned = left.text not in columns and right.text in columns
    name, value = (right, left) if turned else (left, right)
    sign = MIRRORED[SIGNS[sign]] if turned else SIGNS[sign]
    return _known(name.text, columns), _compared(sign, value.text)


def _compared(sign: str, value: str) -> Event:
    if sign == "=":
        return Event(among=frozenset([value]))
    if sign == "!=":
        return Event(but=frozenset([value]))
    x, closed = number_of(value), sign.endswith("=")
    return Event(low=x, with_low=closed) if sign.startswith(">") else Event(high=x, with_high=closed)


def _known(name: Any, columns: Sequence[str]) -> str:
    if name not in columns:
        raise ValueError(f"There is no column {quoted(str(name))}.{nearest(str(name), list(columns))}")
    return str(name)


def _given(value: Any) -> Event:
    """A level, a list of levels, or a tuple of two bounds: an interval that includes the upper one."""
    if isinstance(value, tuple):
        if len(value) != 2 or not all(each is None or isinstance(each, Real) for each in value):
            raise ValueError(f"{value!r}: give bounds as a tuple of two numbers, where None is no bound.")
        low, high = (math.nan if each is None else float(each) for each in value)
        return Event(
            low=-math.inf if math.isnan(low) else low, high=math.inf if math.isnan(high) else high, with_high=True
        )
    if isinstance(value, (list, Set)):
        return Event(among=frozenset(map(_text, value)))
    return Event(among=frozenset([_text(value)]))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
