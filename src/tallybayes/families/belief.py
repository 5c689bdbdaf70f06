"""What the counts of one column say about a new value: the form in which every family answers.

A `Belief` scores cells, and tells of itself what people ask: its parameters, its heaviest words, its weights where it
is linear.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats
from tallybayes.families.events import Conditional, Event, NoJointError, PairInformation
from tallybayes.families.portable import NotPortableError, Portable
from tallybayes.families.posteriors import Posterior

MANY_PARTS = 1000.0  # the bound where a cell is made of many, each of which says little
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


class Unmet(NamedTuple):
    """Of every cell: how many words it has, where it is a text, and how improbable it is that so many of its parts were
    never met before, as a logarithm."""

    words: Floats
    log_new: Floats


class NotLinearError(TypeError):
    """Why a belief is no weighted sum."""


class Part(NamedTuple):
    """What one word of a text says about every class, all of its occurrences together; or a position of a vector."""

    word: str  # empty: what is said of no word in particular
    times: float
    said: Floats


class WordWeight(NamedTuple):
    """How much a word, or a level, says for a class: how often it was met there, and its log odds against the other
    classes."""

    word: str
    n: float
    log_odds: float


class Belief(ABC):
    """What the counts of one column say, worked out once and kept: ready to score new cells."""

    has_parts: bool = False  # whether cells can be taken apart
    bound: float = 30.0  # of what a cell says, where evidence is weighed: one level never met must not decide alone
    likelihood: bool = True  # whether what is said is a log-likelihood, or a score that only orders the classes
    adds_up: bool = True  # whether it can be added to what other columns say, as likelihoods and log-odds can

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

    @property
    def parents(self) -> dict[str, Any]:
        """In a block, the column, or the columns, that each column depends on, if it depends on any."""
        return {}

    def drawing(self) -> list[str]:
        """The same as text, a line for every column; nothing, where none depends on another."""
        return []

    @classmethod
    def together(cls, beliefs: Sequence[Belief]) -> Scorer:
        """How to score several columns whose beliefs are of this class: one after the other, unless there is better."""

        def score(cells: Sequence[Any], scores: Floats) -> None:
            for at, column in enumerate(cells):
                beliefs[at].add_evidence(column, scores)

        return score

    def with_table(self, change: Callable[[Floats], Floats]) -> Belief | None:
        """The same belief with another table of what every value says, [value, class]; nothing, if it has none."""
        return None

    def add_parts(self, cells: Any, said: Floats) -> None:
        """Adds what is said of each class to `said[part, class, row]`, where a family has several `parts`."""
        raise TypeError("This belief says one thing of a row.")

    @abstractmethod
    def estimates(self) -> dict[str, Floats]:
        """The parameters in numbers: for each its name, and its value in every class."""

    @abstractmethod
    def posterior(self, index: int) -> Posterior:
        """What is known about the parameters of the class with this number."""

    def credible(self, index: int, cells: Any, mass: float) -> tuple[Floats, Floats] | None:
        """Between which bounds log p(cell | class) lies with this probability, as far as the parameters of the class
        with this number are known; nothing, where they have no posterior."""
        return None

    def drawn(self, random: np.random.Generator) -> Belief:
        """The same with its parameters drawn from what is known of them: what it would say if they were these. Itself,
        where they are estimated and no more is known."""
        return self

    def unmet(self, cells: Any) -> Unmet:
        """How long each cell is, and what it holds that was never met, which says nothing of the classes."""
        return Unmet(np.zeros(len(cells)), np.zeros(len(cells)))

    @abstractmethod
    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """A cell for every class number, drawn as it is scored; missing where the class has nothing to draw from."""

    def free(self) -> Free | None:
        """How many parameters there are; nothing, where they grow with the rows."""
        return None

    def conditionals(self) -> list[list[Conditional]]:
        """Every column given the class and its parents, where it has levels: a network, or several of which each is as
        likely as the others."""
        raise NoJointError("only levels and numbers can be asked about.")

    def log_within(self, event: Event) -> Floats:
        """log P(a number within these bounds | class)."""
        raise NoJointError("only levels and numbers can be asked about.")

    def peak(self, event: Event) -> tuple[Floats, Floats]:
        """The most probable number within bounds, and the logarithm of its probability or density: of every class."""
        raise NoJointError("which number is most probable is not known; leave the column out of the schema.")

    def dependences(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Of each of its columns, the others that it depends on within a class."""
        return {column: tuple(columns[:i]) for i, column in enumerate(columns)}

    def pair_information(self, columns: Sequence[str]) -> list[PairInformation]:
        """How much each two of its columns tell of one another within the classes, where pairs are counted."""
        return []

    def portable(self) -> Portable:
        """What this says in a form that other programs can compute, if it has one."""
        raise NotPortableError("what is said of it cannot be written as a table or a formula.")

    def linear(self) -> Terms:
        """What this says as a weighted sum of features of the cell, if it is one."""
        raise NotLinearError("what this family says is not linear in the value; leave the column out of the schema.")


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


def by_class(classes: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Every class number that occurs, and where."""
    order = np.argsort(classes, kind="stable")
    numbers, starts = np.unique(classes[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=False)
