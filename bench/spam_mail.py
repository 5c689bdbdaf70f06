"""Spam detection from raw mail: accuracy, good mail lost, log-loss; against bogofilter, if installed.

    python bench/spam_mail.py

The 6,046 mails of SpamAssassin are unpacked into a folder per class and read as the command line reads them; 5 folds,
stratified with seed 0. tallybayes is trained without hints (`NaiveBayes()`, weighed, and with `weigh=False`); with the
free-text columns named, as the command line does for mail, since frequent senders look like categories; with those in
the binary reading, not weighed; with a schema by hand; and with subject and body alone, since much of this good mail
came through mailing lists, which the other columns reveal. bogofilter (`apt-get install bogofilter`) gets the same
folds and files; its score is compared with 0.5, and with 0.99, its own threshold. The last column is how much spam
passes if the threshold is set so that 8 good mails are lost. Duplicate mails in two folds help all contenders alike.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.model_selection import StratifiedKFold

from mail import MAILS, there_is
from tallybayes import Bernoulli, Categorical, Model, NaiveBayes, Schema, Words
from tallybayes.mail.row import COLUMNS, TEXTS
from tallybayes.sources.documents import DocumentReader
from tallybayes.sources.read_options import ReadOptions

FOLDS = 5
LEAST = np.finfo(np.float64).eps
ONCE = Words(reading="binary", alpha="fitted")
AUTO = Words(reading="auto", ngrams=2, shortest=1, punctuation=True)  # the default family of free text
FEW_LOST = 8
BY_HAND = {
    **dict.fromkeys(TEXTS, Words()),
    **dict.fromkeys(("content_type", "charset", "parts"), Categorical()),
    **dict.fromkeys(("has_html", "has_attachment"), Bernoulli()),
}


class Fold(NamedTuple):
    """Numbers of mails."""

    learned: Any
    asked: Any


class Data(NamedTuple):
    """All mails: their files, their rows, and whether they are spam."""

    files: list[str]
    rows: pa.Table
    spam: Any

    def folds(self) -> Iterator[Fold]:
        for learned, asked in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(self.spam, self.spam):
            yield Fold(learned, asked)


Contender = Callable[[Data, Fold], Any]  # P(spam) of the test mails


def with_nothing_said(data: Data, fold: Fold, schema: Any = None, weigh: bool = True) -> Any:
    model = NaiveBayes(schema, weigh=weigh).fit(data.rows.take(fold.learned), data.spam[fold.learned])
    return model.predict_proba(data.rows.take(fold.asked))[:, 1]


def with_texts_said(data: Data, fold: Fold) -> Any:
    rows = data.rows.take(fold.learned)
    return with_schema(Schema.infer(rows, hints=dict.fromkeys(TEXTS, ONCE)), data, fold)


def with_schema(schema: Schema, data: Data, fold: Fold) -> Any:
    model = Model.train(schema, data.rows.take(fold.learned), data.spam[fold.learned])
    return model.posterior(data.rows.take(fold.asked))[:, list(model.classes).index(True)]


def bogofilter(data: Data, fold: Fold) -> Any:
    """Its scores, from the files themselves."""
    with tempfile.TemporaryDirectory() as folder:

        def told(option: str, numbers: Any) -> str:
            listed = "".join(f"{data.files[i]}\n" for i in numbers)
            command = ["bogofilter", "-d", folder, option, "-b"]
            return subprocess.run(command, input=listed, capture_output=True, text=True, check=False).stdout

        told("-s", fold.learned[data.spam[fold.learned]])
        told("-n", fold.learned[~data.spam[fold.learned]])
        scores = {line.split()[0]: float(line.split()[-1]) for line in told("-T", fold.asked).splitlines()}
        return np.array([scores[data.files[i]] for i in fold.asked])


def measure(name: str, data: Data, contender: Contender, cut: float = 0.5) -> None:
    start = time.perf_counter()
    p = np.zeros(len(data.spam))
    for fold in data.folds():
        p[fold.asked] = contender(data, fold)
    seconds = time.perf_counter() - start
    said, spam = p > cut, data.spam
    loss = -np.log(np.maximum(np.where(spam, p, 1 - p), LEAST)).mean()
    lost, passed = int((said & ~spam).sum()), int((~said & spam).sum())
    right = np.mean(said == spam)
    limit = np.sort(p[~spam])[-FEW_LOST - 1]
    at_limit = int((p[spam] <= limit).sum())
    print(f"  {name:34}  {right:7.2%}  {lost:9}  {passed:11}  {loss:8.4f}  {at_limit:9}  {seconds:6.1f} s", flush=True)


def read(folder: str) -> Data:
    """All mails of a folder, sorted by file."""
    reader = DocumentReader([folder], ReadOptions())
    table = pa.Table.from_batches(chunk.read(None, None) for chunk in reader.chunks()).sort_by("file").combine_chunks()
    spam = pc.starts_with(table["class"], "spam").to_numpy()
    return Data(table["file"].to_pylist(), table.select(COLUMNS), spam)


def main() -> None:
    if not there_is(MAILS):
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(MAILS) as archive:
            archive.extractall(folder, filter="data")
        compare(folder)


def compare(folder: str) -> None:
    start = time.perf_counter()
    data = read(folder)
    seconds = time.perf_counter() - start
    print(f"{len(data.files):,} mails, {data.spam.sum():,} of them spam, read in {seconds:.1f} s; {FOLDS} folds\n")
    heads = f"{'right':>7}  {'good lost':>9}  {'spam passed':>11}  {'log-loss':>8}  {'at 8 lost':>9}  {'time':>8}"
    print(f"  {'':34}  {heads}")
    measure("NaiveBayes()", data, with_nothing_said)
    measure("NaiveBayes(weigh=False)", data, partial(with_nothing_said, weigh=False))
    measure("with free-text columns named", data, partial(with_nothing_said, schema=dict.fromkeys(TEXTS, AUTO)))
    measure("binary reading, not weighed", data, with_texts_said)
    measure("schema by hand", data, partial(with_schema, Schema(BY_HAND)))
    measure("subject and body", data, partial(with_schema, Schema({"subject": Words(), "body": Words()})))
    once = Words(reading="binary")
    measure("subject and body, binary reading", data, partial(with_schema, Schema({"subject": once, "body": once})))
    if shutil.which("bogofilter"):
        measure("bogofilter, above 0.5", data, bogofilter)
        measure("bogofilter, above 0.99", data, bogofilter, 0.99)
    else:
        print("  bogofilter is not installed: apt-get install bogofilter.")


if __name__ == "__main__":
    main()
