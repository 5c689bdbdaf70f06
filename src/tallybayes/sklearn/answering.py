"""How all estimators of this face are asked: as scikit-learn's are, and for evidence and decisions of least cost."""

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
    """What was learned, under the beliefs that the parameters say now, answers for every row."""

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any: ...

    @abstractmethod
    def _asked(self) -> Learned: ...

    threads: int | None = None
    absent: str = ERROR

    def _how(self) -> dict[str, Any]:
        """What a model is told beside the rows."""
        return {"threads": self.threads, "absent": self.absent}

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the most probable class of every row.

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
        """Give P(class | row).

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. A row that no class allows falls to the prior, with a warning.
        """
        learned = self._asked()
        return learned.spread(learned.asked.posterior(self._read(X, reset=False), **self._how()), 0.0)

    def predict_log_proba(self, X: Any) -> Floats:
        """Give log P(class | row), also where the probability itself is rounded to zero.

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
        """Give log P(class, row): the evidence of all columns and the prior, added up.

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
        """Tell what each column says about each class.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        evidence : tallybayes.model.evidence.Evidence
            `evidence["column"]` holds log-likelihoods, a row for each row and a column for each class met; with the
            prior they add up to `predict_joint_log_proba`.
        """
        return self._asked().asked.evidence(self._read(X, reset=False), absent=self.absent)

    def decide(self, X: Any, costs: Any = None, reject: float | None = None) -> NDArray[Any]:
        """Give the decision of least expected cost for every row.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.
        costs : mapping or array-like of shape (n_classes, n_classes), default=None
            (truth, decision) → cost, where errors not named cost 1; or a matrix in the order of `classes_`.
        reject : float, default=None
            What it costs not to decide.

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
