"""A store as a filter: for the command line, which opens it for one mail, and for a server, which keeps it open."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tallybayes.filtering.base import Filter, Letter, Verdict, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.in_memory import check_columns, probabilities_of
from tallybayes.filtering.thresholds import SETTING, Thresholds
from tallybayes.model.evidence import Evidence
from tallybayes.model.scoring import Beliefs
from tallybayes.store import Change, DifferentContentError, Store, StoreError, StoreInUseError, UnknownRowError

PATIENCE = 10.0  # seconds to wait for another process that has the store open
PAUSE = 0.05


class StoreFilter(Filter):
    """A filter with a store: a mail is learned once under its id, and learning it as the other class corrects it.
    Thread-safe."""

    def __init__(
        self,
        store: Store,
        names: Names | None = None,
        *,
        spam: float | None = None,
        ham: float | None = None,
        own: bool = False,
        told: Callable[[Change], object] | None = None,
    ) -> None:
        """A filter that closes the store if it is its `own`, and calls `told` with every change it made."""
        self.store, self.names, self._given, self._own = store, names or Names(), {"spam": spam, "ham": ham}, own
        self._told = told
        self._known: tuple[Any, Thresholds] | None = None  # the last thresholds of the store, as kept and as used
        check_columns(store.schema)
        assert self.thresholds  # raises an error early if they are invalid

    def __exit__(self, *_: object) -> None:
        if self._own:
            self.store.close()

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds given, or else those of the store, which may change at any time."""
        kept, known = self.store.setting(SETTING), self._known
        if known is None or known[0] != kept:
            self._known = known = kept, Thresholds.of(kept, **self._given)
        return known[1]

    def verdict(self, letter: Letter) -> Verdict:
        beliefs = self._beliefs()
        if beliefs is None:
            return Verdict.of({}, None, self.thresholds)
        return Verdict.of(probabilities_of(beliefs, letter), self.names.of_spam(beliefs.labels), self.thresholds)

    def evidence(self, letter: Letter) -> Evidence | None:
        """The evidence of each column and word."""
        beliefs = self._beliefs()
        return None if beliefs is None else beliefs.evidence(letter.row)

    def change(self, letter: Letter, wanted: Wanted) -> bool:
        if wanted.learn is None:
            with suppress(UnknownRowError):
                return self._made(self.store.forget(id=letter.id))
            return False
        label = self._label(wanted.learn)
        try:
            return self._made(self.store.learn(letter.row, label, id=letter.id))
        except DifferentContentError:  # as the other class, or a copy with different headers
            return self._made(self.store.correct(letter.id, label))

    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        label = self._label(verdict.word)
        with suppress(DifferentContentError):
            return self._made(self.store.learn(letter.row, label, id=letter.id))
        return False

    def _made(self, change: Change) -> bool:
        if not change.already and self._told is not None:
            self._told(change)
        return not change.already

    def _label(self, word: str) -> Any:
        beliefs = self._beliefs()
        return self.names.of(word, [] if beliefs is None else beliefs.labels)

    def _beliefs(self) -> Beliefs | None:
        """None if nothing was learned yet."""
        try:
            return self.store.beliefs()
        except StoreError:
            raise
        except ValueError:
            return None


def open_patiently(path: str) -> Store:
    """Opens a store, waiting for other processes: several mails may arrive at once."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Store.open(path)
        except StoreInUseError:
            if time.monotonic() > until:
                raise StoreInUseError(
                    f"The store {path} is in use by another process. If that is a service, stop it first; a filter can "
                    "ask it instead: --server http://127.0.0.1:8765."
                ) from None
            time.sleep(PAUSE)
