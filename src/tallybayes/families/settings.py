"""Settings of families, each declared once: `shape: float = setting(1.0, "events already seen", least=0)`.

The declaration says how a value is checked and in which form it is kept (2 becomes 2.0, so that equal settings are
equal bytes), whether it decides what is counted, how a file holds it, and what the documentation says of it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np

Check = Callable[[Any, str, Any], Any]  # the family, the setting's name, what is given → the form in which it is kept


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is declared of a setting, beside its type and its default."""

    check: Check
    about: str = ""
    counting: bool = False  # whether it decides what is counted; all else can be changed later
    later: bool = False  # younger than the file format: filed where it is not the default
    last: bool = False  # checked after the others, of which it may speak
    to_json: Callable[[Any], Any] = lambda value: value
    from_json: Callable[[Any], Any] = lambda value: value


def setting(
    default: Any,
    about: str = "",
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    whole: bool = False,
    choices: Collection[str] = (),
    check: Check | None = None,
    **declared: Any,
) -> Any:
    """A field of a family. A default that is a truth asks for truths, a whole number (or `whole`) for whole numbers,
    `choices` for one of them, and everything else for a number, within the bounds; choices with a bound ask for either.
    Where the default is None, None may be given. `check` is a function of your own instead.
    """
    if check is None and isinstance(default, bool):
        check = _truth
    elif check is None and (whole or isinstance(default, int)):
        check = _whole_number(least, most)
    elif check is None:
        check = _number(least, above, choices)
    made = Setting(check if default is not None else _unless_none(check), about, **declared)
    return dataclasses.field(default=default, metadata={Setting: made})


@cache
def settings_of(family: type[Any]) -> Mapping[str, Setting]:
    """All settings of a family, in the order in which they are checked."""
    if any(isinstance(value, dataclasses.Field) for kind in family.__mro__ for value in vars(kind).values()):
        raise TypeError(
            f"{family.__name__} is not a dataclass; write @dataclass(frozen=True, kw_only=True, repr=False) before it."
        )
    found: dict[str, Setting] = {}
    for field in dataclasses.fields(family):
        if Setting not in field.metadata:
            name = field.name
            raise TypeError(
                f"{family.__name__} does not declare {name!r}; write {name} = setting(…), with its default."
            )
        found[field.name] = field.metadata[Setting]
    return dict(sorted(found.items(), key=lambda item: item[1].last))


def as_number(value: Any, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number within the bounds, as a float; zero is the one without a sign."""
    if not isinstance(value, (Real, np.number)) or isinstance(value, (bool, np.bool_)):
        raise ValueError(_number_words(least, above))
    try:
        number = float(value) + 0.0
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < least or number <= above:
        raise ValueError(_number_words(least, above))
    return number


def refused(family: str, name: str, value: Any, wanted: Any) -> ValueError:
    """The error that says what was given and what is expected."""
    return ValueError(f"{family}({name}={value!r}): {name} must be {wanted}.")


def _number_words(least: float, above: float) -> str:
    bound = f" above {above:g}" if math.isfinite(above) else f" of at least {least:g}" if math.isfinite(least) else ""
    return f"a finite number{bound}"


def _number(least: float, above: float, choices: Collection[str]) -> Check:
    bounded = math.isfinite(max(least, above))

    def check(family: Any, name: str, value: Any) -> Any:
        if isinstance(value, str) and value in choices:
            return str(value)
        listed = ", ".join(map(repr, choices))
        if choices and not bounded:
            raise refused(type(family).__name__, name, value, f"one of {listed}")
        try:
            return as_number(value, least, above)
        except ValueError as error:
            wanted = f"{listed}, or {error}" if choices else error
            raise refused(type(family).__name__, name, value, wanted) from None

    return check


def _whole_number(least: float, most: float) -> Check:
    def check(family: Any, name: str, value: Any) -> int:
        if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= most:
            bounds = f" from {least} to {most}" if math.isfinite(most) else f" of at least {least}"
            raise refused(type(family).__name__, name, value, f"a whole number{bounds if math.isfinite(least) else ''}")
        return int(value)

    return check


def _truth(family: Any, name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise refused(type(family).__name__, name, value, "True or False")
    return bool(value)


def _unless_none(check: Check) -> Check:
    return lambda family, name, value: None if value is None else check(family, name, value)
