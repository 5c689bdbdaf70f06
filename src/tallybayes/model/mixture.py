"""Classes that are made of several components: their probabilities add up to that of the class.

A class of mails may be bills and greetings, which have little in common but their label. The components are counted as
classes are, by an ordinary model whose labels are "class/1", "class/2", …; here they are asked as classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.data.matching import ERROR
from tallybayes.families import Family
from tallybayes.model import decide
from tallybayes.model.em.settings import EM
from tallybayes.model.em.training import train_unlabelled
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.schema import Schema

MARK = "/"  # between a class and the number of its component


class Mixture:
    """A model of components, asked as one of classes; a label without a mark is a class of one component.

    >>> from tallybayes import Gaussian
    >>> frame = {"x": [0.0, 0.1, 9.0, 9.1, 4.5, 4.6]}
    >>> labels = ["far", "far", "far", "far", "near", "near"]
    >>> mixture = Mixture.train({"x": Gaussian(m=0.1)}, frame, labels, EM(components=2))
    >>> mixture.classes
    ['far', 'near']
    >>> mixture.decide({"x": [0.2, 4.4, 9.3]})
    ['far', 'near', 'far']
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        of = [label.rpartition(MARK)[0] or label if isinstance(label, str) else str(label) for label in model.classes]
        self.classes: list[str] = sorted(set(of))
        self._of = np.array([self.classes.index(name) for name in of])

    @classmethod
    def train(
        cls,
        schema: Schema | Mapping[str, Family],
        data: Any,
        labels: Any = None,
        unlabelled: EM | None = None,
        *,
        weights: Any = None,
        threads: int | None = None,
        absent: str = ERROR,
    ) -> Mixture:
        """Counts rows as `Model.train` does, rows without labels too, each class as so many `components`."""
        settings = unlabelled or EM(components=2)
        how = {"weights": weights, "threads": threads, "absent": absent, "label_type": None, "sample": None}
        return cls(train_unlabelled(schema, data, labels, settings, mixed=True, **how))

    @property
    def components(self) -> dict[str, list[Any]]:
        """The labels under which the components of every class are counted."""
        return {
            name: [label for label, of in zip(self.model.classes, self._of.tolist(), strict=True) if of == at]
            for at, name in enumerate(self.classes)
        }

    def log_joint(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """log P(class, row): the joint probabilities of its components added up."""
        joint = self.model.log_joint(data, threads=threads, absent=absent)
        return np.stack([np.logaddexp.reduce(joint[:, at], axis=1) for at in self._each()], axis=1)

    def posterior(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """P(class | row)."""
        found = self.model.posterior(data, threads=threads, absent=absent)
        return np.stack([found[:, at].sum(axis=1) for at in self._each()], axis=1)

    def most_probable(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Counts:
        """Each row's class of highest posterior probability, by its number among `classes`."""
        return self.posterior(data, threads=threads, absent=absent).argmax(axis=1)

    def decide(self, data: Any, *, costs: Any = None, reject: float | None = None, absent: str = ERROR) -> list[Any]:
        """Each row's class, as `Model.decide` gives it."""
        matrix = None if costs is None else decide.cost_matrix(self.classes, costs)
        chosen = decide.decide(self.posterior(data, absent=absent), matrix, reject)
        return [None if i == decide.REJECTED else self.classes[i] for i in chosen.tolist()]

    def evidence(self, data: Any, *, absent: str = ERROR) -> Evidence:
        """What each column says about each class: the mean of what it says about its components, as probable as these
        are in the row. What is left stands with the prior, so that all of it adds up to `log_joint`."""
        found = self.model.evidence(data, absent=absent)
        joint = found.total()
        shares = np.zeros_like(joint)
        for at in self._each():
            total = np.logaddexp.reduce(joint[:, at], axis=1, keepdims=True)
            shares[:, at] = np.exp(joint[:, at] - np.where(np.isfinite(total), total, 0.0))

        def mean(said: Floats) -> Floats:
            weighed = np.where(shares > 0, shares * np.where(shares > 0, said, 0.0), 0.0)
            return np.stack([weighed[:, at].sum(axis=1) for at in self._each()], axis=1)

        columns = {name: mean(said) for name, said in found.columns.items()}
        whole = np.stack([np.logaddexp.reduce(joint[:, at], axis=1) for at in self._each()], axis=1)
        prior = whole - sum(columns.values(), np.zeros_like(whole))
        return Evidence(self.classes, prior, columns, len(found), scores=found.scores)

    def _each(self) -> Sequence[Counts]:
        return [np.flatnonzero(self._of == number) for number in range(len(self.classes))]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} of {len(labels)}" for name, labels in self.components.items())
        return f"Mixture of {self.model.n:.12g} rows in {len(self.classes)} classes: {parts}\n{self.model.schema!r}"
