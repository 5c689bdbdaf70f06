"""The base class of all estimators, which learn by counting; `answering` has how they predict.

An estimator defines how it reads `X`, its schema, and how its parameters translate to beliefs; everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

import tallybayes
from tallybayes.counts.exact import Floats
from tallybayes.data.processors import at_most
from tallybayes.model import Model
from tallybayes.model.prepare import prepare
from tallybayes.model.sample import RowSample
from tallybayes.model.weigh import reweighed
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import FREQUENCIES, Prior
from tallybayes.sklearn.answering import Answering
from tallybayes.sklearn.learned import ExpectedClasses, Learned, as_it_was
from tallybayes.sklearn.targets import checked_classes, checked_labels, checked_weights, weightless

FORMAT = 2  # of a pickled estimator, incremented with every change to what it keeps


class CountingClassifier(Answering, ClassifierMixin, BaseEstimator):
    """A classifier that is its counts.

    Subclasses implement `_read`, `_schema` and `_believed`, and list in `_beliefs` the parameters that `_believed`
    uses: those can be changed after fitting, without fitting again.
    """

    _beliefs: ClassVar[tuple[str, ...]] = ()
    _priors: ClassVar[str | None] = None  # the parameter with a number for each class, if there is one
    _learned: Learned

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> Any:
        """Validates `X` and returns it in the form that a model takes. With `reset`, these are the first rows: they set
        `n_features_in_` and `feature_names_in_`, which later rows are checked against."""

    @abstractmethod
    def _schema(self, rows: Any, weights: Floats | None, whole: bool) -> Schema:
        """The schema, given the first rows, their weights, and whether these are all rows."""

    @abstractmethod
    def _believed(self, learned: Learned) -> Schema:
        """The schema under the beliefs that the parameters set."""

    def _sample(self, schema: Schema, rows: float) -> RowSample | None:
        """A sample of the first rows, for weighing the evidence; None if it is not weighed."""
        return None

    def _prior(self, classes: NDArray[Any]) -> Prior:
        """The prior that the parameters set for these classes; an error if it is for others."""
        return FREQUENCIES

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count rows, discarding everything counted before.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row; 2 is the same as having it twice. A class whose rows weigh 0 has probability 0.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        labels, all_labels = self._targets(y)
        weights = checked_weights(sample_weight, all_labels, some=True)
        return self._begin(X, labels, all_labels, None, weights, whole=True)

    def _begin(
        self,
        X: Any,
        labels: NDArray[Any],
        all_labels: NDArray[Any],
        classes: NDArray[Any] | None,
        weights: Floats | None,
        *,
        whole: bool,
    ) -> Self:
        if not len(all_labels):
            raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {type(self).__name__}.")
        with as_it_was(self), at_most(self.threads):
            self.__dict__.pop("_learned", None)
            rows = self._read(X, reset=True)
            schema = self._schema(rows, weights, whole)
            schema = prepare(schema, rows, all_labels, weights=weights)
            counted = len(labels) if weights is None else float(weights.sum())  # weight two is twice
            # Weights from only the first rows would stay, so these are weighed only if they must be.
            sample = self._sample(schema, counted) if whole or schema.overlaps else None
            model = self._train(schema, rows, all_labels, {"weights": weights, "sample": sample, **self._how()})
            kept = labels[:0] if len(labels) < len(all_labels) else weightless(labels, weights)
            learned = Learned(schema, model, labels, ExpectedClasses(classes, kept))
            learned.believe(self._believed(learned), self._settings())
            if sample is not None and sample.seen:
                learned.weigh(reweighed(learned.model, sample.rows())[0].schema)
                learned.believe(self._believed(learned), self._settings())
            self._learned = learned
        return self

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels of labelled rows, and those of all rows."""
        labels = checked_labels(y, type(self).__name__)
        return labels, labels

    def _train(self, schema: Schema, rows: Any, labels: NDArray[Any], how: dict[str, Any]) -> Model:
        return Model.train(schema, rows, labels, **how)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows: the counts are those of `fit` on all rows together.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_features)
            The rows. The first ones decide what is counted.
        y : array-like of shape (n_samples,)
            Their labels; new classes may appear at any time, unless `classes` is given.
        classes : array-like of shape (n_classes,), default=None
            All classes, in advance: they are in `classes_` before any of their rows is seen, with probability 0, and
            any other label is an error. Not required.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row.

        Returns
        -------
        self : object
            The same estimator.
        """
        labels, all_labels = self._targets(y)
        if len(labels) < len(all_labels):
            lacking = len(all_labels) - len(labels)
            raise ValueError(f"partial_fit needs labels, but {lacking} rows have none; use fit.")
        weights = checked_weights(sample_weight, labels)
        given = checked_classes(classes, labels, type(self).__name__)
        if not self.__sklearn_is_fitted__():
            return self._begin(X, labels, labels, given, weights, whole=False)
        rows, expected = self._count(X, labels, weights), ExpectedClasses(given, weightless(labels, weights))
        self._learned.check(rows, expected)
        if self._priors is not None and getattr(self, self._priors) is not None:
            self._prior(self._learned.classes_with(rows, expected))
        self._learned.learn(rows, labels, expected)
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Subtract rows from the counts, which become those of `fit` on the remaining rows.

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
            If these rows cannot have been learned; then nothing changes.
        """
        learned = self._counted()
        labels = checked_labels(y, type(self).__name__)
        learned.forget(self._count(X, labels, checked_weights(sample_weight, labels)))
        return self

    @property
    def model_(self) -> Model:
        """The counts under the current parameters: a snapshot, which does not change when more is learned."""
        return self._asked().snapshot()

    @property
    def schema_(self) -> Schema:
        """Which family counts which column, and why."""
        return self._asked().model.schema

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes seen or announced, sorted."""
        return self._counted().classes()

    @property
    def class_count_(self) -> Floats:
        """The number of rows of each class, or their weight."""
        return self._counted().class_counts()

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in self.__dict__

    def _settings(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._beliefs)

    def _counted(self) -> Learned:
        """What was learned, under any beliefs."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        return self._learned

    def _asked(self) -> Learned:
        """What was learned, under the beliefs that the parameters set now."""
        learned, settings = self._counted(), self._settings()
        if not learned.is_believed(settings):
            learned.believe(self._believed(learned), settings)
        return learned

    def _count(self, X: Any, labels: NDArray[Any], weights: Floats | None) -> Model:
        """Counts more rows like the first ones."""
        rows = self._read(X, reset=False)
        return Model.train(self._learned.model.schema, rows, labels, weights=weights, **self._how())

    @property
    def _repr_html_(self) -> Any:
        """scikit-learn's diagram, and below it what was learned."""
        diagram = super()._repr_html_  # raises AttributeError if scikit-learn is set to display text
        return lambda: diagram() + self._summary()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown = super()._repr_mimebundle_(**kwargs)
        return {kind: text + self._summary() * (kind == "text/html") for kind, text in shown.items()}

    def _summary(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        learned = self._learned
        rows = dict(zip(learned.classes().tolist(), learned.class_counts().tolist(), strict=True))
        return tallybayes.report_on(self.schema_, classes=rows)._repr_html_()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_written": (FORMAT, tallybayes.__version__)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """An estimator of another version is accepted only if it has the same format."""
        form, version = state.get("_written", (None, "of an unknown version"))
        if form != FORMAT:
            raise ValueError(
                f"This {type(self).__name__} was pickled by tallybayes {version}, whose format differs from that of "
                f"tallybayes {tallybayes.__version__}. Fit it again, or save its model with the old version: "
                "tallybayes.save(estimator.model_, path). Every later version reads that file."
            )
        super().__setstate__({name: value for name, value in state.items() if name != "_written"})
