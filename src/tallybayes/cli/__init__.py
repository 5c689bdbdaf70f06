"""The command line: its verbs are those of the library, and each makes one call to it.

`program` lists the verbs, `options` what they share, and each verb has a file of its own. Leans on the whole library
but `sklearn` and `testing`, and is the only importer of typer and rich. Nothing here imports numpy, Arrow or another
room before a verb runs: `--help` must be instant.
"""

import os
import sys
from typing import Any

from tallybayes.cli.exit_codes import INTERRUPTED
from tallybayes.cli.mail_pipe import is_wanted, pass_mail

__all__ = ["app", "main"]


def main() -> None:
    """The program; from here on it can be interrupted, even while modules load."""
    try:
        if is_wanted(sys.argv[1:]):
            os._exit(pass_mail(sys.argv[2:]))  # all is written, and Python takes milliseconds to end
        from tallybayes.cli.program import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def __getattr__(name: str) -> Any:
    if name == "app":
        from tallybayes.cli.program import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
