"""Training and prediction on texts: against scikit-learn, polars and a plain scan of the bytes.

    python bench/text.py

Two corpora: the Enron mails three times over, and 150 MB synthesised by `corpus`, with half a million distinct words,
some of them not ASCII. scikit-learn (CountVectorizer + MultinomialNB) gets the same texts as Python strings, its
preferred input. Best of 5 runs, ours and the peer's in turn; about seven minutes in all.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "2")  # read when polars is imported

import numpy as np
import polars
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from corpus import MB, Texts, corpora, spell
from tallybayes import Model, Schema, Words
from timing import best_of, each, row

SCHEMA = Schema({"body": Words()})
VOCABULARY = 600_000


def pipeline() -> Any:
    return make_pipeline(CountVectorizer(), MultinomialNB())


def mbs(speed: float) -> str:
    return f"{speed:.1f} MB/s"


def against_sklearn(texts: Texts) -> None:
    table, labels = texts.table, texts.table["label"]
    strings, names = table["body"].to_pylist(), labels.to_pylist()
    model, peer = Model.train(SCHEMA, table, "label"), pipeline().fit(strings, names)
    times = best_of(
        {
            "fit": lambda: pipeline().fit(strings, names),
            "train 1": lambda: Model.train(SCHEMA, table, "label", threads=1),
            "train 2": lambda: Model.train(SCHEMA, table, "label", threads=2),
            "train list": lambda: Model.train(SCHEMA, {"body": strings}, names),
            "predict": lambda: peer.predict_proba(strings),
            "posterior 1": lambda: model.posterior(table, threads=1),
            "posterior 2": lambda: model.posterior(table, threads=2),
        }
    )
    fit, predict = texts.speed(times["fit"]), texts.speed(times["predict"])
    for work, name, slow, asked in (
        ("train, Arrow, 1 thread", "train 1", fit, "30 ×"),
        ("train, Arrow, 2 threads", "train 2", fit, "45 ×"),
        ("train, list of str, all threads", "train list", fit, "20 ×"),
        ("posterior, Arrow, 1 thread", "posterior 1", predict, "30 ×"),
        ("posterior, Arrow, 2 threads", "posterior 2", predict, "55 ×"),
    ):
        fast = texts.speed(times[name])
        row(f"{texts.name}: {work}", mbs(fast), mbs(slow), fast / slow, asked)
    same = model.posterior(table) - peer.predict_proba(strings)
    row(f"{texts.name}: largest difference in probability", f"{np.abs(same).max():.0e}")


def one_document(texts: Texts) -> None:
    model, peer = (
        Model.train(SCHEMA, texts.table, "label"),
        pipeline().fit(*texts.table.slice(0, 20_000).to_pydict().values()),
    )
    text = texts.document(700)
    model.posterior(text), model.posterior({"body": [text]})
    times = best_of(
        {
            "peer": each(lambda: peer.predict_proba([text]), 100),
            "ours": each(lambda: model.posterior(text), 2000),
        }
    )
    ours, slow = times["ours"] / 2000, times["peer"] / 100
    work = f"{texts.name}: one str of 700 characters, warm"
    row(work, f"{ours * 1e6:.1f} µs", f"{slow * 1e6:.0f} µs", slow / ours, "10 µs")


def readings(texts: Texts) -> None:
    """The prediction time of words and pairs read as "auto", relative to the multinomial reading of the same counts."""
    auto = Model.train({"body": Words(reading="auto", ngrams=2, shortest=1, punctuation=True)}, texts.table, "label")
    models = {"auto": auto, "multinomial": auto.believing(reading="multinomial")}
    times = best_of({name: lambda m=model: m.posterior(texts.table, threads=1) for name, model in models.items()})
    fast, slow = (texts.speed(times[name]) for name in models)
    row(f"{texts.name}: posterior as auto, vs multinomial", mbs(fast), mbs(slow), fast / slow)


def against_polars(texts: Texts) -> None:
    """polars does less: it counts each word per label. Its streaming engine on two threads."""
    frame = polars.from_arrow(texts.table)
    words = polars.col("body").str.to_lowercase().str.extract_all(r"\w\w+").alias("word")
    query = frame.lazy().select("label", words).explode("word").group_by("label", "word").len()
    times = best_of(
        {
            "polars": lambda: query.collect(engine="streaming"),
            "ours": lambda: Model.train(SCHEMA, texts.table, "label", threads=2),
        }
    )
    ratio = times["polars"] / times["ours"]
    fast, slow = texts.speed(times["ours"]), texts.speed(times["polars"])
    row(f"{texts.name}: counting words, 2 threads, vs polars", mbs(fast), mbs(slow), ratio, "4 ×")


def against_the_limit(texts: Texts) -> None:
    """Training on one thread, against a loop that only looks every byte up in a table."""
    data, table = "\n".join(texts.table["body"].to_pylist()).encode(), bytes(range(256))
    model = Model.train(SCHEMA, texts.table, "label")
    tokens = model.counts("body").words.sum_of("n", model.classes).round().sum()
    times = best_of(
        {
            "scan": lambda: data.translate(table),
            "ours": lambda: Model.train(SCHEMA, texts.table, "label", threads=1),
        }
    )
    ours, scan = times["ours"], times["scan"]
    fast, slow = texts.speed(ours), len(data) / MB / scan
    row(f"{texts.name}: train, 1 thread, vs a scan of the bytes", mbs(fast), mbs(slow), f"{scan / ours:.3f} ×")
    row(f"{texts.name}: the same in millions of tokens", *(f"{tokens / t / 1e6:.1f} M/s" for t in (ours, scan)))


def learn_one_mail(texts: Texts) -> None:
    mail = texts.document(1400)  # the mean length of the Enron mails
    words = spell(np.arange(VOCABULARY)).to_pylist()
    documents = [" ".join(words[i::1000]) for i in range(1000)]
    model = Model.train(SCHEMA, {"body": documents}, ["ham", "spam"] * 500)
    delta = Model.train(SCHEMA, {"body": [mail]}, ["spam"])

    def learn(more: Model) -> None:
        nonlocal model
        model += more

    works = {
        "learn a mail of 1400 characters": lambda: learn(Model.train(SCHEMA, {"body": [mail]}, ["spam"])),
        "  of which train": lambda: Model.train(SCHEMA, {"body": [mail]}, ["spam"]),
        "  of which +=": lambda: learn(delta),
    }
    times = best_of({name: each(work, 300) for name, work in works.items()})
    for name, seconds in times.items():
        asked = "" if name.startswith(" ") else "100 µs"
        row(f"{name}, into {VOCABULARY:,} words", f"{seconds / 300 * 1e6:.0f} µs", target=asked)


def collisions() -> None:
    """A million distinct words chosen to collide in the first look-up of a table, against a million random ones."""
    rng = np.random.default_rng(0)
    letters = rng.integers(ord("a"), ord("k"), (1_000_000, 23)).astype(np.uint8)
    letters[:, -1] = ord(" ")
    mixed = letters.tobytes().decode()
    alike = " ".join(f"aaaaaaaa{i:06d}zzzzzzzz" for i in range(1_000_000))
    works = {
        name: (lambda text=text: Model.train(SCHEMA, [text], ["a"]))
        for name, text in (("mixed", mixed), ("alike", alike))
    }
    times = best_of(works)
    seconds = (f"{times[name] * 1e3:.0f} ms" for name in ("alike", "mixed"))
    row(
        "a million words with equal ends, vs random ones",
        *seconds,
        f"{times['alike'] / times['mixed']:.2f} ×",
        "≤ 1.5 ×",
    )


if __name__ == "__main__":
    row("", "tallybayes", "peer", "ratio", "target")
    every = corpora()
    for texts in every:
        for measure in (against_sklearn, one_document, readings, against_polars, against_the_limit):
            measure(texts)
    learn_one_mail(every[0])
    collisions()
