"""Spark at its limits: very many partitions, and a large model on a driver with little memory.

    python bench/spark_limits.py partitions [10000]
    python bench/spark_limits.py driver [words in millions] [classes]
    python bench/spark_limits.py merging [models] [megabytes of text in each] [different ones]

"partitions" trains on this many partitions of one row, and on the same rows in two. "driver" trains on synthetic texts
of three million distinct words in a hundred classes, by two executors of 2.5 GB (with 1 GB they run out of memory when
they send the models on), with `spark.driver.memory=1g`, and prints the peak memory of the driver's two processes,
Python and JVM, and the model's size. "merging" needs no session: it counts some partitions of synthetic text in one
thread, sends their models as tasks do, and merges as many as asked for, these in turn; its times are CPU time.
"""

from __future__ import annotations

import pickle
import sys
import time
from itertools import cycle, islice

from corpus import batches
from processes import peak_memory
from spark import session
from tallybayes import Gaussian, Model, Schema, Words, digest, merge
from tallybayes.files import to_bytes
from timing import CPU, timed

LITTLE_MEMORY = {"spark.driver.memory": "1g", "spark.executor.memory": "2500m"}
MILLION = 10**6
WORDS_A_TEXT = 100
PARTS = 24


def partitions(count: int) -> None:
    from tallybayes.spark import train

    spark, schema = session("local[2]", LITTLE_MEMORY), Schema({"x": Gaussian()}, label="y")
    found = []
    for parts in (2, count):
        rows = spark.range(0, count, 1, parts).selectExpr("CAST(id AS DOUBLE) AS x", "id % 3 AS y")
        start = time.perf_counter()
        found.append(digest(train(schema, rows)))
        print(f"{count:,} rows in {parts:,} partitions: {time.perf_counter() - start:.1f} s", flush=True)
    print(f"Same bytes: {found[0] == found[1]}")
    spark.stop()


def driver(millions: float, classes: int) -> None:
    from tallybayes.spark import train

    spark = session("local-cluster[2,1,3072]", LITTLE_MEMORY)
    words = int(millions * MILLION)
    text = f"array_join(transform(sequence(1, {WORDS_A_TEXT}), i -> concat('w', pmod(xxhash64(id, i), {words}))), ' ')"
    texts = spark.range(0, 4 * words // WORDS_A_TEXT, 1, PARTS).selectExpr(f"{text} AS body", f"id % {classes} AS y")
    java = spark.sparkContext._gateway.proc.pid
    before, start = peak_memory(), time.perf_counter()
    model = train(Schema({"body": Words()}, label="y"), texts)
    took = time.perf_counter() - start
    print(
        f"Peak memory of the driver: Python {before:,.0f} MB before, {peak_memory():,.0f} MB after; "
        f"JVM {peak_memory(java):,.0f} MB"
    )
    print(f"{len(model.counts('body').slots):,} words × {len(model.classes)} classes: {took:.0f} s")
    print(f"The model is {len(to_bytes(model)) / MILLION:,.0f} MB")
    spark.stop()


def merging(count: int, megabytes: float, different: int) -> None:
    from tallybayes.spark.sending import received, sent

    schema, counting, sending, sorting, models, words = Schema({"body": Words()}, label="label"), 0.0, 0.0, 0.0, [], 0
    for seed in range(different):
        texts = list(batches(megabytes, seed=seed))
        seconds, model = timed(lambda texts=texts: Model.train(schema, iter(texts), threads=1), CPU)
        counting, words = counting + seconds, words + len(model.counts("body").slots)
        seconds, data = timed(lambda model=model: sent(model), CPU)
        sending, models = sending + seconds, [*models, data]
        sorting += timed(lambda model=model: pickle.dumps(model), CPU)[0]
    adding, total = timed(lambda: merge(received(islice(cycle(models), count))), CPU)
    counting, sending = counting * count / different, sending * count / different
    print(f"{count} models of {words / different:,.0f} words, {different} of them different:")
    print(f"  counting {counting:.1f} s, sending {sending:.1f} s, merging {adding:.1f} s")
    print(f"  as canonical pickles, sending would take {sorting * count / different:.1f} s")
    print(f"  sending and merging are {(sending + adding) / (counting + sending + adding):.0%} of the time")
    print(f"  their sum has {len(total.counts('body').slots):,} words")


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "partitions":
        partitions(int(given[0]) if given else 10_000)
    elif what == "merging":
        models, size, apart = [*given, *("200", "190", "8")[len(given) :]]
        merging(int(models), float(size), int(apart))
    else:
        driver(float(given[0]) if given else 3.0, int(given[1]) if given[1:] else 100)
