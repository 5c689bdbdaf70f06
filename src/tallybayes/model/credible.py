"""How certain an answer is: a credible interval for each class probability.

The parameters of every column and the class probabilities are drawn from their posterior many times, and the rows are
scored under each draw. With few training rows the answers vary a lot, with many hardly at all.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import is_whole
from tallybayes.model.decide import probabilities
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.class_prior import counted_prior, is_given
from tallybayes.schema.entries import Name

DRAWS = 1000
AT_ONCE = 1 << 24  # numbers held in memory


class CredibleInterval(NamedTuple):
    """P(class | row) and the bounds of its credible interval: [row, class] each."""

    probability: Floats
    low: Floats
    high: Floats


def credible(known: Beliefs, data: Any, interval: Any, draws: Any, seed: int, absent: str) -> CredibleInterval:
    """The central credible interval of this mass, for every row and class."""
    if not isinstance(interval, (int, float)) or isinstance(interval, bool) or not 0.0 < interval < 1.0:
        raise ValueError(f"interval={interval!r}: give the probability mass of the interval, a number between 0 and 1.")
    if not is_whole(draws, 2):
        raise ValueError(f"draws={draws!r}: give the number of draws, a whole number of at least 2.")
    probability = known.posterior(data, None, absent)
    bounds = [np.zeros((2, 0, len(known.keys)))]
    for batch in known.encoded(data, absent):
        step = max(AT_ONCE // (draws * len(known.keys)), 1)
        for at in range(0, batch.rows, step):
            cells = {name: column[at : at + step] for name, column in batch.cells.items()}
            drawn = _drawn(known, cells, min(step, batch.rows - at), draws, seed)
            tail = (1.0 - interval) / 2.0
            bounds.append(np.quantile(drawn, [tail, 1.0 - tail], axis=0, method="weibull").transpose(0, 2, 1))
    low, high = np.concatenate(bounds, axis=1)
    return CredibleInterval(probability, low, high)


def _drawn(known: Beliefs, cells: dict[Name, Any], rows: int, draws: int, seed: int) -> Floats:
    """P(class | row) under each draw of the parameters: [draw, class, row]. The draws do not depend on the rows."""
    random = np.random.Generator(np.random.PCG64(seed))

    def once() -> Floats:
        drawn = drawn_beliefs(known, random)
        return probabilities(drawn.scores_of(cells, rows), drawn.prior)

    return np.stack([once() for _ in range(draws)])


def drawn_beliefs(known: Beliefs, random: np.random.Generator) -> Beliefs:
    """The beliefs under one draw of the parameters."""
    drawn = copy(known)
    drawn.counted = {name: belief.drawn(random) for name, belief in known.counted.items()}
    drawn.prior = _drawn_prior(known, random)
    drawn.arrange()
    return drawn


def _drawn_prior(known: Beliefs, random: np.random.Generator) -> Floats:
    """A draw of the class prior: from its Dirichlet posterior if it is counted, as it stands if it is given."""
    prior = known.schema.prior
    if is_given(prior):
        return known.prior
    alpha = known.rows + counted_prior(prior, known.labels)
    with np.errstate(divide="ignore"):
        found = np.log(random.standard_gamma(alpha))
        if np.isneginf(found).all():  # of a few tiny pseudo-counts, one class has all but nothing
            found = np.log(random.multinomial(1, alpha / alpha.sum()))
    return np.asarray(found - np.logaddexp.reduce(found))
