"""Several families for the same block: the evidence of each is weighed by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Exact, Floats, Indices, Mask
from tallybayes.counts.packing import Arrays
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.cells import Cells
from tallybayes.families.base import Belief, Family
from tallybayes.families.belief import Part
from tallybayes.families.blocks.block import Block
from tallybayes.families.blocks.pairs import Pairs
from tallybayes.families.blocks.trees import Trees
from tallybayes.families.centring import centred
from tallybayes.families.left_out import LeftOut
from tallybayes.families.posteriors import Posterior
from tallybayes.families.settings import listed, refused, setting


def _as_members(family: Any, name: str, given: Any) -> tuple[Family, ...]:
    members = listed(given) or ()
    fine = len(members) > 1 and all(isinstance(each, Family) and each.takes_blocks for each in members)
    if not fine or len({type(each) for each in members}) < len(members) or any(isinstance(m, Several) for m in members):
        raise refused(family, name, given, "two or more different families of blocks, like (Trees(), Pairs())")
    return members


class Beside(NamedTuple):
    """The cells of a block in the form of each member."""

    members: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.members[0])

    def __getitem__(self, at: Any) -> Any:
        return Beside(tuple(cells[at] for cells in self.members))


@dataclass(frozen=True, kw_only=True, repr=False)
class Several(Block):
    """A block that several families count. Its evidence is the mean of theirs, or if evidence is weighed, each has its
    own weight.

    >>> from tallybayes import Pairs, Trees
    >>> Several(members=(Trees(n=50), Pairs()))
    Several(members=(Trees(n=50), Pairs()))
    """

    members: Sequence[Family] = setting(
        (Trees(), Pairs()),
        "the families, all different",
        check=_as_members,
        counting=True,
        to_json=lambda members: [each.to_json() for each in members],
        from_json=lambda entries: tuple(Family.from_json(each) for each in entries),
    )

    def over(self, columns: tuple[str, ...]) -> Self:
        return super(Several, self._each(lambda _, member: member.over(columns))).over(columns)

    def _each(self, work: Any) -> Self:
        return replace(self, members=tuple(work(i, member) for i, member in enumerate(self.members)))

    def _with(self, work: Any) -> Self:
        """A copy with changed members, bound to the same columns."""
        return self._each(work).over(self.columns)

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        return "Several", {type(member).__name__: member.counts for member in self.members}

    def counts_to_json(self) -> list[Any]:
        return ["Several", [member.counts_to_json() for member in self.members]]

    def changed(self, settings: Mapping[str, Any]) -> Self:
        return self._each(lambda _, member: member.changed(settings))

    def beliefs(self) -> set[str]:
        return {name for member in self.members for name in member.beliefs()}

    @property
    def brief(self) -> str:
        return f"Several(members=({', '.join(member.brief for member in self.members)}))"

    def difference(self, other: Family) -> str:
        theirs = getattr(other, "members", ())
        return "".join(one.difference(rival) for one, rival in zip(self.members, theirs, strict=False))

    @property
    def is_prepared(self) -> bool:
        return all(member.is_prepared for member in self.members)

    @property
    def looks_at_labels(self) -> bool:
        return any(member.looks_at_labels for member in self.members)

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        return self._with(lambda _, member: member.prepared(cells, rows))

    @property
    def reason(self) -> str:
        return "; ".join(member.reason for member in self.members if member.reason)

    def reads_of(self, column: str) -> pa.DataType | None:
        return self.members[0].reads_of(column)

    def arrays(self) -> Arrays:
        named = ((f"{i}/{name}", a) for i, member in enumerate(self.members) for name, a in member.arrays().items())
        return dict(named)

    def with_arrays(self, prefix: str, arrays: Arrays) -> Self:
        return self._with(lambda i, member: member.with_arrays(f"{prefix}/{i}", arrays))

    def encode(self, cells: Cells) -> Beside:
        return Beside(tuple(member.encode(cells) for member in self.members))

    def missing(self, cells: Beside) -> Mask:
        return self.members[0].missing(cells.members[0])

    def table_size(self, classes: int) -> int:
        return sum(member.table_size(classes) for member in self.members)

    def empty(self) -> Tallies:
        return Tallies({str(i): member.empty() for i, member in enumerate(self.members)})

    def tally(self, cells: Beside, rows: Rows) -> Tallies:
        given = zip(self.members, cells.members, strict=True)
        return Tallies({str(i): member.tally(own, rows) for i, (member, own) in enumerate(given)})

    def believe(self, tally: Tallies, classes: Sequence[Key]) -> Belief:
        beliefs = [member.believe(tally[str(i)], classes) for i, member in enumerate(self.members)]
        return SeveralBelief(self, beliefs)

    def fit_left_out(
        self, tally: Tallies, cells: Beside, rows: Rows, classes: Sequence[Key]
    ) -> tuple[Self, Floats | None]:
        def fitted(i: int, member: Family) -> Family:
            return member.fit_left_out(tally[str(i)], cells.members[i], rows, classes)[0]

        return self._with(fitted), None

    @property
    def pieces_left_out(self) -> int:
        return sum(member.pieces_left_out for member in self.members)

    def left_out(self, tally: Tallies, classes: Sequence[Key]) -> LeftOut:
        ways = [member.left_out(tally[str(i)], classes) for i, member in enumerate(self.members)]

        def score(cells: Beside, rows: Rows) -> Floats:
            evidence = [way(own, rows) for way, own in zip(ways, cells.members, strict=True)]
            return np.asarray(np.mean(evidence, axis=0))

        return score

    @property
    def stays(self) -> str | None:
        return "; ".join(filter(None, (member.stays for member in self.members))) or None

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part for member in self.members for part in member.parts or (type(member).__name__,))

    def left_out_parts(self, tally: Tallies, classes: Sequence[Key], cells: Beside, rows: Rows) -> Floats:
        evidence = []
        for i, member in enumerate(self.members):
            mine, own = tally[str(i)], cells.members[i]
            alone = None if member.parts else member.fit_left_out(mine, own, rows, classes)[1]
            parts = member.left_out_parts(mine, classes, own, rows) if alone is None else alone[:, :, None]
            evidence.append(parts)
        return np.concatenate(evidence, axis=2)

    def takes(self, slots: Any) -> bool:
        return all(member.takes(slots[str(i)]) for i, member in enumerate(self.members))

    def present(self, tally: Tallies, classes: Sequence[Key]) -> Exact:
        return self.members[0].present(tally["0"], classes)

    def impossible(self, tally: Tallies, touched: Tallies) -> str | None:
        found = (member.impossible(tally[str(i)], touched[str(i)]) for i, member in enumerate(self.members))
        return next(filter(None, found), None)

    def discord(self, tally: Tallies, classes: Sequence[Key]) -> str | None:
        found = (member.discord(tally[str(i)], classes) for i, member in enumerate(self.members))
        return next(filter(None, found), None)


class SeveralBelief(Belief):
    """The beliefs of all members."""

    likelihood = False
    has_parts = True

    def __init__(self, family: Several, beliefs: list[Belief]) -> None:
        self.family = family
        self.beliefs = beliefs

    def add_evidence(self, cells: Beside, scores: Floats) -> None:
        evidence = np.zeros_like(scores)
        for belief, own in zip(self.beliefs, cells.members, strict=True):
            belief.add_evidence(own, evidence)
        scores += evidence / len(self.beliefs)

    def add_parts(self, cells: Beside, weights: Floats, evidence: Floats) -> None:
        at = 0
        for member, belief, own in zip(self.family.members, self.beliefs, cells.members, strict=True):
            if member.parts:
                these = slice(at, at + len(member.parts))
                belief.add_parts(own, weights[these], evidence[these])
            elif weights[at]:
                belief.add_evidence(own, evidence[at])
            at += len(member.parts) or 1

    def parts(self, cells: Beside) -> Iterator[list[Part]]:
        return self._parts(cells, [1.0 / len(self.beliefs)] * len(self.beliefs), lambda evidence: evidence)

    def weighed_parts(self, cells: Beside, weights: Floats) -> Iterator[list[Part]]:
        ends = np.cumsum([len(member.parts) or 1 for member in self.family.members])
        shares = [each.sum() for each in np.split(weights, ends[:-1])]
        return self._parts(cells, shares, lambda evidence: centred(evidence, self.bound))

    def _parts(
        self, cells: Beside, shares: Sequence[float], change: Callable[[Floats], Floats]
    ) -> Iterator[list[Part]]:
        """The changed evidence of each column in all members that have a share and tell columns apart."""
        members = zip(self.beliefs, cells.members, shares, strict=True)
        speaking = [(belief.parts(own), share) for belief, own, share in members if share and belief.parts_are_columns]
        for _ in range(len(cells)):
            said: Any = sum(
                share * np.array([change(part.evidence) for part in next(rows)]) for rows, share in speaking
            )
            columns = zip(self.family.columns, said, strict=True) if speaking else ()
            yield [Part(column, 1.0, evidence) for column, evidence in columns]

    @property
    def parents(self) -> dict[str, Any]:
        return {column: parent for belief in self.beliefs for column, parent in belief.parents.items()}

    def drawing(self) -> list[str]:
        return [line for belief in self.beliefs for line in belief.drawing()]

    def estimates(self) -> dict[str, Floats]:
        return {name: values for belief in self.beliefs for name, values in belief.estimates().items()}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("The members of Several have no parameters in common.")

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        raise TypeError("Rows cannot be drawn from several families of one block; draw from a model with one of them.")
