"""fastText on the texts of accuracy.py, with the same folds and measures.

    pip install fasttext
    python bench/fasttext_peer.py [set …]

fastText gets lower-case words with punctuation split off, as its tutorial recommends, in five configurations: its
defaults (5 epochs, learning rate 0.1, words), and 25 epochs at rates 0.1, 0.5 and 1 with words and pairs, the last also
with character n-grams of length 2 to 5, which tallybayes counts in short texts. As with scikit-learn's naive Bayes, the
best one is taken for each measure, after the fact. If training diverges ("Encountered NaN"), the rate is halved.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from accuracy import best, measured
from peers import Answers, Contender
from sets import Part, texts

THREADS = 12  # the default of its command line; with fewer it leaves part of its matrices uninitialised
RATES = (0.1, 0.5, 1.0)
TOKENS = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> str:
    return " ".join(TOKENS.findall(text.lower()))


def fasttext(**settings: Any) -> Contender:
    import fasttext as library

    library.FastText.eprint = lambda *said: None

    def contender(part: Part) -> Answers:
        classes = sorted(set(part.labels))
        number = {f"__label__{i}": i for i in range(len(classes))}
        names = {label: f"__label__{i}" for i, label in enumerate(classes)}
        lines = (f"{names[y]} {tokens(x)}" for x, y in zip(part.learned["text"], part.labels, strict=True))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "learned.txt")
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            try:
                model = library.train_supervised(str(path), seed=0, thread=THREADS, verbose=0, **settings)
            except RuntimeError:
                return fasttext(**settings | {"lr": settings.get("lr", RATES[0]) / 2.0})(part)
        found = np.zeros((len(part.asked), len(classes)))
        for row, text in enumerate(part.asked["text"]):
            for p, name in model.f.predict(tokens(text) + "\n", len(classes), 0.0, "strict"):
                found[row, number[name]] = p
        return Answers(classes, found / found.sum(axis=1, keepdims=True))

    return contender


WITH_CHARACTERS = fasttext(epoch=25, lr=RATES[-1], wordNgrams=2, minn=2, maxn=5)


def main(chosen: list[str]) -> None:
    several = [fasttext(), *(fasttext(epoch=25, lr=rate, wordNgrams=2) for rate in RATES), WITH_CHARACTERS]
    print("fastText: error % / log-loss / ECE (seconds)")
    for data in texts(chosen):
        found = best(measured(each, data) for each in several)
        print(
            f"  {data.name:16} {found.error * 100:5.1f} /{found.loss:6.3f} /{found.ece:5.3f} ({found.seconds:.1f})",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
