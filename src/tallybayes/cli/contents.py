"""The contents of a model: classes, columns, parameters, and what weighs most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

import tallybayes
from tallybayes.cli.bars import times
from tallybayes.cli.plain import plain, spoken
from tallybayes.cli.terminal import aligned, clean, console, how_many
from tallybayes.cli.train import rows_by_class
from tallybayes.model import Model
from tallybayes.model.heaviest import Weight, heaviest
from tallybayes.model.parameter_count import ParameterCount

SOME = 8  # parameters of a column of numbers that are shown unasked
MANY = 12  # classes, of which no more are told apart unasked
MOST_COLUMNS = 100  # that are drawn; JSON has all
A_FEW = 5  # words and values shown unasked
LEVELS = 40  # parameters of a column that are shown at all
LARGEST = 2**53  # whole numbers that every reader of JSON has


@dataclass(frozen=True)
class About:
    rows: float
    sha256: str
    label: str | None
    prior: str
    classes: Mapping[Any, float]  # how many rows
    columns: Mapping[str, str]  # which family
    parameter_count: ParameterCount | None  # nothing, where nothing is counted or something else is asked
    parameters: Mapping[str, Mapping[str, Mapping[Any, float]]]  # column → parameter → class → value
    heaviest: Mapping[Any, list[Weight]]


def about(model: Model, wanted: Any, top: int, column: str | None) -> About:
    """All there is to say, or of one class or column all that is asked."""
    classes = model.classes if wanted is None else [wanted]
    told = len(classes) if wanted is not None or len(classes) <= MANY else 0
    few = top if wanted is not None or column is not None else min(top, A_FEW)
    schema = model.schema
    return About(
        rows=model.n,
        sha256=tallybayes.digest(model),
        label=schema.label,
        prior=schema.prior if isinstance(schema.prior, str) else repr(schema.prior),
        classes=rows_by_class(model),
        columns={name: repr(family) for name, family in schema.columns.items() if column in (None, name)},
        parameter_count=model.parameter_count() if model.classes and wanted is None and column is None else None,
        parameters={} if wanted is not None and column is None else _parameters(model, column),
        heaviest={label: heaviest(model, label, few, column=column) for label in classes[:told]},
    )


def _parameters(model: Model, column: str | None) -> dict[str, dict[str, dict[Any, float]]]:
    """Those of a column, or of all columns of numbers that have a few."""
    if column is not None:
        estimates = model.estimates(column)  # an error if there is no such column
        return {} if model.schema.columns[column].is_text else {column: estimates}  # of words, the heaviest are enough
    numbers = [name for name, kind in model.schema.reads().items() if kind == pa.float64()] if model.classes else []
    found = {name: model.estimates(name) for name in numbers}
    return {name: estimates for name, estimates in found.items() if len(estimates) <= SOME}


def as_json(about: About) -> Any:
    """All of it, for programs."""
    weights = {label: [weight._asdict() for weight in found] for label, found in about.heaviest.items()}
    return plain(asdict(about) | {"heaviest": weights, "parameter_count": _counted(about.parameter_count)})


def _counted(count: ParameterCount | None) -> dict[str, Any] | None:
    """The table's own number where every program can read it; its size always."""
    if count is None:
        return None
    joint = {"joint": count.joint if count.joint <= LARGEST else None, "joint_log10": count.joint_log10}
    return {"total": count.total, "classes": count.classes, "columns": count.columns, "tabled": count.tabled, **joint}


def draw(about: About) -> None:
    """In the terminal."""
    screen = console()

    def block(title: str, lines: list[str]) -> None:
        screen.print(f"\n{clean(title)}", style="bold")
        for line in lines:
            screen.print(f"  {line}", soft_wrap=True)

    screen.print(f"{how_many(about.rows)} in {len(about.classes)} classes, sha256 {about.sha256}", soft_wrap=True)
    counted = sorted(about.classes.items(), key=lambda pair: -pair[1])[: MANY * 2]
    more = len(about.classes) - len(counted)
    lines = aligned([(label, f"{n:,.12g}", f"{n / (about.rows or 1):.1%}") for label, n in counted], {1, 2})
    title = f"classes ({about.prior})" if about.label is None else f"classes in {about.label!r} ({about.prior})"
    block(title, lines + [f"… and {more:,} more"] * (more > 0))
    lines = aligned(list(about.columns.items())[:MOST_COLUMNS]) or ["none"]
    more = len(about.columns) - len(lines)
    block("columns", lines + [f"… and {more:,} more"] * (more > 0))
    if about.parameter_count is not None:
        block("parameters", [clean(str(about.parameter_count))])
    for column, parameters in list(about.parameters.items())[:MOST_COLUMNS]:
        shown = list(about.classes)[:MANY]
        table = [["", *shown], *([name, *(_shown(v[c]) for c in shown)] for name, v in parameters.items())]
        listed = aligned(table[: LEVELS + 1], set(range(1, len(shown) + 1)))
        block(column, listed + [f"… and {len(table) - 1 - LEVELS:,} more"] * (len(table) > LEVELS + 1))
    for label, weights in about.heaviest.items():
        if not weights and about.parameters and len(about.columns) == 1:
            continue  # a column of numbers has said all it has to say
        rows = [(w.value, w.column, f"{w.n:,.12g}", f"{times(w.log_odds)} ×") for w in weights]
        listed = aligned([("", "column", "n", "odds"), *rows], {2, 3})
        block(f"for {spoken(label)}", listed if rows else ["nothing in particular"])


def _shown(parameter: Any) -> str:
    """A number, or as many as a vector has parts."""
    if not isinstance(parameter, (list, tuple)):
        return f"{parameter:.4g}"
    some = ", ".join(f"{each:.4g}" for each in parameter[:A_FEW])
    return some + ", …" * (len(parameter) > A_FEW)
