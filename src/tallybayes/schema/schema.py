"""Which family counts which column or block of columns, and the prior of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

import tallybayes
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows
from tallybayes.data.errors import CellError
from tallybayes.data.matching import matched, named
from tallybayes.data.one_row import Row
from tallybayes.families import Family
from tallybayes.schema.as_json import schema_to_json, settings_from_json
from tallybayes.schema.class_prior import FREQUENCIES, Prior, checked_prior, is_given, log_prior
from tallybayes.schema.compatible import changed, check_same_counts
from tallybayes.schema.entries import (
    MOST_COLUMNS,
    Name,
    briefly,
    check_apart,
    check_distinct,
    check_family,
    checked_name,
    found,
    joined,
    members,
    shared_column,
    title,
)
from tallybayes.schema.infer.dependence import NONE, check_dependence
from tallybayes.schema.infer.inferred import AS_GIVEN as AS_GIVEN
from tallybayes.schema.infer.inferred import inferred
from tallybayes.schema.weights import Weights, as_weights


class Schema:
    """Column → family, the prior of the classes, and the name of the label column, if there is one.

    A tuple of names is a block: columns that one family counts together, because they are not independent.

    `prior` is "frequencies" (as counted), "uniform", a number α ≥ 0 added to every class's count, or a number per
    class: probabilities, which add up to 1, or pseudo-counts, as in `{"ham": 2, "spam": 5}`; if none is above 1, write
    them as `Dirichlet({"ham": 0.5, "spam": 0.5})`. The share of a class without rows goes to the others, with a
    warning. `label` is the column of the labels if none are given. `weights` are the weights of each column's evidence;
    without them, all are 1.

    >>> from tallybayes import Categorical, Gaussian
    >>> Schema({"outlook": Categorical(), "temperature": Gaussian()})
    outlook      Categorical()
    temperature  Gaussian()
    (class)      frequencies
    >>> from tallybayes import Correlated
    >>> Schema({("height", "weight"): Correlated(), "colour": Categorical()})
    height, weight  Correlated()
    colour          Categorical()
    (class)         frequencies
    """

    def __init__(
        self,
        columns: Mapping[Any, Family],
        *,
        prior: Prior = FREQUENCIES,
        label: str | None = None,
        reasons: Mapping[Name, str] | None = None,
        weights: Weights | Mapping[Any, Any] | None = None,
        components: pa.DataType | None = None,
    ) -> None:
        if not isinstance(columns, Mapping):
            raise TypeError(
                "A schema needs a mapping from columns to families, like {'age': Gaussian()}, not a "
                f"{type(columns).__name__}. Schema.infer(frame) chooses families."
            )
        for name, family in columns.items():
            check_family(name, family)
        names = {given: checked_name(given) for given in columns}
        check_distinct(names.values())
        self.columns = {names[given]: family.over(members(names[given])) for given, family in columns.items()}
        alone = {name: family for name, family in self.columns.items() if isinstance(name, str)}
        self.by_column = {each: family for name, family in self.columns.items() for each in members(name)} | alone
        self.prior = checked_prior(prior)
        if label is not None:
            checked_name(label)
            check_apart(self.by_column, label=label)
        self.label = label
        self.reasons = dict(reasons or {})  # why a column has its family, or was left out
        self.weights = as_weights(weights)
        if self.weights is not None:
            self.weights.check(self.columns)
        self.components = components  # the type of the class labels, if components are counted: see `Mixture`

    def entry(self, name: Any) -> Name:
        """Finds a column or block by its name, or by a column in the block."""
        entry = found(name, self.columns)
        if entry is None:
            has = ", ".join(map(repr, self.columns)) or "none"
            raise ValueError(f"There is no column {name!r}; there are {has}.")
        return entry

    @classmethod
    def infer(
        cls,
        data: Any,
        label: Any = None,
        *,
        hints: Mapping[Any, Family | None] | None = None,
        prior: Prior = FREQUENCIES,
        whole: bool = True,
        choose: bool = False,
        dependence: str = NONE,
        weights: Any = None,
    ) -> Schema:
        """Chooses a family for every column but the label, from its type and a sample of its values.

        `data` is a frame, or a source, none of whose rows is consumed; `label` is the name of the label's column, or
        the labels of a frame themselves. `hints` give columns or blocks a family, or None to leave them out. If `data`
        is not the `whole` table, columns that do not vary in it are counted anyway. With `choose`, several families are
        tried for each numeric column, and the one with the lowest held-out log-loss of that column alone is taken; it
        may reject a later number, as LogNormal rejects zero. With `dependence="auto"`, numeric and categorical columns
        are also counted together, by `Trees` and `Pairs`; such a model must be weighed before it is asked.
        `weights` are those of a frame's rows: two is the same as having the row twice.

        >>> Schema.infer({"wind": ["weak", "strong"], "mph": [3.5, 20.25], "day": [1, 2]}, hints={"day": None})
        wind     Categorical(alpha='fitted')  text, 2 levels in 2 cells
        mph      Gaussian()                   numbers from 3.5 to 20.25
        day      left out                     as given
        (class)  frequencies
        """
        check_dependence(dependence)
        found = inferred(data, label, hints or {}, whole, choose, dependence, weights)
        return cls(found.columns, prior=prior, label=found.label, reasons=found.reasons)

    @cached_property
    def by_family(self) -> list[tuple[Family, list[Name]]]:
        """Columns grouped by family: those of one family are processed together."""
        same: dict[int, list[Name]] = {}
        for name, family in self.columns.items():  # mostly the same object: identity is quicker than equality
            same.setdefault(id(family), []).append(name)
        groups: dict[Any, list[Name]] = {}
        for names in same.values():
            try:
                groups.setdefault(self.columns[names[0]], []).extend(names)
            except TypeError:  # a setting without a hash, like an alpha per level
                groups[names[0]] = names
        return [(self.columns[names[0]], names) for names in groups.values()]

    def reads(self) -> dict[str, pa.DataType | None]:
        """The type to read each column as from a file without types; None for vectors, which no such file has."""
        return {column: family.reads_of(column) for column, family in self.by_column.items()}

    @cached_property
    def numeric(self) -> frozenset[str]:
        """The columns whose cells are numbers, even if they are written as text."""
        return frozenset(column for column, kind in self.reads().items() if kind == pa.float64())

    @cached_property
    def is_prepared(self) -> bool:
        """Whether everything that must be fixed before counting is fixed."""
        return all(family.is_prepared for family in self.columns.values())

    def prepared(self, cells: pa.RecordBatch, rows: Rows) -> Schema:
        """The same with everything fixed that counting needs, chosen from a sample of rows; see `prepare`."""
        found = matched(cells, self.by_column)
        columns = {name: family.prepared(joined(name, found), rows) for name, family in self.columns.items()}
        told = {name: family.reason for name, family in columns.items() if family.reason}
        reasons = {name: "; ".join(filter(None, (self.reasons.get(name), why))) for name, why in told.items()}
        return self.changed(columns=columns, reasons={**self.reasons, **reasons})

    def changed(self, **changes: Any) -> Schema:
        """The same with some of its arguments changed."""
        given = {"columns": self.columns, "prior": self.prior, "label": self.label, "reasons": self.reasons}
        return Schema(**{**given, "weights": self.weights, "components": self.components, **changes})

    def frame(self, data: Any) -> Any:
        """Data as a frame or a stream of frames, whose columns have names."""
        return named(data, self.by_column)

    def encode(self, rows: pa.RecordBatch | Row, start: int = 0) -> dict[Name, Any]:
        """Every column's cells in the form its family counts; `start` is the number of the first row, for errors."""
        encoded = {}
        cells = matched(rows, self.by_column)
        for name, family in self.columns.items():
            try:
                encoded[name] = family.encode(cells[name] if type(name) is str else joined(name, cells))
            except CellError as error:
                raise error.located(name, start) from None
        return encoded

    def believing(self, changes: Mapping[Any, Any]) -> Schema:
        """The same columns under other beliefs: a family for a column, or a setting for all families that have it and
        take the value."""
        entries = {self.entry(name): family for name, family in changes.items() if isinstance(family, Family)}
        settings = {name: value for name, value in changes.items() if not isinstance(value, Family)}
        prior, weights = settings.pop("prior", self.prior), settings.pop("weights", self.weights)
        columns = changed(self.columns, settings) | entries
        result = self.changed(columns=columns, prior=prior, weights=weights, reasons=None)
        result.reasons = {k: why for k, why in self.reasons.items() if result.columns.get(k) == self.columns.get(k)}
        self.check_compatible(result)
        return result

    def of_classes(self, labels: Sequence[Any]) -> Schema:
        """The same without the weights of classes that are gone."""
        weights = None if self.weights is None else self.weights.only(labels)
        if weights is self.weights:
            return self
        return self.changed(weights=weights)

    def without_reasons(self) -> Schema:
        """The same without the reasons, which describe the rows it was inferred from (such as the largest number);
        these may have been forgotten."""
        left_out = dict.fromkeys((name for name in self.reasons if name not in self.columns), "")
        if self.reasons == left_out:
            return self
        return self.changed(reasons=left_out)

    def check_compatible(self, other: Schema) -> None:
        """Raises an error unless both schemas count the same: only then can counts be added, or scored by the other's
        families."""
        if self is not other:
            check_same_counts(self.columns, other.columns)
            if self.components != other.components:
                raise ValueError("One model counts classes, the other components of classes; they cannot be added.")

    @cached_property
    def _shared(self) -> tuple[str, Name, Name] | None:
        return shared_column(self.columns)

    @property
    def overlaps(self) -> bool:
        """Whether a column is evidence more than once, so that the evidence must be weighed."""
        return self._shared is not None

    def check_adds_up(self) -> None:
        """Raises an error if a column would be evidence twice without weights."""
        if self.weights is None and self._shared is not None:
            column, one, other = self._shared
            raise ValueError(
                f"Column {column!r} is in two entries of the schema, {one!r} and {other!r}, and would count twice. "
                "Weigh the evidence with weigh(model, data), or leave the column in one entry."
            )

    def log_prior(self, counts: Floats, labels: Sequence[Any]) -> Floats:
        """log P(class), from how many rows each class has: along the last axis, if there are several such counts."""
        return log_prior(self.prior, counts, labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return False
        mine, theirs = ((s.columns, s.prior, s.label, s.weights, s.components) for s in (self, other))
        return mine == theirs

    def described(self) -> list[tuple[str, str, str]]:
        """Each entry, its family and the reason; columns that were left out come last."""
        rows = [
            (title(name), family.brief + self.weight_text(name), self.reasons.get(name, ""))
            for name, family in self.columns.items()
        ]
        return rows + [(title(name), "left out", why) for name, why in self.reasons.items() if name not in self.columns]

    def weight_text(self, name: Name | None = None) -> str:
        """The weight of an entry, or of the frequencies of the classes, as text; empty without weights."""
        weight = "" if self.weights is None else f" × {self.weights.shown(name)}"
        return f" (frequencies{weight})" if weight and name is None and is_given(self.prior) else weight

    def __getstate__(self) -> dict[str, Any]:
        """Cached values are not pickled: equal schemas are equal bytes."""
        return {name: value for name, value in vars(self).items() if not hasattr(type(self), name)}

    def _repr_html_(self) -> str:
        return tallybayes.report_on(self)._repr_html_()

    def __repr__(self) -> str:
        every = self.described()
        rows = every[:MOST_COLUMNS]
        if more := len(every) - len(rows):
            rows.append((f"… and {more:,} more", "", ""))
        where = "" if self.label is None else f"column {self.label!r}"
        about = "; ".join(filter(None, [where, "each of several components" * (self.components is not None)]))
        prior = self.prior if isinstance(self.prior, str) else f"prior {self.prior!r}"
        rows.append(("(class)", prior + self.weight_text(), about))
        rows = [(briefly(name), family, why) for name, family, why in rows]
        wide = max(len(name) for name, _, _ in rows)
        middle = max(len(family) for _, family, why in rows if why) if any(why for *_, why in rows) else 0
        return "\n".join(f"{name:{wide}}  {family:{middle}}  {why}".rstrip() for name, family, why in rows)

    def to_json(self) -> dict[str, Any]:
        """The schema as JSON, columns and classes sorted: equal schemas have equal texts."""
        return schema_to_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], arrays: dict[str, Any] | None = None) -> Schema:
        """A schema from JSON and the arrays beside it; those that belong to it are removed from `arrays`."""
        return cls(**settings_from_json(data, arrays))
