"""Passes a mail on, whatever happens to the process that judges it.

`tallybayes filter` is two processes. The first reads the mail and keeps it; the second judges it, and may run out of
memory, crash or hang. Its output counts once it has exited: the first then writes that, or the original mail. Nothing
that could fail is imported here.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from tallybayes.cli.exit_codes import FAILED, FINE, INTERRUPTED, NO, NOT_WRITTEN, UNDECIDED

VERB = "filter"
HELP = "--help"
CODE_ALONE = {"--exit-code", "e"}
CHANGING = {"--spam", "--ham", "--forget", "--forget-spam", "--forget-ham", *"snFSN"}  # the caller waits for the change
PATIENCE = 60  # seconds until the second process is killed
READ = 1 << 16  # bytes at a time
LONGEST = 1 << 26  # bytes: longer mails are not judged
SIGNALLED = 128  # plus the signal: the exit code of a process that was interrupted or terminated


def is_wanted(arguments: list[str]) -> bool:
    """Whether these arguments filter a mail, and the platform can fork."""
    return arguments[:1] == [VERB] and HELP not in arguments and hasattr(os, "fork")


def pass_mail(arguments: list[str]) -> int:
    """Reads, judges and writes the mail; returns the exit code."""
    options = _options(arguments)
    try:
        _check_streams()
        mail, more = _read_mail()
    except (OSError, MemoryError) as error:
        _say(f"The mail could not be read: {error}.")
        return NOT_WRITTEN
    output, code = _answer(arguments, mail, more)
    if not output and code != FINE:  # there is no verdict
        code = FINE if options.isdisjoint(CODE_ALONE | CHANGING) else FAILED
    if not options.isdisjoint(CODE_ALONE):
        return code if _write(output) else FAILED
    return code if _write(output or mail) and (not more or _copy_rest()) else NOT_WRITTEN


def _options(arguments: list[str]) -> set[str]:
    """The options by name; short ones, which may be combined, by letter."""
    long = {argument for argument in arguments if argument.startswith("--")}
    short = [argument[1:] for argument in arguments if argument[:1] == "-"]
    return long.union(*(letters for letters in short if letters.isalpha()))  # and -1e5 is a score


def _check_streams() -> None:
    """Closed streams are an error: the next files opened would get their descriptors."""
    os.fstat(0)
    os.fstat(1)
    with suppress(OSError):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)


def _read_mail() -> tuple[bytes, bool]:
    """The mail up to the limit, and whether there is more."""
    mail = bytearray()
    while len(mail) <= LONGEST:
        part = os.read(0, READ)
        if not part:
            return bytes(mail), False
        mail += part
    return bytes(mail), True


def _answer(arguments: list[str], mail: bytes, more: bool) -> tuple[bytes, int]:
    """The output and exit code of the second process; nothing and `FAILED` if it failed or was killed."""
    try:
        if more:
            raise OSError(f"A mail of more than {LONGEST >> 20} MiB is not judged")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _look(arguments, mail, writing)
        os.close(writing)
        output = _read_output(reading, child)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if (by := -ended if ended < 0 else ended - SIGNALLED) > 0:
            raise OSError(f"The process that judged the mail was killed by {signal.Signals(by).name}")
    except (OSError, MemoryError, ValueError) as error:  # signals without a name
        _say(f"{error}; it is passed on unchanged.")
        return b"", FAILED
    return (output, ended) if ended in (FINE, NO, UNDECIDED) else (b"", FAILED)  # which may be incomplete


def _look(arguments: list[str], mail: bytes, writing: int) -> None:
    """The second process: the verb, with the mail as its standard input. Does not return."""
    code = FAILED
    try:
        os.dup2(_file_of(mail), 0)
        os.dup2(writing, 1)
        for name, mode in (("stdin", "r"), ("stdout", "w")):  # the old ones may differ in whether they can seek
            setattr(sys, name, os.fdopen(getattr(sys, name).fileno(), mode, closefd=False))
        from tallybayes.cli.judging import judge, options_of
        from tallybayes.cli.running import begin

        options = options_of(arguments)
        if options is None:
            from tallybayes.cli.program import run

            run()
        else:
            begin()
            code = judge(options)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException as error:
        _say(f"{type(error).__name__}: {error}.")
    finally:
        os._exit(code)


def _file_of(mail: bytes) -> int:
    """An anonymous file with the mail: a pipe would need another process to write to it."""
    if hasattr(os, "memfd_create"):
        number = os.memfd_create(VERB)
    else:
        import tempfile

        number = os.dup(tempfile.TemporaryFile().fileno())  # noqa: SIM115
    with open(number, "wb", closefd=False) as file:
        file.write(mail)
    os.lseek(number, 0, os.SEEK_SET)
    return number


def _read_output(reading: int, child: int) -> bytes:
    """Everything written until the end; the writer is killed if that takes too long."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(PATIENCE)
    output = bytearray()
    while part := os.read(reading, READ):
        output += part
    signal.alarm(0)
    return bytes(output)


def _write(content: bytes) -> bool:
    """Writes all of it to standard output."""
    left = memoryview(content)
    try:
        while left:
            left = left[os.write(1, left) :]
    except OSError as error:
        _say(f"The mail could not be written: {error}.")
        return False
    return True


def _copy_rest() -> bool:
    while part := os.read(0, READ):
        if not _write(part):
            return False
    return True


def _say(sentence: str) -> None:
    with suppress(OSError):
        os.write(2, f"tallybayes {VERB}: {sentence}\n".encode("utf-8", "replace"))
