"""A local cluster of a master and two workers, with executors in separate processes, one of which dies."""

import pytest
from scripts import run

from parts import module

CODE = """
import os, signal, sys
import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from tallybayes import Categorical, Gaussian, Model, Words, digest
from tallybayes.spark import predict, train

settings = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.speculation": "true",
    "spark.executorEnv.PYTHONWARNINGS": "ignore",
}
builder = SparkSession.builder.master("local-cluster[2, 1, 1024]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
draw = np.random.default_rng(7)
texts = [" ".join(row) for row in draw.choice(["free", "money", "dear", "sir"], (3000, 5)).tolist()]
rows = pa.table({"text": texts, "km": draw.normal(1e9, 1.0, 3000), "city": draw.choice(["Ur", "Köln"], 3000),
                 "y": draw.choice(["a", "b"], 3000)})
families = {"text": Words(), "km": Gaussian(), "city": Categorical()}
expected = digest(Model.train(families, rows, "y"))
frame = spark.createDataFrame(rows)
model = train(families, frame.repartition(40), "y")
print(digest(model) == expected, predict(model, frame.repartition(4)).count())

flag = sys.argv[1]

def who(batches):
    import os
    for batch in batches:
        yield pa.record_batch({"process": pa.array([os.getppid()] * len(batch))})

print(len({row.process for row in frame.repartition(8).mapInArrow(who, "process long").collect()}))

def dying(batches):
    import os, signal
    yield from batches
    if not os.path.exists(flag):
        open(flag, "w").close()
        with open(f"/proc/{os.getppid()}/stat") as file:
            executor = int(file.read().rpartition(")")[2].split()[1])
        os.kill(executor, signal.SIGKILL)

counted = train(families, frame.repartition(40).mapInArrow(dying, frame.schema), "y")
print(os.path.exists(flag), digest(counted) == expected)
spark.stop()
"""


@pytest.mark.long
def test_two_workers_give_the_bytes_of_one_machine_even_if_one_dies(tmp_path):
    module("spark", "pyspark")
    ended = run(CODE, tmp_path / "died", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.splitlines() == ["True 3000", "2", "True True"]
