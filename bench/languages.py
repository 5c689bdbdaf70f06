"""Many classes and words in little memory: 139 languages, three million distinct words, target 2 GB.

    python bench/languages.py

Nine in ten words of every language are its own; texts are generated on the fly and learned as a stream. Memory is the
peak of the process, including text generation, after training and again after prediction.
"""

from __future__ import annotations

import time

import numpy as np

from corpus import MB, batches
from tallybayes import Model, Schema, Words
from text_growth import Timed, peak

LANGUAGES = 139
WORDS = 3_000_000
MEGABYTES, TAIL = 160, 0.3  # enough for this many words


def main() -> None:
    texts = Timed(batches(MEGABYTES, LANGUAGES, own=0.9, tail=TAIL))
    start = time.perf_counter()
    model = Model.train(Schema({"body": Words()}), iter(texts), "label", threads=2)
    took = time.perf_counter() - start - texts.seconds
    learned = peak()
    asked = next(batches(1, LANGUAGES, own=0.9, tail=TAIL, seed=1))
    start = time.perf_counter()
    model.posterior(asked.slice(0, 1))
    first = time.perf_counter() - start
    start = time.perf_counter()
    said = model.posterior(asked)
    then = time.perf_counter() - start
    scored = peak()
    right = np.mean(np.array(model.classes)[said.argmax(axis=1)] == np.array(asked["label"].to_pylist()))
    words = len(model.counts("body").slots)
    print(f"{len(model.classes)} classes, {words:,} words (target {WORDS:,}), {texts.bytes / MB:,.0f} MB of texts")
    print(f"learning   {took:6.2f} s, {texts.bytes / MB / took:.0f} MB/s   peak memory {learned / MB:5.0f} MB")
    print(f"believing  {first:6.2f} s, once")
    print(f"posterior  {then / len(asked) * 1e6:6.1f} µs a text, {right:.1%} right", end="   ")
    print(f"peak memory {scored / MB:5.0f} MB (target 2,000 MB)")


if __name__ == "__main__":
    main()
