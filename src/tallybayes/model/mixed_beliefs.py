"""Beliefs about classes of several components: the probability of a class is the sum over its components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.rows import places_of
from tallybayes.data.matching import ERROR
from tallybayes.model.evidence import Evidence
from tallybayes.model.scoring import Beliefs

MARK = "/"  # between a class and the number of its component


class MixedBeliefs:
    """Beliefs about classes, from beliefs about their components. `kind` is the type of the class labels; without one,
    each class is its only component."""

    def __init__(self, known: Beliefs, kind: pa.DataType | None) -> None:
        self.known, self.schema = known, known.schema
        of = known.labels if kind is None else [label.rpartition(MARK)[0] for label in known.labels]
        if kind is not None:
            of = pa.array(of, pa.string()).cast(kind).to_pylist()
        self.labels: list[Any] = sorted(set(of))
        number = places_of(of, self.labels)
        self.components: Sequence[Counts] = [np.flatnonzero(number == at) for at in range(len(self.labels))]
        self.prior = self._added(known.prior[None, :])[0]

    def posterior(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Floats:
        found = self.known.posterior(data, threads, absent)
        return np.stack([found[:, at].sum(axis=1) for at in self.components], axis=1)

    def most_probable(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Counts:
        return self.posterior(data, threads, absent).argmax(axis=1)

    def log_joint(self, data: Any, threads: int | None = None, absent: str = ERROR) -> Floats:
        return self._added(self.known.log_joint(data, threads, absent))

    def evidence(self, data: Any, absent: str = ERROR) -> Evidence:
        found = self.known.evidence(data, absent)
        joint = found.total()
        whole, shares = self._added(joint), np.zeros_like(joint)
        for number, at in enumerate(self.components):
            total = whole[:, number : number + 1]
            shares[:, at] = np.exp(joint[:, at] - np.where(np.isfinite(total), total, 0.0))

        def mean(column: Floats) -> Floats:
            weighed = np.where(shares > 0, shares * np.where(shares > 0, column, 0.0), 0.0)
            return np.stack([weighed[:, at].sum(axis=1) for at in self.components], axis=1)

        columns = {name: mean(column) for name, column in found.columns.items()}
        prior = whole - sum(columns.values(), np.zeros_like(whole))
        return Evidence(self.labels, prior, columns, len(found), scores=found.scores)

    def _added(self, joint: Floats) -> Floats:
        """Sums the probabilities of components by class, in logarithms."""
        return np.stack([np.logaddexp.reduce(joint[:, at], axis=1) for at in self.components], axis=1)
