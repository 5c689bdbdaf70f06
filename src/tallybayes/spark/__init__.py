"""Spark: rows counted where they are, and answered where they are. The model is, byte for byte, that of one machine.

`training` makes a model of every partition and merges them on the executors; `predicting` adds answers to a DataFrame;
`estimator` has both in the habits of pyspark.ml; `errors` turns what a task says into a sentence. DataFrames and
`mapInArrow` alone are used, no RDDs. Leans on `model`, `files` and `schema`.
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
