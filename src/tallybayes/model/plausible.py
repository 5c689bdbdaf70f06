"""Whether counts can have come from any rows: checked after forgetting, and when a file is written or read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybayes.counts.exact import TRACE, Exact
from tallybayes.counts.tally import Key, Tally

if TYPE_CHECKING:
    from tallybayes.model.counted import Counted

AS_TRAINED = "Give rows, labels and weights that the model was trained on; after a decay, weights times its factor."
MOST_LIMBS = 25  # of a number of rows: below 2⁸⁰⁰, sums of such numbers fit in a double


def why_impossible(model: Counted, touched: Counted) -> str | None:
    """Why no rows can have these counts, or None; only the cells that the touched model has are checked.

    Whether a column has more values than there are rows is checked only if the forgotten rows had missing cells:
    forgetting a row must cost what the row costs.
    """
    if reason := why_cells_impossible(model, touched):
        return reason
    classes = touched.rows.classes
    gone = touched.rows.aligned([""], classes).sums["n"][0]
    for name, family in model.schema.columns.items():
        lacking = gone != family.present(touched.columns[name], classes)
        if lacking and _too_many(model.rows, family.present(model.columns[name], classes), classes):
            return f"column {name!r} would have more values than there are rows"
    return None


def why_cells_impossible(model: Counted, touched: Counted) -> str | None:
    """The same for each cell separately."""
    if model.rows.touched(touched.rows)["n"].is_below(TRACE).any():
        return "a class would have a negative number of rows"
    for name, family in model.schema.columns.items():
        if reason := family.impossible(model.columns[name], touched.columns[name]):
            return f"in column {name!r} {reason}"
    return None


def why_discordant(model: Counted) -> str | None:
    """Why counts that are possible separately cannot have come from the same rows, or None: checked before a file is
    written, so that it can be read again."""
    rows = model.rows
    if too_heavy(rows):
        return "there are more than 2⁸⁰⁰ rows"
    classes = rows.classes
    for name, family in model.schema.columns.items():
        tally = model.columns[name]
        if not set(tally.filled()) <= set(rows.filled()):
            return f"column {name!r} has values of a class that has no rows"
        if _too_many(rows, family.present(tally, classes), classes):
            return f"column {name!r} has more values than there are rows"
        if reason := family.discord(tally, classes):
            return f"in column {name!r} {reason}"
    return None


def too_heavy(rows: Tally) -> bool:
    """Whether the number of rows, or their weight, exceeds the range of the arithmetic."""
    return rows.end("n") > MOST_LIMBS and rows.sums["n"].carried().end > MOST_LIMBS


def _too_many(rows: Tally, present: Exact, classes: list[Key]) -> bool:
    left = rows.aligned([""], classes).sums["n"][0]
    return bool((left - present).is_below(TRACE * (1.0 + left.round())).any())
