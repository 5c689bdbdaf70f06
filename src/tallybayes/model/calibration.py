"""Calibration: whether probabilities match observed frequencies, and how to correct them, from the scores of held-out
rows and the index of each row's class.

Fit these on scores of rows that the model was not trained on: `left_out`, `cross_validate` or a held-out set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats, Indices
from tallybayes.model.evaluation.compare import intervals
from tallybayes.model.evaluation.result import Interval, calibration_error_of, calibration_of

LOWEST = -1e300  # score: as good as −∞, but arithmetic with it is safe
COLDEST, HOTTEST = 1e-3, 1e3  # temperatures: beyond these every row is decided, or all classes are equal


def temperature(scores: Any, truth: Any) -> float:
    """The T for which the softmax of scores / T has the lowest log-loss: above 1 if the model is overconfident.
    `scores` are log-probabilities of the classes up to a constant per row, as `Model.log_joint` returns them. Rows
    whose true class is impossible stay so at any temperature and are ignored. T is kept between 0.001 (reached if every
    row is decided correctly) and 1000.

    >>> scores = np.log([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1]])
    >>> round(temperature(scores, [0, 0, 1]), 3)
    3.17
    """
    from scipy.optimize import brentq

    given, numbers = _checked(scores, truth)
    possible = np.isfinite(given[np.arange(len(given)), numbers])
    given, numbers = given[possible], numbers[possible]
    given = np.maximum(given - given.max(axis=1, keepdims=True), LOWEST) if len(given) else given

    def slope(log_heat: float) -> float:
        """The derivative of the loss by 1 / T, in which it is convex: the expected score minus that of the true
        class."""
        cool = np.exp(-log_heat)
        share = np.exp(cool * given)
        share /= share.sum(axis=1, keepdims=True)
        expected = np.where(share > 0.0, share * given, 0.0).sum(axis=1)
        return float(np.sum(expected - given[np.arange(len(given)), numbers]))

    low, high = np.log(COLDEST), np.log(HOTTEST)
    coldest, hottest = slope(low), slope(high)
    if coldest <= 0.0:
        return COLDEST if hottest < 0.0 else 1.0  # any temperature does
    if hottest >= 0.0:
        return HOTTEST
    return float(np.exp(brentq(slope, low, high, xtol=1e-10)))


@dataclass(frozen=True, eq=False)
class Isotonic:
    """A calibrated probability for each probability: steps that never fall, with straight lines between them."""

    given: Floats
    meant: Floats

    def __call__(self, probability: Any) -> Floats:
        return np.interp(np.asarray(probability, np.float64), self.given, self.meant)


def isotonic(probability: Any, true: Any) -> Isotonic:
    """Isotonic regression for two classes: the non-decreasing function of one class's probability that is closest, by
    least squares, to whether that class was the true one. Needs a few hundred rows; at its ends it may be 0 or 1, and
    the log-loss is infinite if that is wrong.

    >>> fitted = isotonic([0.1, 0.6, 0.7, 0.9], [False, True, False, True])
    >>> fitted([0.6, 0.65, 0.9]).tolist()
    [0.5, 0.5, 1.0]
    """
    from scipy.optimize import isotonic_regression

    share, hits = np.asarray(probability, np.float64), np.asarray(true, np.float64)
    if share.ndim != 1 or share.shape != hits.shape or not len(share):
        raise ValueError(f"There are {share.shape} probabilities and {hits.shape} truths; give one of each for a row.")
    if not np.isfinite(share).all():
        raise ValueError("A probability is not a finite number.")
    given, at = np.unique(share, return_inverse=True)
    times = np.bincount(at)
    meant = isotonic_regression(np.bincount(at, hits) / times, weights=times).x
    return Isotonic(given, np.asarray(meant))


def reliability(posterior: Any, truth: Any) -> list[Interval]:
    """The reliability diagram in 15 intervals of the most probable class's probability: how many rows, and how many
    were right."""
    return calibration_of(_intervals(posterior, truth))


def calibration_error(posterior: Any, truth: Any) -> float:
    """The expected calibration error (ECE): the distance between mean probability and accuracy in the same intervals,
    averaged over rows.

    >>> round(calibration_error([[0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]], [0, 1, 1, 1]), 3)
    0.25
    """
    return calibration_error_of(_intervals(posterior, truth))


def _intervals(posterior: Any, truth: Any) -> Floats:
    given, numbers = _checked(posterior, truth)
    decision = given.argmax(axis=1)
    return intervals(given[np.arange(len(given)), decision], decision == numbers)


def _checked(scores: Any, truth: Any) -> tuple[Floats, Indices]:
    given, numbers = np.asarray(scores, np.float64), np.asarray(truth)
    if given.ndim != 2 or numbers.shape != given.shape[:1]:
        raise ValueError(
            f"Scores of shape {given.shape} and truths of shape {numbers.shape} were given; give a row of scores, one "
            "for each class, and the number of its class for every row."
        )
    if not np.issubdtype(numbers.dtype, np.integer) or (numbers < 0).any() or (numbers >= given.shape[1]).any():
        raise ValueError(f"Classes are given by their numbers, from 0 to {given.shape[1] - 1}.")
    return given, numbers.astype(np.intp)
