"""How much columns depend on one another within the classes: conditional mutual information, with a G-test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tallybayes.families.events import PairInformation
from tallybayes.kernels import special


class Dependence(NamedTuple):
    """Two columns: their conditional mutual information given the class, in nats, which is also the Kullback-Leibler
    divergence of naive Bayes' product from the pair counts; G = 2 · rows · information, and its p-value."""

    one: str
    other: str
    information: float
    g: float
    degrees_of_freedom: int
    p: float


class Dependences(Sequence[Dependence]):
    """Every pair of columns that are counted together, the most dependent first."""

    def __init__(self, found: Sequence[PairInformation]) -> None:
        rows = [Dependence(*each, _chance(each.g, each.degrees_of_freedom)) for each in found]
        self._rows = sorted(rows, key=lambda row: (-row.information, row.one, row.other))

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        return self._rows[at]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Dependence]:
        return iter(self._rows)

    def __repr__(self) -> str:
        wide = max((len(f"{row.one}, {row.other}") for row in self._rows), default=0)
        lines = [f"{'':{wide}}  {'nats':>8}  {'G':>10}  {'df':>5}  {'p':>8}"]
        for row in self._rows:
            name, df = f"{row.one}, {row.other}", row.degrees_of_freedom
            lines.append(f"{name:{wide}}  {row.information:8.4f}  {row.g:10.2f}  {df:5d}  {row.p:8.2g}")
        return "\n".join(lines)


def _chance(g: float, df: int) -> float:
    """P(at least this G), if the columns were independent within every class."""
    return float(special.chdtrc(df, g)) if df > 0 else 1.0
