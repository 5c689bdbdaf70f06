"""Spark at its limits: very many partitions, and a large model on a driver with little memory.

    python bench/spark_limits.py partitions [10000]
    python bench/spark_limits.py driver [words in millions] [classes]

"partitions" trains on this many partitions of one row, and on the same rows in two. "driver" trains on synthetic texts
of three million distinct words in a hundred classes, by two executors, with `spark.driver.memory=1g`, and prints the
peak memory of the driver's Python process and the model's size.
"""

from __future__ import annotations

import os
import resource
import sys
import time
import warnings
from typing import Any

from tallybayes import Gaussian, Schema, Words, digest
from tallybayes.files import to_bytes

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.driver.memory": "1g",
}
MILLION = 10**6
WORDS_A_TEXT = 100
PARTS = 24


def session(master: str) -> Any:
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", category=FutureWarning)  # Spark's own
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def partitions(count: int) -> None:
    from tallybayes.spark import train

    spark, schema = session("local[2]"), Schema({"x": Gaussian()}, label="y")
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

    spark = session("local-cluster[2,1,1536]")
    words = int(millions * MILLION)
    text = f"array_join(transform(sequence(1, {WORDS_A_TEXT}), i -> concat('w', pmod(xxhash64(id, i), {words}))), ' ')"
    texts = spark.range(0, 4 * words // WORDS_A_TEXT, 1, PARTS).selectExpr(f"{text} AS body", f"id % {classes} AS y")
    before, start = _peak(), time.perf_counter()
    model = train(Schema({"body": Words()}, label="y"), texts)
    took, peak = time.perf_counter() - start, _peak()
    print(f"{len(model.counts('body').slots):,} words × {len(model.classes)} classes: {took:.0f} s")
    print(f"The model is {len(to_bytes(model)) / MILLION:,.0f} MB")
    print(f"Peak memory of the driver's Python: {before:,.0f} MB before, {peak:,.0f} MB after; its JVM has 1 GB")
    spark.stop()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "partitions":
        partitions(int(given[0]) if given else 10_000)
    else:
        driver(float(given[0]) if given else 3.0, int(given[1]) if given[1:] else 100)
