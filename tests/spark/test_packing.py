"""Columns of the same type travel to a task as one array, unchanged."""

import numpy as np
import pyarrow as pa
import pytest

from tallybayes import Categorical, Each, Gaussian, Model, Schema, digest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Spark's own

ROWS = pa.table(
    {
        "x": [1.5, None, float("nan"), -0.0],
        "long": pa.array([2**63 - 1, None, -(2**63), 0], pa.int64()),
        "a `b`.c": [5e-324, 1e308, None, 2.0],
        "int": pa.array([1, 2, None, 4], pa.int32()),
        "text": ["a", None, "", "b"],
        "byte": pa.array([127, -128, 0, None], pa.int8()),
        "more": pa.array([None, -1, 2**53 + 1, 3], pa.int64()),
        "single": pa.array([0.5, None, 1.5, float("nan")], pa.float32()),
        "double": pa.array([0.1, 0.2, 0.3, None], pa.float32()),
        "true": [True, False, None, True],
    }
)


def bits(cells):
    """Distinguishes −0 from 0, and NaN from a missing cell."""
    return [None if cell is None else (type(cell), repr(cell)) for cell in cells.to_pylist()]


@pytest.mark.parametrize("names", [ROWS.schema.names, ["more", "text", "long"], ["text"], ["x"]])
def test_columns_arrive_unchanged(spark, names):
    from tallybayes.spark.packing import Packing

    frame = spark.createDataFrame(ROWS)
    packing = Packing.of(frame, names)
    sent = packing.packed(frame).toArrow()
    assert sum(map(pa.types.is_list, sent.schema.types)) == sum(len(group) > 1 for group in packing.groups)
    found = pa.Table.from_batches(packing.unpacked(iter(sent.to_batches(max_chunksize=3))))
    assert found.schema.names == names
    assert found.schema.types == [ROWS.schema.field(name).type for name in names]
    for name in names:
        assert bits(found[name]) == bits(ROWS[name]), name


def test_many_columns_of_several_types_give_the_bytes_of_one_machine(spark):
    from tallybayes.spark import predict, train

    draw = np.random.default_rng(3)
    columns = {f"x{i}": draw.normal(1e9, 1.0, 500) for i in range(12)} | {
        f"n{i}": draw.integers(0, 9, 500) for i in range(5)
    }
    holes = {name: pa.array(cells, mask=draw.random(500) < 0.1) for name, cells in columns.items()}
    rows = pa.table({"id": range(500), **holes, "y": draw.integers(0, 3, 500), "w": draw.choice([0.5, 2.0], 500)})
    schema = Schema({name: Gaussian() for name in columns} | {"n0": Categorical()}, label="y")
    frame = spark.createDataFrame(rows).repartition(4)
    model = train(schema, frame, weight="w")
    assert digest(model) == digest(Model.train(schema, rows, weights="w"))
    found = predict(model, frame, keep=["n1", "id", "x3", "y"]).toArrow().sort_by("id")
    assert found.select(["n1", "id", "x3", "y"]).equals(rows.select(["n1", "id", "x3", "y"]))
    np.testing.assert_allclose(found["P(1)"].to_numpy(), model.posterior(rows)[:, 1], atol=1e-12)


def test_names_that_differ_only_in_case_are_different_columns(spark):
    from tallybayes.spark import NaiveBayes, predict, train

    draw = np.random.default_rng(5)
    columns = {"a": draw.normal(size=80), "A": draw.normal(9.0, 1.0, 80), "W": draw.integers(0, 5, 80)}
    levels = {"é.`": draw.choice(["u", "v"], 80), "É.`": draw.choice(["U", "V"], 80), "y": draw.choice(["n", "N"], 80)}
    rows = pa.table(columns | levels | {"Y": draw.choice(["k", "l"], 80), "w": draw.choice([0.5, 2.0], 80)})
    frame = spark.createDataFrame(rows).coalesce(1)
    schema = Schema({"a": Gaussian(), "A": Gaussian()} | {name: Categorical() for name in ("W", "é.`", "É.`", "Y")})
    model = train(schema, frame.repartition(3), "y", "w")
    assert digest(model) == digest(Model.train(schema, rows, "y", weights="w"))
    found = predict(model, frame).toArrow()
    assert found.select(rows.schema.names).equals(rows)
    np.testing.assert_allclose(found["P(N)"].to_numpy(), model.posterior(rows)[:, 0], atol=1e-12)
    fitted = NaiveBayes(schema=schema, labelCol="y", weightCol="w").fit(frame)
    assert fitted.transform(frame).drop("probability").toArrow().drop_columns("prediction").equals(rows)
    with pytest.warns(UserWarning, match="it was inferred"):
        assert set(train(None, frame, "y", "w").schema.columns) == set(schema.columns)


def test_mllib_vectors_are_counted_as_vectors(spark):
    from pyspark.ml.feature import VectorAssembler

    from tallybayes.spark import predict, train

    draw = np.random.default_rng(4)
    matrix, labels = draw.normal(size=(60, 3)), draw.choice(["a", "b"], 60)
    columns = {f"x{i}": matrix[:, i] for i in range(3)} | {"y": labels}
    assembler = VectorAssembler(inputCols=["x0", "x1", "x2"], outputCol="features")
    frame = assembler.transform(spark.createDataFrame(pa.table(columns)))
    schema = Schema({"features": Each(Gaussian())}, label="y")
    rows = pa.table({"features": pa.array(matrix.tolist()), "y": labels})
    model = train(schema, frame)
    assert digest(model) == digest(Model.train(schema, rows))
    answers = predict(model, frame, keep=["y"]).toArrow()
    np.testing.assert_allclose(answers["P(a)"].to_numpy(), model.posterior(rows)[:, 0], atol=1e-12)
