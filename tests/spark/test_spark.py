"""Local Spark: the bytes of one machine for any partitioning."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from tallybayes import Categorical, Gaussian, Histogram, Model, Pairs, Poisson, Schema, Words, digest, open_source

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Spark's own

SCHEMA = Schema(
    {
        "city": Categorical(),
        "odd. `name`": Gaussian(),
        "calls": Poisson(),
        "depth": Histogram(bits=8),
        "note": Words(),
        ("city", "calls"): Pairs(),
    },
    label="class",
)


def table(rows=600):
    draw = np.random.default_rng(7)
    size = draw.integers(1, 4, rows)

    def holes(cells):
        return [None if draw.random() < 0.05 else cell for cell in np.asarray(cells).tolist()]

    words = draw.choice(["free", "money", "dear", "sir", "é😀", "now"], (rows, 5))
    return pa.table(
        {
            "city": holes(draw.choice(["Ur", "Köln", ""], rows)),
            "odd. `name`": holes(draw.normal(1e9, 1.0, rows) * size),
            "calls": holes(draw.poisson(size * 2)),
            "depth": holes(draw.normal(size=rows) * size),
            "note": holes([" ".join(row) for row in words.tolist()]),
            "worth": draw.choice([0.5, 1.0, 2.0], rows),
            "class": draw.choice(["no", "yes", "it's"], rows),
        }
    )


ROWS = table()


@pytest.fixture(scope="module")
def frame(spark):
    return spark.createDataFrame(ROWS)


@pytest.fixture(scope="module")
def schema(spark):
    """Prepared for counting."""
    from tallybayes import prepare

    return prepare(SCHEMA, ROWS, "class")


@pytest.mark.parametrize("partitions", [1, 7, 64, 200])
def test_model_equals_one_machine_byte_for_byte(frame, schema, partitions, monkeypatch):
    from tallybayes.spark import train, training

    monkeypatch.setattr(training, "SMALL", 0)  # as if models were large: merged in rounds, and sent in pieces
    monkeypatch.setattr(training, "PIECE", 1000)
    assert digest(train(schema, frame.repartition(partitions))) == digest(Model.train(schema, ROWS))


def test_empty_partitions_and_weights(frame, schema):
    from tallybayes.spark import train

    some = frame.where("worth > 1").repartition(20, "city")
    expected = ROWS.filter(pa.compute.greater(ROWS["worth"], 1.0))
    counted = train(schema, some, "class", "worth")
    assert digest(counted) == digest(Model.train(schema, expected, "class", weights="worth"))


def test_no_rows_give_an_empty_model(frame, schema):
    from tallybayes.spark import train

    assert train(schema, frame.where("1 = 0")).n == 0


def test_later_rows_are_learned_by_adding(frame, schema):
    from tallybayes.spark import train

    first, second = frame.where("worth > 1"), frame.where("worth <= 1")
    model = train(schema, first)
    model += train(schema, second)
    assert digest(model) == digest(Model.train(schema, ROWS))


def test_missing_schema_is_inferred_and_reported(frame):
    from tallybayes.spark import train

    with pytest.warns(UserWarning, match="it was inferred from 600 rows"):
        model = train(None, frame.select("city", "calls", "class"), "class")
    assert model.n == 600
    assert set(model.schema.columns) == {"city", "calls"}


def test_answers_are_added_to_the_rows(frame, schema):
    from tallybayes.spark import predict

    model = Model.train(schema, ROWS).only(["city", "odd. `name`", "depth", "note"])
    found = predict(model, frame.repartition(5)).toArrow()
    assert found.schema.names == [*ROWS.schema.names, "predicted", "probability", *(f"P({c})" for c in model.classes)]
    expected = model.posterior(found)
    np.testing.assert_allclose(np.stack([found[f"P({c})"].to_numpy() for c in model.classes], 1), expected, atol=1e-12)
    assert found["predicted"].to_pylist() == [model.classes[i] for i in expected.argmax(axis=1)]
    assert predict(model, frame, probability=False).columns == [*ROWS.schema.names, "predicted", "probability"]


def test_dropped_columns_are_not_sent(frame, schema):
    from tallybayes.spark import predict

    model = Model.train(schema, ROWS).only(["city", "odd. `name`"])
    found = predict(model, frame.repartition(3), probability=False, keep=["worth", "odd. `name`"]).toArrow()
    assert found.schema.names == ["worth", "odd. `name`", "predicted", "probability"]
    assert len(found) == len(ROWS)
    alone = predict(model, frame.coalesce(1), keep=[]).toArrow()
    assert alone.schema.names == ["predicted", "probability", *(f"P({c})" for c in model.classes)]
    expected = model.posterior(frame.coalesce(1).toArrow())
    np.testing.assert_allclose(alone["probability"].to_numpy(), expected.max(axis=1), atol=1e-12)
    with pytest.raises(ValueError, match="The DataFrame has no column 'Worth'"):
        predict(model, frame, keep=["Worth"])


def test_column_absent_from_one_file_is_missing_there(spark, tmp_path):
    from tallybayes.spark import train

    families = {"x": Gaussian(), "c": Categorical()}
    whole, lacking = pa.table({"x": [1.0, 2.0], "c": ["u", "v"], "y": ["a", "b"]}), pa.table({"x": [3.0], "y": ["a"]})
    pa.parquet.write_table(whole, tmp_path / "1.parquet")
    pa.parquet.write_table(lacking, tmp_path / "2.parquet")
    frame = spark.read.option("mergeSchema", "true").parquet(str(tmp_path))
    expected = pa.concat_tables([whole, lacking], promote_options="default")
    assert digest(train(families, frame, "y")) == digest(Model.train(families, expected, "y"))


def test_unreadable_file_is_one_sentence(spark, tmp_path):
    from tallybayes.spark import train

    pa.parquet.write_table(pa.table({"x": ["five"], "y": ["a"]}), tmp_path / "1.parquet")
    frame = spark.read.schema("x double, y string").parquet(str(tmp_path))
    with pytest.raises(Exception, match=r"^[^\n]+$"):
        train({"x": Gaussian()}, frame, "y")


def test_numeric_classes_stay_numeric(spark):
    from tallybayes.spark import predict, train

    rows = pa.table({"x": [1.0, 2.0, 5.0, 7.0], "y": [0, 0, 1, 1]})
    frame = spark.createDataFrame(rows)
    model = train({"x": Gaussian()}, frame, "y")
    assert digest(model) == digest(Model.train({"x": Gaussian()}, rows, "y"))
    assert predict(model, frame).toArrow()["predicted"].to_pylist() == [0, 0, 1, 1]


def test_error_in_a_task_is_one_sentence(spark, frame, schema):
    from tallybayes.spark import predict, train

    nameless = spark.createDataFrame(pa.table({"x": [1.0, 2.0], "y": ["a", None]}))
    with pytest.raises(ValueError, match=r"^Column 'y': a row has no label\. Drop .* df\.dropna\(.*\) does\.$"):
        train({"x": Gaussian()}, nameless, "y")
    texts = spark.createDataFrame(pa.table({"x": ["1", "far"], "y": ["a", "b"]}))
    with pytest.raises(ValueError, match=r"^Column 'x', row [^\n]*: 'far' is not a number[^\n]*$"):
        train({"x": Gaussian()}, texts, "y")
    with pytest.raises(ValueError, match="The DataFrame has no column 'depth'; it has 'city'"):
        train(schema, frame.drop("depth"))
    with pytest.raises(ValueError, match="The DataFrame has several columns 'calls'"):
        train(schema, frame.withColumnRenamed("depth", "calls"), absent="missing")
    with pytest.raises(ValueError, match="Which column holds the classes"):
        train({"calls": Poisson()}, frame)
    with pytest.raises(ValueError, match="Column 'calls' is in two entries"):
        predict(Model.train(schema, ROWS), frame)
    model = Model.train({"calls": Poisson()}, ROWS, "class")
    with pytest.raises(ValueError, match=r"already has columns \['predicted'\]"):
        predict(model, frame.withColumnRenamed("city", "predicted"))


def test_workers_without_the_library_are_one_sentence(spark):
    from pyspark.errors import PythonException

    from tallybayes.spark.errors import library_errors

    told = (
        "An exception was thrown from the Python worker:\nModuleNotFoundError: No module named 'tallybayes'\n\tat java"
    )
    without = pytest.raises(ModuleNotFoundError, match=r"^Spark's workers run a Python without tallybayes.*$")
    with without, library_errors():
        raise PythonException(told)


def test_absent_column_as_missing(frame, schema):
    from tallybayes.spark import train

    lacking = train(schema, frame.drop("depth"), absent="missing")
    assert digest(lacking) == digest(Model.train(schema, ROWS.drop_columns(["depth"]), absent="missing"))


def test_retried_task_counts_once(frame, tmp_path):
    from tallybayes.spark import train

    flag = str(tmp_path / "died")

    def dying(batches):
        import os

        yield from batches
        if not os.path.exists(flag):
            with open(flag, "w"):
                pass
            os._exit(1)

    plain = frame.select("city", "calls", "class")
    families = {"city": Categorical(), "calls": Poisson()}
    counted = train(families, plain.repartition(3).mapInArrow(dying, plain.schema), "class")
    assert (tmp_path / "died").exists()
    assert digest(counted) == digest(Model.train(families, ROWS, "class"))


def test_documented_example_gives_the_bytes_of_one_machine(spark, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "howto-distribute.md").read_text()
    shown = re.search(r"<!-- file: spark_week.py -->\n```python\n(.*?)```", page, re.S)[1]
    trips = ROWS.select(["city", "depth", "class"])
    for day in range(3):
        pa.csv.write_csv(trips.take(np.arange(day, len(trips), 3)), tmp_path / f"trips-{day}.csv")
    schema = Schema({"city": Categorical(), "depth": Gaussian()}, label="class")
    names = {"spark": spark, "schema": schema}
    exec(shown.replace("trips-*.csv", str(tmp_path / "trips-*.csv")), names)
    assert digest(names["week"]) == digest(Model.train(schema, open_source(tmp_path / "trips-*.csv")))
    assert names["answers"].count() == len(trips)


def test_columns_that_spark_cannot_send_are_named_or_left_out(frame):
    from tallybayes.spark import predict, train

    rows = frame.selectExpr("city", "class", "INTERVAL 2 MONTH AS `for.how long`")
    with pytest.warns(UserWarning, match="it was inferred"):
        model = train(None, rows, "class")
    assert list(model.schema.columns) == ["city"]
    refused = "Column 'for.how long': Spark does not send interval month to Python. Cast or drop it."
    with pytest.raises(ValueError, match=refused):
        train({"for.how long": Categorical()}, rows, "class")
    with pytest.raises(ValueError, match=refused):
        predict(model, rows)
    assert predict(model, rows, keep=[]).count() == 600
