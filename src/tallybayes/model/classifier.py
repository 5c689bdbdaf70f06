"""What a model and a mixture answer alike: class probabilities, evidence and decisions, from their beliefs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.data.errors import a_kind
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.model import decide
from tallybayes.model.evidence import Evidence

if TYPE_CHECKING:
    from tallybayes.model.mixed_beliefs import MixedBeliefs
    from tallybayes.model.scoring import Beliefs


def check_model(given: Any, *kinds: type) -> None:
    """An error that says what to give, unless this is a model."""
    if isinstance(given, kinds):
        return
    own = next((each for each in ("model_", "model") if isinstance(getattr(given, each, None), kinds)), None)
    advice = "Give what Model.train or load returns." if own is None else f"Give its attribute {own}."
    raise TypeError(f"{a_kind(given)} is not a model. {advice}")


class Classifier(ABC):
    """Answers for rows of any kind: a frame, a matrix, a single row."""

    @abstractmethod
    def beliefs(self) -> Beliefs | MixedBeliefs:
        """A snapshot of the current beliefs."""

    def prior(self) -> dict[Any, float]:
        """P(class)."""
        known = self.beliefs()
        return dict(zip(known.labels, np.exp(known.prior).tolist(), strict=True))

    @limited
    def posterior(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """P(class | row), an array [row, class]. A row that is impossible in every class gets the prior.

        With `absent="missing"`, columns that the data lacks count as missing in every row."""
        return self.beliefs().posterior(data, threads, absent)

    @limited
    def most_probable(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Counts:
        """The index in `classes` of each row's most probable class; the first one on a tie."""
        return self.beliefs().most_probable(data, threads, absent)

    @limited
    def log_joint(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """log P(class, row): the sum of the prior and the evidence of all columns."""
        return self.beliefs().log_joint(data, threads, absent)

    def evidence(self, data: Any, *, absent: str = ERROR) -> Evidence:
        """The evidence of each column for each class; `evidence.words(row)` splits that of a text by word."""
        return self.beliefs().evidence(data, absent)

    def decide(self, data: Any, *, costs: Any = None, reject: float | None = None, absent: str = ERROR) -> list[Any]:
        """The decision for each row: the most probable class, or with `costs` the one of least expected cost; None
        where even that exceeds `reject`. `costs` maps (truth, decision) to a cost; errors not named cost 1."""
        known = self.beliefs()
        matrix = None if costs is None else decide.cost_matrix(known.labels, costs)
        chosen = decide.decide(known.posterior(data, None, absent), matrix, reject)
        return [None if i == decide.REJECTED else known.labels[i] for i in chosen.tolist()]
