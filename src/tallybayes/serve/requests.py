"""Validates the members of JSON requests."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from tallybayes.serve.bodies import kind_of
from tallybayes.serve.models import Labelled, ServedModel
from tallybayes.serve.rows import Row

T = TypeVar("T")

LABELS = (str, int, float, bool)


def rows_of(request: dict[str, Any]) -> list[Row]:
    """The rows of a question: one, or many."""
    one = "row" in request
    if one == ("rows" in request):
        raise ValueError('Give one row as {"row": {…}}, or many as {"rows": [{…}, …]}.')
    return [_row(request["row"])] if one else [_row(row, number) for number, row in enumerate(_list(request["rows"]))]


def entries_of(request: dict[str, Any], one: Callable[[dict[str, Any]], T], beside: Collection[str] = ()) -> list[T]:
    """The entry at the top level, or the entries under "rows"; members in `beside` are always at the top level."""
    if "rows" not in request:
        return [one({name: value for name, value in request.items() if name not in beside})]
    check_members(request, {"rows", *beside})
    found = []
    for number, entry in enumerate(_list(request["rows"])):
        if type(entry) is not dict:
            raise ValueError(f"Row {number} is {kind_of(entry)}; give an object.")
        try:
            found.append(one(entry))
        except ValueError as error:
            raise ValueError(f"Row {number}: {error}") from None
    return found


def to_learn(model: ServedModel) -> Callable[[dict[str, Any]], Labelled]:
    def one(request: dict[str, Any]) -> Labelled:
        check_members(request, {"row", "label", "id"}, required=("row", "label"))
        return model.labelled(_row(request["row"]), _label(request["label"]), _id(request, required=False))

    return one


def to_forget(model: ServedModel) -> Callable[[dict[str, Any]], Labelled]:
    def one(request: dict[str, Any]) -> Labelled:
        if "id" in request:
            check_members(request, {"id"})
            return Labelled(None, None, _id(request))
        check_members(request, {"row", "label"}, required=("row", "label"), advice='Give {"id": …}, or row and label.')
        return model.labelled(_row(request["row"]), _label(request["label"]))

    return one


def to_correct(request: dict[str, Any]) -> tuple[str, Any]:
    check_members(request, {"id", "label"}, required=("id", "label"))
    return str(_id(request)), _label(request["label"])


def to_compare(request: dict[str, Any]) -> tuple[Row, Any]:
    check_members(request, {"row", "label"}, required=("row", "label"))
    return _row(request["row"]), _label(request["label"])


def flag(request: dict[str, Any], name: str) -> bool:
    found = request.get(name, False)
    if type(found) is not bool:
        raise ValueError(f"{name!r} is {kind_of(found)}; give true or false.")
    return found


def label_in(request: dict[str, Any], name: str) -> Any:
    """An optional class."""
    return _label(request[name], name) if name in request else None


def check_members(
    request: dict[str, Any], allowed: Collection[str], required: Collection[str] = (), advice: str = ""
) -> None:
    """Raises an error for missing and unknown members: a typing error must not be ignored."""
    missing = [name for name in required if name not in request]
    if missing:
        raise ValueError(f"{missing[0]!r} is missing. {advice}".rstrip())
    for name in request:
        if name not in allowed:
            raise ValueError(
                f"There is no member {name[:40]!r} here; there are {', '.join(map(repr, sorted(allowed)))}."
            )


def _row(value: Any, number: int | None = None) -> Row:
    if type(value) is not dict:
        which = "The row" if number is None else f"Row {number}"
        raise ValueError(f'{which} is {kind_of(value)}; give an object with a cell for each column: {{"text": "…"}}.')
    return value


def _label(value: Any, name: str = "label") -> Any:
    if type(value) not in LABELS:
        raise ValueError(f"{name!r} is {kind_of(value)}; give a string, a number or a boolean.")
    if type(value) is float and not math.isfinite(value):
        raise ValueError(f"{name!r} is a number beyond all doubles, such as 1e400; give a smaller one, or a string.")
    return value


def _id(request: dict[str, Any], required: bool = True) -> str | None:
    value = request.get("id")
    if type(value) is not str and ("id" in request or required):
        raise ValueError(f"'id' is {kind_of(value)}; give a string.")
    return value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError(f"'rows' is {kind_of(value)}; give an array.")
    return value
