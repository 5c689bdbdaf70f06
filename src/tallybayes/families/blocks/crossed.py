"""Crossed levels: each pair of two columns' levels is a word, for columns with too many levels for a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.counts.exact import Exact, Floats, Mask
from tallybayes.counts.tally import Key, Rows
from tallybayes.data import frames
from tallybayes.data.cells import Cells, texts
from tallybayes.families.base import Belief, Family
from tallybayes.families.blocks.block import Block, as_names
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import refused, setting
from tallybayes.families.text.mix import AUTO
from tallybayes.families.text.words import Words

BETWEEN, BESIDE = "\x1e", "\x1f"  # a column's name and its level; two levels
WORD_LISTS = pa.list_(pa.string())
AS_THEY_ARE = Words(lower=False, shortest=1, reading=AUTO)


def _as_words(family: Any, name: str, given: Any) -> Words:
    if not isinstance(given, Words):
        raise refused(family, name, given, "Words(…), which is how pairs of levels are scored")
    return given


@dataclass(frozen=True, kw_only=True, repr=False)
class Crossed(Block):
    """Categorical columns whose levels are counted in pairs, like the words of a text: a row of four columns has six
    such words. For columns with hundreds of levels, where most pairs occur once or never.

    `of` names the columns, by default all of the block. `words` is how pairs are scored, by default
    `Words(reading="auto")`.

    >>> from tallybayes import Model
    >>> rows = {"verb": ["eat", "eat", "see"], "noun": ["pizza", "soup", "man"]}
    >>> model = Model.train({("verb", "noun"): Crossed()}, rows, ["with", "with", "at"])
    >>> model.posterior({"verb": ["eat"], "noun": ["pizza"]}).round(2)
    array([[0.09, 0.91]])
    """

    reads: ClassVar[pa.DataType | None] = frames.LEVELS
    of: Collection[str] = setting((), "the columns to pair, by default all", check=as_names, counting=True)
    words: Words = setting(
        AS_THEY_ARE,
        "how pairs of levels are scored, as words",
        check=_as_words,
        counting=True,
        to_json=lambda family: family.to_json(),
        from_json=lambda value: Family.from_json(value),
    )

    def over(self, columns: tuple[str, ...]) -> Self:
        unknown = [name for name in self.of if name not in columns]
        if unknown:
            raise refused(self, "of", self.of, f"some of {', '.join(map(repr, columns))}")
        return super().over(columns)

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        return "Crossed", {"of": self.of, "words": self.words.counts}

    def counts_to_json(self) -> list[Any]:
        return ["Crossed", {"of": list(self.of), "words": self.words.counts_to_json()}]

    def changed(self, settings: Mapping[str, Any]) -> Self:
        return replace(self, words=self.words.changed(settings))

    def beliefs(self) -> set[str]:
        return self.words.beliefs()

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return list(combinations(self.of or self.columns, 2))

    def encode(self, cells: Cells) -> Any:
        """Rows as lists of words; a pair with a missing cell is left out."""
        return self.words.encode(self._of_row(cells[0]) if type(cells) is list else self._of_columns(cells))

    def _of_row(self, row: Any) -> pa.Array:
        levels = {name: texts([value])[0] for name, value in row.items()} if isinstance(row, dict) else {}
        there = [(a, b) for a, b in self._pairs if levels[a] is not None and levels[b] is not None]
        words = [f"{a}{BETWEEN}{levels[a]}{BESIDE}{b}{BETWEEN}{levels[b]}" for a, b in there]
        return pa.array([words], WORD_LISTS)

    def _of_columns(self, cells: pa.Array) -> pa.Array:
        if not self._pairs:
            return pa.array([[]] * len(cells), WORD_LISTS)
        parts = dict(zip(self.columns, cells.flatten(), strict=True))
        tagged = {name: _tagged(name, parts[name]) for name in self.of or self.columns}
        words = [pc.binary_join_element_wise(tagged[a], tagged[b], BESIDE) for a, b in self._pairs]
        by_row = np.arange(len(words)) * len(cells) + np.arange(len(cells))[:, None]  # from word by word
        flat = pa.concat_arrays(words).take(pa.array(by_row.reshape(-1)))
        lists = pa.ListArray.from_arrays(pa.array(np.arange(len(cells) + 1, dtype=np.int32) * len(words)), flat)
        return _without_nulls(lists) if flat.null_count else lists

    def missing(self, cells: Any) -> Mask:
        return np.zeros(len(cells), bool)

    def empty(self) -> Any:
        return self.words.empty()

    def tally(self, cells: Any, rows: Rows) -> Any:
        return self.words.tally(cells, rows)

    def believe(self, tally: Any, classes: Sequence[Key]) -> Belief:
        return self.words.believe(tally, classes)

    def believe_after(self, before: Belief, tally: Any, classes: Sequence[Key]) -> Belief:
        return self.words.believe_after(before, tally, classes)

    def left_out(self, tally: Any, classes: Sequence[Key]) -> LeftOut:
        return self.words.left_out(tally, classes)

    def fit_left_out(self, tally: Any, cells: Any, rows: Rows, classes: Sequence[Key]) -> tuple[Self, Floats | None]:
        words, scores = self.words.fit_left_out(tally, cells, rows, classes)
        return (self if words is self.words else replace(self, words=words).over(self.columns)), scores

    @property
    def pieces_left_out(self) -> int:
        return self.words.pieces_left_out

    def takes(self, slots: Sequence[Any]) -> bool:
        return self.words.takes(slots)

    def present(self, tally: Any, classes: Sequence[Key]) -> Exact:
        return self.words.present(tally, classes)

    def impossible(self, tally: Any, touched: Any) -> str | None:
        return self.words.impossible(tally, touched)

    def discord(self, tally: Any, classes: Sequence[Key]) -> str | None:
        return self.words.discord(tally, classes)


def _tagged(name: str, cells: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(pa.scalar(name), frames.decoded(texts(cells)).cast(pa.string()), BETWEEN)


def _without_nulls(lists: pa.Array) -> pa.Array:
    there = np.asarray(lists.values.is_valid())
    ends = np.append(0, np.cumsum(there))[np.asarray(lists.offsets)]
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), lists.values.drop_null())
