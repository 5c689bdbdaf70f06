"""The settings of a store, read from its journal once."""

from __future__ import annotations

from typing import Any

from tallybayes.store.journal import Journal
from tallybayes.store.writer import Writer


class KeptSettings:
    """Values by name. Only the writing thread fills and empties the cache, so that no older value is put in it last."""

    def __init__(self, journal: Journal, writer: Writer) -> None:
        self._journal, self._writer = journal, writer
        self._known: dict[str, Any] | None = None

    def all(self) -> dict[str, Any]:
        """All values, which the caller must not change."""
        known = self._known
        return self._writer.hand_over(self._read, changes=False).result() if known is None else known

    def set(self, name: str, value: Any) -> None:
        """Keeps a value; `None` removes it."""

        def change() -> None:
            self._known = None
            self._journal.set(name, value)

        self._writer.hand_over(change).result()

    def _read(self) -> dict[str, Any]:
        self._known = self._journal.settings()
        return self._known
