"""The evidence of each column for each class: log-likelihoods that add up to the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import tallybayes
from tallybayes.counts.exact import Floats
from tallybayes.families.belief import Part
from tallybayes.schema.entries import Name, found, in_order, title

PRIOR = "(class)"  # stands for the prior where columns are listed
TOGETHER = "(together)"  # what the columns of a block say, but none of them by itself
ROUNDING = 1e-9  # of the sum of a text's words


def text_column(texts: list[Name], column: Name | None) -> Name:
    """The text column to use: the one that is named, or the only one. A block does not count, unless there is no
    other."""
    texts = texts if column is not None else [name for name in texts if isinstance(name, str)] or texts
    if column is None and len(texts) != 1:
        raise ValueError(f"Which column's words? There are {', '.join(map(repr, texts)) or 'no texts'}.")
    name = texts[0] if column is None else column
    if name not in texts:
        raise ValueError(f"Column {name!r} is not text; text columns are {', '.join(map(repr, texts)) or 'none'}.")
    return name


def _spread(evidence: Floats) -> float:
    """The range of the scores over the classes; 0 if all of them are −∞."""
    return 0.0 if np.isneginf(evidence).all() else float(np.max(evidence) - np.min(evidence))


def _completed(parts: list[Part], evidence: Floats, rest: str) -> list[Part]:
    """The same parts and, under the name `rest`, what the evidence has beside them: that of a cell being there, of
    columns that only speak together, or lost when parts are clipped one by one."""
    said = np.sum([np.zeros_like(evidence), *(part.evidence for part in parts)], axis=0)
    with np.errstate(invalid="ignore"):
        left = np.where(np.isfinite(evidence) & np.isfinite(said), evidence - said, 0.0)
    if np.abs(left).max() <= ROUNDING * max(1.0, np.abs(evidence).max(initial=0.0, where=np.isfinite(evidence))):
        return parts
    left += sum(part.evidence for part in parts if part.word == rest)
    return [*(part for part in parts if part.word != rest), Part(rest, 1.0, left)]


class Evidence:
    """For every row: log P(class), and log p(cell | class) for every column; 0 for a missing cell.

    `evidence["outlook"]` has one row per case and one column per class; `prior` is the same for all rows, or has a row
    for each if rows are left out; `total()` equals `Model.log_joint`; `words(row)` splits a text's evidence by word.
    """

    def __init__(
        self,
        classes: Sequence[Any],
        prior: Floats,
        columns: dict[Name, Floats],
        rows: int,
        parts: Mapping[Name, Callable[[int], list[Part]]] | None = None,
        scores: Iterable[Name] = (),
    ) -> None:
        self.classes = list(classes)
        self.prior = prior
        self.columns = columns
        self.rows = rows
        self.scores = set(scores)  # columns whose evidence ranks classes but is not a log-likelihood
        self._parts = dict(parts or {})

    def __getitem__(self, column: Name) -> Floats:
        name = found(column, self.columns)
        if name is None:
            raise KeyError(f"There is no column {column!r}; there are {', '.join(map(repr, self.columns))}.")
        return self.columns[name]

    def __len__(self) -> int:
        return self.rows

    @property
    def priors(self) -> Floats:
        """log P(class) of every row: [row, class]."""
        return np.broadcast_to(self.prior, (len(self), len(self.classes)))

    def words(self, row: int = 0, column: Name | None = None) -> list[Part]:
        """The evidence of each word of a text, or of each column of a block, for each class, the most informative
        first. It adds up to the evidence of the column or block. The evidence of a text's length and of absent words is
        under the empty word, what columns say only together under "(together)"."""
        name = text_column(self.texts, column)
        if not 0 <= row < self.rows:
            raise IndexError(f"There is no row {row}; there are {self.rows}.")
        rest = "" if isinstance(name, str) else TOGETHER
        parts = _completed(self._parts[name](row), self.columns[name][row], rest)
        return sorted(parts, key=lambda part: (part.word == "", -_spread(part.evidence), part.word))

    def total(self) -> Floats:
        total = self.priors.copy()
        for _, evidence in in_order(self.columns):  # the order of columns must not matter, to the last bit
            total += evidence
        return total

    @property
    def texts(self) -> list[Name]:
        """The columns whose evidence can be split by word."""
        return list(self._parts)

    def to_pandas(self) -> Any:
        """A DataFrame with a line for every row, column and class; the prior's column is "(class)". Summed by row and
        class it equals `total`."""
        names = [PRIOR, *map(title, self.columns)]
        numbers = np.stack([self.priors, *self.columns.values()], axis=1)
        row, column, label = (each.ravel() for each in np.indices(numbers.shape, np.int32))
        table = {
            "row": pa.array(row),
            "column": pa.DictionaryArray.from_arrays(column, names),
            "class": pa.DictionaryArray.from_arrays(label, pa.array(self.classes)),
            "evidence": pa.array(numbers.ravel()),
        }
        return pa.table(table).to_pandas()

    @property
    def plot(self) -> tallybayes.plots.EvidencePlots:
        """Plots, such as `evidence.plot.waterfall(row)`; they need matplotlib."""
        return tallybayes.plots.EvidencePlots(self)

    def __repr__(self) -> str:
        """The log-likelihoods of the first rows."""
        return tallybayes.report_on(self).brief().text()

    def _repr_html_(self) -> str:
        return tallybayes.report_on(self)._repr_html_()
