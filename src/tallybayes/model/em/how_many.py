"""How many clusters: chosen by BIC or by held-out log-likelihood. How many components per class: by the log-loss of
labelled rows that are held out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.fingerprints import fingerprints
from tallybayes.data.labels import label_values
from tallybayes.data.matching import ERROR
from tallybayes.families import Family
from tallybayes.model.batches import Given
from tallybayes.model.em.fit import EMProblem
from tallybayes.model.em.folds import FOLDS, LEAST_ROWS, EMFolds, held_out_losses
from tallybayes.model.em.settings import CHOSEN, EM
from tallybayes.model.em.training import fitted_model, problem_of, rows_of
from tallybayes.model.mixture import Mixture
from tallybayes.model.model import Model
from tallybayes.schema.schema import Schema

BIC, HELD_OUT = "bic", "held-out"


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


def choose_clusters(
    schema: Schema | Mapping[str, Family],
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
    order = np.argsort(fingerprints(whole, schema.by_column), kind="stable")
    fold = np.empty(len(order), np.int64)
    fold[order] = np.arange(len(order)) % FOLDS
    logs = np.full(len(order), -np.inf)
    for number in np.unique(fold).tolist():
        test, learned = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        model = Model.train(schema, whole.take(pa.array(learned)), unlabelled=settings, threads=threads)
        logs[test] = model.log_marginal(whole.take(pa.array(test)))
    return float(logs.mean())


class Divided(NamedTuple):
    """The log-loss of held-out rows with so many components per class."""

    components: int
    log_loss: float
    standard_error: float  # of the difference from the lowest


@dataclass(frozen=True)
class Components:
    """Every number of components that was tried, and the mixture of the best."""

    tried: tuple[Divided, ...]
    best: Divided
    mixture: Mixture

    def __repr__(self) -> str:
        lowest = min(each.log_loss for each in self.tried)
        lines = [
            f"{number:>3}  log-loss {loss:.4f}"
            + f", {loss - lowest:.4f} ± {error:.4f} above the lowest" * (loss > lowest)
            + "  ←" * (number == self.best.components)
            for number, loss, error in self.tried
        ]
        return "\n".join(lines)


def choose_components(
    schema: Schema | Mapping[str, Family],
    data: Any,
    labels: Any = None,
    numbers: Iterable[int] = range(1, 5),
    *,
    settings: EM | None = None,
    weights: Any = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Components:
    """Divides every class into each of these `numbers` of components, and keeps the fewest that are not clearly worse
    than the best: by more than the standard error of the difference between the log-losses of labelled rows, which are
    held out in five folds. Rows without labels are counted as `settings` say.

    >>> from tallybayes import Gaussian
    >>> x = [*np.linspace(-7, -5, 15), *np.linspace(-1, 1, 15), *np.linspace(5, 7, 15)]
    >>> labels = ["outside"] * 15 + ["inside"] * 15 + ["outside"] * 15
    >>> choose_components({"x": Gaussian(m=0.5)}, {"x": x}, labels, [1, 2, 3]).best.components
    2
    """
    given = settings or EM()
    wanted = sorted(set(numbers))
    if not wanted:
        raise ValueError("There is no number of components to try; give some, as range(1, 5).")
    if given.weight == CHOSEN:
        raise ValueError("The number of components is chosen for one weight of rows without labels; give a number.")
    schema, rows = rows_of(schema, Given(data, labels, weights, absent=absent), given)
    losses: dict[int, Floats] = {}
    for number in wanted:
        how = replace(given, components=number)
        losses[number] = _losses(problem_of(schema, rows, how, threads, absent), how)
    lowest = min(wanted, key=lambda number: float(losses[number].mean()))
    tried = tuple(_divided(number, losses[number], losses[lowest]) for number in wanted)
    best = next(each for each in tried if each.log_loss - losses[lowest].mean() <= each.standard_error)
    how = replace(given, components=best.components)
    return Components(tried, best, Mixture(fitted_model(problem_of(schema, rows, how, threads, absent), how)))


def _losses(problem: EMProblem, settings: EM) -> Floats:
    folds = EMFolds(problem)
    fewest = int(folds.rows.argmin())
    if folds.rows[fewest] < LEAST_ROWS:
        name = label_values(problem.class_type, [problem.rows.keys[fewest]])[0]
        raise ValueError(f"Class {name!r} has fewer than two labelled rows; holding rows out takes two of every class.")
    return held_out_losses(folds, settings, [problem.weight])[problem.weight]


def _divided(number: int, losses: Floats, lowest: Floats) -> Divided:
    apart = losses - lowest
    return Divided(number, float(losses.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart))))
