"""The pyspark.ml API: fit, transform, pipelines, cross-validation, save and load."""

import numpy as np
import pyarrow as pa
import pytest

from tallybayes import Categorical, Gaussian, Model, Schema, digest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Spark's own

DRAW = np.random.default_rng(3)
LABELS = DRAW.integers(0, 2, 300).astype(float)
ROWS = pa.table(
    {
        "x": DRAW.normal(size=300) + 2 * LABELS,
        "city": DRAW.choice(["Ur", "Köln"], 300),
        "worth": DRAW.choice([0.5, 2.0], 300),
        "label": LABELS,
    }
)
SCHEMA = Schema({"x": Gaussian(), "city": Categorical()})


@pytest.fixture(scope="module")
def frame(spark):
    return spark.createDataFrame(ROWS)


def test_fitted_model_equals_one_machine(frame):
    from tallybayes.spark import NaiveBayes

    fitted = NaiveBayes(schema=SCHEMA, weightCol="worth").fit(frame)
    expected = Model.train(SCHEMA, ROWS, "label", weights="worth")
    assert digest(fitted.counts) == digest(expected)
    found = fitted.transform(frame).collect()
    shares = np.array([row.probability.toArray() for row in found])
    np.testing.assert_allclose(shares, expected.posterior(ROWS), atol=1e-12)
    assert [row.prediction for row in found] == [float(i) for i in shares.argmax(axis=1)]


def test_estimators_and_models_round_trip(frame, tmp_path):
    from tallybayes.spark import NaiveBayes, NaiveBayesModel

    estimator = NaiveBayes(schema=SCHEMA, predictionCol="answer")
    estimator.save(str(tmp_path / "estimator"))
    again = NaiveBayes.load(str(tmp_path / "estimator"))
    assert again.getPredictionCol() == "answer"
    fitted = again.fit(frame)
    fitted.save(str(tmp_path / "model"))
    loaded = NaiveBayesModel.load(str(tmp_path / "model"))
    assert digest(loaded.counts) == digest(Model.train(SCHEMA, ROWS, "label"))
    assert loaded.uid == fitted.uid
    assert loaded.transform(frame).columns == [*ROWS.schema.names, "answer", "probability"]


def test_pipelines_and_cross_validation(frame):
    from pyspark.ml import Pipeline
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    from tallybayes.spark import NaiveBayes

    evaluator = MulticlassClassificationEvaluator(metricName="accuracy")
    pipeline = Pipeline(stages=[NaiveBayes(schema=SCHEMA)])
    found = CrossValidator(
        estimator=pipeline, estimatorParamMaps=ParamGridBuilder().build(), evaluator=evaluator, numFolds=2
    ).fit(frame.coalesce(1))
    assert 0.7 < found.avgMetrics[0] <= 1.0
    assert digest(found.bestModel.stages[0].counts) == digest(Model.train(SCHEMA, ROWS, "label"))
