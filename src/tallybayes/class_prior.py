"""A given prior of the classes, and the classes that were met: which has a probability, and which has none."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.exact import Floats

FEW = 5  # labels that a sentence names


def given_weights(prior: Mapping[Any, float], labels: Sequence[Any]) -> Floats:
    """What a given prior has for the classes that were met. That it has something for others, too, is said."""
    met = set(labels)
    unmet = [label for label in prior if label not in met]
    names = ", ".join(map(repr, unmet[:FEW])) + ", …" * (len(unmet) > FEW)
    never = f"no row has the class {names}" if len(unmet) == 1 else f"no row has one of the classes {names}"
    unknown = [label for label in labels if label not in prior]
    if unknown:
        hint = f", and {never}. Correct the labels of the prior" if unmet else ". Add it to the prior"
        raise ValueError(f"The prior gives no probability for class {unknown[0]!r}; it has {prior!r}{hint}.")
    weights = np.array([float(prior[label]) for label in labels])
    if labels and not weights.any():
        raise ValueError(f"The prior {prior!r} makes every class that was met impossible.")
    lost = sum(prior[label] for label in unmet)
    if lost:
        message = f"The prior is {prior!r}, but {never}: a share of {lost:.6g} goes to the other classes in proportion."
        warnings.warn(message, stacklevel=6)
    return weights
