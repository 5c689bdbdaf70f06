"""A mail as a row: from raw bytes, however broken, to the columns that a spam filter uses.

`row` defines the columns, `parts` and `headers` parse a message, `decoding` turns its bytes into text, and `html`
extracts text and links from markup. Leans on no other room, and is the only importer of lxml.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybayes.mail.row import COLUMNS as COLUMNS
    from tallybayes.mail.row import read_mail as read_mail

__all__ = ["COLUMNS", "read_mail"]


def __getattr__(name: str) -> Any:
    """Loaded on demand: `mail.decoding` is also used for text that needs no lxml."""
    if name in __all__:
        return getattr(importlib.import_module("tallybayes.mail.row"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
