"""`tallybayes demo`: a minute of use, on fourteen days of weather and on the docstrings of Python's library.

It runs the commands themselves, one after another, in a temporary folder.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from tallybayes.cli.exit_codes import BROKEN_PIPE, FINE, INTERRUPTED

NEW_DAY = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "wind": "strong"}
FORGOTTEN = 8  # counted from 0: a sunny, cool day with tennis
SENTENCE = "Wait until the coroutine is done, then close the event loop."
PACKAGES = (
    *("asyncio", "email", "http", "importlib", "logging", "multiprocessing", "typing", "unittest", "urllib", "xml"),
)
LEAST_WORDS = 5
HELD_OUT = 4  # one paragraph in four is held out

Run = Callable[..., None]


def demo(
    context: typer.Context,
    folder: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Work in this folder, and keep the files.", show_default=False)
    ] = None,
) -> None:
    """Run a one-minute demonstration.

    Train, evaluate, explain, forget and prove it: on fourteen days of weather, then on real text.
    """
    made = tempfile.mkdtemp(prefix="tallybayes-demo-") if folder is None else folder
    os.makedirs(made, exist_ok=True)
    before = os.getcwd()
    os.chdir(made)
    run = partial(_run, context.find_root().command.main)
    try:
        _tennis(run)
        _docstrings(run)
    finally:
        os.chdir(before)
        if folder is None:
            shutil.rmtree(made)


def _tennis(run: Run) -> None:
    from importlib.resources import files

    header, *days = (files("tallybayes.cli") / "play-tennis.csv").read_text().splitlines()
    others = [day for i, day in enumerate(days) if i != FORGOTTEN]
    for name, rows in (("tennis", days), ("day-9", [days[FORGOTTEN]]), ("without-day-9", others)):
        Path(f"{name}.csv").write_text("\n".join([header, *rows, ""]))
    _say("Fourteen days of weather, and whether tennis was played.")
    run("train", "tennis.csv", "--label", "play", "-o", "tennis.tally")
    run("evaluate", "tennis.tally", "tennis.csv")
    run("explain", "tennis.tally", *(part for cell in NEW_DAY.items() for part in ("--cell", "=".join(cell))))
    _say("\nA model is its counts: to forget a day is to subtract it.")
    run("forget", "tennis.tally", "day-9.csv")
    run("train", "without-day-9.csv", "--label", "play", "-o", "never-saw-it.tally")
    _prove("tennis.tally", "never-saw-it.tally")


def _docstrings(run: Run) -> None:
    learned, test = held_out(paragraphs())
    wrong, *others = learned
    files = {"docstrings": learned, "held-out": test, "one-of-them": [wrong], "all-but-one": others}
    for name, rows in files.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row._asdict()) + "\n" for row in rows))
    _say(
        f"\nReal text: {len(learned):,} paragraphs of the docstrings of {len(PACKAGES)} packages of Python's library.",
        f"Which package does a sentence come from? {len(test):,} others are held out to see.",
    )
    run("train", "docstrings.jsonl", "--label", "package", "-o", "docstrings.tally")
    run("evaluate", "docstrings.tally", "held-out.jsonl", "--brief")
    run("explain", "docstrings.tally", "--text", SENTENCE)
    run("forget", "docstrings.tally", "one-of-them.jsonl")
    run("train", "all-but-one.jsonl", "--label", "package", "-o", "never-saw-it.tally")
    _prove("docstrings.tally", "never-saw-it.tally")


def _say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def _run(program: Callable[..., Any], *arguments: str) -> None:
    """Prints a command, runs it and shows its output."""
    print(f"\n$ tallybayes {shlex.join(arguments)}", flush=True)
    code = program(list(arguments), prog_name="tallybayes", standalone_mode=False)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code == BROKEN_PIPE:
        raise BrokenPipeError
    if code != FINE:
        raise ValueError(f"The command exited with {code}. This is a bug; please report it.")


def _prove(one: str, other: str) -> None:
    """Prints and compares the sha256 of two files."""
    print(f"\n$ sha256sum {one} {other}")
    sums = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in (one, other)]
    for name, found in zip((one, other), sums, strict=True):
        print(f"{found}  {name}")
    if len(set(sums)) > 1:
        raise ValueError("The two models differ. This is a bug; please report it.")
    print("Equal: no trace of it is left in the model.", flush=True)


class Paragraph(NamedTuple):
    text: str
    package: str


def paragraphs() -> list[Paragraph]:
    """The paragraphs of the docstrings and their packages, without duplicates."""
    found = dict.fromkeys(
        Paragraph(" ".join(text.split()), package)
        for package in PACKAGES
        for docstring in _docstrings_of(package)
        for text in re.split(r"\n\s*\n", docstring)
        if len(text.split()) >= LEAST_WORDS
    )
    if not found:
        raise FileNotFoundError("The demo reads docstrings of the standard library, whose source is not installed.")
    return list(found)


def held_out(all_of_them: list[Paragraph]) -> tuple[list[Paragraph], list[Paragraph]]:
    """The paragraphs to learn from, and every fourth to test on."""
    test = all_of_them[::HELD_OUT]
    kept = set(test)
    return [paragraph for paragraph in all_of_them if paragraph not in kept], test


def _docstrings_of(package: str) -> Iterator[str]:
    root = Path(sysconfig.get_path("stdlib"))
    for file in [root / f"{package}.py", *sorted((root / package).rglob("*.py"))]:
        if file.exists():
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield ast.get_docstring(node) or ""
