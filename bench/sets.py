"""The data sets of the accuracy benchmarks, and their split into training and test rows.

Every set of ../shared/data: tables as pandas reads them (only an empty cell is missing), texts as a table of one
column. Folds are stratified after a shuffle with seed 0, or another one; a set in two parts is trained on the first
and tested on the second.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from corpus import DATA as TEXTS

TABLES = TEXTS.parent / "tabular"
LEAKS = {"bank-marketing": ["duration"]}  # known only with the answer
DUPLICATED = {"enron1-2", "sms-spam"}
FOLDS = 5
TEXT_FOLDS = 5


class Part(NamedTuple):
    """Training rows and test rows."""

    learned: pd.DataFrame
    labels: Any
    asked: pd.DataFrame
    truth: Any


class Set(NamedTuple):
    name: str
    rows: pd.DataFrame
    labels: Any
    learned: int | None  # the first so many rows are for training, if the set defines a split
    folds: int
    seed: int = 0  # of the shuffle before rows are dealt to folds

    def parts(self) -> Iterator[Part]:
        if self.learned is not None:
            yield self._part(np.arange(len(self.rows)) >= self.learned)
            return
        fold = dealt(self.labels, self.folds, self.seed)
        for number in range(self.folds):
            yield self._part(fold == number)

    def _part(self, asked: Any) -> Part:
        learned, labels = self.rows[~asked].reset_index(drop=True), self.labels[~asked]
        return Part(learned, labels, self.rows[asked].reset_index(drop=True), self.labels[asked])


def dealt(labels: Any, folds: int, seed: int = 0) -> Any:
    """The fold of each row."""
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), int)
    fold[order] = np.arange(len(labels)) % folds
    return fold


def tables(chosen: list[str], folder: Path = TABLES) -> Iterator[Set]:
    """Every table, or those named."""
    for name, paths in by_set(folder.glob("*.csv"), chosen):
        frames = [pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False) for path in paths]
        rows = pd.concat(frames, ignore_index=True).drop(columns=LEAKS.get(name, []))
        labels = rows.pop(rows.columns[-1]).astype(str).to_numpy(object)
        yield Set(name, rows, labels, len(frames[0]) if len(frames) > 1 else None, FOLDS)


def texts(chosen: list[str]) -> Iterator[Set]:
    """Every set of texts, or those named."""
    for name, paths in by_set(TEXTS.iterdir(), chosen):
        parts = [read_mails(path) if path.name.endswith(".tar.xz") else read_lines(path) for path in paths]
        pairs = [pair for part in parts for pair in part]
        if name in DUPLICATED:
            pairs = list(dict(pairs).items())
        rows = pd.DataFrame({"text": [text for text, _ in pairs]})
        labels = np.array([label for _, label in pairs], object)
        yield Set(name, rows, labels, len(parts[0]) if len(parts) > 1 else None, TEXT_FOLDS)


def by_set(files: Any, chosen: list[str]) -> Iterator[tuple[str, list[Path]]]:
    """The files of each set, training first; a validation part is not used."""
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(files):
        name = path.name.split(".")[0]
        role = next((role for role in ("train", "test", "val") if role in path.name.replace("-", ".").split(".")), "")
        found.setdefault(name.removesuffix(f"-{role}") if role else name, {})[role] = path
    for name, roles in sorted(found.items()):
        if not chosen or name in chosen:
            yield name, [roles[role] for role in ("", "train", "test") if role in roles]


def read_lines(path: Path) -> list[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [(row["text"], str(row["label"])) for row in map(json.loads, lines)]


def read_mails(path: Path) -> list[tuple[str, str]]:
    """The body of each mail, one character per byte, and the first half of its folder's name: spam-1 is spam. Headers
    are dropped, since their dates and mailboxes reveal the folder.
    """
    with tarfile.open(path) as archive:
        mails = [(entry.name, archive.extractfile(entry)) for entry in archive if entry.isfile()]
        read = [(name, file.read().decode("latin-1")) for name, file in mails if file is not None]
    return [(text.partition("\n\n")[2], "spam" if "/spam" in name else "ham") for name, text in sorted(read)]
