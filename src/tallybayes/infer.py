"""Which family a column gets when nobody says: rules on its type and values, each with its reason in words.

The rules look at a sample once, before anything is counted; what they choose is in the schema for everybody to see and
change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes import frames
from tallybayes.errors import CellError
from tallybayes.exact import Floats
from tallybayes.families import (
    Bag,
    Bernoulli,
    Categorical,
    Each,
    Family,
    Gaussian,
    Histogram,
    LogNormal,
    Poisson,
    Words,
)
from tallybayes.families.smoothing import FITTED
from tallybayes.families.values import ENOUGH
from tallybayes.families.vectors import Sparse, Vectors, read_vectors

FREE_TEXT = Words(reading="once", alpha=FITTED)
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
MANY_SIGNS = 8.0  # of writing without spaces
MANY_WORDS = 3.0  # so many to a cell make it free text
SOME = 1000  # cells whose words are counted to find out
FEW_LEVELS = 10  # so many different whole numbers are levels rather than a scale
SPIKE = 0.25  # a value that so many of the cells have is no chance meeting …
MANY_CELLS = 50  # … in so many cells
MANY_MORE = 1000  # cells from which the classes themselves can say where to cut
LEAST_BITS = 12
LEAST_STEPS = 256  # over the range of a column whose values are counted


class Choice(NamedTuple):
    family: Family | None  # nothing: the column is left out
    reason: str


def choose(cells: pa.Array) -> Choice:
    """The family for a column like this one, and why."""
    if cells.null_count == len(cells):
        return Choice(None, "every cell is missing")
    if pa.types.is_boolean(cells.type):
        return Choice(Bernoulli(alpha=FITTED), "true or false")
    if pa.types.is_dictionary(cells.type):
        frames.texts(cells)  # an error if these are no categories
        return Choice(Categorical(alpha=FITTED), f"a category already, of {len(cells.dictionary)} levels")
    if pa.types.is_nested(cells.type) and frames.is_text(getattr(cells.type, "value_type", cells.type)):
        return Choice(FREE_TEXT, "lists of words")
    if isinstance(cells, (pa.ListArray, pa.LargeListArray)) and not len(cells.flatten()):
        return Choice(None, "every list is empty")
    if pa.types.is_nested(cells.type):
        return _for_vectors(read_vectors(cells, None))
    if not frames.is_text(cells.type):
        return _for_numbers(frames.numbers(cells))
    present = frames.texts(cells).drop_null()
    if pc.any(pc.match_substring_regex(present, "^ *[+-]?0[0-9]")).as_py():
        return _for_texts(present)  # a code: as a number it would lose its zeros
    try:
        numbers = frames.numbers(cells)
    except CellError:
        return _for_texts(present)
    return _for_texts(present) if np.isinf(numbers).any() else _for_numbers(numbers, "written as text, ")


def _for_vectors(vectors: Vectors) -> Choice:
    if isinstance(vectors, Sparse) and not (vectors.values < 0).any():
        return Choice(Bag(), "sparse vectors of numbers of at least 0")
    return Choice(Each(Gaussian()), "vectors of numbers")


def _for_texts(present: pa.Array) -> Choice:
    levels, n = len(pc.unique(present)), len(present)
    if n >= ENOUGH and levels == 1:
        return Choice(None, "every cell is the same")
    if levels > n / 2:
        some = present.take(pa.array(np.linspace(0, n - 1, min(n, SOME), dtype=np.int64)))
        words, signs = (pc.mean(pc.count_substring_regex(some, p)).as_py() for p in (r"\S+", UNSPACED))
        if signs >= MANY_SIGNS:
            return Choice(Words(unit="characters", ngrams=2), f"free text without spaces, {signs:.0f} signs in a cell")
        if words >= MANY_WORDS:
            return Choice(FREE_TEXT, f"free text, {words:.0f} words in a cell")
        if n >= ENOUGH:
            return Choice(None, f"{levels} different texts in {n} cells: names rather than a category or free text")
    return Choice(Categorical(alpha=FITTED), f"text, {levels} level{'s' * (levels != 1)} in {n} cells")


def _for_numbers(x: Floats, aside: str = "") -> Choice:
    infinite = np.flatnonzero(np.isinf(x))
    if infinite.size:
        raise CellError(int(infinite[0]), "the value is infinite; families take finite numbers.")
    x = x[~np.isnan(x)]
    if not x.size:
        return Choice(None, "every cell is missing")
    values, counts = np.unique(x, return_counts=True)
    distinct = len(values)
    if distinct == 1 and x.size >= ENOUGH:
        return Choice(None, "every cell is the same")
    whole = bool(np.all(x == np.floor(x)))
    if whole and x.size >= ENOUGH and set(values) == {0.0, 1.0}:
        # Not Bernoulli: should another number come one day, it is a level never met rather than an error.
        return Choice(Categorical(alpha=FITTED, levels=("0", "1")), f"{aside}only 0 and 1")
    if whole and distinct <= FEW_LEVELS and x.size >= ENOUGH * distinct:
        return Choice(Categorical(alpha=FITTED), f"{aside}only {distinct} different whole numbers")
    if whole and _like_poisson(x):
        return Choice(Poisson(), f"{aside}whole numbers, their variance near their mean of {x.mean():.3g}")
    often = int(counts.argmax())
    if x.size >= MANY_CELLS and counts[often] >= SPIKE * x.size:
        return Choice(_histogram(x), f"{aside}numbers, {counts[often] / x.size:.0%} of them {values[often]:.6g}")
    if x.size >= ENOUGH * distinct:
        return Choice(_histogram(x), f"{aside}only {distinct} different numbers in {x.size} cells")
    if x.min() > 0 and _skewness(x) > 1.0 and abs(_skewness(np.log(x))) < _skewness(x) / 2.0:
        return Choice(LogNormal(), f"{aside}positive numbers with a long tail, even on a logarithmic scale")
    return Choice(Gaussian(), f"{aside}numbers from {x.min():.6g} to {x.max():.6g}")


def _histogram(x: Floats) -> Histogram:
    """Counts the values themselves, with as many digits as tell them apart. Where there are few, no class could pay for
    its cuts, and they are where the values are."""
    span, largest = x.max() / 2.0 - x.min() / 2.0, np.abs(x).max() / 2.0
    wanted = np.log2(LEAST_STEPS * largest / span) if span > 0 else 0.0
    bits = int(np.clip(np.ceil(wanted), LEAST_BITS, 52))
    return Histogram(method="mdl" if x.size >= MANY_MORE else "equal count", alpha=FITTED, bits=bits)


def _like_poisson(x: Floats) -> bool:
    """Whether whole numbers spread as a Poisson's do: Σ(x − mean)² / mean within three deviations of n − 1."""
    if x.min() < 0 or x.max() > 1000 or x.size < 2:
        return False
    mean, degrees = float(x.mean()), x.size - 1
    if not 0 < mean <= 50:
        return False
    return bool(abs(np.sum((x - mean) ** 2) / mean - degrees) <= 3.0 * np.sqrt(2.0 * degrees))


def _skewness(x: Floats) -> float:
    x = x / (np.abs(x).max() or 1.0)
    deviation = x - x.mean()
    spread = float(np.sqrt(np.mean(deviation**2)))
    return float(np.mean((deviation / spread) ** 3)) if spread > 0 else 0.0
