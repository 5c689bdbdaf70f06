"""The families, by name. One short file each; `base` and `measured` say what a family is.

A line here makes a file's family one of the library's: a text or a model file may then name it.
"""

from tallybayes.families.bag import Bag as Bag
from tallybayes.families.base import FAMILIES as FAMILIES
from tallybayes.families.base import Belief as Belief
from tallybayes.families.base import Family as Family
from tallybayes.families.bernoulli import Bernoulli as Bernoulli
from tallybayes.families.categorical import Categorical as Categorical
from tallybayes.families.density import Density as Density
from tallybayes.families.each import Each as Each
from tallybayes.families.exponential import Exponential as Exponential
from tallybayes.families.gamma import Gamma as Gamma
from tallybayes.families.gaussian import Gaussian as Gaussian
from tallybayes.families.geometric import Geometric as Geometric
from tallybayes.families.histogram import Histogram as Histogram
from tallybayes.families.lognormal import LogNormal as LogNormal
from tallybayes.families.negative_binomial import NegativeBinomial as NegativeBinomial
from tallybayes.families.poisson import Poisson as Poisson
from tallybayes.families.posteriors import Dirichlet as Dirichlet
from tallybayes.families.smoothing import JEFFREYS as JEFFREYS
from tallybayes.families.smoothing import LAPLACE as LAPLACE
from tallybayes.families.smoothing import MEstimate as MEstimate
from tallybayes.families.words import Words as Words

FAMILIES.update(
    (name, found)
    for name, found in sorted(globals().items())
    if isinstance(found, type) and issubclass(found, Family) and found is not Family
)
