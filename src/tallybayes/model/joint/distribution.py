"""Any question to the joint distribution of the class and all columns."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import NOTHING_COUNTED, Event, NoJointError, Span
from tallybayes.model.joint.elimination import log_max, log_sum
from tallybayes.model.joint.questions import Events, asked, asked_events
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, members, title

CLASS = "class"  # its name in questions if the schema gives none


def class_name(label: str | None, columns: Container[str]) -> str:
    """The name of the class in questions."""
    return label or (CLASS if CLASS not in columns else f"({CLASS})")


class Joint:
    """P(class, columns) under the model."""

    def __init__(self, known: Beliefs, label: str) -> None:
        if known.scores:
            raise NoJointError(
                f"Column {known.scores[0]!r} gives scores, which are not probabilities. Leave it out, or give it a "
                "family with probabilities, like Words(reading='multinomial')."
            )
        if known.schema.weights is not None:
            raise NoJointError("Weighed evidence is not a joint distribution; use believing(weights=None).")
        self.known = known
        self.columns = list(known.schema.by_column)
        self.label = label

    def probability(self, question: Any, given: Any = None) -> float:
        """P(question | given)."""
        events, known, given = asked(question, given, [*self.columns, self.label], "outlook=sunny")
        both = {name: events[name].both(known[name]) if name in known else event for name, event in events.items()}
        for name, event in both.items():
            self._refuse_point(name, event, known.get(name))
        whole = np.logaddexp.reduce(self.log_joint(known))
        if np.isneginf(whole):
            raise ValueError(f"The condition {given!r} has probability 0.")
        return float(np.exp(min(np.logaddexp.reduce(self.log_joint({**known, **both})) - whole, 0.0)))

    def log_joint(self, events: Events) -> Floats:
        """log P(class, events) of every class. A single value of a continuous column counts by its density."""
        total = self._log_classes(events)
        for name, belief in self.known.columns.items():
            own = {i: events[column] for i, column in enumerate(members(name)) if column in events}
            if own:
                total = total + self._named_errors(self._log_events, name, belief, own)
        return np.asarray(total)

    def most_probable_row(self, given: Any = None) -> dict[str, Any]:
        """The most probable combination of the class and all columns that are not given."""
        events = asked_events(given, [*self.columns, self.label])
        total, rows = self._log_classes(events), [dict[str, Any]() for _ in self.known.keys]
        for name, belief in self.known.columns.items():
            own = {i: events[column] for i, column in enumerate(members(name)) if column in events}
            logs, found = self._named_errors(self._peak, name, belief, own)
            total = total + logs
            for row, states in zip(rows, found, strict=True):
                row.update(zip(members(name), states, strict=True))
        best = int(np.argmax(total))
        if np.isneginf(total[best]):
            raise ValueError(f"The condition {given!r} has probability 0, so there is no such row.")
        return {**rows[best], self.label: self.known.labels[best]}

    def _log_classes(self, events: Events) -> Floats:
        if self.label not in events:
            return self.known.prior
        names = [str(label).lower() if isinstance(label, bool) else str(label) for label in self.known.labels]
        try:
            return np.where(events[self.label].mask(names), self.known.prior, -np.inf)
        except ValueError as error:
            raise ValueError(f"Column {self.label!r}: {error}") from None

    def _log_events(self, name: Name, belief: Belief, events: Mapping[int, Event]) -> Floats:
        family = self.known.schema.columns[name]
        if family.support is not None:
            return self._log_number(family, belief, events[0])
        networks = belief.conditionals()
        logs = [log_sum(network, _masks(family, network, events)) for network in networks]
        return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(networks)))

    def _log_number(self, family: Family, belief: Belief, event: Event) -> Floats:
        if event.but:
            raise ValueError("numbers cannot be excluded with !=; ask about bounds, like 20 < x <= 25.")
        points = event.points()
        if points is None:
            return belief.log_within(event)
        if len(points) != 1:
            if points:
                raise ValueError("there are several numbers; ask about one, or about bounds.")
            return np.full(len(self.known.keys), -np.inf)
        return belief.evidence_for(family.encode(pa.array(points)), len(self.known.keys))[:, 0]

    def _peak(self, name: Name, belief: Belief, events: Mapping[int, Event]) -> tuple[Floats, list[tuple[Any, ...]]]:
        family = self.known.schema.columns[name]
        if family.support is not None:
            event = events.get(0, Event())
            points = event.points()
            if points is not None:
                return self._log_number(family, belief, event), [tuple(points[:1] or [None])] * len(self.known.keys)
            x, logs = belief.peak(event)
            return logs, [(int(each) if family.support.whole else float(each),) for each in x.tolist()]
        networks = belief.conditionals()
        if not all(len(each.states) for each in networks[0]):
            raise NoJointError(NOTHING_COUNTED)
        if len(networks) > 1:
            raise NoJointError("the most probable row of an average of networks cannot be found; use 'tree'.")
        logs, found = log_max(networks[0], _masks(family, networks[0], events))
        return logs, [tuple(_shown(each.states[row[each.column]]) for each in networks[0]) for row in found]

    def _named_errors(self, work: Any, name: Name, belief: Belief, events: Mapping[int, Event]) -> Any:
        """Names the column in any error."""
        try:
            return work(name, belief, events)
        except NoJointError as error:
            family = type(self.known.schema.columns[name]).__name__
            raise NoJointError(f"Column {name!r} ({family}) cannot be asked about: {error}") from None
        except ValueError as error:
            raise ValueError(f"Column {title(name)!r}: {error}") from None

    def _refuse_point(self, name: str, event: Event, known: Event | None) -> None:
        """An error if the question asks for a single value of a continuous column that is not given."""
        support = None if name == self.label else self.known.schema.by_column[name].support
        if support is None or support.whole or event.is_empty or event.points() is None:
            return
        if known is None or known.points() is None:
            raise ValueError(
                f"{name!r} is a number, and a single number has probability 0. Ask about bounds, like "
                f"20 < {name} <= 25; a condition may be a single number."
            )


def _shown(state: Any) -> Any:
    return str(state) if isinstance(state, Span) else state


def _masks(family: Family, network: Sequence[Any], events: Mapping[int, Event]) -> dict[int, Any]:
    """Which states each event includes; levels are matched by their text."""
    found = {}
    for each in network:
        if each.column in events:
            event = events[each.column]
            if event.among is not None and not family.takes_blocks:
                known = set(each.states)
                among = frozenset(t if t in known else family.level_named(t) for t in event.among)
                event = Event(among, event.but, event.low, event.high, event.with_low, event.with_high)
            found[each.column] = event.mask(each.states)
    return found
