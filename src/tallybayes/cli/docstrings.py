"""Real text that every machine has: the docstrings of Python's standard library, paragraph by paragraph."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = (
    *("asyncio", "email", "http", "importlib", "logging", "multiprocessing", "typing", "unittest", "urllib", "xml"),
)
LEAST_WORDS = 5
HELD_OUT = 4  # one paragraph in four is held out


class Paragraph(NamedTuple):
    text: str
    package: str


def paragraphs() -> list[Paragraph]:
    """The paragraphs of the docstrings and their packages, without duplicates."""
    found = dict.fromkeys(
        Paragraph(" ".join(text.split()), package)
        for package in PACKAGES
        for docstring in _docstrings(package)
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


def _docstrings(package: str) -> Iterator[str]:
    root = Path(sysconfig.get_path("stdlib"))
    for file in [root / f"{package}.py", *sorted((root / package).rglob("*.py"))]:
        if file.exists():
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield ast.get_docstring(node) or ""
