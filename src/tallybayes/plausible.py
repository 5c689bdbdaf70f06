"""Whether counts can have come from any rows: asked after forgetting, and of every file."""

from __future__ import annotations

from collections.abc import Mapping

from tallybayes.exact import TRACE
from tallybayes.schema import Schema
from tallybayes.tally import Tally

FEW_SLOTS = 64


def why_impossible(
    schema: Schema,
    rows: Tally,
    columns: Mapping[str, Tally],
    touched_rows: Tally,
    touched_columns: Mapping[str, Tally],
) -> str | None:
    """Why no rows have these counts, or nothing; looking only at the cells that the touched tallies have.

    A column with many slots is added up only for classes that have no rows left: forgetting a row must cost what the
    row costs.
    """
    if rows.cells(touched_rows)["n"].is_below(TRACE).any():
        return "a class would have fewer than no rows"
    left = rows.aligned([""], touched_rows.classes).sums["n"][0]
    bound = TRACE * (1.0 + left.round())
    for name, family in schema.columns.items():
        tally = columns[name]
        if reason := family.impossible(tally, touched_columns[name]):
            return f"in column {name!r} {reason}"
        if len(tally) > FEW_SLOTS and not left.is_zero().any():
            continue
        if (left - family.present(tally, touched_rows.classes)).is_below(bound).any():
            return f"column {name!r} would have more values than there are rows"
    return None
