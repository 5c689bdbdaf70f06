"""The command line: a face. Its verbs are the library's; each asks it once, and says what it said.

Nothing here imports numpy, Arrow or a part of the library before a verb runs: `--help` should come at once.
"""

import sys
from typing import Any

from tallybayes.cli.codes import INTERRUPTED

__all__ = ["app", "main"]


def main() -> None:
    """The program; it can be interrupted from here on, also while its parts are loaded."""
    try:
        from tallybayes.cli.program import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def __getattr__(name: str) -> Any:
    if name == "app":
        from tallybayes.cli.program import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
