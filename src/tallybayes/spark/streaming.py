"""Structured Streaming: a store learns every micro-batch exactly once."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from tallybayes.data.matching import ERROR
from tallybayes.spark.training import train
from tallybayes.store import Store


def learn_into(
    store: Store, query: str, label: str | None = None, weight: str | None = None, *, absent: str = ERROR
) -> Callable[[DataFrame, int], None]:
    """A function for `foreachBatch`. It counts a micro-batch on the executors and adds the counts to the store, under
    the name of the query and the number of the batch, so a batch that Spark sends again counts once. The store is on
    the driver. Give every query a unique name and checkpoint, and keep both."""

    def learn(batch: DataFrame, number: int) -> None:
        model = train(store.schema, batch, label, weight, absent=absent)
        store.learn_model(model, id=f"{query} {number}")

    return learn
