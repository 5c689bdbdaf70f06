"""Pseudo-counts, the prior of levels: Laplace, Jeffreys, α per level, m-estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Floats, Indices
from tallybayes.data.frames import level_text
from tallybayes.families.belief import Belief, Free, Scorer, Terms, WordWeight, by_class, heaviest, log_odds
from tallybayes.families.events import Conditional
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.families.settings import as_number, number_words, refused, setting
from tallybayes.kernels import special

LAPLACE = 1.0
JEFFREYS = 0.5
FITTED = "fitted"  # computed from the counts, when believing: see `fitted.py`


@dataclass(frozen=True)
class MEstimate:
    """`m` virtual values, spread like `p`: "uniform", "overall" (as over all classes together), or given per level.

    P(level | class) = (count + m·p) / (n + m). With K levels, `MEstimate(K)` is Laplace smoothing.

    >>> from tallybayes import Categorical, Model
    >>> sky = Categorical(alpha=MEstimate(2, {"rain": 0.5, "sun": 0.5}))
    >>> Model.train({"sky": sky}, {"sky": ["sun", "sun"]}, ["no", "no"]).estimates("sky")
    {'rain': {'no': 0.25}, 'sun': {'no': 0.75}}
    """

    m: float
    p: str | Mapping[str, float] = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _pseudocount("MEstimate", "m", self.m))
        if self.p in ("uniform", "overall"):
            return
        if not isinstance(self.p, Mapping):
            raise ValueError(f"MEstimate(p={self.p!r}): p must be 'uniform', 'overall' or a probability per level.")
        object.__setattr__(self, "p", _by_level("MEstimate", "p", self.p))
        if not np.isclose(sum(self.p.values()), 1.0):
            raise ValueError(f"MEstimate(p=…): the probabilities add up to {sum(self.p.values()):g}, not to 1.")


Alpha = float | Mapping[str, float] | MEstimate | str


def smoothing() -> Any:
    """The setting `alpha` of a family that counts levels."""
    about = (
        "pseudo-counts: 0 maximum likelihood, 0.5 Jeffreys, 1 Laplace (default); a mapping gives one per level, and "
        "levels not named have none ([names](#names-in-priors)); `MEstimate(m, p)` adds m values spread like p "
        '("uniform", "overall", or a probability per level); "fitted" estimates them from the counts'
    )
    return setting(LAPLACE, about, check=as_alpha, last=True, to_json=alpha_to_json, from_json=alpha_from_json)


def as_alpha(family: Any, name: str, alpha: Any) -> Alpha:
    """A smoothing setting in canonical form: a float, floats by level text, an m-estimate, or "fitted"."""
    kind = type(family).__name__
    if isinstance(alpha, str) and alpha == FITTED:
        return FITTED
    if isinstance(alpha, MEstimate):
        return alpha if isinstance(alpha.p, str) else MEstimate(alpha.m, _by_level(kind, name, alpha.p, family))
    if isinstance(alpha, Mapping):
        return _by_level(kind, name, alpha, family)
    return _pseudocount(kind, name, alpha, ", a mapping of levels to such numbers, MEstimate(m, p) or 'fitted'")


def _pseudocount(family: str, name: str, value: Any, otherwise: str = "") -> float:
    number = as_number(value)
    if number is None:
        raise refused(family, name, value, number_words() + otherwise)
    return number


def alpha_to_json(alpha: Alpha) -> Any:
    if isinstance(alpha, MEstimate):
        return {"m": alpha.m, "p": alpha.p}
    return {"levels": alpha} if isinstance(alpha, Mapping) else alpha


def alpha_from_json(value: Any) -> Any:
    if isinstance(value, dict):
        return value["levels"] if "levels" in value else MEstimate(**value)
    return value


def _by_level(kind: str, name: str, given: Mapping[Any, float], family: Any = None) -> dict[str, float]:
    """Numbers by the texts under which the family counts levels, if the family is known yet."""
    numbers: dict[str, float] = {}
    names: dict[str, Any] = {}
    for key, value in given.items():
        shown = f"{kind}({name}={{{key!r}: {value!r}{', …' * (len(given) > 1)}}})"
        try:
            level = level_text(key) if family is None else family.level_named(level_text(key))
        except ValueError as error:
            raise ValueError(f"{shown}: {error}") from None
        if level in names:
            raise ValueError(f"{shown}: {names[level]!r} is counted as {level!r} too; give one number for both.")
        names[level], numbers[level] = key, _pseudocount(kind, f"{name}[{key!r}]", value)
    return dict(sorted(numbers.items()))


def named_levels(alpha: Alpha) -> list[str]:
    """The levels that the smoothing names: known, whether or not they occurred."""
    if isinstance(alpha, MEstimate):
        return [] if isinstance(alpha.p, str) else list(alpha.p)
    return list(alpha) if isinstance(alpha, Mapping) else []


def pseudocounts(alpha: Alpha, levels: Sequence[Any], overall: Floats) -> Floats:
    """One pseudo-count per level. `overall` is how often each occurred over all classes."""
    if isinstance(alpha, Mapping):
        return np.array([float(alpha.get(level, 0.0)) for level in levels])
    if not isinstance(alpha, MEstimate):
        return np.full(len(levels), float(alpha))
    if isinstance(alpha.p, Mapping):
        return alpha.m * np.array([float(alpha.p.get(level, 0.0)) for level in levels])
    total = np.sort(overall).sum()  # sorted, so that the order of levels does not matter
    if alpha.p == "overall" and total > 0:
        return np.asarray(alpha.m * overall / total)
    return np.full(len(levels), alpha.m / max(len(levels), 1))


class Smoothed(NamedTuple):
    """The smoothed probabilities of a column's levels."""

    counts: Floats  # [level, class]
    pseudo: Floats  # [level, class], or [level, 1]
    probability: Floats  # P(level | class): (count + α) / Σ; uniform if both are 0
    logs: Floats


def smoothed(counts: Sequence[Floats], pseudo: Sequence[Floats]) -> list[Smoothed]:
    """Several columns, computed as one table."""
    sizes = np.array(list(map(len, counts)))
    raised = np.concatenate([n + a for n, a in zip(counts, pseudo, strict=True)])
    probability, logs = smoothed_tables(raised, sizes)
    spans = [slice(end - size, end) for size, end in zip(sizes.tolist(), np.cumsum(sizes).tolist(), strict=True)]
    return [Smoothed(n, a, probability[span], logs[span]) for n, a, span in zip(counts, pseudo, spans, strict=True)]


def smoothed_tables(raised: Floats, sizes: Counts) -> tuple[Floats, Floats]:
    """P(level | class) and its logarithm from counts with pseudo-counts, for columns of so many levels each."""
    total = np.zeros((len(sizes), raised.shape[1]))
    some = sizes > 0
    if some.any():
        total[some] = np.add.reduceat(raised, (np.cumsum(sizes) - sizes)[some])
    whole = total if len(sizes) == 1 else np.repeat(total, sizes, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        probability = raised / whole
        if not total.all():
            probability = np.where(whole > 0, probability, np.repeat(1.0 / np.maximum(sizes, 1), sizes)[:, None])
        return probability, np.log(probability)


def log_dirichlet(pseudo: Floats, logs: Floats) -> float:
    """Σ α·log p: up to a constant, the log density of Dirichlet(α + 1), whose posterior mode is (count + α) / Σ. 0
    without pseudo-counts."""
    with np.errstate(invalid="ignore"):
        return float(np.where(pseudo > 0, pseudo * logs, 0.0).sum())


class SmoothedBelief(Belief):
    """P(level | class) from counts and pseudo-counts, and a lookup table of its logarithms."""

    levels: list[str]

    def __init__(self, known: Smoothed) -> None:
        self.counts, self.pseudo, self.probability, self.table = known

    @property
    def raised(self) -> Floats:
        """The counts with pseudo-counts."""
        return np.asarray(self.counts + self.pseudo)

    def codes(self, cells: Any) -> Codes:
        """The index of every cell's level, negative if it is missing or unknown."""
        return cells

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        self.together([self])([cells], scores)

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        tables, coders = [belief.table for belief in beliefs], [belief.codes for belief in beliefs]

        def score(cells: Sequence[Any], scores: Floats) -> None:
            codes = [code(column) for code, column in zip(coders, cells, strict=True)]
            kernels.add_tables(codes, tables, scores)

        return score

    def with_table(self, change: Callable[[Floats], Floats]) -> Belief:
        changed = copy(self)
        changed.table, changed.likelihood = change(self.table), False
        return changed

    def estimates(self) -> dict[str, Floats]:
        return dict(zip(self.levels, self.probability, strict=True))

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        return heaviest(self.levels, self.counts[:, index], log_odds(self.table, index, prior), top)

    def posterior(self, index: int) -> Posterior:
        alpha = self.raised[:, index].tolist()
        return Dirichlet(dict(zip(self.levels, alpha, strict=True)))

    def credible(self, index: int, cells: Any, mass: float) -> tuple[Floats, Floats] | None:
        """From the Beta distribution of each level's probability; the density within an interval stays fixed."""
        raised, at = self._uncertain(index)
        total = raised.sum()
        if total <= 0:
            return None
        codes, evidence = self.codes(cells), self.evidence_for(cells, self.table.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            hits = raised[codes if at is None else at[codes]]
            misses = np.maximum(total - hits, 0.0)
            spread = evidence[index] - np.log(hits / total)
            ends = [special.betaincinv(hits, misses, share) for share in ((1.0 - mass) / 2.0, (1.0 + mass) / 2.0)]
            certain = np.where(misses > 0.0, 0.0, 1.0)
            low, high = (np.log(np.where((hits > 0) & (misses > 0), end, certain)) + spread for end in ends)
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), -np.inf, high)

    def _uncertain(self, index: int) -> tuple[Floats, Indices | None]:
        """The counts and pseudo-counts of a class that say how uncertain its probabilities are, and which of them is
        about each level, if they are fewer."""
        return self.raised[:, index], None

    def free(self) -> Free:
        return Free(max(len(self.counts) - 1, 0), outcomes=max(len(self.counts), 1))

    def conditionals(self) -> list[list[Conditional]]:
        return [[Conditional(0, self.levels, (), self.probability)]]

    def linear(self) -> Terms:
        """A feature for every level: 1 if the cell has it, else 0."""
        return Terms(self.levels, self.table, np.zeros(self.table.shape[1]))

    def drawn(self, random: np.random.Generator) -> Belief:
        return self._in_proportion(random.standard_gamma(self.raised))

    def _in_proportion(self, found: Floats) -> Belief:
        """The same with probabilities in these proportions, for every class that has any."""
        total = found.sum(axis=0)
        return self._at(np.where(total > 0, found / np.where(total > 0, total, 1.0), self.probability))

    def _at(self, probability: Floats) -> SmoothedBelief:
        changed = copy(self)
        changed.probability = probability
        with np.errstate(divide="ignore"):
            changed.table = np.log(probability)
        return changed

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        return pa.array(self.levels, pa.string()).take(self.draw_codes(random, classes))

    def draw_codes(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """Level indices; missing if no level is known."""
        if not len(self.counts):
            return pa.nulls(len(classes), pa.int64())
        codes = np.zeros(len(classes), np.int64)
        for number, rows in by_class(classes):
            codes[rows] = random.choice(len(self.counts), len(rows), p=self.probability[:, number])
        return pa.array(codes)
