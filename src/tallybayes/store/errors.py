"""The errors of a store, each of which a service answers differently."""

from __future__ import annotations


class StoreError(ValueError):
    """The base class of all errors of a store."""


class DamagedStoreError(StoreError):
    """A store is damaged."""


class StoreInUseError(StoreError):
    """Another process, or another part of this one, has the store open."""


class StoreGoneError(StoreError):
    """The files of a store were moved, deleted or replaced by others while it was open."""


class DifferentContentError(StoreError):
    """An id already belongs to another row."""


class UnknownRowError(StoreError, LookupError):
    """A row is not in the store, by its id or by its content."""


class NotWrittenError(StoreError):
    """A change could not be written and was discarded; earlier changes are not affected."""


class InDoubtError(NotWrittenError):
    """The disk failed during the commit of a change, which may or may not be kept."""


class FileLeftError(StoreError):
    """A change was made, but an old file, which may contain forgotten rows, could not be removed."""


class TooManyWaitError(StoreError):
    """A change was refused, since too many others are waiting for the disk."""
