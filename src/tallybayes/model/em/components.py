"""How many components the classes have: by the log-loss of labelled rows that are held out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.data.labels import label_values
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.families import Family
from tallybayes.model.batches import Given
from tallybayes.model.em.fit import EMProblem
from tallybayes.model.em.folds import LEAST_ROWS, EMFolds, held_out_losses
from tallybayes.model.em.settings import CHOSEN, EM
from tallybayes.model.em.training import fitted_model, problem_of, rows_of
from tallybayes.model.mixture import Mixture
from tallybayes.schema.schema import Schema


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


@limited
def choose_components(
    schema: Schema | Mapping[Any, Family],
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
    wanted = sorted({replace(given, components=number).components for number in numbers})
    if not wanted:
        raise ValueError("There is no number of components to try; give some, as range(1, 5).")
    if given.weight == CHOSEN:
        raise ValueError("The number of components is chosen for one weight of rows without labels; give a number.")
    schema, rows = rows_of(schema, Given(data, labels, weights, absent=absent), given)
    losses: dict[int, Floats] = {}
    for number in wanted:
        how = replace(given, components=number)
        losses[number] = _losses(problem_of(schema, rows, how, threads), how)
    lowest = min(wanted, key=lambda number: float(losses[number].mean()))
    tried = tuple(_divided(number, losses[number], losses[lowest]) for number in wanted)
    best = next(each for each in tried if each.log_loss - losses[lowest].mean() <= each.standard_error)
    how = replace(given, components=best.components)
    return Components(tried, best, Mixture(fitted_model(problem_of(schema, rows, how, threads), how)))


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
