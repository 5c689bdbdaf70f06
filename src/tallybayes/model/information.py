"""The mutual information of each column and the class, from the counts alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import Event, NoJointError
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name

PARTS = 128  # intervals that a numeric column is divided into
DRAWN = 1 << 12  # values drawn to find those intervals


def information(model: Model) -> dict[Name, float | None]:
    """I(column; class) in nats under the model: how much looking at this column alone lowers the expected log-loss. It
    is exact for levels. Numbers are divided into 128 intervals, which loses a little. None if single values have no
    probability, as in texts.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 2, "wind": ["weak", "weak", "strong", "strong"]}
    >>> model = Model.train(dict.fromkeys(frame, Categorical(alpha=0)), frame, ["no", "yes"] * 2)
    >>> {name: round(nats, 3) for name, nats in information(model).items()}
    {'outlook': 0.693, 'wind': 0.0}
    """
    known = model.beliefs()
    prior = np.exp(known.prior)
    return {name: _nats(family, known.counted[name], prior) for name, family in model.schema.columns.items()}


def _nats(family: Family, belief: Belief, prior: Floats) -> float | None:
    are_numbers = family.support is not None and not family.takes_vectors
    try:
        return between(_intervals(belief, prior) if are_numbers else _levels(belief), prior)
    except NoJointError:
        return None


def between(table: Floats, prior: Floats) -> float:
    """I(value; class) from P(value | class), [value, class]."""
    joint = table * prior
    either = joint.sum(axis=1, keepdims=True) * prior
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(joint > 0, joint * (np.log(joint) - np.log(either)), 0.0)
    return max(float(parts.sum()), 0.0)


def _levels(belief: Belief) -> Floats:
    networks = belief.conditionals()
    if len(networks) != 1 or len(networks[0]) != 1:
        raise NoJointError("a block has no levels.")
    return networks[0][0].table


def _intervals(belief: Belief, prior: Floats) -> Floats:
    """P(interval | class), for intervals of about equal probability."""
    classes = np.random.Generator(np.random.PCG64(0)).choice(len(prior), DRAWN, p=prior / prior.sum())
    drawn = belief.draw(np.random.Generator(np.random.PCG64(1)), classes)
    if drawn.null_count:
        raise NoJointError("there is nothing to divide.")
    cuts = np.unique(np.quantile(drawn.to_numpy().astype(float), np.linspace(0.0, 1.0, PARTS + 1)[1:-1])).tolist()
    edges = pairwise([-np.inf, *cuts, np.inf])
    return np.exp([belief.log_within(Event(low=low, high=high, with_high=high < np.inf)) for low, high in edges])
