"""The families, by name. One short file each; `base` and `measured` say what a family is."""

from tallybayes.families.base import Belief, Family
from tallybayes.families.bernoulli import Bernoulli
from tallybayes.families.categorical import Categorical
from tallybayes.families.density import Density
from tallybayes.families.exponential import Exponential
from tallybayes.families.gamma import Gamma
from tallybayes.families.gaussian import Gaussian
from tallybayes.families.geometric import Geometric
from tallybayes.families.histogram import Histogram
from tallybayes.families.lognormal import LogNormal
from tallybayes.families.poisson import Poisson
from tallybayes.families.smoothing import JEFFREYS, LAPLACE, MEstimate
from tallybayes.families.words import Words

FAMILIES: dict[str, type[Family]] = {
    family.__name__: family
    for family in (
        Bernoulli,
        Categorical,
        Density,
        Exponential,
        Gamma,
        Gaussian,
        Geometric,
        Histogram,
        LogNormal,
        Poisson,
        Words,
    )
}

__all__ = [
    "FAMILIES",
    "JEFFREYS",
    "LAPLACE",
    "Belief",
    "Bernoulli",
    "Categorical",
    "Density",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Geometric",
    "Histogram",
    "LogNormal",
    "MEstimate",
    "Poisson",
    "Words",
]
