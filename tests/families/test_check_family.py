"""check_family names every omission."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from tallybayes import FAMILIES
from tallybayes.data.cells import numbers
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.statistics import Totals
from tallybayes.families.numbers.support import POSITIVE
from tallybayes.families.posteriors import GammaRate
from tallybayes.families.settings import setting
from tallybayes.testing import check_family


@dataclass(frozen=True, kw_only=True, repr=False)
class Waiting(Numeric[Totals]):
    """A waiting time, exponential with an unknown rate."""

    support: ClassVar[Any] = POSITIVE
    shape: float = setting(1.0, least=0)

    def sufficient(self, x):
        return Totals(n=1, x=x)

    def log_predictive(self, s, x):
        a, b = self.shape + s.n, 1.0 + s.x
        return np.log(a) + a * np.log(b) - (a + 1) * np.log(b + x)

    def estimate(self, s):
        return {"rate": (self.shape + s.n) / (1.0 + s.x)}

    def log_density(self, x, rate):
        return np.log(rate) - rate * x

    def posterior(self, s):
        return GammaRate(self.shape + s.n, 1.0 + s.x)

    def draw(self, random, rate):
        return random.exponential(1.0 / rate)


@pytest.fixture
def named(monkeypatch):
    """A family like `Waiting` with some attributes replaced."""

    def make(base=Waiting, **attributes):
        made = type("Waiting", (base,), {"__doc__": Waiting.__doc__, **attributes})
        family = dataclass(frozen=True, kw_only=True, repr=False)(made)
        monkeypatch.setitem(FAMILIES, "Waiting", family)
        return family()

    return make


@pytest.mark.slow
def test_complete_family_passes(named):
    check_family(named(), examples=5)


def test_unregistered_family_is_reported():
    with pytest.raises(AssertionError, match=r"write FAMILIES\['Waiting'\] = Waiting"):
        check_family(Waiting(), examples=5)


def test_family_without_dataclass_cannot_be_created():
    class Forgotten(Numeric[Totals]):
        shape: float = setting(1.0)
        sufficient = Waiting.sufficient
        log_predictive = Waiting.log_predictive
        estimate = Waiting.estimate

    with pytest.raises(TypeError, match="Forgotten is not a dataclass; write @dataclass"):
        Forgotten()


def test_undeclared_setting_cannot_be_created():
    @dataclass(frozen=True, kw_only=True, repr=False)
    class Bare(Waiting):
        power: float = 2.0

    with pytest.raises(TypeError, match=r"does not declare 'power' as a setting; write power = setting\(…\)"):
        Bare()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attributes", "law"),
    [
        ({"__doc__": None}, "it says what it is"),
        ({"log_density": Numeric.log_density}, "no density at estimated parameters"),
        ({"draw": Numeric.draw}, "does not implement draw"),
        ({"posterior": Numeric.posterior}, "has no posterior distribution"),
        ({"sufficient": lambda self, x: Totals(n=1, x=x / (x[:1] + 1.0))}, "merging is adding|any order"),
        ({"log_predictive": lambda self, s, x: np.log(self.shape + s.n) - x}, "adds up to one"),
        (
            {"log_predictive": lambda self, s, x: Waiting.log_predictive(self, Totals(s.n, np.ravel(s.x)[0]), x)},
            "says what it says by itself|adds up to one",
        ),
        ({"encode": lambda self, cells: numbers(cells) + (type(cells) is list)}, "one row at a time|a plain number"),
    ],
)
def test_omission_or_error_is_named(named, attributes, law):
    family = named(**attributes)
    with pytest.raises((AssertionError, TypeError, ValueError), match=law):
        check_family(family, examples=10)
