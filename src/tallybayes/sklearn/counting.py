"""What all estimators of this face share: they learn by counting, and are asked as scikit-learn's are.

An estimator says how it reads `X`, which schema it counts by, and what its parameters believe; all else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallybayes import decide
from tallybayes.evidence import Evidence
from tallybayes.exact import Floats
from tallybayes.matching import ERROR
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.sklearn.display import Displayed
from tallybayes.sklearn.learned import Expected, Learned, as_it_was
from tallybayes.sklearn.pickled import Pickled
from tallybayes.sklearn.targets import checked_classes, checked_labels, checked_weights, weightless


class CountingClassifier(Displayed, Pickled, ClassifierMixin, BaseEstimator):
    """A classifier that is its counts.

    Subclasses write `_read`, `_schema` and `_believed`, and name in `_beliefs` the parameters that `_believed` looks
    at: those can be set after fitting and take effect without it.
    """

    _beliefs: ClassVar[tuple[str, ...]] = ()
    _learned: Learned
    threads: int | None = None
    absent: str = ERROR

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any:
        """Checks `X` and gives it as a model takes it. `reset` says that these are the first rows: what `X` looks like
        is set then (`n_features_in_`, `feature_names_in_`), and compared with afterwards."""

    @abstractmethod
    def _schema(self, rows: Any) -> Schema:
        """What to count of the first rows."""

    @abstractmethod
    def _believed(self, learned: Learned) -> Schema:
        """The schema under the beliefs that the parameters say, about what was learned."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count rows, and nothing else that was counted before.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; 2 is the same as having it twice. A class whose rows weigh 0 has probability 0.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        labels = checked_labels(y, type(self).__name__)
        return self._begin(X, labels, None, checked_weights(sample_weight, labels, some=True))

    def _begin(self, X: Any, labels: NDArray[Any], classes: NDArray[Any] | None, weights: Floats | None) -> Self:
        if not len(labels):
            raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {type(self).__name__}.")
        with as_it_was(self):
            self.__dict__.pop("_learned", None)
            rows = self._read(X, reset=True)
            schema = self._schema(rows)
            model = Model.train(schema, rows, labels, weights=weights, **self._how())
            learned = Learned(schema, model, labels, Expected(classes, weightless(labels, weights)))
            learned.believe(self._believed(learned), self._settings())
            self._learned = learned
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows, at the cost of these rows: the counts are those of `fit` on all rows together.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows. The first ones settle what is counted.
        y : array-like of shape (n_samples,)
            Their labels; new classes may come at any time, unless `classes` says which there are.
        classes : array-like of shape (n_classes,), default=None
            All classes that there are to be: they are in `classes_` before any of their rows comes, with probability
            0, and another label is an error. There is no need to give them.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts.

        Returns
        -------
        self : object
            The same estimator.
        """
        labels = checked_labels(y, type(self).__name__)
        weights = checked_weights(sample_weight, labels)
        given = checked_classes(classes, labels, type(self).__name__)
        if not self.__sklearn_is_fitted__():
            return self._begin(X, labels, given, weights)
        self._learned.check(labels, given)
        rows = self._count(X, labels, weights)
        self._learned.learn(rows, labels, Expected(given, weightless(labels, weights)))
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out of the counts: they are those of `fit` on the rows that are left.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            Rows that were learned.
        y : array-like of shape (n_samples,)
            The labels they were learned with.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights they were learned with.

        Returns
        -------
        self : object
            The same estimator.

        Raises
        ------
        ValueError
            If these rows cannot have been learned; nothing is changed then.
        """
        learned = self._counted()
        labels = checked_labels(y, type(self).__name__)
        learned.forget(self._count(X, labels, checked_weights(sample_weight, labels)))
        return self

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
        return learned.labels(learned.model.most_probable(self._read(X, reset=False), **self._how()))

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
        return learned.spread(learned.model.posterior(self._read(X, reset=False), **self._how()), 0.0)

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
        joint = learned.model.log_joint(rows, **self._how())
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = 0.0
        result = joint - logsumexp(joint, axis=1, keepdims=True)
        if impossible.any():
            with np.errstate(divide="ignore"):
                result[impossible] = np.log(learned.model.posterior(rows, **self._how())[impossible])
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
        return learned.spread(learned.model.log_joint(self._read(X, reset=False), **self._how()), -np.inf)

    def evidence(self, X: Any) -> Evidence:
        """Tell what each column says about each class.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        evidence : tallybayes.evidence.Evidence
            `evidence["column"]` holds log-likelihoods, a row for each row and a column for each class met; with the
            prior they add up to `predict_joint_log_proba`.
        """
        return self._asked().model.evidence(self._read(X, reset=False), absent=self.absent)

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
        classes = self.classes_
        matrix = None if costs is None else decide.cost_matrix(classes.tolist(), costs)
        chosen = decide.decide(self.predict_proba(X), matrix, reject)
        if reject is None or not np.any(chosen == decide.REJECTED):
            return classes[chosen]
        decisions = classes.astype(object)[chosen]
        decisions[chosen == decide.REJECTED] = None
        return decisions

    @property
    def model_(self) -> Model:
        """The counts under the beliefs that the parameters say: a model that stays as it is when more is learned."""
        return self._asked().snapshot()

    @property
    def schema_(self) -> Schema:
        """Which family counts which column, and why."""
        return self._asked().model.schema

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes met or announced, sorted."""
        return self._counted().classes()

    @property
    def class_count_(self) -> Floats:
        """How many rows each class has, or what they weigh."""
        return self._counted().class_counts()

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in self.__dict__

    def _how(self) -> dict[str, Any]:
        """What a model is told beside the rows."""
        return {"threads": self.threads, "absent": self.absent}

    def _settings(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._beliefs)

    def _counted(self) -> Learned:
        """What was learned, under whatever beliefs."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        return self._learned

    def _asked(self) -> Learned:
        """What was learned, under the beliefs that the parameters say now."""
        learned, settings = self._counted(), self._settings()
        if not learned.is_believed(settings):
            learned.believe(self._believed(learned), settings)
        return learned

    def _count(self, X: Any, labels: NDArray[Any], weights: Floats | None) -> Model:
        """More rows, counted as the first ones were."""
        rows = self._read(X, reset=False)
        return Model.train(self._learned.model.schema, rows, labels, weights=weights, **self._how())
