"""Spark: train on DataFrames, and add answers to them. The model is, byte for byte, that of one machine.

`training` makes a model of every partition and merges them; `predicting` adds answers to a DataFrame; `estimator` wraps
both the pyspark.ml way; `streaming` learns micro-batches into a store; `packing` sends columns to tasks, and `sending`
models from them; `worker` keeps modules and a model from task to task; `errors` turns a task's failure into one
sentence. Only DataFrames and `mapInArrow` are used, no RDDs. Leans on `model`, `files`, `schema`, `sources` and
`store`.
"""

try:
    import pyspark as pyspark
except ImportError:
    raise ImportError("tallybayes.spark needs Spark 4; run: pip install 'tallybayes[spark]'") from None

from tallybayes.spark.estimator import NaiveBayes, NaiveBayesModel
from tallybayes.spark.predicting import predict
from tallybayes.spark.streaming import learn_into
from tallybayes.spark.training import train

__all__ = ["NaiveBayes", "NaiveBayesModel", "learn_into", "predict", "train"]
