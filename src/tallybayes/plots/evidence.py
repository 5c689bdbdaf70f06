"""Why a row gets its answer: a waterfall of the evidence from the prior to the answer, and a text with its words
marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.data.frames import batches
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.plots.canvas import AGAINST, FOR, HATCHED, draw_bar, finite, ink, named
from tallybayes.plots.display import Display
from tallybayes.report import evidence as report
from tallybayes.report.blocks import Bar, Bars, Piece, share, strongest, times
from tallybayes.report.characters import clean, short, width
from tallybayes.report.marks import by_family, marked
from tallybayes.schema.entries import Name, title

LINE = 72  # characters in a line of text
FONT = 9.5  # the size at which they fill the line
LINES = 40  # of text that are shown


@dataclass(eq=False, repr=False)
class WaterfallDisplay(Display):
    """The log-odds of two classes from the prior to the answer, with a step for each piece of evidence.

    >>> from tallybayes import Categorical
    >>> model = Model.train({"outlook": Categorical()}, {"outlook": ["sunny", "rain", "rain"]}, ["no", "yes", "yes"])
    >>> display = WaterfallDisplay.from_model(model, {"outlook": "rain"})
    >>> [(bar.title, round(bar.log_odds, 3)) for bar in display.bars]
    [('prior', 0.693), ('outlook = rain', 0.811), ('all together', 1.504)]
    """

    bars: list[Bar]
    first: Any
    second: Any
    probability: float  # of the first

    @classmethod
    def from_model(
        cls, model: Model, row: Any, *, label: Any = None, against: Any = None, top: int = report.STEPS
    ) -> Self:
        """Plots one row, given as a mapping, a text or a table of one row, for `label` (by default the most probable
        class) against another class (by default the next most probable)."""
        evidence, cells = _one_row(model, row)
        shown = None if isinstance(row, str) else cells
        return cls.from_evidence(evidence, label=label, against=against, cells=shown, top=top)

    @classmethod
    def from_evidence(
        cls,
        evidence: Evidence,
        row: int = 0,
        *,
        label: Any = None,
        against: Any = None,
        cells: Mapping[str, Sequence[Any]] | None = None,
        top: int = report.STEPS,
    ) -> Self:
        """Plots a row of the evidence. `cells` has the values of all rows by column, if these are to be shown."""
        found = report.row_facts(evidence, row, label=label, against=against, cells=cells)
        if found.against is None:
            raise ValueError("There is only one class, so there is no evidence for or against it.")
        bars = report.steps(found, top, named=cells is not None)
        return cls(bars, found.class_, found.against, found.probability[found.class_])

    @property
    def size(self) -> tuple[float, float]:
        return (6.4, 0.9 + 0.27 * len(self.bars))

    @property
    def alt(self) -> str:
        parts = "; ".join(f"{short(bar.title, 40)} {self._odds(bar)}" for bar in self.bars[:8])
        more = "; …" * (len(self.bars) > 8)
        answer = f"The answer is {short(self.first)} with probability {self.probability:.4g}."
        return f"Evidence for {short(self.first)} against {short(self.second)}, step by step: {parts}{more}. {answer}"

    def _odds(self, bar: Bar) -> str:
        return Bars(self.bars, short(self.first, 16), short(self.second, 16)).odds(bar)

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        lengths = finite([bar.log_odds for bar in self.bars])
        starts = np.concatenate([[0.0], np.cumsum(lengths[:-2]), [0.0]])
        ends = starts + lengths
        for at, (bar, start, length) in enumerate(zip(self.bars, starts, lengths, strict=True)):
            last = at == len(self.bars) - 1
            draw_bar(ax, at, start, length, infinite=math.isinf(bar.log_odds), heavy=last)
            if at and not last:
                ax.plot([start, start], [at - 1.0, at], color=ink(), linewidth=0.6, alpha=0.6)
        left, right = min(starts.min(), ends.min(), 0.0), max(starts.max(), ends.max(), 0.0)
        room = (right - left) or 1.0
        for at, bar in enumerate(self.bars):
            edge = max(starts[at], ends[at])
            ax.text(edge + 0.015 * room, at, named(self._odds(bar), 40), va="center", fontsize="small")
        ax.set_xlim(left - 0.04 * room, right + 0.32 * room)
        ax.set_yticks(range(len(self.bars)), [named(bar.title, 34) for bar in self.bars])
        ax.set_ylim(len(self.bars) - 0.4, -0.6)
        ax.axvline(0.0, color=ink(), linewidth=0.8)
        ax.set_xlabel(f"log-odds: ← {named(self.second, 18)}, {named(self.first, 18)} →")
        ax.tick_params(axis="y", length=0)


def _one_row(model: Model, row: Any) -> tuple[Evidence, dict[str, list[Any]]]:
    """The evidence of a row, and its cells by column."""
    evidence = model.evidence(row)
    if len(evidence) != 1:
        raise ValueError(f"The evidence of one row is plotted, and {len(evidence)} are given. Give one of them.")
    return evidence, next(iter(batches(model.schema.frame(row)))).to_pydict()


@dataclass(eq=False, repr=False)
class MarkedTextDisplay(Display):
    """A text whose words are marked as evidence for or against a class: the stronger the evidence, the fuller the
    mark.

    >>> from tallybayes import Words
    >>> model = Model.train({"text": Words()}, ["free money", "lunch on monday"], ["spam", "ham"])
    >>> MarkedTextDisplay.from_model(model, "a free lunch")
    MarkedTextDisplay: A text with its words marked. The strongest evidence: free (2.3 × for spam), ...
    """

    pieces: list[Piece]
    first: Any
    second: Any

    @classmethod
    def from_model(
        cls, model: Model, text: Any, *, column: Name | None = None, label: Any = None, against: Any = None
    ) -> Self:
        """Plots one text, or a row that has one."""
        evidence, cells = _one_row(model, text)
        found = report.row_facts(evidence, 0, label=label, against=against, cells=None)
        if found.against is None:
            raise ValueError("There is only one class, so there is no evidence for or against it.")
        texts = [name for name in evidence.texts if column in (None, name) and model.schema.columns[name].is_text]
        words = {title(name): (name, by_family(model.beliefs(), name)) for name in texts}
        pieces: list[Piece] = []
        for each in (each for each in found.columns if each.words and each.column in words):
            name, cut = words[each.column]
            pieces += [*[Piece(" ", 0.0)] * bool(pieces), *marked(str(cells[title(name)][0]), each.words, cut)]
        if not pieces:
            raise ValueError("No word of this row is evidence. Is it text, and is its column in the model?")
        return cls(pieces, found.class_, found.against)

    @property
    def _lines(self) -> list[list[Piece]]:
        lines: list[list[Piece]] = [[]]
        wide = 0
        for text, log_odds in (Piece(clean(" ".join(p.text.split("\n")), ""), p.log_odds) for p in self.pieces):
            if wide + width(text) > LINE and wide:
                lines.append([])
                wide = 0
            lines[-1].append(Piece(text if wide else text.lstrip(), log_odds))
            wide += width(text)
        return lines

    @property
    def size(self) -> tuple[float, float]:
        return (6.4, 0.7 + 0.3 * min(len(self._lines), LINES))

    @property
    def alt(self) -> str:
        most = sorted((p for p in self.pieces if p.log_odds), key=lambda p: -abs(p.log_odds))[:8]
        parts = ", ".join(
            f"{short(p.text)} ({times(p.log_odds)} × for {short(self.first if p.log_odds > 0 else self.second)})"
            for p in most
        )
        return f"A text with its words marked. The strongest evidence: {parts or 'none'}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        lines = self._lines
        shown, most = lines[:LINES], strongest(self.pieces)
        for at, line in enumerate(shown):
            place = 0.0
            for piece in line:
                text, log_odds = piece
                strength = share(piece, most)
                box = {
                    "facecolor": FOR if log_odds > 0 else AGAINST,
                    "alpha": 0.12 + 0.5 * strength,
                    "pad": 1.2,
                    "linewidth": 0,
                    "hatch": None if log_odds > 0 else HATCHED,
                }
                style: dict[str, Any] = {"bbox": box} if strength > 0.02 else {}
                ax.text(place, -at, text.replace("$", r"\$"), family="monospace", fontsize=FONT, va="center", **style)
                place += width(text)
        more = f"; {len(lines) - LINES:,} more lines" if len(lines) > LINES else ""
        ax.set_title(f"plain: for {named(self.first)}; hatched: for {named(self.second)}{more}")
        ax.set_xlim(-1, LINE + 4)
        ax.set_ylim(-len(shown) + 0.4, 0.6)
        ax.axis("off")
