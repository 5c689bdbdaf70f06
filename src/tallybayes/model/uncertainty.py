"""How certain a model's answers are, and why: credible intervals, error probabilities, novelty; what to ask next, and
which training rows an answer depends on.

A base class of `Model`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import check_whole
from tallybayes.data.matching import ERROR
from tallybayes.model import decide, draw
from tallybayes.model.classifier import Classifier
from tallybayes.model.counted import Counted
from tallybayes.model.credible import DRAWS, CredibleInterval, credible
from tallybayes.model.novelty import Comparison
from tallybayes.model.questions import Question, questions
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import each_once

if TYPE_CHECKING:
    from tallybayes.model.influence import Influence, Suspect

COMPARED = 2000  # rows drawn for comparison
MADE_UP = 10_000  # rows drawn to estimate the error rate


class Uncertainty(Counted, Classifier):
    """Questions about how certain a model's answers are."""

    beliefs: Callable[[], Beliefs]

    def credible(
        self, data: Any, interval: float = 0.9, *, draws: int = DRAWS, seed: int = 0, absent: str = ERROR
    ) -> CredibleInterval:
        """P(class | row) with a credible interval of this mass, from this many draws of the parameters. Families that
        only estimate their parameters (Gamma, NegativeBinomial, Density, vectors and blocks) add no uncertainty.

        >>> from tallybayes import Categorical, Model
        >>> few = Model.train({"coin": Categorical()}, {"coin": ["h", "t", "h"]}, ["a", "a", "b"])
        >>> many = few * 1000
        >>> [bool(np.ptp([found.low[0, 0], found.high[0, 0]]) > 0.2)
        ...     for found in (few.credible({"coin": ["h"]}), many.credible({"coin": ["h"]}))]
        [True, False]
        """
        return credible(self.beliefs(), data, interval, draws, seed, absent)

    def log_posterior(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """log P(class | row), even where the probability itself underflows to zero. A row that is impossible in every
        class gets the prior."""
        known = self.beliefs()
        joint = known.log_joint(data, threads, absent)
        total = np.logaddexp.reduce(joint, axis=1, keepdims=True)
        possible = np.isfinite(total)
        return np.where(possible, joint - np.where(possible, total, 0.0), known.prior)

    def error_probability(self, data: Any, *, threads: int | None = None, absent: str = ERROR) -> Floats:
        """P(error | row) of deciding for the most probable class: the total probability of all the others.

        >>> from tallybayes import Categorical, Model
        >>> model = Model.train({"coin": Categorical()}, {"coin": ["h", "t", "h"]}, ["a", "a", "b"])
        >>> model.error_probability({"coin": ["h"]}).round(3)
        array([0.4])
        """
        return decide.error_probability(self.beliefs().posterior(data, threads, absent))

    def bayes_error(self, *, draws: int = MADE_UP, seed: int = 0) -> float:
        """P(error) over the model's own distribution: the mean over rows drawn from it."""
        check_whole("draws", draws, 1)
        known = self.beliefs()
        rows, _ = draw.sample(known.columns, known.prior, pa.array(known.labels, self.label_type), draws, seed)
        return decide.bayes_error(known.posterior(rows))

    def novelty(self, data: Any, *, draws: int = COMPARED, seed: int = 0, absent: str = ERROR) -> Floats:
        """How unusual each row is: the share of rows drawn from the model that are no more probable. Near 0 for rows
        unlike any that were counted; uniform between 0 and 1 for rows from the model's own distribution; 1 for a row
        with every cell missing, since nothing in it is unusual. Text columns whose event model gives scores are scored
        as multinomial. Weights are ignored, and so are blocks whose columns are counted by themselves, too."""
        check_whole("draws", draws, 1)
        likely = self._likely()
        known = likely.beliefs()
        labels = pa.array(known.labels, self.label_type)
        compared = Comparison(known, likely.columns, labels, draws, seed)
        parts = [compared.novelty(batch.cells, batch.rows) for batch in known.encoded(data, absent)]
        return np.concatenate([np.zeros(0), *parts])

    def ask_next(self, row: Any, *, costs: Any = None) -> list[Question]:
        """Which of a row's missing cells to find out first: how much knowing it is expected to lower the entropy of the
        answer, in nats; or with `costs`, as for `decide`, the expected cost of the decision. The most informative come
        first. Levels are enumerated, numbers integrated; texts, blocks that are missing as a whole, and columns in
        several entries are sampled.

        >>> from tallybayes import Categorical, Model
        >>> frame = {"wind": ["weak", "weak", "strong", "strong"], "day": ["mo", "tu", "mo", "tu"]}
        >>> model = Model.train(dict.fromkeys(frame, Categorical()), frame, ["yes", "yes", "no", "no"])
        >>> [(question.column, round(question.gain, 3)) for question in model.ask_next({})]
        [('wind', 0.131), ('day', 0.0)]
        """
        known = self.beliefs()
        matrix = None if costs is None else decide.cost_matrix(known.labels, costs)
        return questions(known, row, matrix)

    def influence(
        self, row: Any, data: Any, labels: Any, *, weights: Any = None, top: int | None = None, absent: str = ERROR
    ) -> list[Influence]:
        """How the answer to a row would change without each of the training rows given, which the model must have
        counted with these weights: exact, by subtraction. The most influential come first."""
        from tallybayes.model.influence import influences

        return influences(self, row, data, labels, weights, top, absent)

    def suspects(
        self, data: Any, labels: Any = None, *, weights: Any = None, top: int | None = None, absent: str = ERROR
    ) -> list[Suspect]:
        """Training rows whose own label is improbable when they are left out of the counts: labels that may be wrong.
        The least probable first."""
        from tallybayes.model.influence import suspected

        return suspected(cast(Any, self), data, labels, weights, top, absent)

    def _unweighed(self) -> Self:
        """The same counts without weights. If columns are in several entries, only those are kept that have each column
        once."""
        plain = self.only(each_once(self.schema.columns)) if self.schema.overlaps else self
        return plain if plain.schema.weights is None else plain.believing(weights=None)

    def _likely(self) -> Self:
        """The same counts without weights, and with beliefs under which all evidence is log-likelihoods."""
        plain = self._unweighed()
        known = plain.beliefs()
        settled = {name: plain.schema.columns[name].settled(known.counted[name]) for name in known.scores}
        return plain.believing(settled) if settled else plain
