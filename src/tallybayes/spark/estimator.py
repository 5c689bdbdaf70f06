"""A pyspark.ml estimator and its model, for pipelines, cross-validation, saving and loading.

Columns are used as they are: no vector to assemble, no text to index. Labels that are numbers are predicted as doubles,
the only ones that pyspark's evaluators accept; all others as strings.
"""

from __future__ import annotations

import json
from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml import Model as Transformer
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasWeightCol
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from tallybayes.files import from_bytes, to_bytes
from tallybayes.model.model import Model
from tallybayes.schema.schema import Schema
from tallybayes.spark.columns import numbered
from tallybayes.spark.predicting import answered
from tallybayes.spark.training import train

DATA = "counts"  # the folder beside the metadata


class _Columns(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol):
    """The names of columns that the estimator and its model share."""

    def _weight(self) -> str | None:
        return self.getWeightCol() if self.isDefined(self.weightCol) and self.getWeightCol() else None


class NaiveBayes(Estimator, _Columns, DefaultParamsReadable, DefaultParamsWritable):
    """Trains on a DataFrame. `schema` says which family counts which column; without one, it is inferred from the first
    rows, for all columns but the label and the weight."""

    schema: Param = Param(
        Params._dummy(), "schema", "which family counts which column, as JSON", TypeConverters.toString
    )

    @keyword_only  # type: ignore[untyped-decorator]
    def __init__(
        self,
        *,
        schema: Schema | None = None,
        labelCol: str = "label",  # noqa: N803
        weightCol: str | None = None,  # noqa: N803
        predictionCol: str = "prediction",  # noqa: N803
        probabilityCol: str = "probability",  # noqa: N803
    ) -> None:
        super().__init__()
        given = {name: value for name, value in self._input_kwargs.items() if value is not None}
        if schema is not None:
            given["schema"] = json.dumps(schema.to_json())
        self._set(**given)

    def _fit(self, dataset: DataFrame) -> NaiveBayesModel:
        label, weight = self.getLabelCol(), self._weight()
        schema = None
        if self.isDefined(self.schema):
            schema = Schema.from_json(json.loads(self.getOrDefault(self.schema)))
        model = train(schema, dataset, label, weight)
        return self._copyValues(NaiveBayesModel(model))


class NaiveBayesModel(Transformer, _Columns, MLReadable, MLWritable):
    """A fitted model. `counts` is the tallybayes model, which can learn and forget."""

    def __init__(self, counts: Model) -> None:
        super().__init__()
        self.counts = counts

    def _transform(self, dataset: DataFrame) -> DataFrame:
        names = [f"{self.uid} {at}" for at in range(2 + len(self.counts.classes))]
        found = numbered(answered(self.counts, dataset, names))
        columns, kept = [f.col(name) for name in found.columns], dataset.columns
        predicted, _, *shares = columns[len(kept) :]
        if isinstance(self.counts.classes[0], (bool, int, float)):
            predicted = predicted.cast("double")
        return found.select(
            *(column.alias(name) for column, name in zip(columns, kept, strict=False)),
            predicted.alias(self.getPredictionCol()),
            array_to_vector(f.array(*shares)).alias(self.getProbabilityCol()),
        )

    def write(self) -> MLWriter:
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


class _Writer(MLWriter):
    def __init__(self, instance: NaiveBayesModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:  # noqa: N802
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        rows = self.sparkSession.createDataFrame([(bytearray(to_bytes(self.instance.counts)),)], "model binary")
        rows.coalesce(1).write.parquet(f"{path}/{DATA}")


class _Reader(MLReader[Any]):
    def __init__(self, cls: type[NaiveBayesModel]) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> NaiveBayesModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/{DATA}").first()
        found = self.cls(from_bytes(bytes(row.model)))
        found._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(found, metadata)
        return found
