"""scipy's special functions and distributions, loaded when first used: they take longer to import than all the rest."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("scipy.special"), name)


def distribution(name: str, *arguments: Any, **settings: Any) -> Any:
    """A frozen distribution of scipy.stats."""
    return getattr(import_module("scipy.stats"), name)(*arguments, **settings)
