"""The families, by name. One short file each; `base` and `measured` say what a family is."""

from tallybayes.families.bag import Bag
from tallybayes.families.base import Belief, Family
from tallybayes.families.bernoulli import Bernoulli
from tallybayes.families.blocks.correlated import Correlated
from tallybayes.families.categorical import Categorical
from tallybayes.families.density import Density
from tallybayes.families.each import Each
from tallybayes.families.exponential import Exponential
from tallybayes.families.gamma import Gamma
from tallybayes.families.gaussian import Gaussian
from tallybayes.families.geometric import Geometric
from tallybayes.families.histogram import Histogram
from tallybayes.families.lognormal import LogNormal
from tallybayes.families.poisson import Poisson
from tallybayes.families.posteriors import Dirichlet
from tallybayes.families.smoothing import JEFFREYS, LAPLACE, MEstimate
from tallybayes.families.words import Words

FAMILIES: dict[str, type[Family]] = {
    family.__name__: family
    for family in (
        Bag,
        Bernoulli,
        Categorical,
        Correlated,
        Density,
        Each,
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
    "Bag",
    "Belief",
    "Bernoulli",
    "Categorical",
    "Correlated",
    "Density",
    "Dirichlet",
    "Each",
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
