"""A bound on the memory that all clients together can use."""

from __future__ import annotations


class Room:
    """Bytes for what clients have sent. Only bytes that have arrived count, not announced lengths."""

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, size: int) -> bool:
        """Whether there was room, which is now taken."""
        if size > self._left:
            return False
        self._left -= size
        return True

    def give_back(self, size: int) -> None:
        self._left += size
