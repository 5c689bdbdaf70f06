"""What a Python worker of Spark keeps from one task to the next: its modules, and a model."""

from __future__ import annotations

import gc
from functools import cache

from tallybayes.files import from_bytes
from tallybayes.model.model import Model

_MODELS: dict[str, Model] = {}  # one, which many tasks have


@cache
def settle() -> None:
    """Spark collects garbage after every task: 40 ms to look at modules that never go. From here on they are left out
    of it."""
    gc.collect()
    gc.freeze()


def loaded(digest: str, data: bytes) -> Model:
    if digest not in _MODELS:
        _MODELS.clear()
        _MODELS[digest] = from_bytes(data)
    return _MODELS[digest]
