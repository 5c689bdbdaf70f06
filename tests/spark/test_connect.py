"""Spark Connect: its own server in a separate process, since a process has one kind of session."""

import os
import subprocess
import sys

import pytest

from parts import module

CODE = """
import pyarrow as pa
from pyspark.sql import SparkSession
from tallybayes import Categorical, Gaussian, Model, digest
from tallybayes.spark import predict, train

spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
cities = {"City": ["Ur", "Köln"] * 30, "city": ["Ur"] * 60}
rows = pa.table({"x": [i / 7 for i in range(60)], **cities, "y": ["a", "b", "b"] * 20})
families = {"x": Gaussian(), "City": Categorical(), "city": Categorical()}
frame = spark.createDataFrame(rows)
model = train(families, frame.repartition(20), "y")
print(type(spark).__module__, digest(model) == digest(Model.train(families, rows, "y")), predict(model, frame).count())
try:
    train({"city": Gaussian()}, frame, "y")
except ValueError as error:
    print(error)
spark.stop()
"""


@pytest.mark.long
def test_spark_connect_gives_the_bytes_of_one_machine():
    for name in ("pyspark", "grpc"):
        module("spark", name)
    settings = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    ended = subprocess.run([sys.executable, "-c", CODE], env=settings, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    counted, refused = ended.stdout.splitlines()
    assert counted == "pyspark.sql.connect.session True 60"
    assert refused.startswith("Column 'city', row ")
