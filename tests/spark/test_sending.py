"""A large model reaches the driver in pieces, in any order, never mixed with those of another attempt."""

from itertools import cycle

import numpy as np
import pyarrow as pa
import pytest

from parts import module
from tallybayes import Gaussian, Model, Words, digest

TEXTS = [f"free money w{i} w{i % 7}" for i in range(300)]
FAMILIES = {"text": Words(), "x": Gaussian()}


def model_of(texts):
    return Model.train(FAMILIES, {"text": texts, "x": np.arange(len(texts)) * 1e9}, ["a", "b", "c"] * 100)


def rows_of(model, most):
    from tallybayes.spark.sending import in_pieces

    class Row:
        def __init__(self, cells):
            self.__dict__.update(cells)

    return [Row(cells) for cells in pa.Table.from_batches(in_pieces(model, most)).to_pylist()]


@pytest.mark.parametrize("most", [64, 1000, 1 << 22])
def test_pieces_in_any_order_are_the_model(most):
    module("spark", "pyspark")
    from tallybayes.spark.sending import whole

    model = model_of(TEXTS)
    rows = rows_of(model, most)
    assert all(len(row.piece) <= most for row in rows)
    np.random.default_rng(0).shuffle(rows)
    found = whole(lambda: rows)
    assert digest(found) == digest(model)
    found += model
    found -= model
    assert digest(found) == digest(model)


def test_pieces_of_two_attempts_are_fetched_again():
    module("spark", "pyspark")
    from tallybayes.spark.sending import whole

    model, again = model_of(TEXTS), model_of(TEXTS[::-1])
    first, second = rows_of(model, 500), rows_of(again, 500)
    fetched = cycle([first[:5] + second[5:], second])
    assert digest(whole(lambda: next(fetched))) == digest(again)
    with pytest.raises(RuntimeError, match="lost again and again"):
        whole(lambda: first[:5] + second[5:])
