"""Settings of families, each declared once: `shape: float = setting(1.0, "events already seen", least=0)`.

The declaration defines how a value is validated and normalised (2 becomes 2.0, so that equal settings are equal bytes),
whether it affects what is counted, how it is stored in a file, and how it is documented.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

Check = Callable[[Any, str, Any], Any]  # (family, name of the setting, value given) → normalised value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setting:
    """The declaration of a setting. A boolean default allows booleans, a whole number (or `whole`) whole numbers,
    `choices` one of these, anything else a number within the bounds; choices with a bound allow either. If the default
    is None, None is allowed. `check` is a custom function instead."""

    default: Any
    about: str = ""
    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf
    whole: bool = False
    choices: tuple[str, ...] = ()
    check: Check | None = None
    counting: bool = False  # whether it affects what is counted; others can be changed later
    later: bool = False  # newer than the file format: filed only if it is not the default
    last: bool = False  # checked after the others, to which it may refer
    to_json: Callable[[Any], Any] = lambda value: value
    from_json: Callable[[Any], Any] = lambda value: value

    def kept(self, family: Any, name: str, value: Any) -> Any:
        """The normalised value, or an error that says what was given and what is expected."""
        if value is None and self.default is None:
            return None
        if self.check is not None:
            return self.check(family, name, value)
        found = self._kept(value)
        if found is None:
            raise refused(family, name, value, self.wanted)
        return found

    def _kept(self, value: Any) -> bool | int | float | str | None:
        is_truth = isinstance(value, (bool, np.bool_))
        if self.is_truth or is_truth:
            return bool(value) if self.is_truth and is_truth else None
        if self.whole:
            return int(value) if isinstance(value, Integral) and self.least <= int(value) <= self.most else None
        if isinstance(value, str) and value in self.choices:
            return str(value)
        return as_number(value, self.least, self.above) if self.is_number else None

    @property
    def is_truth(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def is_number(self) -> bool:
        return not self.choices or math.isfinite(max(self.least, self.above))

    @property
    def wanted(self) -> str:
        """The allowed values, as text."""
        if self.is_truth:
            return "True or False"
        if self.whole:
            return f"a whole number from {self.least} to {self.most}"
        listed = ", ".join(map(repr, self.choices))
        if not self.is_number:
            return f"one of {listed}"
        number = number_words(self.least, self.above)
        return f"{listed}, or {number}" if listed else number


def setting(default: Any, about: str = "", **declared: Any) -> Any:
    """A field of a family, declared as in `Setting`; `about` is its line in the documentation."""
    whole = declared.pop("whole", isinstance(default, int) and not isinstance(default, bool))
    made = Setting(default=default, about=about, whole=whole, **declared)
    return dataclasses.field(default=default, metadata={Setting: made})


@cache
def settings_of(family: type[Any]) -> Mapping[str, Setting]:
    """All settings of a family, in the order in which they are checked."""
    if any(isinstance(value, dataclasses.Field) for kind in family.__mro__ for value in vars(kind).values()):
        raise TypeError(
            f"{family.__name__} is not a dataclass; write @dataclass(frozen=True, kw_only=True, repr=False) before it."
        )
    found: dict[str, Setting] = {}
    for field in (field for field in dataclasses.fields(family) if field.init):
        if Setting not in field.metadata:
            kind, name = family.__name__, field.name
            raise TypeError(f"{kind} does not declare {name!r} as a setting; write {name} = setting(…).")
        found[field.name] = field.metadata[Setting]
    return dict(sorted(found.items(), key=lambda item: item[1].last))


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Declared:
    """The base class of families: a frozen set of settings, as fields that `setting` declares."""

    def __post_init__(self) -> None:
        family: Any = type(self)
        for name, declared in settings_of(family).items():
            object.__setattr__(self, name, declared.kept(self, name, getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        """Only what makes two families differ is copied and pickled, not cached values."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.compare}

    def settings(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}

    def beliefs(self) -> set[str]:
        """The names of the settings that can be changed after counting."""
        family: Any = type(self)
        return {name for name, declared in settings_of(family).items() if not declared.counting}

    def defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in dataclasses.fields(self) if field.init}

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """This family with those of the settings that it has."""
        if not settings:
            return self
        own = self.defaults().keys()
        return dataclasses.replace(self, **{name: value for name, value in settings.items() if name in own})

    def to_json(self) -> dict[str, Any]:
        """Its name and settings as JSON, for files and schemas."""
        family: Any = type(self)
        declared, defaults = settings_of(family), self.defaults()
        kept = {k: v for k, v in self.settings().items() if not declared[k].later or v != defaults[k]}
        settings = {name: declared[name].to_json(value) for name, value in kept.items()}
        return {"family": family.__name__, "settings": settings}

    def __repr__(self) -> str:
        return self.shown()

    def shown(self, without: Collection[str] = ()) -> str:
        """The family as text; settings that are too long to read may be omitted."""
        defaults = self.defaults()
        listed = (f"{k}={v!r}" for k, v in self.settings().items() if v != defaults[k] and k not in without)
        return f"{type(self).__name__}({', '.join(listed)})"


def as_number(value: Any, least: float = 0.0, above: float = -math.inf) -> float | None:
    """A finite number within the bounds, as a float without a negative zero; None if it is not one."""
    if not isinstance(value, (Real, np.number)) or isinstance(value, bool):
        return None
    try:
        number = float(value) + 0.0
    except (OverflowError, TypeError):  # too large, or complex
        return None
    return number if math.isfinite(number) and number >= least and number > above else None


def listed(value: Any) -> tuple[Any, ...] | None:
    """The items of a list of any kind; None for a text, a mapping or a single value."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)) else None


def number_words(least: float = 0.0, above: float = -math.inf) -> str:
    bound = f" above {above:g}" if math.isfinite(above) else f" of at least {least:g}" if math.isfinite(least) else ""
    return f"a finite number{bound}"


def refused(family: Any, name: str, value: Any, wanted: str) -> ValueError:
    """The error that says what was given and what is expected."""
    kind = family if isinstance(family, str) else type(family).__name__
    return ValueError(f"{kind}({name}={value!r}): {name} must be {wanted}.")
