"""Semi-supervised learning: few labels, the other rows unlabelled, against common alternatives.

    python bench/missing_labels.py [set …] [--draws 10] [--labels 20 50 100 500] [--alpha 0.1] [--speed]

Of each set of ../shared/data/text a quarter is asked about, and of the rest so many rows, drawn by seeds 0, 1, …, keep
their labels. `Words(alpha=0.1)` is trained on these alone, and on all rows by EM, each without a label counting 1, or
as much as is best for labelled rows that are held out. Beside it scikit-learn's MultinomialNB of the same alpha on the
labelled rows, SelfTrainingClassifier around it on all, and MALLET's NaiveBayesEMTrainer on all, which smooths by α = 1.
MALLET is downloaded and needs Java; without either it is left out. With --alpha 1, Laplace's, the smoothing of a
vocabulary of thousands of words outweighs the few labels.

Accuracy and log-loss (mean −log P(true class), P at least 10⁻¹⁵, in nats): mean over the draws, ± one standard
deviation. Before that, and alone with --speed: the time of an EM step relative to training and prediction on the same
rows, in one thread: CPU time, which other processes do not affect, the best of five.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.semi_supervised import SelfTrainingClassifier

from mallet import jars, posterior
from sets import Set, texts
from tallybayes import EM, Model, Words
from timing import CPU, best_of

SETS = ("sms-spam", "enron1-2", "banking77")
LEAST = 1e-15
Answers = tuple[list[Any], Any]  # the classes, and P(class) of every text


class Draw(NamedTuple):
    """Training texts, mostly unlabelled, and test texts; also as word counts."""

    learned: list[str]
    labels: Any
    asked: list[str]
    truth: Any
    counts: Any
    asked_counts: Any

    @property
    def known(self) -> Any:
        return np.array([label is not None for label in self.labels])

    def numbered(self) -> tuple[list[Any], Any]:
        """The classes, and the class number of every text, −1 if unknown."""
        classes = sorted({label for label in self.labels if label is not None})
        return classes, np.array([-1 if label is None else classes.index(label) for label in self.labels])


def ours(alpha: float, unlabelled: EM | None) -> Callable[[Draw], Answers]:
    def answer(given: Draw) -> Answers:
        known = given.known
        rows = given.learned if unlabelled else [text for text, has in zip(given.learned, known, strict=True) if has]
        labels = given.labels if unlabelled else given.labels[known]
        model = Model.train({"text": Words(alpha=alpha)}, {"text": rows}, labels.tolist(), unlabelled=unlabelled)
        return model.classes, model.posterior({"text": given.asked})

    return answer


def scikit_learn(alpha: float, everything: bool) -> Callable[[Draw], Answers]:
    def answer(given: Draw) -> Answers:
        classes, y = given.numbered()
        single = MultinomialNB(alpha=alpha)
        model = SelfTrainingClassifier(single) if everything else single
        used = np.ones(len(y), bool) if everything else given.known
        model.fit(given.counts[used], y[used])
        return [classes[i] for i in model.classes_], model.predict_proba(given.asked_counts)

    return answer


def mallet(programs: list[Path]) -> Callable[[Draw], Answers]:
    def answer(given: Draw) -> Answers:
        classes, y = given.numbered()
        return classes, posterior(programs, given.counts, y, given.asked_counts)

    return answer


def contenders(alpha: float, programs: list[Path] | None) -> dict[str, Callable[[Draw], Answers]]:
    found: dict[str, Callable[[Draw], Answers]] = {
        "labelled rows alone": ours(alpha, None),
        "EM, weight 1": ours(alpha, EM()),
        "EM, weight chosen": ours(alpha, EM(weight="chosen")),
        "MultinomialNB": scikit_learn(alpha, False),
        "SelfTraining": scikit_learn(alpha, True),
    }
    return found | ({"MALLET": mallet(programs)} if programs else {})


def measured(answers: Answers, truth: Any) -> tuple[float, float]:
    classes, posterior = answers
    number = {label: i for i, label in enumerate(classes)}
    at = np.array([number.get(label, -1) for label in truth])
    said = np.where(at >= 0, posterior[np.arange(len(at)), at], 0.0)
    return float((posterior.argmax(axis=1) == at).mean()), float(-np.log(np.maximum(said, LEAST)).mean())


def draw(given: Set, words: Any, n: int, seed: int) -> Draw:
    """`words` are counted in all texts; those in no training text are dropped."""
    order = np.random.default_rng(seed).permutation(len(given.labels))
    asked, learned = np.split(order, [len(order) // 4])
    rows = given.rows["text"].to_numpy(object)
    labels = given.labels[learned].astype(object)
    labels[n:] = None
    met = np.flatnonzero(np.asarray(words[learned].sum(axis=0)).ravel())
    counts, asked_counts = words[learned][:, met], words[asked][:, met]
    return Draw(rows[learned].tolist(), labels, rows[asked].tolist(), given.labels[asked], counts, asked_counts)


def compare(given: Set, n: int, draws: int, rivals: dict[str, Callable[[Draw], Answers]]) -> None:
    words = CountVectorizer().fit_transform(given.rows["text"].tolist())
    parts = [draw(given, words, n, seed) for seed in range(draws)]
    for name, contender in rivals.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.array([measured(contender(part), part.truth) for part in parts])
        mean, spread = found.mean(axis=0), found.std(axis=0)
        print(
            f"{given.name:10} {n:4} labels  {name:20} accuracy {mean[0]:.4f} ± {spread[0]:.4f}   "
            f"log-loss {mean[1]:.4f} ± {spread[1]:.4f}",
            flush=True,
        )


def speed(given: Set) -> None:
    order = np.random.default_rng(0).permutation(len(given.labels))
    table = pa.table({"text": given.rows["text"].to_numpy(object)[order]})
    labels = given.labels[order].tolist()
    partly = [label if i < 1000 else None for i, label in enumerate(labels)]
    schema = {"text": Words()}
    model = Model.train(schema, table, labels, threads=1)

    def em(steps: int) -> Callable[[], Any]:
        settings = EM(iterations=steps, tolerance=0.0)
        return lambda: Model.train(schema, table, partly, unlabelled=settings, threads=1)

    works = {
        "train": lambda: Model.train(schema, table, labels, threads=1),
        "ask": lambda: model.copy().posterior(table, threads=1),
        "one": em(1),
        "six": em(6),
    }
    times = best_of(works, clock=CPU)
    train, ask, step = times["train"], times["ask"], (times["six"] - times["one"]) / 5
    told = f"train {train * 1e3:.1f} ms, predict {ask * 1e3:.1f} ms, one EM step {step * 1e3:.1f} ms"
    print(f"{given.name:10} {told}: {step / (train + ask):.2f} × both")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[20, 50, 100, 500])
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--speed", action="store_true")
    chosen = parser.parse_args()
    rivals = {} if chosen.speed else contenders(chosen.alpha, jars())
    for given in texts(chosen.sets):
        speed(given)
        for n in chosen.labels if rivals else ():
            compare(given, n, chosen.draws, rivals)


if __name__ == "__main__":
    main()
