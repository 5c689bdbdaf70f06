"""Accuracy and calibration with default settings on real data sets.

    python bench/accuracy.py [--tables FOLDER] [--only CONTENDER] [--seed N] [set …]

Every set of ../shared/data, or those named: `NaiveBayes(weigh=False)`, `NaiveBayes()` and, on tables,
`SemiNaiveBayes()`, with no hints about any column. The peers: the best of scikit-learn's naive Bayes (peers.py lists
the candidates; the best one is taken for each set and measure, after the fact), logistic regression, a random forest,
the same with a temperature fitted out of bag, and gradient boosting; on texts, LinearSVC with Platt scaling. 5 folds,
stratified with seed 0 (or N), or the given split. Schemas are inferred, and evidence is weighed, on training rows only.

Error: the share of rows whose most probable class is wrong. Log-loss: mean −log P(true class), P at least 2.2e-16 as in
scikit-learn; in nats. ECE: expected calibration error of the most probable class, in 15 bins. Seconds: training and
prediction, all folds (of several candidates, the best in log-loss). Ranks: 1 for the best, ties shared. Takes about
half an hour, mostly for the peers. With --tables, those of a folder (see more_tables.py) instead.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from peers import SVC, TEXT_PEERS, Answers, Contender, boosting, forest, logistic, of_tables, text_logistic
from sets import TABLES, Part, Set, tables, texts
from tallybayes import NaiveBayes, SemiNaiveBayes

LEAST = np.finfo(np.float64).eps
BINS = 15
MEASURES = ("error", "log-loss", "ECE")


class Result(NamedTuple):
    """One contender on one set."""

    error: float
    loss: float
    ece: float
    seconds: float


def naive(part: Part) -> Answers:
    model = NaiveBayes(weigh=False).fit(part.learned, part.labels)
    return Answers(list(model.classes_), model.predict_proba(part.asked))


def weighed(part: Part) -> Answers:
    model = NaiveBayes().fit(part.learned, part.labels)
    return Answers(list(model.classes_), model.predict_proba(part.asked))


def semi(part: Part) -> Answers:
    model = SemiNaiveBayes().fit(part.learned, part.labels)
    return Answers(list(model.classes_), model.predict_proba(part.asked))


def measured(contender: Contender, data: Set) -> Result:
    """Over the test rows of all folds."""
    right, losses, sure, seconds = [], [], [], 0.0
    for part in data.parts():
        start = time.perf_counter()
        classes, probabilities = contender(part)
        seconds += time.perf_counter() - start
        number = {label: i for i, label in enumerate(classes)}
        truth = np.array([number.get(label, -1) for label in part.truth])
        p = np.where(truth >= 0, probabilities[np.arange(len(truth)), truth], 0.0)
        right.append(probabilities.argmax(axis=1) == truth)
        losses.append(-np.log(np.maximum(p, LEAST)))
        sure.append(probabilities.max(axis=1))
    hits, said = np.concatenate(right), np.concatenate(sure)
    return Result(1.0 - hits.mean(), float(np.mean(np.concatenate(losses))), calibration_error(hits, said), seconds)


def calibration_error(hits: np.ndarray, said: np.ndarray) -> float:
    """Σ over bins of the share of rows times |mean probability − accuracy|."""
    at = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = np.bincount(at, said, BINS) - np.bincount(at, hits, BINS)
    return float(np.abs(gaps).sum() / len(said))


def best(results: Iterable[Result]) -> Result:
    """The best value of each measure."""
    found = list(results)
    quick = min(found, key=lambda r: r.loss)
    return Result(min(r.error for r in found), quick.loss, min(r.ece for r in found), quick.seconds)


def contenders_of(title: str, data: Set) -> dict[str, list[Contender]]:
    if title == "Texts":
        return {
            "naive": [naive],
            "weighed": [weighed],
            "sklearn NB": list(TEXT_PEERS.values()),
            "LinearSVC": [SVC],
            "logistic": [text_logistic],
        }
    peers = list(of_tables(data.rows).values())
    horizons = {"forest": [forest(False)], "forest, T": [forest(True)], "boosting": [boosting]}
    ours = {"naive": [naive], "weighed": [weighed], "semi": [semi]}
    return {**ours, "sklearn NB": peers, "logistic": [logistic], **horizons}


def summary(names: list[str], rows: list[list[Result]]) -> None:
    for at, measure in enumerate(MEASURES):
        table = np.array([[result[at] for result in row] for row in rows])
        ranks = rankdata(table.round(3), axis=1).mean(axis=0)
        shown = ", ".join(f"{n} {r:.2f} ({m:.3f})" for n, r, m in zip(names, ranks, table.mean(axis=0), strict=True))
        print(f"  mean rank (and mean) in {measure}: {shown}")


def main(chosen: list[str], folder: Path | None, only: str | None, seed: int) -> None:
    warnings.simplefilter("ignore")  # scikit-learn's, about folds that lack a level
    found = {"Tables": tables(chosen, folder or TABLES), "Texts": () if folder else texts(chosen)}
    for title, sets in found.items():
        rows, names = [], []
        for data in sets:
            contenders = {name: each for name, each in contenders_of(title, data).items() if only in (None, name)}
            if not rows:
                names = list(contenders)
                print(
                    f"\n{title}: error % / log-loss / ECE (seconds)\n  {'':16}  {'rows':>6}",
                    *(f"{n:>25}" for n in names),
                )
            rows.append(
                [best(measured(each, data._replace(seed=seed)) for each in several) for several in contenders.values()]
            )
            cells = (f"{r.error * 100:5.1f} /{r.loss:6.3f} /{r.ece:5.3f} ({r.seconds:.1f})" for r in rows[-1])
            print(f"  {data.name:16}  {len(data.rows):6}", *(f"{cell:>25}" for cell in cells), flush=True)
        if rows:
            summary(names, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("sets", nargs="*")
    given = parser.parse_args()
    main(given.sets, given.tables, given.only, given.seed)
