"""Evidence: what each column, and each word of a text, contributes for one class against another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallybayes.model.evidence import PRIOR, TOGETHER, Evidence
from tallybayes.report.blocks import Bar, Bars, Block, Lines, Table
from tallybayes.report.characters import own_line, short
from tallybayes.report.plain import to_text
from tallybayes.schema.entries import MOST_COLUMNS, Name, briefly, members, title

ROWS = 3  # shown by default
TOP = 15  # columns shown, and words of each
STEPS = 12  # steps that are shown separately
MOST, LEAST = 6, 0.0005  # classes to name, and their least probability
MANY = 12  # classes whose logarithms are shown
FEW = 3  # columns without evidence that are named
LONGEST = 25  # characters of a cell next to the name of its column

Numbers = Mapping[Any, float]  # by class


@dataclass(frozen=True)
class WordFacts:
    word: str  # or a column of a block; empty for evidence of the length and of absent words
    times: float
    evidence: Numbers
    log_odds: float  # of the first class against the second


@dataclass(frozen=True)
class ColumnFacts:
    column: str
    value: Any  # None if missing or unknown; for a block, a value for each column
    score: bool  # whether it only ranks classes and is not a likelihood
    evidence: Numbers
    log_odds: float
    words: tuple[WordFacts, ...]  # of a text, or the columns of a block, the strongest first
    block: bool = False


@dataclass(frozen=True)
class RowFacts:
    class_: Any
    against: Any  # None if there is only one class
    possible: bool  # False if every class rules the row out; its probabilities are then the prior
    probability: Numbers
    columns: tuple[ColumnFacts, ...]  # the first is the prior


@dataclass(frozen=True)
class EvidenceFacts:
    rows: tuple[RowFacts, ...]
    more: int  # rows
    named: bool  # whether the values of cells are known
    top: int  # columns, and words of each, that are shown


def facts(
    evidence: Evidence,
    *,
    label: Any = None,
    against: Any = None,
    cells: Mapping[str, Sequence[Any]] | None = None,
    rows: int = ROWS,
    top: int = TOP,
) -> EvidenceFacts:
    """The facts of the first `rows` rows. `cells` has their values by column, if these are to be shown."""
    _check_two(evidence, label, against)
    shown = min(rows, len(evidence))
    total = evidence.total()[:shown]
    return EvidenceFacts(
        rows=tuple(_row(evidence, row, total[row], (label, against), cells or {}) for row in range(shown)),
        more=len(evidence) - shown,
        named=cells is not None,
        top=top,
    )


def row_facts(
    evidence: Evidence, row: int, *, label: Any = None, against: Any = None, cells: Mapping[str, Any] | None = None
) -> RowFacts:
    """The facts of one row."""
    _check_two(evidence, label, against)
    if not 0 <= row < len(evidence):
        raise IndexError(f"There is no row {row}; there are {len(evidence)}.")
    return _row(evidence, row, evidence.total()[row], (label, against), cells or {})


def _check_two(evidence: Evidence, label: Any, against: Any) -> None:
    for name in (label, against):
        if name is not None and name not in evidence.classes:
            raise ValueError(f"There is no class {name!r}; the classes are {', '.join(map(repr, evidence.classes))}.")
    if label is not None and label == against:
        raise ValueError(f"{label!r} against itself: give two different classes.")


def _row(evidence: Evidence, row: int, total: Any, named: tuple[Any, Any], cells: Mapping[str, Any]) -> RowFacts:
    possible = bool(np.isfinite(total).any())
    share = np.exp(total - np.max(total) if possible else evidence.priors[row])
    ranked = [evidence.classes[i] for i in np.argsort(-share, kind="stable")]
    first, second = _two(ranked, *named)

    def by_class(numbers: Any) -> tuple[dict[Any, float], float]:
        found = dict(zip(evidence.classes, np.asarray(numbers).tolist(), strict=True))
        return found, 0.0 if second is None else _apart(found[first], found[second])

    columns = [ColumnFacts(PRIOR, None, False, *by_class(evidence.priors[row]), ())]
    for name, numbers in evidence.columns.items():
        parts = evidence.words(row, name) if name in evidence.texts else []
        words = tuple(WordFacts(part.word, part.times, *by_class(part.evidence)) for part in parts)
        value, score, block = _value(name, cells, row), name in evidence.scores, not isinstance(name, str)
        columns.append(ColumnFacts(title(name), value, score, *by_class(numbers[row]), words, block))
    return RowFacts(first, second, possible, by_class(share / share.sum())[0], tuple(columns))


def _value(name: Name, cells: Mapping[str, Any], row: int) -> Any:
    """The value of a cell, or those of a block by column; None if unknown."""
    found = {column: cells[column][row] for column in members(name) if column in cells}
    return found.get(name) if isinstance(name, str) else found or None


def _apart(here: float, there: float) -> float:
    return 0.0 if math.isinf(here) and here == there else here - there


def _two(ranked: list[Any], wanted: Any, rival: Any) -> tuple[Any, Any]:
    """The two classes to compare: those named, or else the most probable; None if there is only one."""
    first = wanted if wanted is not None else next((label for label in ranked if label != rival), rival)
    return first, next((label for label in ([rival] if rival is not None else ranked) if label != first), None)


def blocks(facts: EvidenceFacts) -> Iterator[Block]:
    """For each row: the answer, a bar for each piece of evidence, and the log-likelihoods as a detail."""
    for number, row in enumerate(facts.rows):
        yield Lines(_answer(row), f"Row {number + 1}" if len(facts.rows) > 1 else "")
        if row.against is not None:
            yield Bars(_bars(row, facts.top, facts.named), own_line(row.class_), own_line(row.against))
        yield _logarithms(row)
        yield from _word_tables(row, facts.top)
    yield from _more(facts)


def brief(facts: EvidenceFacts) -> Iterator[Block]:
    """The log-likelihoods alone."""
    for row in facts.rows:
        yield replace(_logarithms(row), title="", detail=False)
    yield from _more(facts)


def _more(facts: EvidenceFacts) -> Iterator[Block]:
    if facts.more:
        yield Lines([f"… and {facts.more:,} more rows"])


def _logarithms(row: RowFacts) -> Table:
    """The log-likelihoods by class, their sum, and the probabilities. Of many columns, the first are shown."""
    shown = row.columns[: MOST_COLUMNS + 1]
    lines = [(briefly(each.column) + " (a score)" * each.score, each.evidence) for each in shown]
    if rest := row.columns[len(shown) :]:
        lines.append((f"{len(rest):,} more", _summed(rest)))
    total = _summed(row.columns)
    return _table([*lines, ("sum", total), ("probability", row.probability)], "logarithms")


def _summed(columns: Sequence[ColumnFacts]) -> dict[Any, float]:
    return {label: sum(each.evidence[label] for each in columns) for label in columns[0].evidence}


def _word_tables(row: RowFacts, top: int) -> Iterator[Table]:
    for column in row.columns:
        if column.words:
            lines = [(word_title(word) + _times(word), word.evidence) for word in column.words]
            yield _table(lines[:top], f"{_unit(column)}s of {briefly(column.column)}", len(lines[top:]))


def _table(lines: Sequence[tuple[str, Numbers]], title: str, more: int = 0) -> Table:
    classes = list(lines[0][1])
    others = ["…"] * (len(classes) > MANY)
    rows = [[own_line(name), *(f"{numbers[c]:.3f}" for c in classes[:MANY]), *others] for name, numbers in lines]
    return Table(rows, ["", *map(own_line, classes[:MANY]), *others], title, more=more, detail=True)


def _answer(row: RowFacts) -> list[str]:
    ranked = sorted(row.probability.items(), key=lambda pair: -pair[1])
    likely = [pair for i, pair in enumerate(ranked) if i < 2 or (i < MOST and pair[1] >= LEAST)]
    more = "   …" * (len(ranked) > len(likely))
    lines = ["   ".join(f"{own_line(label)} {_share(p)}" for label, p in likely) + more]
    if not row.possible:
        lines.append("The row is impossible in every class, so the answer is the prior. Smoothing avoids this.")
    if row.against is None:
        lines.append("There is only one class, so there is no evidence for or against it.")
    elif scores := ", ".join(column.column for column in row.columns if column.score):
        lines.append(f"{scores} gives scores: they rank the classes, but are not odds.")
    return lines


def _bars(row: RowFacts, top: int, named: bool) -> list[Bar]:
    """The prior, the columns with the most evidence, each with those of its words that have any, and the sum."""
    prior, *others = row.columns
    informative = [column for column in others if column.log_odds != 0 or any(word.log_odds for word in column.words)]
    silent = len(others) - len(informative)
    columns = sorted(informative if silent > FEW else others, key=_by_size)
    shown = [Bar(prior.column, prior.log_odds)]
    for column in columns[:top]:
        shown.append(Bar(titled(column, named), column.log_odds))
        words = sorted(column.words, key=_by_size)
        named_words = [word for word in words[:top] if word.log_odds != 0]
        shown += [Bar(own_line(_part_title(column, word)), word.log_odds, 2, _times(word)) for word in named_words]
        shown += _rest(row, words[len(named_words) :], _unit(column), 2) if named_words else []
    shown += _rest(row, columns[top:], "column")
    if silent > FEW:
        shown.append(Bar(f"each of {silent:,} others", 0.0))
    return [*shown, Bar("all together", together(row, row.columns))]


def _unit(column: ColumnFacts) -> str:
    """A block consists of columns, a text of words."""
    return "column" if column.block else "word"


def _by_size(piece: ColumnFacts | WordFacts) -> float:
    return -abs(piece.log_odds)


def together(row: RowFacts, pieces: Sequence[ColumnFacts | WordFacts]) -> float:
    """The combined log-odds, summed by class first, so that pieces impossible in both classes cancel."""
    return _apart(*(sum(each.evidence[label] for each in pieces) for label in (row.class_, row.against)))


def _rest(row: RowFacts, pieces: Sequence[ColumnFacts | WordFacts], what: str, indent: int = 0) -> list[Bar]:
    title = f"{len(pieces):,} more {what}{'s' * (len(pieces) > 1)}"
    return [Bar(title, together(row, pieces), indent)] if pieces else []


def steps(row: RowFacts, top: int = STEPS, named: bool = True) -> list[Bar]:
    """The prior, the columns and words with the most evidence, the rest as one step, and the total. A text is split
    into its words, a block into its columns, which may have evidence of their own beside it."""
    prior, *others = row.columns
    pieces: list[tuple[str, ColumnFacts | WordFacts]] = []
    for column in others:
        if column.words:
            among = " (with others)" * column.block
            pieces += [(_part_title(column, word) + among * (word.word != TOGETHER), word) for word in column.words]
        else:
            pieces.append((titled(column, named), column))
    informative = [piece for piece in pieces if piece[1].log_odds != 0]
    ranked = sorted(informative, key=lambda piece: _by_size(piece[1]))
    shown = [Bar("prior", prior.log_odds), *(Bar(own_line(name), piece.log_odds) for name, piece in ranked[:top])]
    rest = [piece for _, piece in ranked[top:]]
    if rest:
        shown.append(Bar(f"{len(rest):,} more", together(row, rest)))
    return [*shown, Bar("all together", together(row, row.columns))]


def _share(probability: float) -> str:
    return f"{probability:.3f}" if LEAST <= probability < 1 - LEAST else f"{probability:.4g}"


def titled(column: ColumnFacts, named: bool) -> str:
    name = briefly(column.column)
    if column.score:
        return f"{name} (a score)"
    if column.words or not named:
        return name
    cells = column.value.values() if isinstance(column.value, dict) else [column.value]
    return f"{name} = {short(', '.join(map(_cell_text, cells)), LONGEST)}"


def _part_title(column: ColumnFacts, word: WordFacts) -> str:
    """A word; or a column of a block, with its value if that is known."""
    if column.block and word.word in (column.value or {}):
        return f"{word.word} = {short(_cell_text(column.value[word.word]), LONGEST)}"
    return word_title(word)


def _cell_text(cell: Any) -> str:
    return "missing" if cell is None else _number_text(cell) or "(empty)"


def _number_text(value: Any) -> str:
    """A number as text: whole numbers without a point, others with six digits."""
    if not isinstance(value, float):
        return to_text(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def word_title(word: WordFacts) -> str:
    return word.word or "(length, absent words)"


def _times(word: WordFacts) -> str:
    return f" ×{word.times:g}" if word.word and word.times != 1 else ""
