"""Short texts of many classes: fitting and answering, against scikit-learn.

    python bench/many_classes.py [CLASSES]

Twenty texts for each class (2,000 by default) of nine words: five from the class's own twelve and four drawn by Zipf's
law, from a vocabulary of 20,000; a quarter of them are held out. The peer is CountVectorizer + MultinomialNB. `Words()`
counts the same words under the same model; `NaiveBayes()` is the default, which reads words, pairs and characters, and
weighs them. Processor time, since the peer uses one thread; error and log-loss on the texts held out. Seed 0.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from tallybayes import NaiveBayes, Words

VOCABULARY, OWN, EACH = 20_000, 12, 20


def texts_of(classes: int) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    own = rng.integers(0, VOCABULARY, (classes, OWN))
    labels = rng.integers(0, classes, EACH * classes)
    words = np.concatenate(
        [own[labels[:, None], rng.integers(0, OWN, (len(labels), 5))], rng.zipf(1.3, (len(labels), 4)) % VOCABULARY],
        axis=1,
    )
    return [" ".join(f"w{word}" for word in rng.permuted(row)) for row in words], labels


def measured(model: Any, texts: list[str], labels: np.ndarray) -> list[str]:
    at = len(texts) * 3 // 4
    start = time.process_time()
    model.fit(texts[:at], labels[:at])
    fitted = time.process_time()
    found = model.predict_proba(texts[at:])
    answered = time.process_time()
    known = np.isin(labels[at:], model.classes_)
    truth = np.searchsorted(model.classes_, labels[at:][known])
    error = np.mean(found[known].argmax(axis=1) != truth)
    loss = -np.log(np.maximum(found[known][np.arange(len(truth)), truth], 1e-300)).mean()
    return [f"{fitted - start:.2f} s", f"{answered - fitted:.2f} s", f"{100 * error:.1f} %", f"{loss:.3f}"]


def main() -> None:
    classes = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    texts, labels = texts_of(classes)
    print(f"{len(texts):,} texts of {classes:,} classes")
    print(f"{'':34}" + "".join(f"{name:>11}" for name in ("fit", "answers", "error", "log-loss")))
    models = {
        "CountVectorizer + MultinomialNB": make_pipeline(CountVectorizer(), MultinomialNB()),
        "NaiveBayes(Words(), weigh=False)": NaiveBayes(schema={"text": Words()}, weigh=False),
        "NaiveBayes()": NaiveBayes(),
    }
    for name, model in models.items():
        print(f"{name:34}" + "".join(f"{cell:>11}" for cell in measured(model, texts, labels)), flush=True)


if __name__ == "__main__":
    main()
