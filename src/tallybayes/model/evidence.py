"""What each column says about each class: log-likelihoods that add up to the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Part

SHOWN = 3  # rows that a repr shows


def text_column(texts: list[str], column: str | None) -> str:
    """The column of texts that is meant: the only one, or the one that is named."""
    if column is None and len(texts) != 1:
        raise ValueError(f"Which column's words? There are {', '.join(map(repr, texts)) or 'no texts'}.")
    name = texts[0] if column is None else column
    if name not in texts:
        raise ValueError(f"Column {name!r} is not a text; texts are {', '.join(map(repr, texts)) or 'none'}.")
    return name


def _spread(said: Floats) -> float:
    """How much apart classes are in what is said of them; not at all where it is −∞ throughout."""
    return 0.0 if np.isneginf(said).all() else float(np.max(said) - np.min(said))


class Evidence:
    """For every row: log P(class), and log p(cell | class) for every column. A missing cell says 0.

    `evidence["outlook"]` has one row per case and one column per class; `prior` is the same for all rows; `total()`
    is what `Model.log_joint` gives; `words(row)` takes a text apart.
    """

    def __init__(
        self,
        classes: Sequence[Any],
        prior: Floats,
        columns: dict[str, Floats],
        rows: int,
        parts: Mapping[str, Callable[[int], list[Part]]] | None = None,
        scores: Iterable[str] = (),
    ) -> None:
        self.classes = list(classes)
        self.prior = prior
        self.columns = columns
        self.rows = rows
        self.scores = set(scores)  # columns whose evidence only orders the classes, and is no log-likelihood
        self._parts = dict(parts or {})

    def __getitem__(self, column: str) -> Floats:
        if column not in self.columns:
            raise KeyError(f"There is no column {column!r}; there are {', '.join(map(repr, self.columns))}.")
        return self.columns[column]

    def __len__(self) -> int:
        return self.rows

    def words(self, row: int = 0, column: str | None = None) -> list[Part]:
        """What each word of a text says about each class, those that tell most first. They add up to what the column
        says; what is said of no word in particular has an empty one."""
        name = text_column(list(self._parts), column)
        if not 0 <= row < self.rows:
            raise IndexError(f"There is no row {row}; there are {self.rows}.")
        return sorted(self._parts[name](row), key=lambda part: (part.word == "", -_spread(part.said), part.word))

    def total(self) -> Floats:
        total = np.tile(self.prior, (len(self), 1))
        for _, said in sorted(self.columns.items()):  # the order of columns must not matter, to the last bit
            total += said
        return total

    def __repr__(self) -> str:
        shown = [self._table(row) for row in range(min(len(self), SHOWN))]
        more = len(self) - len(shown)
        return "\n\n".join(shown + ([f"… and {more} more rows"] if more > 0 else []))

    def _title(self, name: str) -> str:
        return f"{name} (a score)" if name in self.scores else name

    def _table(self, row: int) -> str:
        total = self.total()[row]
        best = np.max(total)
        share = np.exp(total - best if np.isfinite(best) else self.prior)  # impossible everywhere: as the prior has it
        lines = [("(class)", self.prior), *((self._title(name), said[row]) for name, said in self.columns.items())]
        cells = [(name, [f"{v:.3f}" for v in numbers]) for name, numbers in [*lines, ("sum", total)]]
        cells.append(("probability", [f"{p:.3f}" for p in share / share.sum()]))
        cells.insert(0, ("", [str(label) for label in self.classes]))
        first = max(len(name) for name, _ in cells)
        wide = max(len(text) for _, texts in cells for text in texts)
        return "\n".join(f"{name:{first}}  " + "  ".join(t.rjust(wide) for t in texts) for name, texts in cells)
