"""The base class of families: one kind of column, what to count, and how the counts score a new value.

`Family` is a frozen set of settings. `Family.tally` turns cells into a `Tally`; `Family.believe` turns a tally into a
`Belief`, which scores new cells. No family does any arithmetic on models: that is in `tally` and `exact`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import TRACE, Exact, Floats, Mask
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, is_missing
from tallybayes.families.belief import Belief as Belief
from tallybayes.families.left_out import LeftOut, one_by_one
from tallybayes.families.numbers.support import Support
from tallybayes.families.settings import Declared, settings_of

if TYPE_CHECKING:
    from tallybayes.families.left_out import LeftOutFolds


@dataclass(frozen=True, kw_only=True, repr=False)
class Family(Declared, ABC):
    """One kind of column. Those of its settings that are `counting` decide what is counted, and all others can be
    changed later."""

    takes_vectors: ClassVar[bool] = False  # whether cells are rows of a matrix
    takes_blocks: ClassVar[bool] = False  # whether several columns are counted together
    takes_shares: ClassVar[bool] = False  # whether `tally` takes rows with shares in several classes
    is_text: ClassVar[bool] = False  # whether cells are texts made of words
    rounds: ClassVar[bool] = False  # whether it has `blurred`: values are rounded before they are counted
    leaves_out_folds: ClassVar[bool] = False  # whether it has `evidence_without`
    support: ClassVar[Support | None] = None  # the numbers that it takes, if cells are numbers
    reads: ClassVar[pa.DataType | None] = pa.string()  # the type to read cells as from a file without types

    @abstractmethod
    def encode(self, cells: Cells) -> Any:
        """Cells in the form that this family counts and scores; can be sliced."""

    def over(self, columns: tuple[str, ...]) -> Self:
        """This family bound to its columns in a schema: one, unless it takes blocks."""
        if len(columns) > 1:
            raise ValueError(
                f"{type(self).__name__} counts one column, not the block {columns!r}. Give each column its own family, "
                "or give the block a family that counts columns together, like Correlated()."
            )
        return self

    @property
    def is_prepared(self) -> bool:
        """Whether everything that must be fixed before counting is fixed, such as intervals."""
        return True

    @property
    def looks_at_labels(self) -> bool:
        """Whether preparing depends on the labels of rows."""
        return False

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        """This family with everything fixed that counting needs, chosen from a sample of rows."""
        return self

    @property
    def reason(self) -> str:
        """How that was chosen, as text."""
        return ""

    def reads_of(self, column: str) -> pa.DataType | None:
        """The type to read one of its columns as from a file without types."""
        return self.reads

    def missing(self, cells: Any) -> Mask:
        """Which of the encoded cells are missing; those of a block, if all of its columns are."""
        if isinstance(cells, np.ndarray):
            return np.isnan(cells) if cells.dtype.kind == "f" else np.asarray(cells < 0)
        return is_missing(cells)

    def gaps(self, cells: Any) -> Mask:
        """Which of the encoded cells are missing, [row, column of the block]."""
        return self.missing(cells)[:, None]

    @abstractmethod
    def tally(self, cells: Any, rows: Rows) -> AnyTally:
        """Encoded cells → their sums by class."""

    def blurred(self, cells: Any) -> str | None:
        """What rounding hides in cells like these, and what to do; None if it hides little."""
        return None

    def kept(self, cells: Any) -> Any:
        """Encoded cells prepared for being counted repeatedly in shares, as EM does."""
        return cells

    def tally_each(self, columns: Sequence[Any], rows: Rows) -> Sequence[AnyTally]:
        """The same for several columns of this family; by default one after another."""
        return [self.tally(cells, rows) for cells in columns]

    def table_size(self, classes: int) -> int:
        """The size in bytes of a tally of this many classes, if that is large even for few rows; otherwise 0."""
        return 0

    @abstractmethod
    def believe(self, tally: Any, classes: Sequence[Key]) -> Belief:
        """From sums to a belief about these classes."""

    def believe_each(self, tallies: Sequence[Any], classes: Sequence[Key]) -> list[Belief]:
        """The same for several columns of this family; by default one after another."""
        return [self.believe(tally, classes) for tally in tallies]

    def believe_after(self, before: Belief, tally: Any, classes: Sequence[Key]) -> Belief | None:
        """The same, updated from the belief before the tally changed; None if that is no faster."""
        return None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the pieces of evidence, if each has its own weight; empty for most families."""
        return ()

    def left_out_parts(self, tally: Any, classes: Sequence[Key], cells: Any, rows: Rows) -> Floats:
        """The evidence of cells that were counted, each scored by the sums without it: [row, class, part]."""
        return self.left_out(tally, classes)(cells, rows)[:, :, None]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The parts of this family that a file stores as arrays; see `with_arrays`."""
        return {}

    def with_arrays(self, prefix: str, arrays: dict[str, NDArray[Any]]) -> Self:
        """This family as read from a file's text, completed by its arrays, which are removed from `arrays`."""
        return self

    def fit_left_out(self, tally: Any, cells: Any, rows: Rows, classes: Sequence[Key]) -> tuple[Self, Floats | None]:
        """This family with its settings fitted on these rows, left out of the tally that counted them; and the evidence
        of each when left out: [row, class]. None if the rows should be left out fold by fold instead."""
        return self, None

    @property
    def pieces_left_out(self) -> int:
        """How many numbers that computes for each row and class."""
        return 0

    @property
    def steady(self) -> Self:
        """This family with beliefs that rows counted more than once cannot mislead; itself for most families."""
        return self

    @property
    def eager(self) -> Self:
        """The family whose steady form this is, or this family. Weighing starts from it, whatever it chose before."""
        return self

    def evidence_without(self, tallies: Sequence[Any], columns: Sequence[Any], folds: LeftOutFolds) -> list[Floats]:
        """For each of several columns the evidence of cells that were counted, each by the integer sums without its
        fold: [class, row], centred over the classes and clipped as if it were weighed."""
        raise TypeError(f"{type(self).__name__} leaves out no folds by itself.")

    def left_out(self, tally: Any, classes: Sequence[Key]) -> LeftOut:
        """A function that scores cells that were counted, each by the sums without it; `stays` says what is not left
        out."""
        return one_by_one(self, tally, classes)

    def settled(self, belief: Any) -> Self:
        """The family that EM scores with, given the belief from all rows: parameters are estimated, and everything else
        that depends on the counts is held fixed."""
        return self

    def log_prior(self, tally: Any, classes: Sequence[Key], belief: Any) -> float:
        """What EM adds to the log-likelihood: the log density of the prior (up to a constant) at the parameters that a
        settled family scores with. They maximise the sum of both."""
        return 0.0

    @property
    def stays(self) -> str | None:
        """What this family chooses from all rows, and `left_out` keeps; None for most."""
        return None

    def empty(self) -> AnyTally:
        """The tally of no rows."""
        return Tally.empty(self.fields())

    def takes(self, slots: Sequence[Any]) -> bool:
        """Whether these are slots of this family's tallies."""
        return all(isinstance(slot, str) for slot in slots)

    def present(self, tally: Any, classes: Sequence[Key]) -> Exact:
        """The number of cells counted in each of these classes."""
        return tally.read(None, classes)["n"].sum(axis=0)

    def impossible(self, tally: Any, touched: Any) -> str | None:
        """Why these sums cannot have come from any rows, or None; only the cells of the touched tally are checked."""
        return self.refusal(tally.touched(touched))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        """The same for single cells."""
        if cells["n"].is_below(TRACE).any():
            return "a count would be negative"
        empty = cells["n"].is_zero()
        if any((empty & ~sums.is_zero()).any() for sums in cells.values()):
            return "a sum would remain although its count is zero"
        return None

    def discord(self, tally: Any, classes: Sequence[Key]) -> str | None:
        """Why cells that are possible separately cannot have come from the same rows, or None."""
        return None

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        """What is counted; families for which this is equal can use each other's counts."""
        declared = settings_of(type(self))
        return self.statistics(), {name: value for name, value in self.settings().items() if declared[name].counting}

    def counts_to_json(self) -> list[Any]:
        """The same as JSON."""
        declared, (statistics, settings) = settings_of(type(self)), self.counts
        return [statistics, {name: declared[name].to_json(value) for name, value in settings.items()}]

    @classmethod
    def statistics(cls) -> str:
        """The name of the statistics kept, by default this family's own."""
        return cls.__name__

    def fields(self) -> tuple[str, ...]:
        """The names of the sums in this family's tallies; one is always `n`, the count or weight."""
        return ("n",)

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Family:
        name = entry["family"]
        if name not in FAMILIES:
            raise ValueError(f"there is no family {name!r}; if it is yours, register it: FAMILIES[{name!r}] = {name}")
        declared = settings_of(FAMILIES[name])
        given = entry["settings"].items()
        return FAMILIES[name](**{k: declared[k].from_json(v) if k in declared else v for k, v in given})

    def level_named(self, text: str) -> str:
        """The text under which a level named in a prior is counted; a `ValueError` if cells cannot have it."""
        return text

    @property
    def brief(self) -> str:
        """The family as text, shortened for lists."""
        return repr(self)

    def difference(self, other: Family) -> str:
        """How their counts differ beyond their settings, and what to do."""
        return ""


FAMILIES: dict[str, type[Family]] = {}  # by the names that text and model files use
