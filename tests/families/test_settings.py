"""Settings that make no sense are refused, with their names and values."""

import math

import pytest

from tallybayes import Bernoulli, Categorical, Density, Gamma, Gaussian, Histogram, LogNormal, MEstimate, Poisson


def test_settings_that_make_no_sense_are_refused():
    for make, message in [
        (
            lambda: Categorical(alpha=-1.0),
            r"Categorical\(alpha=-1.0\): alpha must be a finite number of at least 0",
        ),
        (lambda: Categorical(alpha={"u": math.nan}), r"alpha\['u'\]"),
        (lambda: Categorical(levels="uv"), "levels must be a tuple"),
        (lambda: Poisson(rate=math.inf), "rate must be a finite number"),
        (lambda: Gaussian(variance=0.0), "variance must be a finite number above 0"),
        (lambda: LogNormal(m="1"), r"LogNormal\(m='1'\)"),
        (lambda: Gamma(mean=-1.0), "mean"),
        (lambda: Histogram(intervals=0), "from 1 to 100000"),
        (lambda: Histogram(alpha={"u": 1.0}), "intervals have no names"),
        (lambda: Histogram(method="best"), "the methods are 'equal length'"),
        (lambda: Histogram(bits=99), "from 1 to 52"),
        (lambda: Density(bandwidth=-1.0), "bandwidth"),
        (lambda: Density(bandwidth="wide"), "'rule' or 'leave one out'"),
        (lambda: MEstimate(1.0, {"u": 0.3}), "add up to 0.3"),
        (lambda: MEstimate(1.0, "even"), "'uniform', 'overall'"),
        (lambda: Bernoulli(levels=("no", "yes")), "Use Categorical"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
