"""How several readings of the same words are mixed: a few numbers, fitted on left-out documents, or defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.cells import RUNS, run_of
from tallybayes.counts.exact import Indices
from tallybayes.families.settings import as_number, listed, refused
from tallybayes.families.smoothing import FITTED, MEstimate
from tallybayes.families.text.tokens import WORDS

AUTO = "auto"
BASES = ("documents", "n", "share")  # which count of a word is used …
POWERS = (0.0, 0.5, 1.0)  # … and the power of its information that it is multiplied by
PIECES = len(BASES) * len(POWERS)
LARGEST = 1e9
LEAST_A = 1e-10
BOUNDS = {"gamma": (0.0, 1.0), "a": (LEAST_A, LARGEST), "p": (0.0, LARGEST), "length": (1e-9, 1e12)}
USUAL_A = 1.0
# By whether there are two classes: γ, power, θ of words, of runs of words, of characters.
USUAL = {True: (0.6, 0, 1.8, 1.25, 0.0), False: (0.5, 1, 1.2, 0.43, 0.0)}
USUAL_SPELLED = {True: (0.48, 0, 2.7, 2.3, 0.29), False: (0.4, 1, 0.76, 0.43, 0.13)}  # if characters are counted too
SHARES = BASES.index("share") * len(POWERS)


@dataclass(frozen=True)
class Mix:
    """The weight of each piece of a text's evidence, for `Words(reading="auto")`.

    A piece is a sum over the distinct words of a text: the word's evidence from documents, occurrences or shares,
    times its information to the power 0, ½ or 1. `theta` has these nine weights for every n-gram length that is
    counted: words, then pairs. `a` is the smoothing; the sum is divided by (distinct words / `length`) to the power
    `gamma`; `p` is the weight of the class prior.

    >>> from tallybayes import Words
    >>> documents_alone = Mix(theta=((1, 0, 0, 0, 0, 0, 0, 0, 0),))
    >>> Words(reading="auto", mix=documents_alone).mix.gamma
    0.0
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
        blocks = [_numbers(block) for block in listed(self.theta) or ()]
        if not blocks or any(len(block) != PIECES for block in blocks):
            raise refused("Mix", "theta", self.theta, f"{PIECES} numbers for each length of n-grams, like ((…), (…))")
        return tuple(blocks)

    def factor(self, lengths: NDArray[Any]) -> NDArray[np.float64]:
        """By what the evidence of texts with so many different words is multiplied."""
        return np.asarray((np.maximum(lengths, 1.0) / self.length) ** -self.gamma, np.float64)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "theta": [list(block) for block in self.theta]}


def _numbers(given: Any) -> tuple[float, ...]:
    """The values as floats; empty if one of them is not a number."""
    numbers = [as_number(value, -LARGEST) for value in listed(given) or ()]
    return tuple(number for number in numbers if number is not None and number <= LARGEST)


def as_mix(family: Any, name: str, given: Any) -> Mix:
    """The setting `mix` of a family that reads words."""
    mix = Mix(**given) if isinstance(given, Mapping) else given
    if not isinstance(mix, Mix):
        raise refused(family, name, given, "a Mix, or None")
    if len(mix.theta) != block_count(family):
        also = "" if family.characters is None else " and characters are counted as well"
        wanted = f"a Mix of {block_count(family)} lengths of n-grams, since ngrams={family.ngrams!r}{also}"
        raise refused(family, name, given, wanted)
    return mix


def mix_to_json(mix: Mix | None) -> Any:
    return None if mix is None else mix.to_json()


def usual_mix(family: Any, a: float, classes: int) -> Mix:
    """The default, good on many sets of texts: one piece each for words, runs and characters."""
    gamma, power, words, runs, spelled = (USUAL if family.characters is None else USUAL_SPELLED)[classes <= 2]
    theta = [[0.0] * PIECES for _ in range(block_count(family))]
    for number, block in enumerate(theta):
        block[SHARES + power] = runs if number else words
    if family.characters is not None:
        theta[-1][SHARES + power] = spelled
    return Mix(tuple(map(tuple, theta)), gamma, min(max(a, LEAST_A), LARGEST))


def mix_of(family: Any, classes: int) -> Mix:
    """The fitted mix, or the default one, whose `a` is the family's alpha or the m of its m-estimate."""
    alpha = family.alpha
    a = USUAL_A if alpha == FITTED else alpha.m if isinstance(alpha, MEstimate) else float(alpha)
    return family.mix or usual_mix(family, a, classes)


def block_count(family: Any) -> int:
    """The number of lengths of n-grams with their own weights; all character n-grams count as one."""
    return _word_blocks(family) + (family.characters is not None)


def _word_blocks(family: Any) -> int:
    low, high = family.ngrams
    return int(high - low + 1) if family.unit == WORDS else 1


def reads_runs(family: Any) -> bool:
    """Whether n-grams of several lengths have their own weights."""
    return family.reading == AUTO and block_count(family) > 1


def blocks_of(family: Any, index: kernels.StringIndex) -> Indices:
    """The block of each word of an index."""
    if block_count(family) == 1:
        return np.zeros(len(index), np.intp)
    return block_of_run(family, run_of(index))


def block_of_run(family: Any, runs: NDArray[Any]) -> Indices:
    """The block of each of these runs."""
    count = _word_blocks(family)
    blocks = np.clip(runs + 1 - family.ngrams[0], 0, count - 1)
    return np.where((runs == RUNS - 1) & (family.characters is not None), count, blocks).astype(np.intp)
