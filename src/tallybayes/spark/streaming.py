"""Structured Streaming: every micro-batch is learned by a store, exactly once."""

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
    the name of the query and the number of the batch: a batch that Spark sends again is known already. The store is
    that of the driver; give every query a name and a checkpoint of its own, and keep both."""

    def learn(batch: DataFrame, number: int) -> None:
        model = train(store.schema, batch, label, weight, absent=absent)
        store.learn_model(model, id=f"{query} {number}")

    return learn
