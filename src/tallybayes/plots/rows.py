"""The rows to draw, by class and column."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tallybayes.data.frames import level_text
from tallybayes.data.matching import MISSING, matched
from tallybayes.model.batches import Batch
from tallybayes.model.model import Model


def numbered_cells(
    model: Model, batches: Iterable[Batch], columns: Sequence[str], levels: Collection[str], most: int
) -> tuple[list[int], dict[str, list[Any]]]:
    """The class index of the first `most` rows, −1 if unseen, and their cells: those of `levels` as text, all others
    unchanged."""
    keys = {key: i for i, key in enumerate(model.keys())}
    codes: list[int] = []
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    for batch in batches:
        room = most - len(codes)
        if room <= 0:
            break
        classes = [keys.get(key, -1) for key in batch.rows.classes]
        codes += [classes[code] for code in batch.rows.codes[:room].tolist()]
        found = matched(batch.cells.slice(0, room), columns, MISSING)
        for name in columns:
            values = found[name].to_pylist()
            cells[name] += [None if x is None else level_text(x) for x in values] if name in levels else values
    return codes, cells
