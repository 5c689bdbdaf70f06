"""Decision regions: which class a model decides for as one or two columns vary and nothing else is known, and how often
it expects to be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.matching import MISSING
from tallybayes.model import decide
from tallybayes.model.model import Model
from tallybayes.model.possible_values import values_of
from tallybayes.model.shapes import DRAWN, LEVELS, NUMBERS, TAIL, Shape, shape
from tallybayes.schema.entries import Name

SIDE = 161  # points per axis of a grid in two columns


@dataclass(frozen=True, eq=False)
class Line:
    """One column: its shape in the classes, P(class) and P(class | x), the decision at every x, and the total
    probability of error, ∫ Σ P(other classes | x) p(x) dx, over all x, shown or not."""

    shape: Shape
    prior: Floats
    posterior: Floats  # [class, x]
    decision: Sequence[int]  # indices of classes
    error: float

    @property
    def joint(self) -> Floats:
        """P(class) · p(x | class)."""
        return self.prior[:, None] * self.shape.p


def line(
    model: Model, column: Name, *, costs: Any = None, span: tuple[float, float] | None = None, mass: float = 0.95
) -> Line:
    """The decision regions of one column. For another prior, give `model.believing(prior=…)`.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny"] * 3 + ["rain"] * 3}
    >>> model = Model.train({"outlook": Categorical(alpha=0)}, frame, ["no", "no", "yes", "yes", "yes", "no"])
    >>> round(line(model, "outlook").error, 3)
    0.333
    """
    found = shape(model, column, span=span, mass=mass)
    prior = np.exp(model.beliefs().prior)
    joint = prior[:, None] * found.p
    total = joint.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior = np.where(total > 0, joint / total, prior[:, None])
    matrix = None if costs is None else decide.cost_matrix(found.classes, costs)
    decision = decide.decide(posterior.T, matrix)
    return Line(found, prior, posterior, decision.tolist(), _error(model, column, prior, matrix))


def _error(model: Model, column: Name, prior: Floats, costs: Floats | None) -> float:
    """The total probability of error over all values, shown or not; NaN if they are not known."""
    known, name = model.beliefs(), model.schema.entry(column)
    values = values_of(known.schema.columns[name], known.counted[name], len(prior))
    if values is None:
        return np.nan
    with np.errstate(divide="ignore"):
        logs = np.log(prior)
    scores = logs[:, None] + known.counted[name].evidence_for(values.cells, len(prior))
    others = decide.probabilities(scores, logs).T
    others[np.arange(len(others)), decide.decide(others, costs)] = 0.0
    return float(prior @ np.exp(values.logs) @ others.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Plane:
    """Two columns: P(class | x, y), [class, y, x], with all others missing or as `given`."""

    columns: tuple[str, str]
    classes: Sequence[Any]
    x: Sequence[Any]
    y: Sequence[Any]
    kinds: tuple[str, str]
    posterior: Floats
    given: Mapping[str, Any]

    @property
    def decision(self) -> Any:
        """The index of the most probable class, [y, x]."""
        return self.posterior.argmax(axis=0)


def plane(
    model: Model,
    one: str,
    other: str,
    *,
    given: Mapping[str, Any] | None = None,
    spans: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None),
) -> Plane:
    """The decision regions of two columns."""
    columns, known = model.schema.by_column, dict(given or {})
    for name in (one, other, *known):
        if name not in columns:
            raise ValueError(f"The model has no column {name!r}; it has {', '.join(map(repr, columns))}.")
    if one == other or {one, other} & known.keys():
        raise ValueError(f"{one!r} and {other!r}: give two different columns, neither of which is given.")
    (kind_x, x), (kind_y, y) = (_axis(model, name, span) for name, span in zip((one, other), spans, strict=True))
    across, up = np.meshgrid(np.arange(len(x)), np.arange(len(y)))
    cells = {one: pa.array(x).take(pa.array(across.ravel())), other: pa.array(y).take(pa.array(up.ravel()))}
    cells |= {name: pa.array([value] * across.size) for name, value in known.items()}
    posterior = model.posterior(pa.table(cells), absent=MISSING)
    return Plane((one, other), model.classes, x, y, (kind_x, kind_y), posterior.T.reshape(-1, len(y), len(x)), known)


def _axis(model: Model, name: str, span: tuple[float, float] | None) -> tuple[str, Any]:
    """The kind of a column, and the values to evaluate: from its shape, or in a block from rows that are drawn."""
    if model.schema.entry(name) == name:
        found = shape(model, name, span=span)
        return found.kind, _thinned(found)
    if span is not None:
        return NUMBERS, np.linspace(*span, SIDE)
    drawn = model.believing(prior="uniform").sample(DRAWN, seed=0).rows[name].drop_null()
    if pa.types.is_string(drawn.type):
        return LEVELS, sorted(drawn.unique().to_pylist())
    low, high = np.quantile(drawn.to_numpy(zero_copy_only=False), [TAIL, 1.0 - TAIL])
    return NUMBERS, np.linspace(low, high if high > low else low + 1.0, SIDE)


def _thinned(found: Shape) -> Any:
    if found.kind == LEVELS or len(found.x) <= SIDE:
        return found.x
    if found.kind == NUMBERS:
        return np.linspace(found.x[0], found.x[-1], SIDE)
    return found.x[:: len(found.x) // SIDE + 1]
