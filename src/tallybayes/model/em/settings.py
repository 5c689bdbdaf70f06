"""The settings of EM, validated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tallybayes.data.errors import is_whole

CHOSEN = "chosen"
WEIGHTS = (0.0, 0.1, 0.3, 1.0)  # that are tried if the weight is chosen
RESTARTS = 10  # if a class has no labelled row to start from


@dataclass(frozen=True, kw_only=True)
class EM:
    """Splits rows without labels among the classes in proportion to their probability, counts the pieces, and repeats
    until the likelihood stops rising: expectation-maximisation (Dempster, Laird, Rubin 1977).

    `weight` is how much a row without a label counts, from 0 to 1; "chosen" takes the weight with the lowest log-loss
    on held-out labelled rows. `classes` names the classes if some have no labelled row; with no labels at all it is the
    number of clusters. `components` is the number of mixture components in each class.
    EM ends when a step raises the mean log-likelihood of a row by less than `tolerance`, or after this many
    `iterations`. If it must start from randomly drawn rows, it does so `restarts` times (10 by default), with this
    `seed`, and keeps the best. `progress` is called after every step with its number and the objective, including steps
    of runs that choose the weight.

    >>> EM(weight=0.1)
    EM(weight=0.1)
    >>> EM(weight=2)
    Traceback (most recent call last):
    ValueError: EM(weight=2): give a number from 0 to 1, or 'chosen'.
    """

    weight: float | str = 1.0
    components: int = 1
    classes: int | Sequence[Any] | None = None
    iterations: int = 100
    tolerance: float = 1e-6
    restarts: int | None = None
    seed: int = 0
    progress: Callable[[int, float], None] | None = None

    def __post_init__(self) -> None:
        if self.weight != CHOSEN and not _between(self.weight, 0.0, 1.0):
            raise ValueError(f"EM(weight={self.weight!r}): give a number from 0 to 1, or {CHOSEN!r}.")
        if not _between(self.tolerance, 0.0, float("inf")):
            raise ValueError(f"EM(tolerance={self.tolerance!r}): give a number of at least 0.")
        for name, least in (("components", 1), ("iterations", 1), ("seed", 0), ("restarts", 1)):
            value = getattr(self, name)
            if not (name == "restarts" and value is None) and not is_whole(value, least):
                raise ValueError(f"EM({name}={value!r}): give a whole number of at least {least}.")
        for name, value in vars(self).items():
            if is_whole(value):
                object.__setattr__(self, name, int(value))  # numpy's integers are written and compared otherwise
        if is_whole(self.classes, 1) or self.classes is None:
            return
        if isinstance(self.classes, (int, float, str, bytes)) or not len(self.classes):
            raise ValueError(f"EM(classes={self.classes!r}): give the number of clusters, or the labels.")

    def __repr__(self) -> str:
        changed = {name: value for name, value in vars(self).items() if value != vars(EM)[name]}
        return f"EM({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _between(value: Any, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
