"""Spark beside its own MLlib, on this machine with local[2]: texts in a warm session.

    python bench/spark.py [documents] [partitions]

Texts are made up of words drawn by Zipf's law. MLlib's way is Tokenizer, CountVectorizer and NaiveBayes; ours is one
`train`. Both are given the same cached
DataFrame, and are run once before they are timed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tallybayes import Model, Schema, Words, digest, open_source
from timing import report

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
SCHEMA = Schema({"text": Words()}, label="label")
PIECES = 20


def write(folder: Path, documents: int) -> None:
    random = np.random.default_rng(0)
    for piece in range(PIECES):
        words = random.zipf(1.3, (documents // PIECES, 100)) % 200_000
        texts = [" ".join(f"w{word}" for word in row) for row in words.tolist()]
        labels = random.integers(0, 2, len(texts)).astype(float)
        pa.parquet.write_table(pa.table({"text": texts, "label": labels}), folder / f"{piece}.parquet")


def main(documents: int, partitions: int) -> None:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, Tokenizer
    from pyspark.sql import SparkSession

    from tallybayes.spark import predict, train

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = session.config("spark.log.level", "OFF").getOrCreate()
    with tempfile.TemporaryDirectory() as home:
        write(Path(home), documents)
        frame = spark.read.parquet(home).repartition(partitions).cache()
        frame.count()
        pipeline = Pipeline(
            stages=[Tokenizer(inputCol="text", outputCol="words"), CountVectorizer(inputCol="words"), NaiveBayes()]
        )
        pipeline.getStages()[1].setOutputCol("features")
        fitted, model = pipeline.fit(frame), train(SCHEMA, frame)
        works = {"MLlib": lambda: pipeline.fit(frame), "tallybayes.spark": lambda: train(SCHEMA, frame)}
        report(f"Training, {documents:,} texts in {partitions} partitions", works, "MLlib", rounds=2)
        works = {
            "MLlib": lambda: fitted.transform(frame).select("prediction").toArrow(),
            "tallybayes.spark": lambda: predict(model, frame, probability=False).select("predicted").toArrow(),
        }
        report("Answering", works, "MLlib", rounds=2)
        here = Model.train(SCHEMA, open_source(f"{home}/*.parquet"))
        print(f"\nThe same bytes as on one machine without Spark: {digest(here) == digest(model)}")
        works = {"tallybayes": lambda: Model.train(SCHEMA, open_source(f"{home}/*.parquet"))}
        report("One machine without Spark, reading the files", works, "tallybayes", rounds=2)
    spark.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or ("40000", "20")))
