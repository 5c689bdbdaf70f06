"""Spam detection on real mail: one training, then every reading with three smoothings of the same counts.

    python bench/enron.py

The Enron-Spam mails (folders 1 and 2) without duplicates, shuffled with seed 0: 9,000 training, 1,000 test. The output
shows what smoothing is for (without it, most mails have a word that rules a class out), that scikit-learn gives the
same answers where it has the same reading, and the heaviest words. scikit-learn replaces alpha=0 by 1e-10, tallybayes
does not: a mail that both classes rule out gets the prior, and is counted here as impossible.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from corpus import mails
from tallybayes import Model, Schema, Words

LEARNED, ASKED = 9_000, 1_000
ALPHAS = (0.0, 0.5, 1.0)
PEERS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}
READINGS = ("multinomial", "averaged", "bernoulli", "poisson", "complement", "dirichlet-multinomial")
SHOWN = 20


def distinct() -> tuple[list[str], Any]:
    """The mails without duplicates, shuffled, and their labels."""
    once = dict(zip(*mails(), strict=True))
    texts, labels = list(once), np.array(list(once.values()))
    order = np.random.default_rng(0).permutation(len(texts))
    return [texts[i] for i in order], labels[order]


class Peers:
    """scikit-learn's predictions for the same mails."""

    def __init__(self, texts: list[str], labels: Any, asked: list[str]) -> None:
        vectors = CountVectorizer()
        self.learned, self.labels = vectors.fit_transform(texts), labels
        self.asked = vectors.transform(asked)

    def predict(self, reading: str, alpha: float) -> Any:
        if reading not in PEERS:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that alpha=0 becomes 1e-10, and the resulting zeros
            model = PEERS[reading](alpha=alpha, force_alpha=alpha > 0)
            return model.fit(self.learned, self.labels).predict(self.asked)


def answers(model: Model, asked: list[str]) -> tuple[Any, int]:
    """The more probable class of each mail, and the number of mails impossible in both."""
    joint = model.log_joint({"body": asked})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about impossible mails: they are counted instead
        best = model.posterior({"body": asked}).argmax(axis=1)
    return np.array(model.classes)[best], int(np.isneginf(joint).all(axis=1).sum())


def compare(model: Model, peers: Peers, asked: list[str], truth: Any) -> None:
    print(f"\n  {'reading':10}  alpha  right  scikit-learn     agreement  impossible in both classes")
    for reading in READINGS:
        for alpha in ALPHAS:
            prior = "uniform" if reading == "complement" else "frequencies"  # as in scikit-learn
            said, impossible = answers(model.believing(reading=reading, alpha=alpha, prior=prior), asked)
            line = f"  {reading:10}  {alpha:5}  {np.mean(said == truth):5.1%}"
            peer = peers.predict(reading, alpha)
            beside = f"{'–':>12}  {'–':>12}"
            if peer is not None:
                beside = f"{np.mean(peer == truth):12.1%}  {np.sum(peer == said):4} of {len(said):,}"
            print(f"{line}  {beside}  {impossible or '':>10}")


def weigh(model: Model) -> None:
    for label in model.classes:
        words = model.words(label, SHOWN)
        print(f"\nfor {label}: " + ", ".join(f"{word.word} ({word.n:.0f}, {word.log_odds:.1f})" for word in words))


def main() -> None:
    texts, labels = distinct()
    if len(texts) < LEARNED + ASKED:
        return
    learned, asked = texts[:LEARNED], texts[LEARNED : LEARNED + ASKED]
    truth = labels[LEARNED : LEARNED + ASKED]
    model = Model.train(Schema({"body": Words()}), {"body": learned}, labels[:LEARNED])
    print(f"{len(texts):,} distinct mails. {model!r}")
    commonest = max(model.classes, key=list(truth).count)
    print(f"Always {commonest!r}: {np.mean(truth == commonest):.1%} right")
    compare(model, Peers(learned, labels[:LEARNED], asked), asked, truth)
    print("\nThe words that weigh most, how often they came and their log odds, with alpha=1:")
    weigh(model)


if __name__ == "__main__":
    main()
