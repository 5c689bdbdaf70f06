"""What can be wrong with a store, by kinds that a service answers differently."""

from __future__ import annotations


class StoreError(ValueError):
    """A store that cannot be used like this, or is damaged."""


class DamagedStoreError(StoreError):
    """A store that cannot be read as it was written."""


class StoreInUseError(StoreError):
    """Another process, or another part of this one, has the store open."""


class DifferentContentError(StoreError):
    """An id that stands for another row already."""


class UnknownRowError(StoreError, LookupError):
    """A row that is not in the store, by its id or by its content."""


class NotWrittenError(StoreError):
    """The disk did not take a change: nothing of it was kept, and everything before it still is."""


class InDoubtError(NotWrittenError):
    """The disk failed at the very end of a change, which may have been kept all the same."""


class FileLeftError(StoreError):
    """A change that was made, but a file of before, which may hold what was forgotten, could not be removed."""
