"""Spam or not, from raw mail: accuracy, good mail lost, log-loss; beside bogofilter, if it is installed.

    python bench/spam_mail.py

The 6,046 mails of SpamAssassin in 5 folds, stratified with seed 0. tallybayes reads them by `read_mail` and learns with
nothing said (`NaiveBayes()`), with a schema made by hand, and with the subject and the body alone: much of this good
mail came through lists, which the other columns tell. bogofilter (`apt-get install bogofilter`) has the same folds and
the raw mails; it is asked for its score and held to 0.5, and to 0.99, above which it says spam by itself. A mail that
occurs twice, in two folds, helps all of them alike.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.model_selection import StratifiedKFold

from mail import raw_mails
from tallybayes import Bernoulli, Categorical, Model, NaiveBayes, Schema, Words
from tallybayes.mail import COLUMNS, read_mail

FOLDS = 5
LEAST = np.finfo(np.float64).eps
TEXTS = ("subject", "from", "to", "reply_to", "list_id", "mailer", "links", "body")
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
    """All mails: as they came, as rows, and whether they are spam."""

    raw: list[bytes]
    rows: pa.Table
    spam: Any

    def folds(self) -> Iterator[Fold]:
        for learned, asked in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(self.spam, self.spam):
            yield Fold(learned, asked)


Contender = Callable[[Data, Fold], Any]  # P(spam) of the mails asked about


def with_nothing_said(data: Data, fold: Fold) -> Any:
    model = NaiveBayes().fit(data.rows.take(fold.learned), data.spam[fold.learned])
    return model.predict_proba(data.rows.take(fold.asked))[:, 1]


def with_schema(schema: Schema, data: Data, fold: Fold) -> Any:
    model = Model.train(schema, data.rows.take(fold.learned), data.spam[fold.learned])
    return model.posterior(data.rows.take(fold.asked))[:, list(model.classes).index(True)]


def bogofilter(data: Data, fold: Fold) -> Any:
    """Its scores, from files of raw mail."""
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder) / f"{i:05}.eml") for i in range(len(data.raw))]
        for name, raw in zip(names, data.raw, strict=True):
            Path(name).write_bytes(raw)

        def told(option: str, numbers: Any) -> str:
            listed = "".join(f"{names[i]}\n" for i in numbers)
            command = ["bogofilter", "-d", folder, option, "-b"]
            return subprocess.run(command, input=listed, capture_output=True, text=True, check=False).stdout

        told("-s", fold.learned[data.spam[fold.learned]])
        told("-n", fold.learned[~data.spam[fold.learned]])
        scores = {line.split()[0]: float(line.split()[-1]) for line in told("-T", fold.asked).splitlines()}
        return np.array([scores[names[i]] for i in fold.asked])


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
    print(f"  {name:34}  {right:7.2%}  {lost:9}  {passed:11}  {loss:8.4f}  {seconds:6.1f} s", flush=True)


def main() -> None:
    mails = raw_mails()
    if not mails:
        return
    start = time.perf_counter()
    rows = [read_mail(mail.raw) for mail in mails]
    seconds = time.perf_counter() - start
    table = pa.table({name: [row[name] for row in rows] for name in COLUMNS})
    data = Data([mail.raw for mail in mails], table, np.array([mail.folder.startswith("spam") for mail in mails]))
    print(f"{len(mails):,} mails, {data.spam.sum():,} of them spam, read in {seconds:.1f} s; {FOLDS} folds\n")
    print(f"  {'':34}  {'right':>7}  {'good lost':>9}  {'spam passed':>11}  {'log-loss':>8}  {'time':>8}")
    measure("NaiveBayes()", data, with_nothing_said)
    measure("a schema by hand", data, partial(with_schema, Schema(BY_HAND)))
    measure("subject and body", data, partial(with_schema, Schema({"subject": Words(), "body": Words()})))
    once = Words(reading="once")
    measure("subject and body, each word once", data, partial(with_schema, Schema({"subject": once, "body": once})))
    if shutil.which("bogofilter"):
        measure("bogofilter, above 0.5", data, bogofilter)
        measure("bogofilter, above 0.99", data, bogofilter, 0.99)
    else:
        print("  There is no bogofilter: apt-get install bogofilter.")


if __name__ == "__main__":
    main()
