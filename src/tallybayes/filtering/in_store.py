"""A store as a filter: for the command line, which opens it for one mail, and for a server, which has it open."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from tallybayes.filtering.base import Filter, Wanted
from tallybayes.filtering.classes import Names
from tallybayes.filtering.in_memory import check_columns, probabilities_of
from tallybayes.filtering.letter import Letter
from tallybayes.filtering.thresholds import SETTING, Thresholds
from tallybayes.filtering.verdict import Verdict
from tallybayes.model.evidence import Evidence
from tallybayes.model.scoring import Beliefs
from tallybayes.store import DifferentContentError, Store, StoreError, StoreInUseError, UnknownRowError

PATIENCE = 10.0  # seconds to wait for another who has the store open
PAUSE = 0.05


class StoreFilter(Filter):
    """A mail is learned under its id, once; whoever says the other class corrects it. For any number of threads."""

    def __init__(
        self,
        store: Store,
        names: Names | None = None,
        *,
        spam: float | None = None,
        ham: float | None = None,
        own: bool = False,
    ) -> None:
        self.store, self.names, self._given, self._own = store, names or Names(), {"spam": spam, "ham": ham}, own
        check_columns(store.schema)
        assert self.thresholds  # or else an error, before any mail comes

    def __exit__(self, *_: object) -> None:
        if self._own:
            self.store.close()

    @property
    def thresholds(self) -> Thresholds:
        """Those of the store, which may change at any time, unless others were given."""
        return Thresholds.of(self.store.settings().get(SETTING), **self._given)

    def verdict(self, letter: Letter) -> Verdict:
        beliefs = self._beliefs()
        if beliefs is None:
            return Verdict.of({}, None, self.thresholds)
        return Verdict.of(probabilities_of(beliefs, letter), self.names.of_spam(beliefs.labels), self.thresholds)

    def evidence(self, letter: Letter) -> Evidence | None:
        """What each column and word says."""
        beliefs = self._beliefs()
        return None if beliefs is None else beliefs.evidence(letter.row)

    def change(self, letter: Letter, wanted: Wanted) -> bool:
        if wanted.learn is None:
            with suppress(UnknownRowError):
                return not self.store.forget(id=letter.id).already
            return False
        label = self._label(wanted.learn)
        try:
            return not self.store.learn(letter.row, label, id=letter.id).already
        except DifferentContentError:  # as the other class, or with the marks of another way
            return not self.store.correct(letter.id, label).already

    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        label = self._label(verdict.word)
        with suppress(DifferentContentError):
            return not self.store.learn(letter.row, label, id=letter.id).already
        return False

    def _label(self, word: str) -> Any:
        beliefs = self._beliefs()
        return self.names.of(word, [] if beliefs is None else beliefs.labels)

    def _beliefs(self) -> Beliefs | None:
        """None while nothing was learned, of which there is nothing to believe."""
        try:
            return self.store.beliefs()
        except StoreError:
            raise
        except ValueError:
            return None


def open_patiently(path: str) -> Store:
    """The store, as soon as nobody else has it open: several mails may come at once."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Store.open(path)
        except StoreInUseError:
            if time.monotonic() > until:
                raise StoreInUseError(
                    f"The store {path} is in use. If it is being served, ask there: --server http://127.0.0.1:8765."
                ) from None
            time.sleep(PAUSE)
