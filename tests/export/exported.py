"""A table with every kind of column that can be exported, and a model of it."""

import numpy as np
import pyarrow as pa

from tallybayes import (
    Bernoulli,
    Categorical,
    Exponential,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    Poisson,
    Schema,
)

SIZES = {"it's": 4, "no": 1, "yes": 2}
KINDS = {
    "city": Categorical(),
    "rush": Bernoulli(),
    "temperature": Gaussian(),
    "height": Gaussian(plugin=True, shared=True),
    "depth": Histogram(method="fitted", alpha="fitted"),
    "wealth": LogNormal(),
    "calls": Poisson(),
    "errors": Poisson(plugin=True),
    "tries": Geometric(),
    "wait": Exponential(),
    "pause": Exponential(plugin=True),
    "floor": Categorical(alpha="fitted"),
    "gone": Histogram(),
}


def table(rows=400, seed=7):
    draw = np.random.default_rng(seed)
    labels = draw.choice(list(SIZES), rows)
    size = np.array([SIZES[label] for label in labels])

    def holes(cells):
        return [None if draw.random() < 0.05 else cell for cell in np.asarray(cells).tolist()]

    return pa.table(
        {
            "id": range(rows),
            "city": holes(draw.choice(["Ur", "Köln", "'; DROP TABLE rows; --", ""], rows)),
            "rush": holes(draw.random(rows) < size / 5),
            "temperature": holes(1e9 + draw.normal(size=rows) * size),
            "height": holes(draw.normal(size=rows) + size),
            "depth": holes(draw.normal(size=rows) * size),
            "wealth": holes(np.exp(draw.normal(size=rows) * size)),
            "calls": holes(draw.poisson(size * 2)),
            "errors": holes(draw.poisson(size * 200)),
            "tries": holes(draw.geometric(1 / (size + 1)) - 1),
            "wait": holes(draw.exponential(size)),
            "pause": holes(draw.exponential(size * 10)),
            "floor": draw.integers(-1, 3, rows),
            "gone": pa.nulls(rows, pa.float64()),
            "class": labels,
        }
    )


def model_of(rows):
    return Model.train(Schema(KINDS, label="class"), rows)


def numbers_as_levels():
    """Numbers that databases print in different ways, each a level of its own."""
    double = [1e15, 1e16, -1e20, 1e300, 1 / 3, 2e10 / 3, 1e-7, 5e-324, 1234567890123456.0, 123456789.125, -0.0, 1e6]
    single = [1e6, 16777216.0, 1e10, 1e20, 3e38, 0.1, 3.3, 1e-5, 123456.79, -2.5, 0.0, 1e-30]
    return pa.table({"id": range(len(double)), "double": double, "single": pa.array(single, pa.float32())})
