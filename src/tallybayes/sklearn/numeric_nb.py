"""Naive Bayes for numbers, with one family for all columns: Gaussian, Poisson and Gamma."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import scatter
from tallybayes.families import Each, Family, Gamma, Gaussian, Poisson
from tallybayes.families.posteriors import WIDEST
from tallybayes.schema.class_prior import FREQUENCIES, Prior
from tallybayes.sklearn.learned import Learned
from tallybayes.sklearn.matrix import COLUMN, ClassPrior, MatrixClassifier, given_prior


class GaussianNB(MatrixClassifier):
    """Gaussian naive Bayes, a drop-in for scikit-learn's: every column is Gaussian in every class.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None: their frequencies.
    var_smoothing : float, default=1e-9
        The fraction of the largest variance of all columns that is added to every variance.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and its prior probability.
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and variance of every column in every class.
    epsilon_ : float
        What was added to the variances.

    Examples
    --------
    >>> from tallybayes.sklearn import GaussianNB
    >>> model = GaussianNB().fit([[1.0], [2.0]], [0, 0]).partial_fit([[8.0], [9.0]], [1, 1])
    >>> model.predict([[3.0], [7.0]])
    array([0, 1])
    >>> model.theta_
    array([[1.5],
           [8.5]])
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("priors", "var_smoothing")
    _priors: ClassVar[str | None] = "priors"
    _positive: ClassVar[bool] = False

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _family(self, learned: Learned | None) -> Family:
        noise = 0.0 if learned is None else self._noise(learned)
        return Each(Gaussian(m=0.0, plugin=True, noise=noise), size=self.n_features_in_)

    def _noise(self, learned: Learned) -> float:
        """From all rows that were counted, however they were batched."""
        if not isinstance(self.var_smoothing, (int, float, np.number)) or not self.var_smoothing >= 0:
            raise ValueError(f"var_smoothing={self.var_smoothing!r}: give a number of at least 0.")
        sums = learned.model.columns[COLUMN].sums
        n, x, xx = (sums[name].sum(axis=1) for name in ("n", "x", "xx"))
        variances = scatter(n, x, xx) / np.maximum(n.round(), 1e-300)
        largest = float(np.max(variances, initial=0.0))
        if largest > WIDEST**2:
            raise ValueError(
                f"A column of X has a variance of {largest:.3g}, and sums of squares beyond {WIDEST**2:.0e} overflow. "
                "Divide the column by a constant."
            )
        return self.var_smoothing * largest

    def _prior(self, classes: NDArray[Any]) -> Prior:
        if self.priors is None:
            return FREQUENCIES
        prior = given_prior("priors", self.priors, classes)
        if not np.isclose(np.sum(self.priors), 1.0):
            raise ValueError(f"The sum of the priors should be 1; it is {np.sum(self.priors):g}.")
        return prior

    @property
    def epsilon_(self) -> float:
        """What is added to every variance."""
        return self._noise(self._counted())

    @property
    def theta_(self) -> Floats:
        """The mean of every column in every class."""
        return self._estimates("mean")

    @property
    def var_(self) -> Floats:
        """Its variance."""
        return self._estimates("variance")

    @property
    def class_prior_(self) -> Floats:
        """The probability of every class."""
        return np.exp(self._asked().log_prior())


class PoissonNB(ClassPrior, MatrixClassifier):
    """Poisson naive Bayes, for counts of events: every column is Poisson in every class, with its own rate.

    Parameters
    ----------
    shape, rate : float, default=1.0
        The Gamma prior of the rates: `shape` events in `rate` rows. Both 0: maximum likelihood.
    plugin : bool, default=False
        Whether to score with estimated rates instead of integrating them out.
    fit_prior : bool, default=True
        Whether the class prior is learned from the frequencies; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    rate_ : ndarray of shape (n_classes, n_features)
        The rate of every column in every class.

    Examples
    --------
    >>> from tallybayes.sklearn import PoissonNB
    >>> model = PoissonNB(shape=0, rate=0, plugin=True).fit([[1, 0], [3, 0], [0, 5]], ["a", "a", "b"])
    >>> model.rate_
    array([[2., 0.],
           [0., 5.]])
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("shape", "rate", "plugin", "fit_prior", "class_prior")

    def __init__(
        self,
        *,
        shape: float = 1.0,
        rate: float = 1.0,
        plugin: bool = False,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.shape = shape
        self.rate = rate
        self.plugin = plugin
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _family(self, learned: Learned | None) -> Family:
        poisson = Poisson(shape=self.shape, rate=self.rate, plugin=self.plugin, whole=False)
        return Each(poisson, size=self.n_features_in_)

    @property
    def rate_(self) -> Floats:
        """The rate of every column in every class."""
        return self._estimates("rate")


class GammaNB(ClassPrior, MatrixClassifier):
    """Gamma naive Bayes, for positive, skewed numbers: every column is Gamma in every class.

    Parameters
    ----------
    m : float, default=1.0
        How many values, distributed like the whole column, are added to every class. 0: maximum likelihood.
    least : float, default=1e-9
        Numbers below this, including zero, are raised to it: a Gamma distribution covers positive numbers only.
    fit_prior : bool, default=True
        Whether the class prior is learned from the frequencies; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    shape_, scale_ : ndarray of shape (n_classes, n_features)
        Shape and scale of every column in every class.

    Examples
    --------
    >>> from tallybayes.sklearn import GammaNB
    >>> model = GammaNB().fit([[1.0], [2.0], [1.5], [20.0], [40.0], [25.0]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[3.0], [30.0]])
    array([0, 1])
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("m", "fit_prior", "class_prior")
    _sparse: ClassVar[bool] = False  # there are no zeros

    def __init__(self, *, m: float = 1.0, least: float = 1e-9, fit_prior: bool = True, class_prior: Any = None) -> None:
        self.m = m
        self.least = least
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _read(self, X: Any, *, reset: bool) -> NDArray[Any]:
        if not isinstance(self.least, (int, float, np.number)) or not self.least > 0:
            raise ValueError(f"least={self.least!r}: give a number above 0.")
        numbers = super()._read(X, reset=reset)
        return np.where((numbers >= 0) & (numbers < self.least), self.least, numbers)

    def _family(self, learned: Learned | None) -> Family:
        return Each(Gamma(m=self.m), size=self.n_features_in_)

    @property
    def shape_(self) -> Floats:
        """The shape of every column in every class."""
        return self._estimates("shape")

    @property
    def scale_(self) -> Floats:
        """Its scale."""
        return self._estimates("scale")
