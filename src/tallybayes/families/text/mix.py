"""How several readings of the same words are mixed: a few numbers, fitted on left-out documents or as usual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.families.settings import as_number, refused
from tallybayes.families.smoothing import FITTED, MEstimate
from tallybayes.families.text.tokens import WORDS
from tallybayes.kernels.strings import index_strings

AUTO = "auto"
BASES = ("documents", "n", "share")  # what of a word is looked at …
POWERS = (0.0, 0.5, 1.0)  # … and which power of its information it is multiplied by
PIECES = len(BASES) * len(POWERS)
LARGEST = 1e9
LEAST_A = 1e-10
BOUNDS = {"gamma": (0.0, 1.0), "a": (LEAST_A, LARGEST), "p": (0.0, LARGEST), "length": (1e-9, 1e12)}
USUAL_A = 1.0
USUAL = {True: (0.6, 0, 1.8, 1.25), False: (0.5, 1, 1.2, 0.43)}  # two classes; more: γ, power, θ of words, of runs
SHARES = BASES.index("share") * len(POWERS)


@dataclass(frozen=True)
class Mix:
    """How much each piece of evidence counts that a text's words give, for `Words(reading="auto")`.

    A piece is a sum over the different words of a text: of what documents, occurrences or shares say of the word, times
    the word's information to the power 0, ½ or 1. `theta` has these nine numbers, three for each of the three, for
    every length of runs that is counted: words, then pairs. `a` is the smoothing; all is divided by
    (different words / `length`) to the power `gamma`; `p` is what the classes' prior counts for.
    """

    theta: tuple[tuple[float, ...], ...]
    gamma: float = 0.0
    a: float = 1.0
    p: float = 1.0
    length: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "theta", self._thetas())
        for name, (least, most) in BOUNDS.items():
            given = getattr(self, name)
            number = as_number(given, least)
            if number is None or number > most:
                raise refused("Mix", name, given, f"a number from {least:g} to {most:g}")
            object.__setattr__(self, name, number)

    def _thetas(self) -> tuple[tuple[float, ...], ...]:
        blocks = [_numbers(block) for block in self.theta] if _is_list(self.theta) else []
        if not blocks or any(len(block) != PIECES for block in blocks):
            raise refused("Mix", "theta", self.theta, f"{PIECES} numbers for each length of runs, as ((…), (…))")
        return tuple(blocks)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "theta": [list(block) for block in self.theta]}


def _is_list(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, Mapping))


def _numbers(given: Any) -> tuple[float, ...]:
    """As numbers; none, if one of them is not."""
    numbers = [as_number(value, -LARGEST) for value in given] if _is_list(given) else []
    return tuple(number for number in numbers if number is not None and number <= LARGEST)


def as_mix(family: Any, name: str, given: Any) -> Mix:
    """The setting `mix` of a family that reads words."""
    mix = Mix(**given) if isinstance(given, Mapping) else given
    if not isinstance(mix, Mix):
        raise refused(family, name, given, "a Mix, or None")
    if len(mix.theta) != block_count(family):
        wanted = f"a Mix of {block_count(family)} lengths of runs, since ngrams={family.ngrams!r}"
        raise refused(family, name, given, wanted)
    return mix


def mix_to_json(mix: Mix | None) -> Any:
    return None if mix is None else mix.to_json()


def usual_mix(a: float, classes: int, blocks: int) -> Mix:
    """What held on many sets of texts, for who has fitted nothing: one piece of words and one of runs."""
    gamma, power, words, runs = USUAL[classes <= 2]
    theta = [[0.0] * PIECES for _ in range(blocks)]
    for number, block in enumerate(theta):
        block[SHARES + power] = runs if number else words
    return Mix(tuple(map(tuple, theta)), gamma, min(max(a, LEAST_A), LARGEST))


def mix_of(family: Any, classes: int) -> Mix:
    """The mix that was fitted, or the usual one, whose `a` is the family's alpha, or the m of its m-estimate."""
    alpha = family.alpha
    a = USUAL_A if alpha == FITTED else alpha.m if isinstance(alpha, MEstimate) else float(alpha)
    return family.mix or usual_mix(a, classes, block_count(family))


def block_count(family: Any) -> int:
    """How many lengths of runs are read by themselves; all runs of characters are read as one."""
    low, high = family.ngrams
    return int(high - low + 1) if family.unit == WORDS else 1


def reads_runs(family: Any) -> bool:
    """Whether runs of several lengths are read, each by themselves."""
    return family.reading == AUTO and block_count(family) > 1


def blocks_of(family: Any, index: kernels.StringIndex) -> NDArray[np.intp]:
    """Which of these each word of an index belongs to, by the spaces that runs of words are written with."""
    count = block_count(family)
    if count == 1:
        return np.zeros(len(index), np.intp)
    return block_of_run(family, pc.count_substring(index_strings(index), " ").to_numpy())


def block_of_run(family: Any, spaces: NDArray[Any]) -> NDArray[np.intp]:
    """Which block runs with so many spaces belong to."""
    return np.clip(spaces + 1 - family.ngrams[0], 0, block_count(family) - 1).astype(np.intp)
