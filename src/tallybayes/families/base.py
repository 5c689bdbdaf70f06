"""What a family is: one kind of column, what to count of it, and what the counts say about a new value.

`Family` is a frozen set of settings. `Family.tally` turns cells into a `Tally`; `Family.believe` turns a tally into a
`Belief`, which scores new cells. No family writes any arithmetic of models: that is in `tally` and `exact`.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells
from tallybayes.data.fingerprints import Marks
from tallybayes.families.belief import (
    MANY_PARTS,
    Belief,
    Free,
    NotLinearError,
    Part,
    Scorer,
    Terms,
    Unmet,
    WordWeight,
    by_class,
    heaviest,
    log_odds,
)
from tallybayes.families.left_out import LeftOut, one_by_one
from tallybayes.families.numbers.support import Support
from tallybayes.families.settings import settings_of

__all__ = [
    "FAMILIES",
    "MANY_PARTS",
    "Belief",
    "Family",
    "Free",
    "NotLinearError",
    "Part",
    "Scorer",
    "Terms",
    "Unmet",
    "WordWeight",
    "by_class",
    "heaviest",
    "log_odds",
]


@dataclass(frozen=True, kw_only=True)
class Family(ABC):
    """One kind of column. Its settings are fields that `setting` declares; those that are `counting` decide what is
    counted, and all others can be changed later."""

    takes_vectors: ClassVar[bool] = False  # whether cells are rows of a matrix
    takes_blocks: ClassVar[bool] = False  # whether several columns are counted together
    takes_shares: ClassVar[bool] = False  # whether `tally` counts a row in several classes without being given it again
    is_text: ClassVar[bool] = False  # whether cells are texts made of words
    support: ClassVar[Support | None] = None  # which numbers cells are, if they are numbers
    reads: ClassVar[pa.DataType | None] = pa.string()  # as what cells are best read from a file that has no types

    def __post_init__(self) -> None:
        for name, declared in settings_of(type(self)).items():
            object.__setattr__(self, name, declared.kept(self, name, getattr(self, name)))

    @abstractmethod
    def encode(self, cells: Cells) -> Any:
        """Cells in the form that this family counts and scores; sliceable."""

    def over(self, columns: tuple[str, ...]) -> Self:
        """This family as it counts these columns of a schema: one, unless it is a family of blocks."""
        if len(columns) > 1:
            raise ValueError(
                f"{type(self).__name__} counts one column, not the block {columns!r}. Give each column a family of its "
                "own, or the block one that counts several together, as Correlated()."
            )
        return self

    @property
    def is_prepared(self) -> bool:
        """Whether all is settled that must be before anything is counted: which intervals there are, say."""
        return True

    @property
    def looks_at_labels(self) -> bool:
        """Whether that is chosen by the labels of rows."""
        return False

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        """This family with what must be settled before counting, chosen from a sample of rows."""
        return self

    @property
    def reason(self) -> str:
        """What is to be said about how that was chosen."""
        return ""

    def reads_of(self, column: str) -> pa.DataType | None:
        """As what the cells of one of its columns are best read from a file that has no types."""
        return self.reads

    def missing(self, cells: Any) -> NDArray[np.bool_]:
        """Which of the encoded cells are missing."""
        if isinstance(cells, np.ndarray):
            return np.isnan(cells) if cells.dtype.kind == "f" else np.asarray(cells < 0)
        return np.array([cell is None for cell in cells]) if type(cells) is list else np.asarray(cells.is_null())

    @abstractmethod
    def tally(self, cells: Any, rows: Rows) -> AnyTally:
        """Encoded cells → their sums by class."""

    def kept(self, cells: Any) -> Any:
        """Encoded cells that are to be counted again and again, in shares: with what need not be worked out again."""
        return cells

    def tally_each(self, columns: Sequence[Any], rows: Rows) -> Sequence[AnyTally]:
        """The same for several columns of this family: one after the other, unless there is better."""
        return [self.tally(cells, rows) for cells in columns]

    def table_size(self, classes: int) -> int:
        """How many bytes a tally of so many classes takes, where that is much whatever it counts."""
        return 0

    @abstractmethod
    def believe(self, tally: Any, classes: Sequence[Key]) -> Belief:
        """Sums → what they say about these classes."""

    def believe_each(self, tallies: Sequence[Any], classes: Sequence[Key]) -> list[Belief]:
        """The same for several columns of this family: one after the other, unless there is better."""
        return [self.believe(tally, classes) for tally in tallies]

    def believe_after(self, before: Belief, tally: Any, classes: Sequence[Key]) -> Belief | None:
        """The same from what was believed before the tally was changed; nothing, if that is no quicker."""
        return None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of several things that are said of a row, where each is weighed by itself; none, for most."""
        return ()

    def left_out_parts(self, tally: Any, classes: Sequence[Key], cells: Any, rows: Rows) -> Floats:
        """What is said of cells that were counted, each by the sums without it: [row, class, part]."""
        raise TypeError(f"{type(self).__name__} says one thing of a row.")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file holds of this family as arrays, and not as text; see `with_arrays`."""
        return {}

    def with_arrays(self, prefix: str, arrays: dict[str, NDArray[Any]]) -> Self:
        """This family, read from a file's text, with its arrays, which are taken from those given."""
        return self

    def fit_left_out(
        self, tally: Any, cells: Any, rows: Rows, classes: Sequence[Key], copies: Marks | None = None
    ) -> tuple[Self, Floats | None]:
        """This family with those beliefs that are fitted on left-out rows: these, which the tally has counted; and what
        it says of each without it: [row, class]. Nothing, where the rows are to be left out and believed without, some
        at a time. Rows of the same number in `copies` are left out together."""
        return self, None

    @property
    def prior_weight(self) -> float:
        """What the classes' prior should count for, where this column is the only one."""
        return 1.0

    def left_out(self, tally: Any, classes: Sequence[Key]) -> LeftOut:
        """How to score cells that were counted, each by the sums without it; `stays` says what is not left out."""
        return one_by_one(self, tally, classes)

    def settled(self, belief: Any) -> Self:
        """This family as EM scores by it, given what it believes of all rows: parameters are estimated, and whatever
        else is worked out from the counts stays as it is."""
        return self

    def log_prior(self, tally: Any, classes: Sequence[Key], belief: Any) -> float:
        """What EM adds to the log-likelihood: the log density of the prior at the parameters that a settled family
        scores with, whose maximum they are, but for a constant."""
        return 0.0

    @property
    def stays(self) -> str | None:
        """What this family chooses from all rows, and `left_out` keeps as it is; nothing, for most."""
        return None

    def empty(self) -> AnyTally:
        """The tally of no rows."""
        return Tally.empty(self.fields())

    def takes(self, slots: Sequence[Any]) -> bool:
        """Whether these are slots of this family's tallies."""
        return all(isinstance(slot, str) for slot in slots)

    def present(self, tally: Any, classes: Sequence[Key]) -> Exact:
        """How many cells of each of these classes were counted."""
        counted = Tally(tally.classes, [""], {"n": tally.sums["n"].sum(axis=0)[None]})
        return counted.aligned([""], classes).sums["n"][0]

    def impossible(self, tally: Any, touched: Any) -> str | None:
        """Why these sums cannot have come from any rows, or nothing; looking at the cells that the other tally has."""
        return self.refusal(tally.touched(touched))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        """The same for single cells."""
        if cells["n"].is_below(TRACE).any():
            return "a count would go below zero"
        empty = cells["n"].is_zero()
        if any((empty & ~sums.is_zero()).any() for sums in cells.values()):
            return "a sum would be left where nothing is counted any more"
        return None

    def discord(self, tally: Any, classes: Sequence[Key]) -> str | None:
        """Why cells that are possible one by one cannot have come from the same rows, or nothing."""
        return None

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        """What is counted; families that agree in this can take over each other's counts."""
        declared = settings_of(type(self))
        return self.statistics(), {name: value for name, value in self.settings().items() if declared[name].counting}

    def counts_to_json(self) -> list[Any]:
        """The same as JSON has it."""
        declared, (statistics, settings) = settings_of(type(self)), self.counts
        return [statistics, {name: declared[name].to_json(value) for name, value in settings.items()}]

    @classmethod
    def statistics(cls) -> str:
        """The name of the statistics kept, by default this family's own."""
        return cls.__name__

    def fields(self) -> tuple[str, ...]:
        """The names of the sums in this family's tallies; `n`, how many or how much, is always one."""
        return ("n",)

    def settings(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}

    def beliefs(self) -> set[str]:
        """The names by which settings can be changed."""
        return set(self.settings())

    def defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in dataclasses.fields(self) if field.init}

    def to_json(self) -> dict[str, Any]:
        """As JSON has it: what a file and a schema hold of a family."""
        declared, defaults = settings_of(type(self)), self.defaults()
        kept = {k: v for k, v in self.settings().items() if not declared[k].later or v != defaults[k]}
        settings = {name: declared[name].to_json(value) for name, value in kept.items()}
        return {"family": type(self).__name__, "settings": settings}

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Family:
        name = entry["family"]
        if name not in FAMILIES:
            raise ValueError(f"there is no family {name!r}; if it is your own, write FAMILIES[{name!r}] = {name} first")
        declared = settings_of(FAMILIES[name])
        given = entry["settings"].items()
        return FAMILIES[name](**{k: declared[k].from_json(v) if k in declared else v for k, v in given})

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """This family with those of the settings that it has."""
        own = self.defaults().keys()
        return replace(self, **{name: value for name, value in settings.items() if name in own})

    def level_named(self, text: str) -> str:
        """The text under which a level that a prior names is counted; a `ValueError`, if cells cannot have it."""
        return text

    def __repr__(self) -> str:
        return self.shown()

    def shown(self, without: Collection[str] = ()) -> str:
        """For people: settings that are too long to read may be left away."""
        defaults = self.defaults()
        listed = (f"{k}={v!r}" for k, v in self.settings().items() if v != defaults[k] and k not in without)
        return f"{type(self).__name__}({', '.join(listed)})"

    @property
    def brief(self) -> str:
        """The same, as lists have it."""
        return repr(self)

    def difference(self, other: Family) -> str:
        """Where their counts differ, and what to do, beyond what their settings say."""
        return ""


FAMILIES: dict[str, type[Family]] = {}  # by name: those that texts and files may speak of
