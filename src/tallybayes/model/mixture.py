"""Mixtures: classes made of several components, whose probabilities add up to that of the class.

A class of mails may be bills and greetings, which have little in common but their label. The components are counted by
an ordinary model whose labels are "class/1", "class/2", …; here they are added up to classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from tallybayes.counts.tally import Key
from tallybayes.data.labels import label_keys
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.families import Family
from tallybayes.model.batches import Given
from tallybayes.model.classifier import Classifier, check_model
from tallybayes.model.em.settings import EM
from tallybayes.model.em.training import train_unlabelled
from tallybayes.model.mixed_beliefs import MixedBeliefs
from tallybayes.model.model import Model
from tallybayes.schema import Schema


class Mixture(Classifier):
    """A model of components that answers for classes. Save its `model`; `Mixture(load(path))` restores it. Any other
    model is a mixture with one component per class. The evidence for a class is the mean over its components, weighted
    by their probabilities in the row; the remainder is added to the prior, so that the total equals `log_joint`.

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
        check_model(model, Model)
        self.model, self.schema = model, model.schema
        self.label_type = model.label_type if model.schema.components is None else model.schema.components

    @classmethod
    @limited
    def train(
        cls,
        schema: Schema | Mapping[Any, Family],
        data: Any,
        labels: Any = None,
        unlabelled: EM | None = None,
        *,
        weights: Any = None,
        threads: int | None = None,
        absent: str = ERROR,
        label_type: pa.DataType | None = None,
    ) -> Mixture:
        """Counts rows like `Model.train`, including those without labels, with `components` for each class."""
        given = Given(data, labels, weights, None, label_type, absent)
        return cls(train_unlabelled(schema, given, unlabelled or EM(components=2), threads, mixed=True))

    def beliefs(self) -> MixedBeliefs:
        """The current beliefs, like `Model.beliefs`."""
        return MixedBeliefs(self.model.beliefs(), self.schema.components)

    @property
    def classes(self) -> list[Any]:
        return self.beliefs().labels

    @property
    def components(self) -> dict[Any, list[Any]]:
        """The labels under which the components of every class are counted."""
        known = self.beliefs()
        return {
            label: [self.model.classes[i] for i in at.tolist()]
            for label, at in zip(known.labels, known.components, strict=True)
        }

    def keys(self) -> list[Key]:
        """The keys of the classes."""
        assert self.label_type is not None
        return label_keys(self.label_type, self.classes)

    def rows_by_class(self) -> dict[Any, float]:
        """The number of rows of each class, or the sum of their weights."""
        rows = self.model.rows_by_class()
        return {label: sum(rows[part] for part in parts) for label, parts in self.components.items()}

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} of {len(labels)}" for name, labels in self.components.items())
        return f"Mixture of {self.model.n:.12g} rows in {len(self.classes)} classes: {parts}\n{self.schema!r}"


def over_classes(model: Model) -> Model | Mixture:
    """The model, or its mixture if it counts components of classes."""
    return Mixture(model) if model.schema.components is not None else model
