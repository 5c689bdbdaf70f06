"""How a verb begins and ends: a sentence instead of a traceback, and an exit code for scripts."""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec

from tallybayes.cli.exit_codes import BROKEN_PIPE, INTERRUPTED, TERMINATED, WRONG
from tallybayes.cli.terminal import say, standard_streams

P = ParamSpec("P")

USER_ERRORS = (
    ValueError,
    TypeError,
    OSError,
    ImportError,
    ArithmeticError,
    MemoryError,
    LookupError,
    NotImplementedError,
    Warning,
)  # errors whose message is for the user


def ending(verb: Callable[P, int | None], name: str = "", *, quick: bool = False) -> Callable[P, None]:
    """Runs a verb and exits with its code. A verb of several words has a name; a `quick` one may not need Arrow."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        warnings.showwarning = note  # type: ignore[assignment]
        try:
            if not quick:
                _leave_signals_to_python()
            code = verb(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            code = BROKEN_PIPE
            drop_output()
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            if os.environ.get("TALLYBAYES_TRACEBACK"):
                raise
            say(f"tallybayes {name or verb.__name__}: {sentence(error)}")
            code = WRONG
            if isinstance(error, OSError) and error.filename is None:
                drop_output()
        from typer import Exit

        raise Exit(code or 0)

    return run


class _NoPandas:
    """Hides pandas from Arrow, which would import it (half a second) only to find that nothing here is a Series."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("The command line needs no pandas.", name=name)


def begin() -> None:
    """What a process does before its verb. When it is terminated, it still removes what it has half written."""
    standard_streams()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    sys.meta_path.insert(0, _NoPandas())


def _leave_signals_to_python() -> None:
    """Disables Arrow's own signal handlers, which lose one Ctrl-C in a hundred while it reads in the main thread."""
    import pyarrow as pa

    pa.enable_signal_handlers(False)


def drop_output() -> None:
    """Redirects standard output, which cannot be written, to nowhere: or else Python tries again at exit, complains,
    and exits with a code of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def sentence(error: BaseException) -> str:
    """The message for an error."""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    if isinstance(error, OSError) and error.errno == errno.EBADF:
        return "Standard output is closed: there is nowhere to write to."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename is not None else error.strerror
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    if not isinstance(error, USER_ERRORS):  # a traceback would exit with 1, which means "no"
        return f"{type(error).__name__}: {error}. This is a bug; please report it, with TALLYBAYES_TRACEBACK=1 set."
    return str(error) or type(error).__name__


def note(message: Any, category: type[Warning], filename: str, lineno: int, *rest: Any) -> None:
    """Shows a warning of the library as a note, without its place in the code."""
    if issubclass(category, (UserWarning, RuntimeWarning)):
        say(f"Note: {message}")
