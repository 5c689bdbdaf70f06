"""A mail as a row: from the raw bytes to what a spam filter looks at, whatever the bytes are.

`row` names the columns, `parts` and `headers` take a message apart, `decoding` turns its bytes into text and `html`
its markup. Leans on no other room, and is the only importer of lxml.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybayes.mail.row import COLUMNS as COLUMNS
    from tallybayes.mail.row import read_mail as read_mail

__all__ = ["COLUMNS", "read_mail"]


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `mail.decoding` serves texts of any kind, which need no lxml."""
    if name in __all__:
        return getattr(importlib.import_module("tallybayes.mail.row"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
