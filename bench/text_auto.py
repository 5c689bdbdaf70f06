"""Accuracy and calibration of reading="auto", against common text classifiers.

    python bench/text_auto.py [set …]

Each set of ../shared/data/text in 5 stratified folds, with equal texts in one fold, or in the given split; duplicate
Enron mails are dropped. `Words(ngrams=2, shortest=1, punctuation=True)` with reading="auto", with its mix fitted on
left-out documents and with the default mix. The peers, in the same run: `Words(reading="binary", alpha="fitted")`,
MultinomialNB of words, LinearSVC of tf-idf word pairs with Platt scaling (3 folds), and logistic regression of the
same. Accuracy; log-loss, mean −log P(true class), in nats; ECE, the expected calibration error in ten bins; seconds of
training and prediction, of the first fold. Then the prediction time relative to the multinomial reading of the same
counts.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from corpus import DATA
from sets import TEXT_FOLDS, by_set, dealt, read_lines
from tallybayes import Model, Schema, Words
from tallybayes.counts.tally import Rows
from tallybayes.data.labels import label_array, label_column
from tallybayes.schema.weights import Weights
from timing import best_of

SETS = ("mr", "sms-spam", "banking77", "clinc150", "subj", "enron1-2", "cr", "movie-reviews-2k")
GOALS = dict(zip(SETS, (0.79, 0.988, 0.895, 0.90, 0.93, 0.993, 0.80, 0.855), strict=True))
LOSSES = dict(zip(SETS, (0.435, 0.037, 0.36, 0.37, 0.19, 0.020, 0.41, 0.32), strict=True))
FAMILY = Words(reading="auto", ngrams=2, shortest=1, punctuation=True)
BINS = 10


class Part(NamedTuple):
    """Training texts and test texts."""

    texts: list[str]
    labels: list[str]
    asked: list[str]
    truth: list[str]


Answers = tuple[list[str], Any]  # the classes, and P(class) of every text
Contender = Callable[[Part], Answers]


def parts_of(name: str) -> list[Part]:
    files = next(paths for found, paths in by_set(DATA.iterdir(), [name]) if found == name)
    pairs = [read_lines(path) for path in files]
    if len(pairs) > 1:
        return [Part(*map(list, zip(*pairs[0], strict=True)), *map(list, zip(*pairs[1], strict=True)))]
    rows = list(dict(pairs[0]).items()) if name == "enron1-2" else pairs[0]
    different = dict(reversed(rows))  # each text with its first label
    fold = dict(zip(different, dealt(np.array(list(different.values()), object), TEXT_FOLDS).tolist(), strict=True))
    found = []
    for number in range(TEXT_FOLDS):
        learned = [row for row in rows if fold[row[0]] != number]
        asked = [row for row in rows if fold[row[0]] == number]
        found.append(Part(*map(list, zip(*learned, strict=True)), *map(list, zip(*asked, strict=True))))
    return found


def reading(family: Words) -> Contender:
    """Without fitting."""

    def contender(part: Part) -> Answers:
        model = Model.train(Schema({"text": family}), {"text": part.texts}, part.labels)
        return model.classes, model.posterior({"text": part.asked})

    return contender


def fitted_model(part: Part) -> Model:
    """With a fitted mix and the prior at weight one."""
    model = Model.train(Schema({"text": FAMILY}), {"text": part.texts}, part.labels)
    column = label_column(label_array(part.labels), 0)
    cells = FAMILY.encode(pa.array(part.texts))
    family, _ = FAMILY.fit_left_out(model.columns["text"], cells, Rows(column.keys, column.codes), model.keys())
    return model.believing({"text": family}).believing(weights=Weights(prior=family.prior_weight))


def fitted(part: Part) -> Answers:
    model = fitted_model(part)
    return model.classes, model.posterior({"text": part.asked})


def peer(make: Callable[[], Any]) -> Contender:
    def contender(part: Part) -> Answers:
        pipeline = make().fit(part.texts, part.labels)
        return list(pipeline.classes_), pipeline.predict_proba(part.asked)

    return contender


def pairs() -> Any:
    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)


CONTENDERS: dict[str, Contender] = {
    "auto, fitted": fitted,
    "auto, usual": reading(FAMILY),
    "binary": reading(Words(reading="binary", alpha="fitted")),
    "MultinomialNB": peer(lambda: make_pipeline(CountVectorizer(), MultinomialNB())),
    "LinearSVC": peer(lambda: make_pipeline(pairs(), CalibratedClassifierCV(LinearSVC(), cv=3))),
    "logistic": peer(lambda: make_pipeline(pairs(), LogisticRegression(C=10.0, max_iter=1000))),
}


class Result(NamedTuple):
    accuracy: float
    loss: float
    error: float  # calibration
    seconds: float


def measured(contender: Contender, parts: list[Part]) -> Result:
    right, losses, sure, seconds = [], [], [], 0.0
    for number, part in enumerate(parts):
        start = time.perf_counter()
        classes, p = contender(part)
        seconds = time.perf_counter() - start if not number else seconds
        place = {label: i for i, label in enumerate(classes)}
        truth = np.array([place[label] for label in part.truth])
        right.append(p.argmax(axis=1) == truth)
        losses.append(-np.log(np.maximum(p[np.arange(len(truth)), truth], np.finfo(float).eps)))
        sure.append(p.max(axis=1))
    hits, confidence = np.concatenate(right).astype(float), np.concatenate(sure)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.abs(np.bincount(bins, hits - confidence, BINS))
    return Result(float(hits.mean()), float(np.concatenate(losses).mean()), float(gaps.sum() / len(hits)), seconds)


def asking(part: Part) -> float:
    """The prediction time of "auto" relative to the multinomial reading of the same counts."""
    auto = fitted_model(part)
    plain = auto.believing(weights=None, mix=None, reading="multinomial")
    asked = {"text": pa.array(part.asked)}
    works = {name: lambda m=model: m.posterior(asked, threads=1) for name, model in (("auto", auto), ("plain", plain))}
    times = best_of(works)
    return times["auto"] / times["plain"]


def chosen(names: list[str]) -> Iterator[str]:
    there = {path.name.split(".")[0] for path in DATA.iterdir()} if DATA.is_dir() else set()
    for name in names or SETS:
        if name in there:
            yield name
        else:
            print(f"{name} is missing in {DATA}")


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in chosen(names):
        parts = parts_of(name)
        texts, width = len(parts[0].texts), len(set(parts[0].labels))
        goal = f"; targets {GOALS[name]:.3f} and {LOSSES[name]:.3f}" if name in GOALS else ""
        print(f"\n{name}: {texts} training texts, {width} classes{goal}")
        print(f"  {'':14} {'accuracy':>8} {'log-loss':>9} {'ECE':>7} {'seconds':>8}")
        for title, contender in CONTENDERS.items():
            found = measured(contender, parts)
            shown = f"{found.accuracy:8.4f} {found.loss:9.4f} {found.error:7.4f} {found.seconds:8.2f}"
            print(f"  {title:14} {shown}", flush=True)
        print(f"  prediction takes {asking(parts[0]):.2f} × as long as the multinomial reading", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
