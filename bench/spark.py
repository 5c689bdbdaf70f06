"""Spark against its own MLlib, on this machine with local[2] and a warm session: texts and numbers.

    python bench/spark.py [megabytes of text] [partitions] [rows of numbers] [once] [alone]

Texts are the Enron-Spam mails, repeated to this many megabytes. MLlib uses Tokenizer, CountVectorizer and NaiveBayes;
tallybayes one `train`. Numbers are 20 columns of mean 1e9 and variance 1: MLlib's VectorAssembler and gaussian
NaiveBayes against `Gaussian`, and the variances that both find. Beside them: Spark's default limit on the bytes of a
batch, which is checked at every row, and tasks that only receive their rows, the cost of sending columns to Python. All
get the same cached DataFrame, and run once before they are timed. MLlib's NaiveBayes alone, on vectors assembled and
cached beforehand, is shown separately. Times are those of the clock, and the CPU time of all processes, which other
work on the machine affects less. The last part is one machine without Spark, reading the same files. 0 megabytes or 0
rows skip a part. "once" times texts once instead of twice, and "alone" skips MLlib on them, which takes long.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from corpus import mails
from processes import Spent, compare, spent_on
from tallybayes import Gaussian, Model, Schema, Words, digest, open_source

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
TEXTS = Schema({"text": Words()}, label="label")
COLUMNS = [f"x{i}" for i in range(20)]
NUMBERS = Schema({name: Gaussian(plugin=True) for name in COLUMNS}, label="label")
MILLION = 1e6
PIECES = 10  # files
LIMIT = "spark.sql.execution.arrow.maxBytesPerBatch"
NO_LIMIT = str(2**31 - 1)
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.python.unix.domain.socket.enabled": "true",
}
ROUNDS = 2
MOST_VECTORS = 6_000_000  # that fit into the driver's memory besides the columns
Work = Callable[[], object]


def write_texts(folder: Path, megabytes: float) -> int:
    """As Parquet files; returns the number of texts."""
    texts, labels = mails()
    table = pa.table({"text": list(texts), "label": np.array([label == "spam" for label in labels], float)})
    times = max(round(megabytes * MILLION / sum(map(len, texts))), 1)
    for piece in range(PIECES):
        part = table.take(np.arange(piece, len(table), PIECES))
        pa.parquet.write_table(pa.concat_tables([part] * times), folder / f"{piece}.parquet")
    return times * len(table)


def texts_beside_mllib(spark: Any, folder: Path, megabytes: float, partitions: int, options: Collection[str]) -> None:
    from tallybayes.spark import predict, train

    count, rounds = write_texts(folder, megabytes), 1 if "once" in options else ROUNDS
    frame = spark.read.parquet(str(folder)).repartition(partitions).cache()
    frame.count()
    model = train(TEXTS, frame)
    training, predicting = (dict[str, Work](), dict[str, Work]()) if "alone" in options else mllib_on_texts(frame)
    training |= {"tallybayes.spark": lambda: train(TEXTS, frame)}
    compare(f"Training, {count:,} texts in {partitions} partitions", training, next(iter(training)), rounds)
    predicting |= {
        "predictions only": lambda: predict(model, frame, probability=False, keep=[]).toArrow(),
        "all columns": lambda: predict(model, frame, probability=False).select("predicted").toArrow(),
    }
    compare("Prediction", predicting, next(iter(predicting)), rounds)
    files = f"{folder}/*.parquet"
    print(f"\nSame bytes as without Spark: {digest(Model.train(TEXTS, open_source(files))) == digest(model)}")
    works = {
        "without": lambda: Model.train(TEXTS, open_source(files)),
        "with": lambda: train(TEXTS, spark.read.parquet(str(folder))),
    }
    compare("Reading the files, without Spark and with it", works, "with", rounds)
    frame.unpersist()


def mllib_on_texts(frame: Any) -> tuple[dict[str, Work], dict[str, Work]]:
    """What to time: training and prediction."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, Tokenizer

    words = CountVectorizer(inputCol="words", outputCol="features")
    pipeline = Pipeline(stages=[Tokenizer(inputCol="text", outputCol="words"), words, NaiveBayes()])
    fitted = pipeline.fit(frame)
    asking = {"MLlib": lambda: fitted.transform(frame).select("prediction").toArrow()}
    return {"MLlib": lambda: pipeline.fit(frame)}, asking


def numbers_beside_mllib(spark: Any, rows: int) -> None:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions as f

    from tallybayes.spark import train

    drawn = [(f.randn(seed) + 1e9).alias(name) for seed, name in enumerate(COLUMNS)]
    frame = spark.range(0, rows, 1, 8).select(*drawn, (f.rand(99) < 0.5).cast("double").alias("label")).cache()
    peer, assembler = NaiveBayes(modelType="gaussian"), VectorAssembler(inputCols=COLUMNS, outputCol="features")
    pipeline = Pipeline(stages=[assembler, peer])
    variance, model = pipeline.fit(frame).stages[1].sigma.toArray()[0][0], train(NUMBERS, frame)

    def with_limit() -> None:
        spark.conf.set(LIMIT, "64m")
        train(NUMBERS, frame)
        spark.conf.set(LIMIT, NO_LIMIT)

    works = {
        "MLlib": lambda: pipeline.fit(frame),
        "tallybayes.spark": lambda: train(NUMBERS, frame),
        "with Spark's limit": with_limit,
        "rows to Python": lambda: frame.mapInArrow(ignored, "rows long").agg(f.sum("rows")).first(),
    }
    found = compare(f"Training, {rows:,} rows of {len(COLUMNS)} numbers", works, "MLlib", ROUNDS)
    if rows <= MOST_VECTORS:
        on_vectors(frame, assembler, peer, found["tallybayes.spark"])
    frame.unpersist()
    ours = model.beliefs().columns["x0"].estimates()["variance"][0]
    print(f"  a variance of 1 at mean 1e9: MLlib {variance:.3f}, tallybayes {ours:.3f}")


def on_vectors(frame: Any, assembler: Any, peer: Any, ours: Spent) -> None:
    vectors = assembler.transform(frame).select("features", "label").cache()
    peer.fit(vectors)
    alone = min(spent_on(lambda: peer.fit(vectors)).processor for _ in range(ROUNDS))
    ratio = alone / ours.processor
    print(f"  MLlib on vectors instead of columns: CPU {alone:.2f} s; tallybayes is {ratio:.2f} × as fast")
    vectors.unpersist()


def ignored(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task that only receives its rows."""
    yield pa.record_batch([[sum(map(len, batches))]], ["rows"])


def session(master: str, settings: Mapping[str, str]) -> Any:
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", category=FutureWarning)  # Spark's own
    builder = SparkSession.builder.master(master)
    for name, value in {**QUIET, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(megabytes: float, partitions: int, rows: int, options: Collection[str]) -> None:
    spark = session("local[2]", {"spark.driver.memory": "8g", LIMIT: NO_LIMIT})
    if megabytes:
        with tempfile.TemporaryDirectory() as home:
            texts_beside_mllib(spark, Path(home), megabytes, partitions, options)
    if rows:
        numbers_beside_mllib(spark, rows)
    spark.stop()


if __name__ == "__main__":
    if find_spec("pyspark") is None:
        print("Spark is not installed and is skipped: pip install 'tallybayes[spark]'")
        sys.exit(0)
    given = [float(each) for each in sys.argv[1:4] if each not in ("once", "alone")]
    size, parts, numbers = [*given, *(50.0, 20.0, 500_000.0)[len(given) :]]
    main(size, int(parts), int(numbers), sys.argv)
