"""The base class of beliefs: how the counts of a column score a new value.

A `Belief` scores cells and describes itself: its parameters, its heaviest words, its weights if it is linear.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Floats, Indices
from tallybayes.data.errors import check_whole
from tallybayes.families.centring import Adding, adding_weighed, centred
from tallybayes.families.events import Conditional, Event, NoJointError, PairInformation
from tallybayes.families.portable import NotPortableError, Portable
from tallybayes.families.posteriors import Posterior

MANY_PARTS = 1000.0  # the bound for cells made of many parts, each with little evidence
Scorer = Callable[[Sequence[Any], Floats], None]  # the cells of several columns, and where their evidence is added


class Terms(NamedTuple):
    """A column's log-likelihood as a weighted sum: constant[class] + Σ weights[slot, class] · feature[slot], up to a
    term that all classes share. A missing cell adds nothing, not even the constant. If a class is `certain` of a slot,
    all of its cells have it: a cell without it rules the class out."""

    slots: Sequence[str]
    weights: Floats
    constant: Floats
    certain: tuple[Codes, Codes] | None = None  # slots and classes


class Free(NamedTuple):
    """The number of free parameters of a column: in each class, and shared by all classes; and the number of possible
    cells, if they can be listed."""

    each: int
    shared: int = 0
    outcomes: int | None = None


class Unseen(NamedTuple):
    """For every cell: its number of words, if it is a text, and the log-probability of its unseen parts."""

    words: Floats
    log_new: Floats


class NotLinearError(TypeError):
    """Why a belief is not a weighted sum."""


class Part(NamedTuple):
    """The evidence of one word of a text, over all its occurrences, for every class; or of a position in a vector."""

    word: str  # empty: evidence of the length and of absent words
    times: float
    evidence: Floats


class WordWeight(NamedTuple):
    """The evidence of a word or level for a class: how often it occurred there, and its log-odds against the other
    classes."""

    word: str
    n: float
    log_odds: float


class Belief(ABC):
    """Scores new cells of a column; computed once from its counts."""

    has_parts: bool = False  # whether the evidence of a cell can be split into parts
    parts_are_columns: bool = False  # whether these are the columns of a block, in their order
    bound: float = 30.0  # of a cell's evidence when weighed: one unseen level must not decide alone
    likelihood: bool = True  # whether evidence is a log-likelihood, not a score that only ranks classes
    adds_up: bool = True  # whether it can be added to other columns' evidence

    @abstractmethod
    def add_evidence(self, cells: Any, scores: Floats) -> None:
        """Adds log p(cell | class) to `scores[class, row]`; a missing cell adds nothing."""

    def evidence_for(self, cells: Any, classes: int) -> Floats:
        """The same for these cells alone: [class, row]."""
        scores = np.zeros((classes, len(cells)))
        self.add_evidence(cells, scores)
        return scores

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        """The evidence of each part of every cell, if cells have parts: a text has words, a block columns."""
        raise TypeError("The cells of this column are not made of words.")

    def weighed_parts(self, cells: Any, weights: Floats) -> Iterator[list[Part]]:
        """The same if the family's several pieces of evidence are weighed: minus the mean over the classes and clipped,
        as the pieces are."""
        for parts in self.parts(cells):
            yield [part._replace(evidence=weights.sum() * centred(part.evidence, self.bound)) for part in parts]

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        """The words, levels or intervals with the most evidence for the class with this index; none for numbers."""
        return []

    @property
    def parents(self) -> dict[str, Any]:
        """In a block, the column or columns that each column depends on, if any."""
        return {}

    def drawing(self) -> list[str]:
        """The same as text, a line for every column; empty if none depends on another."""
        return []

    @property
    def kind(self) -> Any:
        """Beliefs of the same kind can be scored together."""
        return type(self)

    @classmethod
    def together(cls, beliefs: Sequence[Belief]) -> Scorer:
        """A function that scores several columns whose beliefs are of this class; by default one after another."""
        return _in_turn([belief.add_evidence for belief in beliefs])

    @classmethod
    def together_weighed(cls, beliefs: Sequence[Belief], thetas: Floats) -> Scorer:
        """The same with their evidence weighed, by thetas[column, class]."""
        each = zip(beliefs, thetas, strict=True)
        return _in_turn([adding_weighed(belief.add_evidence, theta, belief.bound) for belief, theta in each])

    def with_table(self, change: Callable[[Floats], Floats]) -> Belief | None:
        """The same belief with a changed table of evidence, [value, class]; None if it has no table."""
        return None

    def add_parts(self, cells: Any, weights: Floats, evidence: Floats) -> None:
        """Adds the evidence of each part to `evidence[part, class, row]`, for a family with several `parts`; that of
        parts with weight 0 may be left out."""
        raise TypeError("This belief gives one piece of evidence per row.")

    @abstractmethod
    def estimates(self) -> dict[str, Floats]:
        """Point estimates of the parameters, by name: a value for every class."""

    @abstractmethod
    def posterior(self, index: int) -> Posterior:
        """The posterior of the parameters of the class with this index."""

    def credible(self, index: int, cells: Any, mass: float) -> tuple[Floats, Floats] | None:
        """A credible interval of log p(cell | class) for the class with this index; None if its parameters have no
        posterior."""
        return None

    def drawn(self, random: np.random.Generator) -> Belief:
        """The same belief with its parameters drawn from their posterior; itself if they are only estimated."""
        return self

    def unseen(self, cells: Any) -> Unseen:
        """The length of each cell, and its unseen parts, which are no evidence for any class."""
        return Unseen(np.zeros(len(cells)), np.zeros(len(cells)))

    @abstractmethod
    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """A cell for every class index, drawn from the distribution that scores it; missing if the class has nothing to
        draw from."""

    def free(self) -> Free | None:
        """The number of parameters; None if it grows with the rows."""
        return None

    def conditionals(self) -> list[list[Conditional]]:
        """Every column given the class and its parents, if it has levels: one network, or several that are averaged
        with equal weight."""
        raise NoJointError("questions can only be about levels and numbers.")

    def log_within(self, event: Event) -> Floats:
        """log P(a number within these bounds | class)."""
        raise NoJointError("questions can only be about levels and numbers.")

    def representatives(self) -> tuple[Floats, Floats] | None:
        """Numbers that stand for whole intervals of the same evidence, and the log-probability of each interval in
        every class, [class, interval]; None if there are no such intervals."""
        return None

    def peak(self, event: Event) -> tuple[Floats, Floats]:
        """The most probable number within bounds, and the log of its probability or density, for every class."""
        raise NoJointError("its most probable number is not known; leave the column out of the schema.")

    def dependences(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each of its columns, the others that it depends on within a class."""
        return {column: tuple(columns[:i]) for i, column in enumerate(columns)}

    def pair_information(self, columns: Sequence[str]) -> list[PairInformation]:
        """The mutual information of each pair of its columns within the classes, if pairs are counted."""
        return []

    def portable(self) -> Portable:
        """This belief in a form that other programs can compute, if it has one."""
        raise NotPortableError("its evidence cannot be written as a table or a formula.")

    def linear(self) -> Terms:
        """This belief as a weighted sum of features of the cell, if it is one."""
        raise NotLinearError("its evidence is not linear in the value; leave the column out of the schema.")


def _in_turn(adding: Sequence[Adding]) -> Scorer:
    def score(cells: Sequence[Any], scores: Floats) -> None:
        for add, column in zip(adding, cells, strict=True):
            add(column, scores)

    return score


def heaviest(words: Sequence[str], counts: Floats, odds: Floats, top: Any) -> list[WordWeight]:
    """The words with the highest log-odds, sorted by them and then alphabetically."""
    check_whole("top", top)
    names = np.array(words, object)
    best = np.lexsort((names, -odds))[:top]
    return [WordWeight(names[i], float(counts[i]), float(odds[i])) for i in best]


def log_odds(rows: Floats, index: int, prior: Floats) -> Floats:
    """The log-odds of each row for a class against all others, weighted by their prior; equally if that is zero."""
    others = np.arange(rows.shape[1]) != index
    if not others.any():
        return np.zeros(len(rows))
    total = np.logaddexp.reduce(prior[others])
    shares = prior[others] - total if np.isfinite(total) else np.full(others.sum(), -np.log(others.sum()))
    with np.errstate(invalid="ignore"):
        odds = rows[:, index] - np.logaddexp.reduce(rows[:, others] + shares, axis=1)
    return np.where(np.isnan(odds), 0.0, odds)


def with_rest(parts: list[Part], total: Floats, evidence: Floats) -> list[Part]:
    """The parts of a cell, and last what they lack of its whole evidence; `evidence` is theirs."""
    with np.errstate(invalid="ignore"):
        rest = total - evidence.sum(axis=0)
    rest = np.where(np.isnan(rest), 0.0, rest)
    return parts if np.allclose(rest, 0.0, atol=1e-9) else [*parts, Part("", 1, rest)]


def by_class(classes: NDArray[Any]) -> Iterator[tuple[int, Indices]]:
    """Every class index that occurs, and where."""
    few = classes.max(initial=0) < 1 << 15
    order = np.argsort(classes.astype(np.int16) if few else classes, kind="stable")  # numpy sorts short integers faster
    numbers, starts = np.unique(classes[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=False)
