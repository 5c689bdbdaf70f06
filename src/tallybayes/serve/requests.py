"""What requests say: their members, checked, in the form that a served model takes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from tallybayes.serve.bodies import kind_of
from tallybayes.serve.models import Labelled, ServedModel
from tallybayes.serve.rows import Row

T = TypeVar("T")

LABELS = (str, int, float, bool)


def rows_of(said: dict[str, Any]) -> list[Row]:
    """The rows of a question: one, or many."""
    one = "row" in said
    if one == ("rows" in said):
        raise ValueError('Give one row as {"row": {…}}, or many as {"rows": [{…}, …]}.')
    return [_row(said["row"])] if one else [_row(row, number) for number, row in enumerate(_list(said["rows"]))]


def each_of(said: dict[str, Any], one: Callable[[dict[str, Any]], T], beside: Collection[str] = ()) -> list[T]:
    """What is said once, at the top, or many times, under "rows"; `beside` is said at the top in any case."""
    if "rows" not in said:
        return [one({name: value for name, value in said.items() if name not in beside})]
    check_members(said, {"rows", *beside})
    found = []
    for number, entry in enumerate(_list(said["rows"])):
        if type(entry) is not dict:
            raise ValueError(f"Row {number} is {kind_of(entry)}; give an object.")
        try:
            found.append(one(entry))
        except ValueError as error:
            raise ValueError(f"Row {number}: {error}") from None
    return found


def to_learn(model: ServedModel) -> Callable[[dict[str, Any]], Labelled]:
    def one(said: dict[str, Any]) -> Labelled:
        check_members(said, {"row", "label", "id"}, required=("row", "label"))
        return model.labelled(_row(said["row"]), _label(said["label"]), _id(said, required=False))

    return one


def to_forget(model: ServedModel) -> Callable[[dict[str, Any]], Labelled]:
    def one(said: dict[str, Any]) -> Labelled:
        if "id" in said:
            check_members(said, {"id"})
            return Labelled(None, None, _id(said))
        check_members(said, {"row", "label"}, required=("row", "label"), advice='Give {"id": …}, or row and label.')
        return model.labelled(_row(said["row"]), _label(said["label"]))

    return one


def to_correct(said: dict[str, Any]) -> tuple[str, Any]:
    check_members(said, {"id", "label"}, required=("id", "label"))
    return str(_id(said)), _label(said["label"])


def to_compare(said: dict[str, Any]) -> tuple[Row, Any]:
    check_members(said, {"row", "label"}, required=("row", "label"))
    return _row(said["row"]), _label(said["label"])


def flag(said: dict[str, Any], name: str) -> bool:
    found = said.get(name, False)
    if type(found) is not bool:
        raise ValueError(f"{name!r} is {kind_of(found)}; give true or false.")
    return found


def label_in(said: dict[str, Any], name: str) -> Any:
    """A class that may be named."""
    return _label(said[name], name) if name in said else None


def check_members(
    said: dict[str, Any], allowed: Collection[str], required: Collection[str] = (), advice: str = ""
) -> None:
    """An error that says what is missing, and what nobody asked for: a mistyped member must not pass unseen."""
    missing = [name for name in required if name not in said]
    if missing:
        raise ValueError(f"{missing[0]!r} is missing. {advice}".rstrip())
    for name in said:
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
    return value


def _id(said: dict[str, Any], required: bool = True) -> str | None:
    value = said.get("id")
    if type(value) is not str and ("id" in said or required):
        raise ValueError(f"'id' is {kind_of(value)}; give a string.")
    return value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError(f"'rows' is {kind_of(value)}; give an array.")
    return value
