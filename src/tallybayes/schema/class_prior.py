"""The prior of the classes, in every form a user may give: checked, filed and computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import warn
from tallybayes.data.labels import key_from_json, key_to_json, kind_from_name, label_array, label_column, label_values
from tallybayes.families.posteriors import Dirichlet

FREQUENCIES = "frequencies"
UNIFORM = "uniform"
PSEUDO_COUNTS = "pseudo-counts"  # as files call them
FEW = 5  # labels named in a message

Prior = str | float | Mapping[Any, float] | Dirichlet
CheckedPrior = str | float | dict[Any, float] | Dirichlet


def checked_prior(prior: Any) -> CheckedPrior:
    """A prior in canonical form, or an error. Numbers by class that add up to 1 are probabilities. If one is above 1,
    they are pseudo-counts, as those of a `Dirichlet` always are.

    >>> checked_prior({"ham": 0.75, "spam": 0.25})
    {'ham': 0.75, 'spam': 0.25}
    >>> checked_prior({"ham": 2, "spam": 5})
    Dirichlet(alpha={'ham': 2.0, 'spam': 5.0})
    """
    if isinstance(prior, Dirichlet):
        return Dirichlet(_by_class(prior, prior.alpha))
    if isinstance(prior, Mapping):
        numbers = _by_class(prior, prior)
        if math.isclose(sum(numbers.values()), 1.0, rel_tol=1e-9):
            return numbers
        if max(numbers.values(), default=0.0) > 1.0:
            return Dirichlet(numbers)
        raise _refused(prior)
    if isinstance(prior, (int, float, np.number)) and not isinstance(prior, bool):
        if not (math.isfinite(prior) and prior >= 0):
            raise ValueError(f"prior={prior!r}: as a number, the prior must be finite and at least 0.")
        return float(prior)
    if prior not in (FREQUENCIES, UNIFORM):
        named = f"{FREQUENCIES!r}, {UNIFORM!r}"
        raise ValueError(f"prior={prior!r}: give {named}, a number, or a mapping from classes to numbers.")
    return str(prior)


def is_given(prior: CheckedPrior) -> bool:
    """Whether it is made of probabilities, which do not depend on counts."""
    return isinstance(prior, dict) or prior == UNIFORM


def log_prior(prior: CheckedPrior, counts: Floats, labels: Sequence[Any]) -> Floats:
    """log P(class) from the number of rows of each class, which is the last axis of `counts`."""
    if isinstance(prior, Mapping):
        weights = given_weights(prior, labels)
    else:
        added = pseudo_counts(prior, labels)
        weights = np.ones(len(labels)) if added is None else counts + added
        weights = np.where(weights.any(axis=-1, keepdims=True), weights, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights / weights.sum(axis=-1, keepdims=True)))


def pseudo_counts(prior: CheckedPrior, labels: Sequence[Any]) -> Floats | None:
    """What is added to each class's count; None if the prior is not made of counts."""
    if isinstance(prior, Dirichlet):
        unmet = [label for label in _unmet(prior.alpha, labels) if prior.alpha[label]]
        if unmet:
            left_out = "pseudo-counts of classes without rows are ignored"
            warn(f"The prior is {prior!r}, but {_never(unmet)}: {left_out}.")
        return np.array([prior.alpha.get(label, 0.0) for label in labels])
    if isinstance(prior, dict) or prior == UNIFORM:
        return None
    return np.full(len(labels), 0.0 if prior == FREQUENCIES else float(prior))


def counted_prior(prior: CheckedPrior, labels: Sequence[Any]) -> Floats:
    """The pseudo-counts; an error if the prior is made of probabilities."""
    found = pseudo_counts(prior, labels)
    if found is None:
        raise ValueError(f"The classes' probabilities are given ({prior!r}), not counted, so they have no posterior.")
    return found


def given_weights(prior: Mapping[Any, float], labels: Sequence[Any]) -> Floats:
    """The given prior of the classes that have rows. A warning says if it names others."""
    unmet = _unmet(prior, labels)
    unknown = [label for label in labels if label not in prior]
    if unknown:
        hint = f", and {_never(unmet)}. Correct the labels of the prior" if unmet else ". Add it to the prior"
        raise ValueError(f"The prior gives no probability for class {unknown[0]!r}; it has {prior!r}{hint}.")
    weights = np.array([float(prior[label]) for label in labels])
    if labels and not weights.any():
        raise ValueError(
            f"The prior {prior!r} makes every class that has rows impossible. Give one a probability above 0."
        )
    lost = sum(prior[label] for label in unmet)
    if lost:
        share = f"a share of {lost:.6g} goes to the other classes in proportion"
        warn(f"The prior is {prior!r}, but {_never(unmet)}: {share}.")
    return weights


def _unmet(named: Mapping[Any, float], labels: Sequence[Any]) -> list[Any]:
    met = set(labels)
    return [label for label in named if label not in met]


def _never(unmet: Sequence[Any]) -> str:
    names = ", ".join(map(repr, unmet[:FEW])) + ", …" * (len(unmet) > FEW)
    return f"no row has the class {names}" if len(unmet) == 1 else f"no row has one of the classes {names}"


def prior_to_json(prior: CheckedPrior) -> Any:
    if isinstance(prior, Dirichlet):
        return {PSEUDO_COUNTS: numbers_to_json(prior.alpha)}
    return numbers_to_json(prior) if isinstance(prior, dict) else prior


def prior_from_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) != {PSEUDO_COUNTS}:
            raise ValueError(f"there is no prior {value!r}")
        return Dirichlet(numbers_from_json(value[PSEUDO_COUNTS]))
    return numbers_from_json(value) if isinstance(value, list) else value


def _by_class(prior: Any, numbers: Mapping[Any, Any]) -> dict[Any, float]:
    fine = (isinstance(p, (int, float, np.number)) and math.isfinite(p) and p >= 0 for p in numbers.values())
    if not numbers or not all(fine):
        raise _refused(prior)
    shares = {k.item() if isinstance(k, np.generic) else k: float(p) for k, p in numbers.items()}
    numbers_to_json(shares)  # an error if the labels are not of one type
    return shares


def _refused(prior: Any) -> ValueError:
    return ValueError(
        f"prior={prior!r}: give every class a probability of at least 0, adding up to 1. Pseudo-counts are given as a "
        "Dirichlet({class: number, …})."
    )


def numbers_to_json(numbers: Mapping[Any, float]) -> list[list[Any]]:
    """[type, key, number] for every class, sorted."""
    if not numbers:
        return []
    labels = label_column(label_array(list(numbers), "classes of the prior"), 0)
    keys = [labels.keys[code] for code in labels.codes.tolist()]
    pairs = sorted(zip(keys, numbers.values(), strict=True))
    return [[str(labels.label_type), key_to_json(key), p] for key, p in pairs]


def numbers_from_json(filed: list[list[Any]]) -> dict[Any, float]:
    found = {}
    for kind, key, p in filed:
        (label,) = label_values(kind_from_name(kind), [key_from_json(key)])
        found[label] = p
    return found
