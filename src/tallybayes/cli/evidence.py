"""What a model says about rows, taken apart: for each column, and for each word of a text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.cli import bars
from tallybayes.cli.bars import Bar
from tallybayes.cli.plain import plain, spoken
from tallybayes.cli.terminal import clean, console
from tallybayes.model import Model
from tallybayes.schema.entries import members, title

PRIOR = "(class)"
MOST, LEAST = 6, 0.0005  # classes that are named, and how probable they are
FEW = 3  # columns that say nothing, each of which is named
LONGEST = 24  # characters of a cell beside the name of its column


@dataclass(frozen=True)
class Word:
    word: str
    times: float
    said: Mapping[Any, float]


@dataclass(frozen=True)
class Column:
    """What a column says about each class, and of a text what each of its words does, the weightiest first."""

    name: str
    value: Any
    said: Mapping[Any, float]
    words: list[Word]
    is_score: bool = False  # which orders the classes, and is no likelihood


@dataclass(frozen=True)
class Explained:
    """A row: what is said of it, and which two classes are told apart."""

    probability: Mapping[Any, float]
    first: Any
    second: Any
    columns: list[Column]

    def odds(self, said: Mapping[Any, float]) -> float:
        """How much this speaks for the first class and against the second."""
        if self.second is None:
            return 0.0
        here, there = said[self.first], said[self.second]
        return 0.0 if math.isinf(here) and here == there else here - there


def explained(model: Model, batch: pa.RecordBatch, wanted: Any, rival: Any) -> list[Explained]:
    """Every row of a batch."""
    posterior, evidence = model.posterior(batch), model.evidence(batch)
    classes = evidence.classes

    def named(numbers: Any) -> dict[Any, float]:
        return dict(zip(classes, np.asarray(numbers).tolist(), strict=True))

    result = []
    for row in range(len(batch)):
        columns = [Column(PRIOR, None, named(evidence.prior), [])]
        for name in model.schema.columns:
            parts = evidence.words(row, name) if model.belief(name).has_parts else []
            words = [Word(part.word, part.times, named(part.said)) for part in parts]
            cells = {column: batch.column(column)[row].as_py() for column in members(name)}
            value = cells if isinstance(name, tuple) else cells[name]
            columns.append(Column(title(name), value, named(evidence[name][row]), words, name in evidence.scores))
        order = [classes[i] for i in np.argsort(-posterior[row], kind="stable")]
        first, second = _two(order, wanted, rival)
        result.append(Explained(named(posterior[row]), first, second, columns))
    return result


def _two(order: list[Any], wanted: Any, rival: Any) -> tuple[Any, Any]:
    """The classes to tell apart: those that were named, or else the most probable; None where there is one only."""
    first = wanted if wanted is not None else next((label for label in order if label != rival), rival)
    return first, next((label for label in ([rival] if rival is not None else order) if label != first), None)


def as_json(row: Explained) -> Any:
    """All of it, for programs."""

    def odds(said: Mapping[Any, float]) -> dict[str, Any]:
        return {"said": said, "log_odds": row.odds(said)}

    columns = [
        {"column": column.name, "value": column.value, "score": column.is_score, **odds(column.said)}
        | ({"words": [{"word": word.word, "times": word.times, **odds(word.said)} for word in column.words]})
        for column in row.columns
    ]
    return plain({"class": row.first, "against": row.second, "probability": row.probability, "columns": columns})


def draw(rows: list[Explained], top: int) -> None:
    """In the terminal: the answer, and a bar for everything that was said."""
    screen = console()
    for number, row in enumerate(rows):
        if len(rows) > 1:
            screen.print(f"Row {number + 1}" if not number else f"\nRow {number + 1}", style="bold")
        ranked = sorted(row.probability.items(), key=lambda pair: -pair[1])
        likely = [pair for i, pair in enumerate(ranked) if i < 2 or (i < MOST and pair[1] >= LEAST)]
        more = "   …" * (len(ranked) > len(likely))
        screen.print("   ".join(f"{clean(label)} {_share(p)}" for label, p in likely) + more, soft_wrap=True)
        if row.second is None:
            screen.print("There is one class only: nothing can speak for another.")
        else:
            if scores := [clean(column.name) for column in row.columns if column.is_score]:
                said = "gives scores: they order the classes, and are not how many times as probable they are."
                screen.print(f"{', '.join(scores)} {said}", soft_wrap=True)
            screen.print()
            bars.draw(_bars(row, top), spoken(row.first), spoken(row.second))


def _bars(row: Explained, top: int) -> list[Bar]:
    """The prior, the columns that say most, each with its words, and the sum."""
    prior, *others = row.columns
    speaking = [column for column in others if column.words or row.odds(column.said) != 0]
    silent = len(others) - len(speaking)
    columns = sorted(speaking if silent > FEW else others, key=lambda column: -abs(row.odds(column.said)))
    shown = [Bar(prior.name, row.odds(prior.said))]
    for column in columns[:top]:
        shown.append(Bar(_titled(column), row.odds(column.said)))
        words = sorted(column.words, key=lambda word: -abs(row.odds(word.said)))
        shown += [Bar(_spoken(word), row.odds(word.said), 2, _times(word)) for word in words[:top]]
        if rest := words[top:]:
            shown.append(
                Bar(f"{len(rest):,} more word{'s' * (len(rest) > 1)}", sum(row.odds(word.said) for word in rest), 2)
            )
    if left := columns[top:]:
        shown.append(
            Bar(f"{len(left):,} more column{'s' * (len(left) > 1)}", sum(row.odds(column.said) for column in left))
        )
    if silent > FEW:
        shown.append(Bar(f"each of {silent:,} others", 0.0))
    return [*shown, Bar("all together", sum(row.odds(column.said) for column in row.columns))]


def _share(probability: float) -> str:
    return f"{probability:.3f}" if LEAST <= probability < 1 - LEAST else f"{probability:.4g}"


def _titled(column: Column) -> str:
    if column.is_score:
        return f"{column.name} (a score)"
    if column.words:
        return column.name
    cells = column.value.values() if isinstance(column.value, dict) else [column.value]
    value = ", ".join("missing" if cell is None else _written(cell) or "(empty)" for cell in cells)
    return f"{column.name} = {value if len(value) <= LONGEST else value[:LONGEST] + '…'}"


def _written(value: Any) -> str:
    """As people write it: a whole number without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else spoken(value)


def _spoken(word: Word) -> str:
    return word.word or "(length, absent words)"


def _times(word: Word) -> str:
    return f" ×{word.times:g}" if word.times > 1 else ""
