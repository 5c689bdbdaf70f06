"""The changes of a store, each made within a transaction: learn, forget, correct, expire, decay.

A change is fully validated before it is made, first in the model and then in the journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import methodcaller
from typing import Any, NamedTuple

from tallybayes.data.labels import label_array, label_column
from tallybayes.files import digest, to_bytes
from tallybayes.model import Model
from tallybayes.store.chain import CORRECT, DECAY, EXPIRE, FORGET, GONE, LEARN, Record
from tallybayes.store.errors import DifferentContentError, StoreError, UnknownRowError
from tallybayes.store.folder import SNAPSHOT
from tallybayes.store.journal import Entry
from tallybayes.store.state import CountedRow, Place, State

EACH, TIMES = 5_000, 6  # bytes of a change in memory, about: so many, and so many for every byte of its counts
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
Merged = list[tuple[Model | None, CountedRow | None]]  # subtracted and added


class Change(NamedTuple):
    """A change that is on disk and part of every later answer."""

    number: int  # in the journal: the version of the model
    what: str
    id: str | None
    already: bool = False  # whether an earlier change, the one with this number, had done it


class Planned(NamedTuple):
    """A change to be made."""

    id: str | None  # of its row, so that the rows of many can be looked up together
    make: Callable[[], Change]
    size: int = EACH  # bytes of memory


def moment(when: datetime) -> str:
    """A time as in the journal: text that sorts chronologically."""
    return when.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def time_before(older_than: datetime | timedelta) -> datetime:
    """The time before which rows are too old, in UTC: the first or last of all instead of one beyond it."""
    if isinstance(older_than, timedelta):
        if older_than < timedelta(0):
            raise ValueError(f"older_than={older_than!r}: a duration must not be negative; it would expire every row.")
        now = datetime.now(UTC)
        return now - min(older_than, now - FIRST)
    if not isinstance(older_than, datetime):
        raise TypeError(f"older_than={older_than!r}: give a datetime or a timedelta.")
    try:
        return older_than.astimezone(UTC)
    except (OverflowError, ValueError):  # in the first or last day
        return FIRST if older_than.year == FIRST.year else LAST


class Changes:
    """Changes to one store; for one thread at a time."""

    def __init__(self, state: State) -> None:
        self.state, self.journal = state, state.journal
        self.halfway = False  # the model has changed, but not the journal
        self.begin()

    def begin(self) -> None:
        """Begins a commit: from here on, what is merged may have to be undone."""
        self._merged, self._before = Merged(), self.state.place()

    def learn(self, id: str, counted: CountedRow, prove: bool) -> Change:
        entry = self.journal.entry(id)
        if entry is None:
            number = self._change(LEARN, id, add=counted, prove=prove)
            self.journal.enter(Entry(number, id, number, self._now, counted.mark))
            return Change(number, LEARN, id)
        if self._same(entry, counted):
            return Change(entry.change, LEARN, id, already=True)
        raise DifferentContentError(
            f"The id {id!r} belongs to another row, or to this one with another label. Give every row its own id; "
            "to change a label, use correct."
        )

    def learning(self, id: str, counted: CountedRow, prove: bool = False) -> Planned:
        return Planned(id, partial(self.learn, id, counted, prove), EACH + TIMES * len(counted.data))

    def together(self, changes: Sequence[Planned], first: int) -> list[Change]:
        """Makes all of these changes or none: if one is refused, those before it are undone. The error names its row,
        counting from `first`."""
        before, start = self.state.place(), len(self._merged)
        done: list[Change] = []
        self.journal.do("SAVEPOINT together")
        self.journal.expect([change.id for change in changes if change.id is not None])
        try:
            for change in changes:
                done.append(change.make())
        except (sqlite3.Error, OSError):
            raise
        except Exception as error:
            if not self.halfway:
                self.journal.back_to("together")
                self._take_back(start, before)
                error.add_note(f"This is row {first + len(done)}.")
            raise
        self.journal.do("RELEASE together")
        return done

    def take_all_back(self) -> bool:
        """Undoes a commit that the database has rolled back; False if it may have been kept, or has changed files too:
        then the model must be loaded again."""
        state, before = self.state, self._before
        if self.halfway or (state.base, state.snapshot) != (before.base, before.snapshot):
            return False
        self.journal.roll_back()
        if self.journal.last()[0] != before.number:
            return False
        self._take_back(0, before)
        return True

    def _take_back(self, start: int, before: Place) -> None:
        """Undoes what was merged since, which is exact, after the journal was rolled back."""
        self.halfway = True
        for take, add in reversed(self._merged[start:]):
            self._merge(add and add.model, take)
        del self._merged[start:]
        self.state.go_back(before)
        self.halfway = False

    def forget(self, id: str, prove: bool) -> Change:
        entry = self.journal.entry(id)
        if entry is not None:
            return self._take_out([entry], FORGET, prove)[0]
        last = self.journal.latest(id)
        if last is not None and last.what in GONE:
            return Change(last.number, last.what, id, already=True)
        raise self._unknown(id)

    def forget_counts(self, counted: CountedRow, prove: bool) -> Change:
        """Forgets a row by its content: the last one learned with it, or else one that was there from the start."""
        same = self.journal.entries("WHERE mark = ? ORDER BY first DESC", counted.mark)
        for entry in list(same):
            if self._same(entry, counted):
                return self._take_out([entry], FORGET, prove)[0]
        start, faded = self.state.start().copy(), self.state.faded(counted.model, 0)
        try:
            start -= faded
            to_bytes(start)  # raises an error if the remaining counts are impossible
        except ValueError as error:
            raise UnknownRowError(f"There is no such row with this label in the store. {error}") from None
        number = self._change(FORGET, None, take=faded, prove=prove, rebase=True)
        self.state.known_start = start
        return Change(number, FORGET, None)

    def correct(self, id: str, label: Any, prove: bool) -> Change:
        entry = self.journal.entry(id)
        if entry is None:
            raise self._unknown(id)
        old = self.state.counts_of(entry.change)
        new = self.state.counted(relabelled(old, label))
        if self._same(entry, new):
            return Change(entry.change, CORRECT, id, already=True)
        in_base = entry.first <= self.state.base
        if in_base:
            faded = partial(self.state.faded, first=entry.first)
            old, new = faded(old), new._replace(model=faded(new.model))
        number = self._change(CORRECT, id, take=old, add=new, prove=prove, rebase=in_base)
        known = self.state.snapshot
        if known is not None and entry.change <= known:
            self.journal.replace(entry.change, id)
        else:
            self.journal.remove_counts(entry.change)
        self.journal.move(entry, number, new.mark)
        return Change(number, CORRECT, id)

    def expire(self, ids: Iterable[str], before: str, prove: bool) -> list[Change]:
        """Forgets those of these rows that were learned before the time."""
        found = (self.journal.entry(id) for id in ids)
        return self._take_out([entry for entry in found if entry is not None and entry.at < before], EXPIRE, prove)

    def decay(self, factor: float, prove: bool) -> Change:
        faded = self.state.model * factor
        return Change(self._change(DECAY, None, put=faded, factor=factor, prove=prove, rebase=True), DECAY, None)

    def _take_out(self, entries: Sequence[Entry], what: str, prove: bool) -> list[Change]:
        state = self.state
        in_base = any(entry.first <= state.base for entry in entries)
        written = self.journal.about("snapshot")  # even a damaged one may contain words of the rows
        if written is not None and any(entry.first <= written for entry in entries):
            state.drop_snapshot()
        elif state.unfinished:
            state.folder.keep_only(SNAPSHOT, written)  # it may contain them, too
            state.unfinished = False
        done: list[Change] = []
        for i, entry in enumerate(entries, 1):
            self.halfway = bool(done)  # all or none
            rebase = in_base and i == len(entries)
            counted = state.faded(state.counts_of(entry.change), entry.first)
            number = self._change(what, entry.id, take=counted, prove=prove, rebase=rebase)
            self.journal.remove(entry)
            done.append(Change(number, what, entry.id))
        return done

    def _change(
        self,
        what: str,
        id: str | None,
        *,
        take: Model | None = None,
        add: CountedRow | None = None,
        put: Model | None = None,
        factor: float | None = None,
        prove: bool = False,
        rebase: bool = False,
    ) -> int:
        """Changes the model and records it in the journal."""
        state, number = self.state, self.state.number + 1
        before = digest(state.model) if prove else None
        if add is not None and take is None:
            state.learn(add)
        else:
            self._merge(take, add and add.model, keep_schema=not rebase)
        self.halfway = True
        self._merged.append((take, add))
        if put is not None:
            state.model = put
        self._now = moment(datetime.now(UTC))
        content = None if add is None else self.journal.keep(number, add.data)
        base = state.rebase(number) if rebase else None
        after = (base or digest(state.model)) if prove else None
        record = Record(
            number=number,
            at=self._now,
            what=what,
            id=id,
            content=content,
            factor=factor,
            base=base,
            before=before,
            after=after,
        )
        self.journal.append(record)
        state.number = number
        self.halfway = False
        return number

    def _merge(self, take: Model | None, add: Model | None, keep_schema: bool = True) -> None:
        """Merges all or nothing: after an error the model is unchanged. A class that loses its last row keeps its
        weights in the schema, unless `keep_schema` is False: they were there before the row."""
        model = self.state.model
        schema = model.schema
        if take is not None:
            model -= take
        try:
            if add is not None:
                model += add
        except BaseException:
            if take is not None:
                model += take
                model.schema = schema
            raise
        if keep_schema:
            model.schema = schema

    def _same(self, entry: Entry, counted: CountedRow) -> bool:
        return entry.mark == counted.mark and self.journal.counts(entry.change) == counted.data

    def _unknown(self, id: str) -> StoreError:
        last = self.journal.latest(id)
        gone = "was never learned" if last is None else f"is no longer in the store: {last.what}, {last.at}"
        return UnknownRowError(f"The row {id!r} {gone}. Give the id it was learned under.")


def relabelled(model: Model, label: Any) -> Model:
    """The counts of a row under another label."""
    kind, keys, _ = label_column(label_array([label]), 0)
    groups = {keys[0]: model.keys()}
    return model._mapped(lambda tally: tally.merged(groups), kind)


def by_class(model: Model) -> Iterator[tuple[Any, Model]]:
    """Every label, and the counts of its rows."""
    for label, key in zip(model.classes, model.keys(), strict=True):
        yield label, model._mapped(methodcaller("only", [key]), model.label_type)
