"""Structured Streaming: batches are learned exactly once, whenever the process is killed."""

import json
import signal

import pytest
from scripts import run, shown

from parts import module
from tallybayes import Categorical, Gaussian, Model, Schema, Store, digest

pytestmark = pytest.mark.long

SCHEMA = Schema({"vehicle": Categorical(), "km": Gaussian()}, label="late")
SESSION = """
import os, signal, sys
from pyspark.sql import SparkSession
from tallybayes import Store

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF").getOrCreate()
when, batch = sys.argv[1], sys.argv[2]
learn_model = Store.learn_model

def dying(self, model, *, id):
    if id == f"trips {batch}" and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    learn_model(self, model, id=id)
    if id == f"trips {batch}" and when == "after":
        os.kill(os.getpid(), signal.SIGKILL)

Store.learn_model = dying
"""


def row(number):
    return {"vehicle": "bike" if number % 3 else "van", "km": 1e9 + number / 7, "late": "yes" if number % 4 else "no"}


def test_killed_stream_loses_and_doubles_no_batch(tmp_path):
    module("spark", "pyspark")
    rows = [row(number) for number in range(60)]
    (tmp_path / "trips").mkdir()
    Store.create(tmp_path / "late.store", SCHEMA).close()
    script = SESSION + shown("spark_stream.py").replace("readStream.", 'readStream.option("maxFilesPerTrigger", 1).')

    def arrive(files):
        for file in files:
            lines = [json.dumps(each) for each in rows[file * 10 : file * 10 + 10]]
            (tmp_path / "trips" / f"{file}.json").write_text("\n".join(lines))

    def learned():
        with Store.open(tmp_path / "late.store") as store:
            return store.model()

    arrive(range(4))
    killed = run(script, "after", 1, folder=tmp_path)  # the store has the batch, and Spark does not know it
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert learned().n == 20
    killed = run(script, "before", 2, folder=tmp_path)  # Spark has started it, and the store does not have it
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert learned().n == 20
    arrive(range(4, 6))
    ended = run(script, "never", 0, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert digest(learned()) == digest(Model.train(SCHEMA, rows))
