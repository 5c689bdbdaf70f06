"""What each column says about each class: log-likelihoods that add up to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes.exact import Floats

SHOWN = 3  # rows that a repr shows


class Evidence:
    """For every row: log P(class), and log p(cell | class) for every column. A missing cell says 0.

    `evidence["outlook"]` has one row per case and one column per class; `prior` is the same for all rows; `total()`
    is what `Model.log_joint` gives.
    """

    def __init__(self, classes: Sequence[Any], prior: Floats, columns: dict[str, Floats], rows: int) -> None:
        self.classes = list(classes)
        self.prior = prior
        self.columns = columns
        self.rows = rows

    def __getitem__(self, column: str) -> Floats:
        if column not in self.columns:
            raise KeyError(f"There is no column {column!r}; there are {', '.join(map(repr, self.columns))}.")
        return self.columns[column]

    def __len__(self) -> int:
        return self.rows

    def total(self) -> Floats:
        total = np.tile(self.prior, (len(self), 1))
        for _, said in sorted(self.columns.items()):  # the order of columns must not matter, to the last bit
            total += said
        return total

    def __repr__(self) -> str:
        shown = [self._table(row) for row in range(min(len(self), SHOWN))]
        more = len(self) - len(shown)
        return "\n\n".join(shown + ([f"… and {more} more rows"] if more > 0 else []))

    def _table(self, row: int) -> str:
        total = self.total()[row]
        best = np.max(total)
        share = np.exp(total - best if np.isfinite(best) else self.prior)  # impossible everywhere: as the prior has it
        lines = [("(class)", self.prior), *((name, said[row]) for name, said in self.columns.items())]
        cells = [(name, [f"{v:.3f}" for v in numbers]) for name, numbers in [*lines, ("sum", total)]]
        cells.append(("probability", [f"{p:.3f}" for p in share / share.sum()]))
        cells.insert(0, ("", [str(label) for label in self.classes]))
        first = max(len(name) for name, _ in cells)
        wide = max(len(text) for _, texts in cells for text in texts)
        return "\n".join(f"{name:{first}}  " + "  ".join(t.rjust(wide) for t in texts) for name, texts in cells)
