"""How often tallybayes is wrong, and how wrong its probabilities are, with its defaults, on real data.

    python bench/accuracy.py [set …]

On every set of ../shared/data, or those named: `NaiveBayes().fit(rows, labels)`, with nothing said about any column,
beside the best of scikit-learn's naive Bayes (peers.py says what is tried; the best candidate of each set is taken for
each measure, after the fact) and logistic regression, the horizon. Tables are divided into 10 folds, texts into 5,
stratified with seed 0; sets that come in two parts are taken so. The schema is inferred from the rows that are learned,
never from those asked about.

Error: the part of rows whose most probable class is wrong. Log-loss: mean −log P(true class), P at least 2.2e-16, as
scikit-learn has it; in nats. Seconds: learning and asking, all folds (of the peer: its best candidate in log-loss).
Ranks: 1 for the best of the three, ties shared. It all takes about five minutes, most of them logistic regression.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from peers import TEXT_PEERS, Answers, Contender, logistic, of_tables, text_logistic
from sets import Part, Set, tables, texts
from tallybayes import NaiveBayes

LEAST = np.finfo(np.float64).eps
OURS, NAIVE, HORIZON = NAMES = ("tallybayes", "scikit-learn NB", "logistic")
SAME = 5e-4  # what the table does not show is a tie


class Result(NamedTuple):
    """Of one contender on one set."""

    error: float
    loss: float
    seconds: float
    error_of: str = ""  # the candidate that the number is of
    loss_of: str = ""


def ours(part: Part) -> Answers:
    """tallybayes, with nothing said."""
    model = NaiveBayes().fit(part.learned, part.labels)
    return Answers(list(model.classes_), model.predict_proba(part.asked))


def measured(contender: Contender, data: Set, name: str = "") -> Result:
    """All rows that were asked about, of all folds together."""
    wrong, losses, seconds = [], [], 0.0
    for part in data.parts():
        start = time.perf_counter()
        classes, probabilities = contender(part)
        seconds += time.perf_counter() - start
        number = {label: i for i, label in enumerate(classes)}
        truth = np.array([number.get(label, -1) for label in part.truth])
        p = np.where(truth >= 0, probabilities[np.arange(len(truth)), truth], 0.0)
        wrong.append(probabilities.argmax(axis=1) != truth)
        losses.append(-np.log(np.maximum(p, LEAST)))
    return Result(float(np.mean(np.concatenate(wrong))), float(np.mean(np.concatenate(losses))), seconds, name, name)


def best(results: Iterable[Result]) -> Result:
    """The best number of each measure, and whose it is."""
    found = list(results)
    error, loss = min(found, key=lambda r: r.error), min(found, key=lambda r: r.loss)
    return Result(error.error, loss.loss, loss.seconds, error.error_of, loss.loss_of)


def compared(data: Set, candidates: dict[str, Contender], horizon: Contender) -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, about folds that lack a level
        peers = best(measured(contender, data, name) for name, contender in candidates.items())
        return [measured(ours, data), peers, measured(horizon, data)]


def show(data: Set, results: list[Result]) -> None:
    errors = "  ".join(f"{r.error:6.1%}" for r in results)
    losses = "  ".join(f"{r.loss:6.3f}" for r in results)
    seconds = "  ".join(f"{r.seconds:6.2f}" for r in results)
    peer = results[1]
    named = peer.loss_of + (f"; error: {peer.error_of}" if peer.error_of != peer.loss_of else "")
    print(f"  {data.name:16}  {len(data.rows):6}  {errors}   {losses}   {seconds}   {named}", flush=True)


def summary(rows: list[list[Result]]) -> None:
    """Mean ranks, mean log-losses, and how often tallybayes is better than scikit-learn's naive Bayes."""
    measures: dict[str, Callable[[Result], float]] = {"error": lambda r: r.error, "log-loss": lambda r: r.loss}
    for measure, of in measures.items():
        table = np.array([[of(result) for result in row] for row in rows])
        ranks = rankdata(table.round(3), axis=1).mean(axis=0)
        gap = table[:, 0] - table[:, 1]
        wins, losses = int((gap < -SAME).sum()), int((gap > SAME).sum())
        means = ", ".join(
            f"{name} {rank:.2f} (mean {mean:.3f})"
            for name, rank, mean in zip(NAMES, ranks, table.mean(axis=0), strict=True)
        )
        print(f"  mean rank in {measure}: {means}")
        print(f"  {OURS} against {NAIVE}: better {wins}, alike {len(rows) - wins - losses}, worse {losses}")


def main(chosen: list[str]) -> None:
    for title, sets in (("Tables", tables(chosen)), ("Texts", texts(chosen))):
        rows = []
        for data in sets:
            if not rows:
                print(f"\n{title}: {', '.join(NAMES)}; the peer's best candidate")
                print(f"  {'':16}  {'rows':>6}  {'error':^22}   {'log-loss':^22}   {'seconds':^22}")
            peers, horizon = (of_tables(data.rows), logistic) if title == "Tables" else (TEXT_PEERS, text_logistic)
            rows.append(compared(data, peers, horizon))
            show(data, rows[-1])
        if rows:
            summary(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
