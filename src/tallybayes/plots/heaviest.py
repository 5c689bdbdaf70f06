"""The evidence of a whole model: the words, levels and intervals that weigh most for each class, and P(word | class) of
all words side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evidence import text_column
from tallybayes.model.heaviest import Weight, heaviest
from tallybayes.model.model import Model
from tallybayes.plots.canvas import MOST, draw_bar, finite, ink, marks, named
from tallybayes.plots.densities import shown_classes
from tallybayes.plots.display import Display
from tallybayes.report.characters import short
from tallybayes.schema.entries import Name, title

SPIKES = 3  # that are named
LETTER = 0.068  # width of a letter, in inches


@dataclass(frozen=True, eq=False)
class WordProbabilities:
    """`p[class, name]`: P(word | class) under the family's event model, or P(true | class) of boolean columns."""

    what: str  # words, alphabetically, or columns, in the order of the schema
    names: Sequence[str]
    classes: Sequence[Any]
    p: Floats


def word_probabilities(model: Model, column: Name | None = None) -> WordProbabilities:
    """The words of a text column, or if there is none, all boolean columns. If the column's event model gives scores,
    words are taken as multinomial.

    >>> from tallybayes import Bernoulli
    >>> frame = {"free": [True, True, False, False], "lunch": [False, True, True, True]}
    >>> model = Model.train(dict.fromkeys(frame, Bernoulli(alpha=0)), frame, ["spam", "spam", "ham", "ham"])
    >>> found = word_probabilities(model)
    >>> found.names, found.p.tolist()
    (['free', 'lunch'], [[0.0, 1.0], [1.0, 0.5]])
    """
    known = model.beliefs()
    texts: list[Name] = [name for name, belief in known.counted.items() if belief.has_parts and isinstance(name, str)]
    if column is None and not texts:
        tables = {name: belief.estimates() for name, belief in known.counted.items() if isinstance(name, str)}
        yes = {title(name): table["true"] for name, table in tables.items() if table.keys() == {"false", "true"}}
        if not yes:
            raise ValueError("There is no text column and no boolean column, so there are no words.")
        return WordProbabilities("columns", list(yes), known.labels, np.array(list(yes.values())).T)
    name = text_column(texts, None if column is None else model.schema.entry(column))
    if name in known.scores:
        family = model.schema.columns[name].settled(known.counted[name])
        known = model.only([name]).believing({name: family}, weights=None).beliefs()
    table = known.counted[name].estimates()
    return WordProbabilities(
        "words", list(table), known.labels, np.array(list(table.values())).reshape(len(table), -1).T
    )


@dataclass(eq=False, repr=False)
class HeaviestDisplay(Display):
    """The words, levels and intervals that weigh most for each class: two classes back to back, or a panel for each
    of more.

    >>> from tallybayes import Words
    >>> model = Model.train({"text": Words()}, ["free money", "lunch on monday"], ["spam", "ham"])
    >>> HeaviestDisplay.from_model(model, top=2)
    HeaviestDisplay: The strongest evidence for each class. ham: lunch, monday; spam: free, money.
    """

    weights: dict[Any, list[Weight]]
    more: int  # classes that are not shown

    across = 2

    @classmethod
    def from_model(cls, model: Model, classes: Any = None, *, top: int = 15, column: Name | None = None) -> Self:
        """Plots this class or these, or the six most frequent."""
        labels = [model.classes[i] for i in shown_classes(model, classes)]
        found = {label: heaviest(model, label, top, column=column) for label in labels}
        if not any(found.values()):
            raise ValueError(
                "There is no evidence to show: the columns have no words or levels, or all classes have the same ones."
            )
        return cls(found, len(model.classes) - len(labels))

    @property
    def panels(self) -> int:
        return 1 if len(self.weights) == 2 else len(self.weights)

    @property
    def size(self) -> tuple[float, float]:
        return (6.8 if self.panels == 1 else 3.6, 0.9 + 0.22 * max(map(len, self.weights.values()), default=1))

    @property
    def alt(self) -> str:
        parts = [
            f"{short(label)}: " + (", ".join(short(each.value) for each in weights[:10]) or "nothing")
            for label, weights in self.weights.items()
        ]
        return f"The strongest evidence for each class. {'; '.join(parts[:MOST])}."

    def draw(self, axes: list[Any]) -> None:
        if self.panels > 1 or len(self.weights) == 1:
            for ax, (label, weights) in zip(axes, self.weights.items(), strict=True):
                self._one_side(ax, label, weights)
            return
        (ax,) = axes
        names = list(self.weights)
        sides = list(self.weights.values())
        lengths = finite([each.log_odds for weights in sides for each in weights])
        self._bars(ax, sides[0], -lengths[: len(sides[0])])
        self._bars(ax, sides[1], lengths[len(sides[0]) :])
        longest = float(np.abs(lengths).max()) * self._room(0.5 * self.size[0])
        ax.set_xlim(-longest, longest)
        ax.set_ylim(max(map(len, sides)) - 0.4, -0.6)
        ax.set_yticks([])
        ax.axvline(0.0, color=ink(), linewidth=0.8)
        ax.set_xlabel(f"log-odds: ← {named(names[0])}, {named(names[1])} →")
        ax.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")

    def _one_side(self, ax: Any, label: Any, weights: list[Weight]) -> None:
        lengths = finite([each.log_odds for each in weights])
        self._bars(ax, weights, lengths)
        ax.set_xlim(0.0, float(np.abs(lengths).max(initial=0.0)) * self._room(self.size[0]) or 1.0)
        ax.set_ylim(max(map(len, self.weights.values())) - 0.4, -0.6)
        ax.set_yticks([])
        ax.set_title(f"for {named(label, 30)}")

    def _room(self, wide: float) -> float:
        """The length of an axis of `wide` inches relative to its longest bar, so that names fit behind the bars."""
        longest = max(len(self._title(each)) for weights in self.weights.values() for each in weights)
        return wide / max(wide - 0.3 - LETTER * longest, 0.3 * wide)

    def _title(self, each: Weight) -> str:
        columns = {weight.column for weights in self.weights.values() for weight in weights}
        return short(each.value, 22) if len(columns) == 1 else f"{short(each.column, 12)} = {short(each.value, 22)}"

    def _bars(self, ax: Any, weights: list[Weight], ends: Floats) -> None:
        """A bar for every weight, to the right or the left, and its name behind it."""
        for at, (each, end) in enumerate(zip(weights, ends, strict=True)):
            draw_bar(ax, at, 0.0, end, infinite=math.isinf(each.log_odds))
            side, away = ("right", -3) if end < 0 else ("left", 3)
            where = {"textcoords": "offset points", "va": "center", "ha": side, "fontsize": "small"}
            ax.annotate(named(self._title(each), 40), (end, at), (away, 0), **where)


@dataclass(eq=False, repr=False)
class WordProbabilityDisplay(Display):
    """P(x = 1 | class) for every word or every boolean column, a panel for each class, with the highest spikes
    named.

    >>> from tallybayes import Bernoulli
    >>> frame = {"free": [True, True, False], "lunch": [False, False, True]}
    >>> model = Model.train(dict.fromkeys(frame, Bernoulli()), frame, ["spam", "spam", "ham"])
    >>> WordProbabilityDisplay.from_model(model, spikes=1)
    WordProbabilityDisplay: P(word | class) of 2 words. The highest: in ham lunch 0.67; in spam free 0.75.
    """

    found: WordProbabilities
    classes: list[int]
    spikes: int

    share = "col"
    size = (6.8, 1.9)

    @classmethod
    def from_model(
        cls, model: Model, column: Name | None = None, *, classes: Sequence[Any] | None = None, spikes: int = SPIKES
    ) -> Self:
        """Plots the words of a text column, or if there is none, all boolean columns."""
        return cls(word_probabilities(model, column), shown_classes(model, classes), spikes)

    @property
    def panels(self) -> int:
        return len(self.classes)

    @property
    def alt(self) -> str:
        parts = [
            f"in {short(self.found.classes[i])} " + ", ".join(f"{short(self.found.names[j])} {p[j]:.2f}" for j in top)
            for i in self.classes
            for p in [self.found.p[i]]
            for top in [np.argsort(-p, kind="stable")[: self.spikes]]
        ]
        return f"P(word | class) of {len(self.found.names):,} words. The highest: {'; '.join(parts)}."

    def draw(self, axes: list[Any]) -> None:
        top = float(self.found.p[self.classes].max(initial=0.0)) or 1.0
        for ax, i, mark in zip(axes, self.classes, marks(len(self.classes)), strict=True):
            self._panel(ax, self.found.p[i], mark.color)
            ax.set_ylim(0.0, 1.22 * top)
            ax.set_ylabel("P(word | class)", fontsize="small")
            ax.set_title(named(self.found.classes[i], 40))
        order = "alphabetically" if self.found.what == "words" else "in the order of the schema"
        axes[-1].set_xlabel(f"{len(self.found.names):,} {self.found.what}, {order}")

    def _panel(self, ax: Any, p: Floats, color: str) -> None:
        gaps = np.full(len(p), np.nan)
        spikes = np.stack([np.zeros(len(p)), p, gaps], axis=1).ravel()  # one path is shorter than many
        ax.plot(np.repeat(np.arange(len(p)), 3), spikes, color=color, linewidth=max(0.3, min(3.0, 300.0 / len(p))))
        for at in np.argsort(-p, kind="stable")[: self.spikes].tolist():
            side = "right" if at > 0.8 * len(p) else "left"
            ax.annotate(
                named(self.found.names[at]), (at, p[at]), (0, 3), textcoords="offset points", ha=side, fontsize="small"
            )
        ax.set_xlim(-0.5 - 0.005 * len(p), len(p) - 0.5 + 0.005 * len(p))
        ax.axhline(0.0, color=ink(), linewidth=0.6)
