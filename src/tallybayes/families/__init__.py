"""The families, by name. One short file each; `base` and `measured` say what a family is."""

from tallybayes.families.base import Belief, Family
from tallybayes.families.levels.bernoulli import Bernoulli
from tallybayes.families.levels.categorical import Categorical
from tallybayes.families.numbers.density import Density
from tallybayes.families.numbers.exponential import Exponential
from tallybayes.families.numbers.gamma import Gamma
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.numbers.geometric import Geometric
from tallybayes.families.numbers.histogram import Histogram
from tallybayes.families.numbers.lognormal import LogNormal
from tallybayes.families.numbers.poisson import Poisson
from tallybayes.families.posteriors import Dirichlet
from tallybayes.families.smoothing import JEFFREYS, LAPLACE, MEstimate
from tallybayes.families.text.words import Words
from tallybayes.families.vectors.bag import Bag
from tallybayes.families.vectors.each import Each

FAMILIES: dict[str, type[Family]] = {
    family.__name__: family
    for family in (
        Bag,
        Bernoulli,
        Categorical,
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
