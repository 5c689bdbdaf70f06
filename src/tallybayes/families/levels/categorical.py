"""Categories: how often each level occurred, smoothed by pseudo-counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Exact, Floats
from tallybayes.counts.row_tally import ONCE, RowTally
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data import frames
from tallybayes.data.cells import CODES, SHORT, Cells, is_missing, texts
from tallybayes.data.errors import CellError
from tallybayes.families.base import Family
from tallybayes.families.belief import Belief, Unseen
from tallybayes.families.fitted import pseudo_of, settled_pseudo
from tallybayes.families.left_out import LeftOut, LeftOutFolds, centred_tables
from tallybayes.families.levels_left_out import CategoriesLeftOut
from tallybayes.families.portable import ByLevel, Portable
from tallybayes.families.settings import refused, setting
from tallybayes.families.smoothing import (
    FITTED,
    Alpha,
    Smoothed,
    SmoothedBelief,
    log_dirichlet,
    named_levels,
    smoothed,
    smoothing,
)
from tallybayes.kernels.strings import index_strings, index_words, string_buffers

Texts = Any  # an Arrow array of texts, or a list of a few

MANY = 10_000  # levels for which Arrow is worth its overhead


ABOUT_LEVELS = "levels that exist even if no row has them (for Bernoulli always false and true)"


def as_levels(family: Any, name: str, given: Any) -> tuple[str, ...]:
    levels = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(level, str) for level in levels):
        raise refused(family, name, given, "a tuple of strings")
    return tuple(sorted(set(levels)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Categorical(Family):
    """One of several levels; a level is its text.

    `alpha` is the Dirichlet prior: pseudo-counts added to every level. 1 is Laplace's, 0.5 Jeffreys', 0 maximum
    likelihood; a mapping gives one per level; `MEstimate(m, p)` adds m values spread like p; "fitted" adds values
    spread like the average of the classes, or, if levels are rare, spread like the classes: the more, the less the
    classes differ. `levels` names levels that exist even if no row has them. A level that is neither seen nor named
    counts as missing.

    >>> from tallybayes import Model
    >>> model = Model.train({"sky": Categorical(alpha=1)}, {"sky": ["sun", "sun", "rain"]}, ["no", "no", "yes"])
    >>> model.estimates("sky")["sun"]
    {'no': 0.75, 'yes': 0.333...}
    """

    reads: ClassVar[pa.DataType | None] = frames.LEVELS
    takes_shares: ClassVar[bool] = True
    leaves_out_folds: ClassVar[bool] = True
    alpha: Alpha = smoothing()
    levels: Collection[str] = setting((), ABOUT_LEVELS, check=as_levels)

    def level_named(self, text: str) -> str:
        """If levels are given, the text must be one of them."""
        if self.levels and text not in self.levels:
            listed = ", ".join(map(repr, self.levels))
            raise ValueError(f"{text!r} is not among the levels {listed}. Correct the name, or add it to them.")
        return text

    def encode(self, cells: Cells) -> Texts:
        found = _few_numbers(cells) or texts(cells)
        if type(found) is not list and pa.types.is_dictionary(found.type) and len(found.dictionary) > SHORT:
            return frames.decoded(found)
        return found

    def tally(self, cells: Texts, rows: Rows) -> Tally:
        if type(cells) is list and rows.only is not None and cells[0] is not None:
            return RowTally((cells[0], rows.only, *ONCE))
        codes, levels = met_levels(cells)
        return Tally(rows.numbers, levels, {"n": rows.count(codes, len(levels))})

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return self.believe_each([tally], classes)[0]

    def believe_each(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> list[Belief]:
        more = [*self.levels, *named_levels(self.alpha)]
        tables = [tally.table(classes, more) for tally in tallies]
        pseudo = [pseudo_of(self.alpha, levels, counts) for levels, counts in tables]
        known = smoothed([counts for _, counts in tables], pseudo)
        return [self.scorer(levels, each) for (levels, _), each in zip(tables, known, strict=True)]

    def scorer(self, levels: list[str], known: Smoothed) -> Belief:
        return LevelBelief(levels, known)

    def settled(self, belief: Any) -> Self:
        """Fitted pseudo-counts are held fixed; a level without any gets a small one."""
        if self.alpha != FITTED:
            return self
        pseudo = settled_pseudo(belief.pseudo.mean(axis=1)).tolist()
        return replace(self, alpha=dict(zip(belief.levels, pseudo, strict=True)))

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_dirichlet(belief.pseudo, belief.table)

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        always = {*self.levels, *named_levels(self.alpha)}
        levels, _ = tally.table(classes, always)
        known = CategoriesLeftOut(self.alpha, levels, tally.aligned(levels, classes).sums["n"], always)
        codes = self.coder(levels)
        return lambda cells, rows: known(codes(cells), rows)

    def evidence_without(self, tallies: Sequence[Tally], columns: Sequence[Texts], folds: LeftOutFolds) -> list[Floats]:
        always = {*self.levels, *named_levels(self.alpha)}
        found = [self._without(tally, cells, folds, always) for tally, cells in zip(tallies, columns, strict=True)]
        tables = [table[known] for _, _, counts, known in found for table, known in zip(counts, known, strict=True)]
        names = [list(compress(levels, each)) for levels, _, _, known in found for each in known]
        pseudo = [pseudo_of(self.alpha, kept, counts) for kept, counts in zip(names, tables, strict=True)]
        logs = centred_tables(np.concatenate([each.logs for each in smoothed(tables, pseudo)]))
        evidence, start = [], 0
        for _, codes, counts, known in found:
            table, stop = np.zeros(counts.shape), start + int(known.sum())
            table[known] = logs[start:stop]
            evidence.append(folds.looked_up(codes, table.reshape(known.size, folds.width), known.shape[1]))
            start = stop
        return evidence

    def _without(self, tally: Tally, cells: Texts, folds: LeftOutFolds, always: set[str]) -> tuple[Any, ...]:
        """The levels of a column, the level of each cell, the counts without each fold, and the levels known then."""
        slots = tally.slots
        n, more = tally.read(None, folds.rows.classes)["n"], sorted(always.difference(slots))
        both = [*slots, *more]
        order = sorted(range(len(both)), key=both.__getitem__)
        levels = [str(both[i]) for i in order]
        limbs = np.concatenate([n.limbs, np.zeros((len(more), *n.limbs.shape[1:]), np.int64)]).take(order, axis=0)
        codes = self.coder(levels)(cells)
        counts = folds.without(Exact(limbs, n.low), codes)
        return levels, codes, counts, folds.filled(counts) | np.array([level in always for level in levels], bool)

    def coder(self, levels: list[str]) -> Callable[[Any], Codes]:
        """A function from encoded cells to level indices, negative if they are missing or unknown."""
        index = level_index(levels)
        return lambda cells: codes_of(index, cells)


class LevelBelief(SmoothedBelief):
    """P(level | class) as a table, and the index of the levels."""

    def __init__(self, levels: list[str], known: Smoothed) -> None:
        super().__init__(known)
        self.levels = levels
        self._index = level_index(levels)

    def unseen(self, cells: Texts) -> Unseen:
        """An unseen level is as improbable as those seen once were."""
        once = float((self.counts.sum(axis=1) == 1.0).sum())
        log_new = np.log((once + 1.0) / (self.counts.sum() + 2.0))
        new = (self.codes(cells) < 0) & ~is_missing(cells)
        return Unseen(np.zeros(len(new)), np.where(new, log_new, 0.0))

    def portable(self) -> Portable:
        return ByLevel(self.levels, self.table)

    def codes(self, cells: Texts) -> Codes:
        return self._index.encode_few(cells, False) if type(cells) is list else codes_of(self._index, cells)


def level_index(levels: list[str]) -> kernels.StringIndex:
    """Levels by number, in their order."""
    index = kernels.StringIndex()
    if len(levels) > MANY:
        index_words(index, levels)
    else:
        index.encode_few(levels, True)
    return index


def _few_numbers(cells: Cells) -> pa.Array | None:
    """Whole numbers of a small range, as a dictionary array; None if cells are anything else."""
    if type(cells) is list or not pa.types.is_integer(cells.type) or cells.null_count or len(cells) < SHORT:
        return None
    numbers = cells.to_numpy()
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= SHORT:
        return None
    if numbers.itemsize < 4:
        numbers = numbers.astype(np.int32)  # or the difference might not fit
    codes = (numbers - numbers.dtype.type(low)).astype(np.int32, copy=False)
    words = pa.array([str(number) for number in range(low, high + 1)])
    return pa.DictionaryArray.from_arrays(pa.array(codes), words)


def met_levels(cells: Texts) -> tuple[NDArray[Any], list[str]]:
    """The index of each cell's level (-1 if missing), and the levels' texts."""
    index = kernels.StringIndex()
    codes = _codes_of(index, cells, grow=True)
    try:
        return codes, index_strings(index).to_pylist()
    except UnicodeDecodeError:
        for row, cell in enumerate(cells.cast(pa.binary())):
            try:
                (cell.as_py() or b"").decode()
            except UnicodeDecodeError as error:
                raise CellError(row, f"the text is not valid UTF-8: {error}.") from None
        raise


def codes_of(index: kernels.StringIndex, cells: Texts) -> Codes:
    """The indices of texts, negative if missing or unknown."""
    return _codes_of(index, cells, grow=False).astype(np.int32, copy=False)


def _codes_of(index: kernels.StringIndex, cells: Texts, grow: bool) -> NDArray[Any]:
    """The same as integers of four bytes or one; in a dictionary array each word is looked up once."""
    if isinstance(cells, list):
        return index.encode_few(cells, grow)
    if not pa.types.is_dictionary(cells.type):
        return lookup(index, cells, grow)
    words = lookup(index, cells.dictionary, grow)
    places = cells.indices if cells.indices.type in CODES else cells.indices.cast(pa.int32())
    codes = (places.fill_null(-1) if places.null_count else places).to_numpy(zero_copy_only=False)
    if np.array_equal(words, np.arange(len(words))):
        return codes
    return np.append(words, np.int32(-1))[codes]


def lookup(index: kernels.StringIndex, cells: pa.Array, grow: bool = False) -> Codes:
    return index.encode(*string_buffers(cells), grow)
