"""How all estimators predict: like scikit-learn's, plus evidence and decisions of least cost."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tallybayes.counts.exact import Floats
from tallybayes.data.matching import ERROR
from tallybayes.model import decide
from tallybayes.model.evidence import Evidence
from tallybayes.sklearn.learned import Learned


class Answering:
    """Answers for every row from what was learned, under the current parameters."""

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any: ...

    @abstractmethod
    def _asked(self) -> Learned: ...

    threads: int | None = None
    absent: str = ERROR

    def _how(self) -> dict[str, Any]:
        """Keyword arguments for the model besides the rows."""
        return {"threads": self.threads, "absent": self.absent}

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of every row.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels as they were given in `y`.
        """
        learned = self._asked()
        return learned.labels(learned.asked.most_probable(self._read(X, reset=False), **self._how()))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | row).

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. A row that is impossible in every class gets the prior, with a warning.
        """
        learned = self._asked()
        return learned.spread(learned.asked.posterior(self._read(X, reset=False), **self._how()), 0.0)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | row), even where the probability itself underflows to zero.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`; −∞ for a class that is impossible.
        """
        learned = self._asked()
        rows = self._read(X, reset=False)
        joint = learned.asked.log_joint(rows, **self._how())
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = 0.0
        result = joint - logsumexp(joint, axis=1, keepdims=True)
        if impossible.any():
            with np.errstate(divide="ignore"):
                result[impossible] = np.log(learned.asked.posterior(rows, **self._how())[impossible])
        return learned.spread(result, -np.inf)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log P(class, row): the sum of the prior and the evidence of all columns.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_joint : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        learned = self._asked()
        return learned.spread(learned.asked.log_joint(self._read(X, reset=False), **self._how()), -np.inf)

    def evidence(self, X: Any) -> Evidence:
        """Return the evidence of each column for each class.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        evidence : tallybayes.model.evidence.Evidence
            `evidence["column"]` holds log-likelihoods, a row for each row and a column for each class seen; with the
            prior they add up to `predict_joint_log_proba`.
        """
        return self._asked().asked.evidence(self._read(X, reset=False), absent=self.absent)

    def decide(self, X: Any, costs: Any = None, reject: float | None = None) -> NDArray[Any]:
        """Return the decision of least expected cost for every row.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.
        costs : mapping or array-like of shape (n_classes, n_classes), default=None
            (truth, decision) → cost, where errors not named cost 1; or a matrix in the order of `classes_`.
        reject : float, default=None
            The cost of not deciding.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Labels; with `reject`, None (in an array of objects) where every decision would cost more than that.
        """
        classes = self._asked().classes()
        matrix = None if costs is None else decide.cost_matrix(classes.tolist(), costs)
        chosen = decide.decide(self.predict_proba(X), matrix, reject)
        if reject is None or not np.any(chosen == decide.REJECTED):
            return classes[chosen]
        decisions = classes.astype(object)[chosen]
        decisions[chosen == decide.REJECTED] = None
        return decisions
