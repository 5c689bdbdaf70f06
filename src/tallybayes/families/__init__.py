"""The families, by name: one short file each, in folders for numbers, levels, text, vectors and blocks.

`base` says what a family is, `settings` how its settings are declared, `smoothing` how levels and words are smoothed. A
line here registers a family under its name, for text and model files. Leans on `counts` and `data`; no code outside
asks which class a family is.
"""

from tallybayes.families.base import FAMILIES as FAMILIES
from tallybayes.families.base import Belief as Belief
from tallybayes.families.base import Family as Family
from tallybayes.families.blocks.correlated import Correlated as Correlated
from tallybayes.families.blocks.crossed import Crossed as Crossed
from tallybayes.families.blocks.pairs import Pairs as Pairs
from tallybayes.families.blocks.pairs import Tuples as Tuples
from tallybayes.families.blocks.several import Several as Several
from tallybayes.families.blocks.trees import Trees as Trees
from tallybayes.families.levels.bernoulli import Bernoulli as Bernoulli
from tallybayes.families.levels.categorical import Categorical as Categorical
from tallybayes.families.numbers.density import Density as Density
from tallybayes.families.numbers.exponential import Exponential as Exponential
from tallybayes.families.numbers.gamma import Gamma as Gamma
from tallybayes.families.numbers.gaussian import Gaussian as Gaussian
from tallybayes.families.numbers.geometric import Geometric as Geometric
from tallybayes.families.numbers.histogram import Histogram as Histogram
from tallybayes.families.numbers.lognormal import LogNormal as LogNormal
from tallybayes.families.numbers.negative_binomial import NegativeBinomial as NegativeBinomial
from tallybayes.families.numbers.poisson import Poisson as Poisson
from tallybayes.families.posteriors import Dirichlet as Dirichlet
from tallybayes.families.smoothing import JEFFREYS as JEFFREYS
from tallybayes.families.smoothing import LAPLACE as LAPLACE
from tallybayes.families.smoothing import MEstimate as MEstimate
from tallybayes.families.text.mix import Mix as Mix
from tallybayes.families.text.word_sequence import WordSequence as WordSequence
from tallybayes.families.text.words import Words as Words
from tallybayes.families.vectors.bag import Bag as Bag
from tallybayes.families.vectors.each import Each as Each

FAMILIES.update(
    (name, found)
    for name, found in sorted(globals().items())
    if isinstance(found, type) and issubclass(found, Family) and found is not Family
)
