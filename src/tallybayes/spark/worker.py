"""What a Python worker of Spark keeps between tasks: its modules, and a model."""

from __future__ import annotations

import gc
from functools import cache

from tallybayes.files import from_bytes
from tallybayes.model.model import Model

_MODELS: dict[str, Model] = {}  # the last one only


@cache
def freeze_modules() -> None:
    """Excludes modules from garbage collection, which Spark runs after every task: they would take 40 ms each time."""
    gc.collect()
    gc.freeze()


def loaded(digest: str, data: bytes) -> Model:
    if digest not in _MODELS:
        _MODELS.clear()
        _MODELS[digest] = from_bytes(data)
    return _MODELS[digest]
