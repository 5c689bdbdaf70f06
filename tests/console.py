"""Fenced blocks of Markdown, and a runner for the commands they show.

In a block of the language `console`, a line that begins with `$ ` is a command, which continues in lines that begin
with `> ` and after a backslash. The lines after it are the expected output, with `...` for anything; a last line `[exit
2]` is the exit code, 0 otherwise. All commands of a page run in one shell, in a temporary folder. A block after the
line `<!-- file: weather.csv -->` is the content of that file from there on.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
FILE = re.compile(r"^ *<!-- file: (?P<name>\S.*?) -->$")
EXIT = re.compile(r"^\[exit (\d+)\]$")
END = "\x1e"  # printed around the exit code, after the output of a command
LONGEST = 600  # seconds for a page, to stop one that waits for something
LIKE_DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LITERALLY = doctest.DONT_ACCEPT_BLANKLINE | doctest.DONT_ACCEPT_TRUE_FOR_1


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, content, first line, and the file it stands for, if any."""

    language: str
    text: str
    line: int
    file: str | None = None


@dataclass(frozen=True)
class Command:
    """A command, its expected output and exit code."""

    typed: str
    shown: str
    code: int
    line: int


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page in order."""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        opened = FENCE.match(lines[number])
        number += 1
        if not opened:
            continue
        start, closed = number, re.compile(rf"^ *{opened['fence']}{opened['fence'][0]}*\s*$")
        while number < len(lines) and not closed.match(lines[number]):
            number += 1
        named = FILE.match(lines[start - 2]) if start > 1 else None
        text = textwrap.dedent("".join(f"{line}\n" for line in lines[start:number]))
        language = opened["info"].strip().partition(" ")[0]
        yield Block(language, text, start, named["name"] if named else None)
        number += 1


def commands(block: Block) -> list[Command]:
    """The commands of a block, each with its output."""
    found: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if found and not found[-1][2] and (line.startswith("> ") or line == ">" or found[-1][1][-1].endswith("\\")):
            found[-1][1].append(re.sub("^> ?", "", line))
        elif line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif found:
            found[-1][2].append(line)
        else:
            raise ValueError(f"Line {number} shows {line!r} before any command; commands begin with '$ '.")
    if not found:
        raise ValueError(f"The block in line {block.line} has no command; commands begin with '$ '.")
    return [_command(number, typed, shown) for number, typed, shown in found]


def _command(number: int, typed: list[str], shown: list[str]) -> Command:
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    ends = EXIT.match(shown[-1]) if shown else None
    text = "".join(f"{line}\n" for line in (shown[:-1] if ends else shown))
    return Command("\n".join(typed), text, int(ends[1]) if ends else 0, number)


def run_page(page: str, folder: Path) -> None:
    """Raise an AssertionError at the first command of the page whose output or exit code differs."""
    with Shell(folder) as shell:
        for block in blocks(page):
            if block.file is not None:
                write(folder, block)
            elif block.language == "console":
                for command in commands(block):
                    check(command, *shell.run(command.typed))


def write(folder: Path, block: Block) -> None:
    path = (folder / str(block.file)).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"Line {block.line} would write {block.file!r}, outside the page's folder.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def check(command: Command, shown: str, code: int) -> None:
    typed = f"line {command.line}: $ {command.typed}"
    if not doctest.OutputChecker().check_output(command.shown, shown, LIKE_DOCTEST | LITERALLY):
        texts = command.shown.splitlines(), shown.splitlines()
        difference = "\n".join(difflib.unified_diff(*texts, "on the page", "shown", lineterm=""))
        raise AssertionError(f"{typed}\n{difference}\n[exit {code}]")
    if code != command.code:
        raise AssertionError(f"{typed}\nends with {code} instead of {command.code} and shows:\n{shown}")


class Shell:
    """A bash in a folder that is also its home, with this environment's programs first on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Shell:
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=self.folder,
            env=environment(self.folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.limit = threading.Timer(LONGEST, self.kill)
        self.limit.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.limit.cancel()
        self.kill()
        self.bash.communicate()

    def kill(self) -> None:
        """Kill everything that the page started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.bash.pid, signal.SIGKILL)

    def run(self, typed: str) -> tuple[str, int]:
        """The output of a command, and its exit code."""
        assert self.bash.stdin is not None
        assert self.bash.stdout is not None
        quoted = typed.replace("'", "'\\''")
        try:
            self.bash.stdin.write(f"eval '{quoted}' </dev/null\nprintf '{END}%s{END}\\n' $?\n".encode())
            self.bash.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"The page's shell has ended before: $ {typed}") from None
        shown = b""
        while line := self.bash.stdout.readline():
            shown += line
            if ends := re.search(rf"{END}(\d+){END}\n\Z".encode(), shown):
                return shown[: ends.start()].decode(errors="replace"), int(ends[1])
        return shown.decode(errors="replace"), self.bash.wait()


def environment(home: Path) -> dict[str, str]:
    """That of the tests, without variables that change the output of commands."""
    left_out = ("PYTHONHASHSEED", "FORCE_COLOR", "CLICOLOR_FORCE", "BASH_ENV", "LANG", "LANGUAGE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    plain = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    return {**kept, **plain, "PATH": path, "HOME": str(home)}
