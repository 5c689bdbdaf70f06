"""Beliefs chosen by held-out log-loss: the same counts are scored under several settings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.model.classifier import check_model
from tallybayes.model.evaluation import Losses, losses_of
from tallybayes.model.model import Model
from tallybayes.model.reported import Reported
from tallybayes.model.validation.dealing import Deal
from tallybayes.model.validation.folds import counted_folds
from tallybayes.model.validation.held_out import deciders_of, given_again, hold_out
from tallybayes.schema import Schema

SWEEPS = 5  # over all settings, at most
USUAL = {"alpha": (0.01, 0.1, 0.5, 1.0, "fitted")}  # tried by default

Candidates = Mapping[Any, Iterable[Any]]
Scored = Callable[[Mapping[Any, Schema]], Mapping[Any, Losses]]


class Trial(NamedTuple):
    """A value of a setting, or a family of a column, with everything else at the best found so far."""

    setting: Any
    value: Any
    log_loss: float  # mean over held-out rows whose true class was possible
    standard_error: float
    impossible: int  # the number of other rows
    better: bool  # than all before


@dataclass(frozen=True, eq=False, repr=False)
class Chosen(Reported):
    """`model` is the given one under the best `beliefs` found: arguments of `Model.believing`, to be applied in this
    order. `start` is the loss without them, and `tried` lists all trials.

    The best of several losses is a little optimistic, since it was chosen on the same rows.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "yes"] * 10)
    >>> chosen = choose(model, frame, ["no", "yes"] * 10, {"alpha": [0.1]})
    >>> chosen.beliefs, chosen.model.schema.columns["outlook"]
    ({'alpha': 0.1}, Categorical(alpha=0.1))
    """

    model: Model
    beliefs: Mapping[Any, Any]
    start: Trial
    tried: tuple[Trial, ...]

    @property
    def log_loss(self) -> float:
        """The loss of the chosen model."""
        return next((trial.log_loss for trial in reversed(self.tried) if trial.better), self.start.log_loss)


@limited
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
    values of alpha are tried. Settings are tried one after another until none improves (coordinate descent): never
    worse than the start, though not always the best of all combinations. What counts is first the number of rows whose
    true class was impossible, then the log-loss of the others.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "yes"] * 10)
    >>> choose(model, frame, ["no", "yes"] * 10, {"alpha": [1.0, 0.1, 10.0]}).beliefs
    {'alpha': 0.1}
    """
    check_model(model, Model)
    again = given_again(data, labels, weights, groups, absent)
    checked = _checked(model.schema, candidates)
    counted = counted_folds(model, again(), Deal(k, stratify, seed), threads)

    def scored(schemas: Mapping[Any, Schema]) -> dict[Any, Losses]:
        found = hold_out(counted, deciders_of(counted, schemas), losses_of, again(), threads)
        return {name: reduce(add, parts) for name, parts in found.items()}

    return _chosen_by(model, checked, scored)


def _chosen_by(model: Model, candidates: Mapping[Any, list[Any]], scored: Scored) -> Chosen:
    """One setting after another, as long as any of them improves. Each pass over the rows scores all values of one
    setting."""
    schema, beliefs = model.schema, dict[Any, Any]()
    known = _quietly(scored, {_text(schema): schema})
    best = known[_text(schema)]
    start, tried = _trial(None, None, best, False), list[Trial]()
    unchanged = 0  # settings since the last improvement
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
    """Without warnings: a candidate that deserves one is not chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(scored(schemas))


def _text(schema: Schema) -> str:
    """Equal schemas have equal texts."""
    return json.dumps(schema.to_json(), sort_keys=True)


def _is_better(one: Losses, other: Losses) -> bool:
    return (one.impossible, one.mean) < (other.impossible, other.mean)


def _trial(setting: Any, value: Any, losses: Losses, better: bool) -> Trial:
    return Trial(setting, value, losses.mean, losses.standard_error, losses.impossible, better)


def _checked(schema: Schema, candidates: Candidates | None) -> dict[Any, list[Any]]:
    """The candidates, checked: all of them must fit these counts."""
    if candidates is None:
        return _usual(schema)
    if not isinstance(candidates, Mapping) or not candidates:
        raise ValueError(f"candidates={candidates!r}: give values by setting, like {{'alpha': [0.1, 1.0]}}.")
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
        raise ValueError(f"There is nothing to choose. Give candidates for {known}, a column's family or the prior.")
    return found
