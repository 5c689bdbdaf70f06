"""The number of clusters, chosen by BIC or by held-out log-likelihood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.data import frames
from tallybayes.data.fingerprints import fingerprints
from tallybayes.data.processors import limited
from tallybayes.families import Family
from tallybayes.model.em.settings import EM
from tallybayes.model.model import Model
from tallybayes.schema.schema import Schema

BIC, HELD_OUT = "bic", "held-out"
FOLDS = 5


class Clustered(NamedTuple):
    """The result for one number of clusters."""

    clusters: int
    log_likelihood: float
    parameters: int
    bic: float  # −2 · log-likelihood + parameters · log(rows): the lower, the better
    held_out: float | None  # mean log P(row) of held-out rows, if requested


@dataclass(frozen=True)
class Clusters:
    """The result for every number of clusters that was tried, and the best model."""

    tried: tuple[Clustered, ...]
    best: Clustered
    model: Model

    def __repr__(self) -> str:
        lines = [
            f"{each.clusters:>3}  log-likelihood {each.log_likelihood:.2f}  BIC {each.bic:.2f}"
            + ("" if each.held_out is None else f"  held out {each.held_out:.4f}")
            + "  ←" * (each is self.best)
            for each in self.tried
        ]
        return "\n".join(lines)


@limited
def choose_clusters(
    schema: Schema | Mapping[Any, Family],
    data: Any,
    numbers: Iterable[int] = range(1, 9),
    *,
    by: str = BIC,
    settings: EM | None = None,
    threads: int | None = None,
) -> Clusters:
    """Clusters the rows with each of these `numbers` of clusters and chooses the best, `by` "bic" (Schwarz 1978) or by
    the log-likelihood in five-fold cross-validation ("held-out").

    >>> from tallybayes import Gaussian
    >>> x = [*np.linspace(-1, 1, 30), *np.linspace(9, 11, 30)]
    >>> choose_clusters({"x": Gaussian()}, {"x": x}, range(1, 4), settings=EM(restarts=2)).best.clusters
    2
    """
    if by not in (BIC, HELD_OUT):
        raise ValueError(f"by={by!r}: give {BIC!r} or {HELD_OUT!r}.")
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    given = settings or EM()
    table = pa.Table.from_batches(list(frames.batches(schema.frame(data))))
    found = [(_clustered(schema, table, replace(given, classes=k), by, threads)) for k in numbers]
    if not found:
        raise ValueError("There are no numbers of clusters to try; give some, like range(1, 9).")
    best = min(found, key=lambda pair: (_loss(pair[0], by), pair[0].clusters))
    return Clusters(tuple(each for each, _ in found), *best)


def _loss(tried: Clustered, by: str) -> float:
    """Rounded to a few digits, so that the lowest of equally good numbers is chosen."""
    return round(tried.bic if by == BIC or tried.held_out is None else -tried.held_out, 4)


def _clustered(schema: Schema, table: pa.Table, settings: EM, by: str, threads: int | None) -> tuple[Clustered, Model]:
    model = Model.train(schema, table, unlabelled=settings, threads=threads)
    assert model.fitted is not None
    assert isinstance(settings.classes, int)
    held_out = _held_out(schema, table, settings, threads) if by == HELD_OUT else None
    likely, free = model.fitted.log_likelihood, model.parameter_count().total
    bic = -2.0 * likely + free * np.log(max(table.num_rows, 1))
    return Clustered(settings.classes, likely, free, float(bic), held_out), model


def _held_out(schema: Schema, table: pa.Table, settings: EM, threads: int | None) -> float:
    """The mean log P(row) of each row under the model of the other folds. The fold of a row depends only on the row
    and its duplicates."""
    (whole,) = table.combine_chunks().to_batches()
    order = np.argsort(fingerprints(whole, schema.by_column, numeric=schema.numeric), kind="stable")
    fold = np.empty(len(order), np.int64)
    fold[order] = np.arange(len(order)) % FOLDS
    logs = np.full(len(order), -np.inf)
    for number in np.unique(fold).tolist():
        test, learned = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        model = Model.train(schema, whole.take(pa.array(learned)), unlabelled=settings, threads=threads)
        logs[test] = model.log_marginal(whole.take(pa.array(test)))
    return float(logs.mean())
