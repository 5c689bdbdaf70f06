"""A model: its classes, columns and parameters, and the words and values with the most evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from tallybayes.files import digest
from tallybayes.model import Model, parameter_count
from tallybayes.model.heaviest import Weight, heaviest
from tallybayes.report import schema
from tallybayes.report.blocks import Block, Lines, Table, count, how_many, times
from tallybayes.report.characters import own_line
from tallybayes.schema.entries import MOST_COLUMNS, Name, briefly, by_title, title

TOP = 10  # words and values shown for a single class or column
A_FEW = 5  # words and values shown by default; elements of a vector
SOME = 8  # parameters of a numeric column shown by default
MANY = 12  # with more classes, none are listed by default
LEVELS = 40  # parameters of a column shown at most
LARGEST = 2**53  # JSON readers need not represent larger integers


@dataclass(frozen=True)
class ParameterFacts:
    """The number of free parameters, compared with a joint table of the class and the `tabled` columns, if any."""

    total: int
    tabled: tuple[str, ...]
    joint: int | None  # None if above `LARGEST`
    joint_log10: float | None
    summary: str


@dataclass(frozen=True)
class FittedFacts:
    """How rows without labels were counted."""

    curve: tuple[float, ...]  # the objective after every step
    log_likelihood: float
    ended: str
    weight: float
    notes: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class ModelFacts:
    rows: float
    sha256: str
    label: str | None
    prior: str
    classes: Mapping[Any, float]  # how many rows
    columns: tuple[schema.ColumnFacts, ...]
    parameter_count: ParameterFacts | None  # None for an empty model, or for one class or column
    parameters: Mapping[str, Mapping[str, Mapping[Any, Any]]]  # column → parameter → class → value
    heaviest: Mapping[Any, list[Weight]]
    fitted: FittedFacts | None  # None without EM
    networks: Mapping[str, list[str]]  # by block: a line for every column


def facts(model: Model, label: Any = None, *, top: int = TOP, column: str | None = None) -> ModelFacts:
    """All facts, or those of one class or column."""
    known = schema.facts(model.schema, model.rows_by_class())
    classes = model.classes if label is None else [label]
    listed = classes if label is not None or len(classes) <= MANY else []
    few = top if label is not None or column is not None else min(top, A_FEW)
    counted = model.parameter_count() if model.classes and label is None and column is None else None
    sizes = {} if counted is None else by_title(counted.columns)
    entry = None if column is None else model.schema.entry(column)
    named = None if entry is None else title(entry)
    return ModelFacts(
        rows=model.n,
        sha256=digest(model),
        label=known.label,
        prior=known.prior,
        classes=known.classes,
        columns=tuple(
            replace(each, parameter_count=sizes.get(each.column))
            for each in known.columns
            if named in (None, each.column)
        ),
        parameter_count=None if counted is None else _against_joint(counted),
        parameters={} if label is not None and column is None else _parameters(model, entry),
        heaviest={each: heaviest(model, each, few, column=entry) for each in listed},
        fitted=_fitted(model) if label is None and column is None else None,
        networks={} if label is not None else _networks(model, entry),
    )


def _against_joint(count: parameter_count.ParameterCount) -> ParameterFacts:
    joint = count.joint if count.tabled and count.joint <= LARGEST else None
    return ParameterFacts(
        count.total, tuple(map(title, count.tabled)), joint, count.joint_log10 if count.tabled else None, str(count)
    )


def _parameters(model: Model, column: Name | None) -> dict[str, dict[str, dict[Any, Any]]]:
    """The parameters of a column, or of all numeric columns with few parameters."""
    if column is not None:
        is_text = model.schema.columns[column].is_text
        return {} if is_text else {title(column): model.estimates(column)}  # words are listed by weight instead
    families = model.schema.columns.items() if model.classes else []
    numbers = [name for name, family in families if family.reads == pa.float64()]
    found = {title(name): model.estimates(name) for name in numbers}
    return {name: estimates for name, estimates in found.items() if len(estimates) <= SOME}


def _fitted(model: Model) -> FittedFacts | None:
    found = model.fitted
    if found is None:
        return None
    return FittedFacts(found.curve, found.log_likelihood, found.ended, found.weight, found.notes, found.summary())


def _networks(model: Model, column: Name | None) -> dict[str, list[str]]:
    names = [name for name in model.schema.columns if column in (None, name)] if model.classes else []
    drawings = {title(name): model.belief(name).drawing() for name in names if not isinstance(name, str)}
    return {name: lines for name, lines in drawings.items() if lines}


def brief(facts: ModelFacts) -> Iterator[Block]:
    classes = how_many(len(facts.classes), "class", "classes")
    yield Lines([f"{how_many(facts.rows)} in {classes}, sha256 {facts.sha256}"])
    yield schema.classes_block(facts)
    yield schema.columns_block(facts.columns)


def blocks(facts: ModelFacts) -> Iterator[Block]:
    yield from brief(facts)
    yield from believed(facts)
    yield from weighty(facts)


def believed(facts: ModelFacts) -> Iterator[Block]:
    """The parameters, their number, and which columns depend on which."""
    if facts.fitted is not None:
        yield Lines([facts.fitted.summary, *facts.fitted.notes], "rows without labels")
    if facts.parameter_count is not None:
        yield Lines([facts.parameter_count.summary], "parameters")
    for column, lines in facts.networks.items():
        yield Lines(lines, f"dependence in {briefly(column)}")
    shown = list(facts.classes)[:MANY]
    for column, parameters in list(facts.parameters.items())[:MOST_COLUMNS]:
        rows = [[own_line(name), *(_number(values[label]) for label in shown)] for name, values in parameters.items()]
        head = ["", *map(own_line, shown)]
        yield Table(rows[:LEVELS], head, column, more=max(len(rows) - LEVELS, 0))


def weighty(facts: ModelFacts) -> Iterator[Block]:
    """The words and values with the most evidence for each class."""
    for label, weights in facts.heaviest.items():
        if weights:
            rows = [[own_line(w.value), briefly(w.column), count(w.n), f"{times(w.log_odds)} ×"] for w in weights]
            yield Table(rows, ("", "column", "n", "odds"), f"for {own_line(label)}", "llr")
        elif not (facts.parameters and len(facts.columns) == 1):  # a numeric column has shown everything already
            yield Lines(["no words or values stand out"], f"for {own_line(label)}")


def _number(parameter: Any) -> str:
    """A number, or the first elements of a vector."""
    if not isinstance(parameter, (list, tuple)):
        return f"{parameter:.4g}"
    return ", ".join(f"{each:.4g}" for each in parameter[:A_FEW]) + ", …" * (len(parameter) > A_FEW)
