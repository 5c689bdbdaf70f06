"""N-gram language models against words and pairs of words.

    python bench/sequence.py [perplexity] [speed] [set …]

Perplexity: movie-reviews-2k, with every fifth review for testing; words seen once in training are "<unk>" to both. The
peer is NLTK's interpolated Kneser-Ney (pip install nltk) with its default discount, 0.1, and with the usual one, 0.75;
it scores the first 2,000 words only, since each takes milliseconds. Speed: counting and scoring relative to
`Words(ngrams=2)`, on one thread. Then every set of ../shared/data/text, in 5 folds or the given split: `Words(ngrams=2,
shortest=1)`, `WordSequence` of order 1 and 2, of characters of order 3, words and order 1 weighed, each alone and both
together: accuracy, and log-loss in nats.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from accuracy import dealt_once
from peers import Answers, Contender
from sets import Part, texts
from tallybayes import Model, Schema, Words, WordSequence, weigh
from timing import best_of

REVIEWS = "movie-reviews-2k"
ASKED = 2000  # words
SETS = ["mr", "sms-spam", "banking77", "clinc150", "subj", "enron1-2", "cr", REVIEWS]
BAG = Words(ngrams=2, shortest=1)
FIRST = "Words(ngrams=2)"
FAMILIES = {
    FIRST: BAG,
    "order 1": WordSequence(),
    "order 2": WordSequence(order=2),
    "characters, 3": WordSequence(unit="characters", order=3),
}


def reviews() -> tuple[list[list[str]], list[list[str]]]:
    """The words of the training reviews and of the test reviews."""
    (data,) = texts([REVIEWS])
    found = [re.findall(r"\w+", text.lower()) for text in data.rows["text"]]
    met = Counter(word for i, words in enumerate(found) if i % 5 for word in words)
    known = [[word if met[word] > 1 else "<unk>" for word in words] for words in found]
    return [words for i, words in enumerate(known) if i % 5], known[::5]


def first(texts: list[list[str]], count: int) -> list[list[str]]:
    found: list[list[str]] = []
    for words in texts:
        if sum(map(len, found)) + len(words) > count:
            break
        found.append(words)
    return found


def perplexity() -> None:
    learned, asked = reviews()
    few = first(asked, ASKED)
    total, little = sum(map(len, asked)), sum(map(len, few))
    print(
        f"\nperplexity: {sum(map(len, learned)):,} training and {total:,} test words; NLTK scores the first {little:,}"
    )
    print(f"  {'':28} {'all':>9} {'first':>9} {'training':>10} {'scoring':>10}")
    for order in (1, 2, 3):
        start = time.perf_counter()
        model = Model.train({"text": WordSequence(order=order)}, {"text": learned}, ["all"] * len(learned), threads=1)
        belief: Any = model.belief("text")
        counted = time.perf_counter() - start
        start = time.perf_counter()
        little_known = belief.perplexity(few)[0]
        asking = time.perf_counter() - start
        told = f"{belief.perplexity(asked)[0]:9.1f} {little_known:9.1f} {counted:9.2f}s {asking * 1e3:8.1f}ms"
        print(f"  {f'WordSequence(order={order})':28} {told}", flush=True)
    for discount in (0.1, 0.75):
        shown = kneser_ney(learned, few, discount)
        print(f"  {f'NLTK Kneser-Ney, d={discount}':28} {'':9} {shown}", flush=True)


def kneser_ney(learned: list[list[str]], asked: list[list[str]], discount: float) -> str:
    """Order 1, as in NLTK: pairs."""
    from nltk.lm import KneserNeyInterpolated

    start = time.perf_counter()
    model = KneserNeyInterpolated(2, discount=discount)
    pairs = ([*zip(["<s>", *words]), *zip(["<s>", *words], words, strict=False)] for words in learned)
    model.fit(pairs, ["<s>", *(word for words in learned for word in words)])
    counted = time.perf_counter() - start
    start, said, words = time.perf_counter(), 0.0, 0
    for text in asked:
        for before, word in zip(["<s>", *text], text, strict=False):
            said += np.log(model.score(word, [before]))
            words += 1
    seconds = time.perf_counter() - start
    return f"{np.exp(-said / words):9.1f} {counted:9.2f}s {seconds * 1e3:8.0f}ms"


def speed() -> None:
    (data,) = texts([REVIEWS])
    rows, labels = pa.Table.from_pandas(data.rows), data.labels
    families = {FIRST: BAG, **{f"order {order}": WordSequence(order=order) for order in (1, 2, 3)}}
    schemas = {name: Schema({"text": family}) for name, family in families.items()}
    counting = best_of({n: lambda s=s: Model.train(s, rows, labels, threads=1) for n, s in schemas.items()})
    models = {name: Model.train(schema, rows, labels) for name, schema in schemas.items()}
    once = {}
    for name, model in models.items():
        start = time.perf_counter()
        model.posterior(rows, threads=1)
        once[name] = time.perf_counter() - start
    asking = best_of({name: lambda m=m: m.posterior(rows, threads=1) for name, m in models.items()})
    print(f"\nspeed: {len(rows)} reviews, one thread, relative to {FIRST}")
    for name in families:
        told = [
            f"{found[name] * 1e3:8.1f} ms {found[name] / found[FIRST]:5.2f} ×" for found in (counting, asking, once)
        ]
        print(f"  {name:16} counting {told[0]}   scoring {told[1]}   first score {told[2]}")


def alone(family: Any) -> Contender:
    def contender(part: Part) -> Answers:
        model = Model.train({"text": family}, part.learned, part.labels)
        return Answers(model.classes, model.posterior(part.asked))

    return contender


def weighed(*families: Any) -> Contender:
    def contender(part: Part) -> Answers:
        schema = {f"reading {i}": family for i, family in enumerate(families)}
        rows, asked = (dict.fromkeys(schema, frame["text"]) for frame in (part.learned, part.asked))
        model = weigh(Model.train(schema, rows, part.labels), rows, part.labels)
        return Answers(model.classes, model.posterior(asked))

    return contender


def compare(names: list[str]) -> None:
    contenders = {name: alone(family) for name, family in FAMILIES.items()}
    contenders |= {
        "Words, weighed": weighed(BAG),
        "order 1, weighed": weighed(FAMILIES["order 1"]),
        "both, weighed": weighed(BAG, FAMILIES["order 1"]),
    }
    for data in texts(names):
        print(f"\n{data.name}: {len(data.rows):,} texts, {len(set(data.labels))} classes")
        print(f"  {'':18} {'accuracy':>8} {'log-loss':>9} {'seconds':>8}")
        for title, contender in contenders.items():
            found = dealt_once(contender, data, seed=0)
            print(f"  {title:18} {1.0 - found.error:8.4f} {found.loss:9.4f} {found.seconds:8.2f}", flush=True)


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name, work in (("perplexity", perplexity), ("speed", speed)):
        if not names or name in names:
            work()
    sets = [name for name in names if name not in ("perplexity", "speed")]
    if sets or not names:
        compare(sets or SETS)


if __name__ == "__main__":
    main(sys.argv[1:])
