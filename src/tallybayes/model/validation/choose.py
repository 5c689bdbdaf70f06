"""Beliefs chosen by how probable they make held-out rows: the counts stay, and are read in several ways."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from tallybayes.data.matching import ERROR
from tallybayes.model.evaluation import Losses, losses_of
from tallybayes.model.model import Model
from tallybayes.model.reported import Reported
from tallybayes.model.validation.dealing import Deal, Given
from tallybayes.model.validation.folds import Folds, counted_folds
from tallybayes.model.validation.held_out import HeldOut, Opened, given_again, hold_out
from tallybayes.schema import Schema

SWEEPS = 5  # over all settings, at most
USUAL = {"alpha": (0.01, 0.1, 0.5, 1.0, "fitted")}  # what is tried where nobody says

Candidates = Mapping[Any, Iterable[Any]]
Scored = Callable[[Mapping[Any, Schema]], Mapping[Any, Losses]]


class Trial(NamedTuple):
    """A value of a setting, or a family of a column, with all else as it was best at that time."""

    setting: Any
    value: Any
    log_loss: float  # the mean over held-out rows in which the truth was possible
    standard_error: float
    impossible: int  # the other rows
    better: bool  # than all before


@dataclass(frozen=True, eq=False, repr=False)
class Chosen(Reported):
    """`model` is the one that was given, under the best `beliefs` that were found: what `Model.believing` takes, to be
    changed in this order. `start` is the loss without them, and `tried` all that was tried.

    The best of several losses is a little too good, since it was chosen on the same rows."""

    model: Model
    beliefs: Mapping[Any, Any]
    start: Trial
    tried: tuple[Trial, ...]

    @property
    def log_loss(self) -> float:
        """That of the model that was chosen."""
        return next((trial.log_loss for trial in reversed(self.tried) if trial.better), self.start.log_loss)


def choose(
    model: Model,
    data: Any,
    labels: Any = None,
    candidates: Candidates | None = None,
    *,
    k: int = 10,
    groups: Any = None,
    stratify: bool = True,
    seed: int = 0,
    weights: Any = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Chosen:
    """The same counts under the beliefs that make held-out rows most probable. `data` and `labels` are rows that the
    model has counted, all or some of them; they are dealt to k folds (see `folds`), and each fold is scored by the
    model minus that fold. Nothing is trained again, and the model is left as it was.

    `candidates` are values by setting, as `{"alpha": [0.1, 1.0, "fitted"], "prior": ["frequencies", "uniform"]}`, or
    families by column or block, as `{"temp": [Histogram(), Density()]}`, which must count the same; without any, some
    values of alpha are tried. Settings are taken one after the other, again and again until none gets better: that is
    never worse than the start, and need not be the best of all combinations. Lower is better: first the number of rows
    in which the truth was impossible, then the log-loss of the others.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "yes"] * 10)
    >>> choose(model, frame, ["no", "yes"] * 10, {"alpha": [1.0, 0.1, 10.0]}).beliefs
    {'alpha': 0.1}
    """
    opened, checked = Opened(data), checked_candidates(model.schema, candidates)
    given = given_again(labels, weights, groups, absent)
    counted = counted_folds(model, given._replace(data=opened()), Deal(k, stratify, seed), threads)

    def scored(schemas: Mapping[Any, Schema]) -> dict[Any, Losses]:
        return losses_under(schemas, counted, given._replace(data=opened()), threads)

    return chosen_by(model, checked, scored)


def losses_under(schemas: Mapping[Any, Schema], counted: Folds, given: Given, threads: int | None) -> dict[Any, Losses]:
    """Of all held-out rows, read as each schema has it."""
    scoring = HeldOut(counted, schemas, losses_of, Losses.plus, absent=given.absent)
    return {name: reduce(Losses.plus, parts) for name, parts in hold_out(scoring, given, threads).items()}


def chosen_by(model: Model, candidates: Mapping[Any, list[Any]], scored: Scored) -> Chosen:
    """Setting after setting, as long as any of them gets better. Every pass over the rows scores all values of one."""
    schema, beliefs = model.schema, dict[Any, Any]()
    known = _quietly(scored, {_text(schema): schema})
    best = known[_text(schema)]
    start, tried = _trial(None, None, best, False), list[Trial]()
    unchanged = 0  # settings since the last that got better
    for setting in [*candidates] * SWEEPS:
        if unchanged == len(candidates):
            break
        unchanged += 1
        values = {
            _text(each): (value, each) for value in candidates[setting] for each in [schema.believing({setting: value})]
        }
        new = {text: each for text, (_, each) in values.items() if text not in known}
        known |= _quietly(scored, new) if new else {}
        for text in new:
            value, changed = values[text]
            better = _is_better(known[text], best)
            tried.append(_trial(setting, value, known[text], better))
            if better:
                best, schema, unchanged = known[text], changed, 0
                beliefs.pop(setting, None)
                beliefs[setting] = value
    return Chosen(model._reading(schema), beliefs, start, tuple(tried))


def _quietly(scored: Scored, schemas: Mapping[Any, Schema]) -> dict[Any, Losses]:
    """What is not good is not chosen, and need not be warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(scored(schemas))


def _text(schema: Schema) -> str:
    """Equal schemas are equal texts."""
    return json.dumps(schema.to_json(), sort_keys=True)


def _is_better(one: Losses, other: Losses) -> bool:
    return (one.impossible, one.mean) < (other.impossible, other.mean)


def _trial(setting: Any, value: Any, losses: Losses, better: bool) -> Trial:
    return Trial(setting, value, losses.mean, losses.standard_error, losses.impossible, better)


def checked_candidates(schema: Schema, candidates: Candidates | None) -> dict[Any, list[Any]]:
    """What is tried, if all of it can be believed of these counts."""
    if candidates is None:
        return _usual(schema)
    if not isinstance(candidates, Mapping) or not candidates:
        raise ValueError(f"candidates={candidates!r}: give values by setting, as in {{'alpha': [0.1, 1.0]}}.")
    found: dict[Any, list[Any]] = {}
    for setting, values in candidates.items():
        if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable) or not (listed := list(values)):
            raise ValueError(f"The candidates of {setting!r} are {values!r}; give a list of values.")
        found[setting] = listed
        for value in listed:
            schema.believing({setting: value})
    return found


def _usual(schema: Schema) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for setting, values in USUAL.items():
        for value in values:
            try:
                schema.believing({setting: value})
            except ValueError:
                continue
            found.setdefault(setting, []).append(value)
    if not found:
        known = ", ".join(sorted({name for family in schema.columns.values() for name in family.beliefs()}))
        raise ValueError(f"What is to be chosen? Give candidates, of {known}, a column's family or the prior.")
    return found
