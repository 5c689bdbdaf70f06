"""The posterior of a network's tables: a Dirichlet distribution for each level of a parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallybayes.families.posteriors import Dirichlet, Posterior


@dataclass(frozen=True)
class TablePosterior(Posterior):
    """Several distributions over levels, independent of one another."""

    tables: Sequence[Dirichlet]

    def marginals(self) -> dict[Any, Any]:
        return {level: known for table in self.tables for level, known in table.marginals().items()}
