"""What a family is: one kind of column, what to count of it, and what the counts say about a new value.

`Family` is a frozen set of settings. `Family.tally` turns cells into a `Tally`; `Family.believe` turns a tally into a
`Belief`, which scores new cells. No family writes any arithmetic of models: that is in `tally` and `exact`.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import TRACE, Codes, Exact, Floats
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells
from tallybayes.families.posteriors import Posterior

Scorer = Callable[[Sequence[Any], Floats], None]  # the cells of several columns, and where their evidence is added


class Terms(NamedTuple):
    """A column's log-likelihood as a weighted sum: constant[class] + Σ weights[slot, class] · feature[slot], but for
    what is the same in all classes. A missing cell says nothing, not even the constant. Where a class is `certain` of
    a slot, all of its cells have it: one without it is ruled out."""

    slots: Sequence[str]
    weights: Floats
    constant: Floats
    certain: tuple[Codes, Codes] | None = None  # slots and classes


class Free(NamedTuple):
    """How many parameters of a column are free: in each class, and beside these one for all classes together; and how
    many different cells there can be, if they could all be listed."""

    each: int
    shared: int = 0
    outcomes: int | None = None


class NotLinearError(TypeError):
    """Why a belief is no weighted sum."""


class Part(NamedTuple):
    """What one word of a text says about every class, all of its occurrences together; or a position of a vector."""

    word: str  # empty: what is said of no word in particular
    times: float
    said: Floats


def heaviest(words: Sequence[str], counts: Floats, odds: Floats, top: Any) -> list[WordWeight]:
    """Those of the highest odds, in the order of these and of the alphabet."""
    if not isinstance(top, int) or top < 0:
        raise ValueError(f"top={top!r}: give how many words to name, a whole number of at least 0.")
    names = np.array(words, object)
    best = np.lexsort((names, -odds))[:top]
    return [WordWeight(names[i], float(counts[i]), float(odds[i])) for i in best]


def log_odds(rows: Floats, index: int, prior: Floats) -> Floats:
    """How much more each row says for a class than for the others, taken together as often as they come; if they never
    come, all alike."""
    others = np.arange(rows.shape[1]) != index
    if not others.any():
        return np.zeros(len(rows))
    total = np.logaddexp.reduce(prior[others])
    shares = prior[others] - total if np.isfinite(total) else np.full(others.sum(), -np.log(others.sum()))
    with np.errstate(invalid="ignore"):
        odds = rows[:, index] - np.logaddexp.reduce(rows[:, others] + shares, axis=1)
    return np.where(np.isnan(odds), 0.0, odds)


class WordWeight(NamedTuple):
    """How much a word, or a level, says for a class: how often it was met there, and its log odds against the other
    classes."""

    word: str
    n: float
    log_odds: float


class Belief(ABC):
    """What the counts of one column say, worked out once and kept: ready to score new cells."""

    has_parts: bool = False  # whether cells can be taken apart
    likelihood: bool = True  # whether what is said is a log-likelihood, or a score that only orders the classes

    @abstractmethod
    def add_evidence(self, cells: Any, scores: Floats) -> None:
        """Adds log p(cell | class) to `scores[class, row]`; a missing cell adds nothing."""

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        """For every cell what each part of it says, if it has any: a text has words."""
        raise TypeError("The cells of this column are not made of words.")

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        """The words, levels or intervals that say most for the class with this number, against the others; none, where
        values are numbers."""
        return []

    @classmethod
    def together(cls, beliefs: Sequence[Belief]) -> Scorer:
        """How to score several columns whose beliefs are of this class: one after the other, unless there is better."""

        def score(cells: Sequence[Any], scores: Floats) -> None:
            for at, column in enumerate(cells):
                beliefs[at].add_evidence(column, scores)

        return score

    @abstractmethod
    def estimates(self) -> dict[str, Floats]:
        """The parameters in numbers: for each its name, and its value in every class."""

    @abstractmethod
    def posterior(self, index: int) -> Posterior:
        """What is known about the parameters of the class with this number."""

    @abstractmethod
    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """A cell for every class number, drawn as it is scored; missing where the class has nothing to draw from."""

    def free(self) -> Free | None:
        """How many parameters there are; nothing, where they grow with the rows."""
        return None

    def linear(self) -> Terms:
        """What this says as a weighted sum of features of the cell, if it is one."""
        raise NotLinearError("what this family says is not linear in the value; leave the column out of the schema.")


@dataclass(frozen=True, kw_only=True)
class Family(ABC):
    """One kind of column. Settings named in `counting` decide what is counted; all others can be changed later."""

    takes_vectors: ClassVar[bool] = False  # whether cells are rows of a matrix
    is_text: ClassVar[bool] = False  # whether cells are texts made of words
    reads: ClassVar[pa.DataType | None] = pa.string()  # as what cells are best read from a file that has no types
    counting: ClassVar[tuple[str, ...]] = ()
    later: ClassVar[tuple[str, ...]] = ()  # settings younger than the file: filed where they are not the default

    @abstractmethod
    def encode(self, cells: Cells) -> Any:
        """Cells in the form that this family counts and scores; sliceable."""

    @abstractmethod
    def tally(self, cells: Any, rows: Rows) -> Tally:
        """Encoded cells → their sums by class."""

    def tally_each(self, columns: Sequence[Any], rows: Rows) -> list[Tally]:
        """The same for several columns of this family: one after the other, unless there is better."""
        return [self.tally(cells, rows) for cells in columns]

    def table_size(self, classes: int) -> int:
        """How many bytes a tally of so many classes takes, where that is much whatever it counts."""
        return 0

    @abstractmethod
    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        """Sums → what they say about these classes."""

    def believe_each(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> list[Belief]:
        """The same for several columns of this family: one after the other, unless there is better."""
        return [self.believe(tally, classes) for tally in tallies]

    def empty(self) -> Tally:
        """The tally of no rows."""
        return Tally.empty(self.fields())

    def takes(self, slots: Sequence[Any]) -> bool:
        """Whether these are slots of this family's tallies."""
        return all(isinstance(slot, str) for slot in slots)

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        """How many cells of each of these classes were counted."""
        return tally.aligned(tally.slots, classes).sums["n"].sum(axis=0)

    def impossible(self, tally: Tally, touched: Tally) -> str | None:
        """Why these sums cannot have come from any rows, or nothing; looking at the cells that the other tally has."""
        return self.refusal(without_traces(tally.cells(touched), touched.sums))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        """The same for single cells."""
        if cells["n"].is_below(TRACE).any():
            return "a count would go below zero"
        empty = cells["n"].is_zero()
        if any((empty & ~sums.is_zero()).any() for sums in cells.values()):
            return "a sum would be left where nothing is counted any more"
        return None

    def discord(self, tally: Tally, classes: Sequence[Key]) -> str | None:
        """Why cells that are possible one by one cannot have come from the same rows, or nothing."""
        return None

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        """What is counted; families that agree in this can take over each other's counts."""
        return self.statistics(), {name: getattr(self, name) for name in self.counting}

    @classmethod
    def statistics(cls) -> str:
        """The name of the statistics kept, by default this family's own."""
        return cls.__name__

    def fields(self) -> tuple[str, ...]:
        """The names of the sums in this family's tallies; `n`, how many or how much, is always one."""
        return ("n",)

    def settle(self, *names: str, least: float = 0.0, above: bool = False) -> None:
        """Settings that must be numbers become floats, so that equal settings are equal bytes; None stays None where
        nothing need be given."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for name in names:
            if getattr(self, name) is not None or defaults[name] is not None:
                number = as_number(type(self).__name__, name, getattr(self, name), least=least, above=above)
                object.__setattr__(self, name, number)

    def settle_choice(self, name: str, kind: type, low: int, high: int) -> None:
        """A setting that must be a truth or a whole number, and is not the one in place of the other."""
        value = getattr(self, name)
        if not isinstance(value, int) or isinstance(value, bool) != (kind is bool) or not low <= value <= high:
            wanted = "True or False" if kind is bool else f"a whole number from {low} to {high}"
            raise ValueError(f"{type(self).__name__}({name}={value!r}): {name} must be {wanted}.")

    def settings(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def beliefs(self) -> set[str]:
        """The names by which settings can be changed."""
        return set(self.settings())

    def filed(self) -> dict[str, Any]:
        """The settings that a file holds."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        return {k: v for k, v in self.settings().items() if k not in self.later or v != defaults[k]}

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """This family with those of the settings that it has."""
        own = {field.name for field in dataclasses.fields(self)}
        return replace(self, **{name: value for name, value in settings.items() if name in own})

    def __repr__(self) -> str:
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        other = {k: v for k, v in self.settings().items() if type(v) is not type(defaults[k]) or v != defaults[k]}
        shown = (f"{k}={v!r}" for k, v in other.items())
        return f"{type(self).__name__}({', '.join(shown)})"


def by_class(classes: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Every class number that occurs, and where."""
    order = np.argsort(classes, kind="stable")
    numbers, starts = np.unique(classes[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=False)


def as_number(family: str, name: str, value: Any, *, least: float = 0.0, above: bool = False) -> float:
    """A setting as a float, or an error with the real names and values: not a finite number, or out of bounds."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < least or (above and value == least):
        bound = "" if least == -math.inf else f" above {least:g}" if above else f" of at least {least:g}"
        raise ValueError(f"{family}({name}={value!r}): {name} must be a finite number{bound}.")
    return float(value)
