"""A bad cell is named by its row in the data, whatever order rows are processed in."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    EM,
    Correlated,
    Density,
    Gaussian,
    Histogram,
    Mixture,
    Model,
    Poisson,
    ReadOptions,
    choose_clusters,
    cross_validate,
    evaluate,
    folds,
    left_out,
    open_source,
    weigh,
)
from tallybayes.data.errors import RowError

ROWS = 60
FAMILIES = [Gaussian(), Poisson(), Histogram(), Density(), Correlated()]
NUMBERS = np.random.default_rng(0).poisson(3.0, (ROWS, 2)).astype(float)
LABELS = np.where(NUMBERS.sum(axis=1) > 6, "p", "q").tolist()
SOME = [None if row % 3 else label for row, label in enumerate(LABELS)]
CHUNK = 7


def schema(family):
    return {("x", "z"): family} if family.takes_blocks else {"x": family, "z": Gaussian()}


def trained(family):
    return Model.train(schema(family), frame(), LABELS)


def frame(row=None, chunked=False):
    x = NUMBERS[:, 0].copy()
    if row is not None:
        x[row] = np.inf
    columns = {"x": x, "z": NUMBERS[:, 1]}
    return pa.Table.from_batches(pa.table(columns).to_batches(max_chunksize=CHUNK)) if chunked else columns


WORK = {
    "train": lambda family, bad: Model.train(schema(family), bad, LABELS),
    "EM": lambda family, bad: Model.train(schema(family), bad, SOME, unlabelled=EM()),
    "clusters": lambda family, bad: Model.train(schema(family), bad, unlabelled=EM(classes=2)),
    "mixture": lambda family, bad: Mixture.train(schema(family), bad, SOME, unlabelled=EM(components=2)),
    "choose clusters": lambda family, bad: choose_clusters(schema(family), bad, [1, 2]),
    "weigh": lambda family, bad: weigh(trained(family), bad, LABELS),
    "evaluate": lambda family, bad: evaluate(trained(family), bad, LABELS),
    "left out": lambda family, bad: left_out(trained(family), bad, LABELS),
    "folds": lambda family, bad: folds(schema(family), bad, LABELS, 3),
    "cross validate": lambda family, bad: cross_validate(schema(family), bad, LABELS, k=3),
    "posterior": lambda family, bad: trained(family).posterior(bad),
}


@pytest.mark.parametrize("work", sorted(WORK))
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
@given(row=st.integers(0, ROWS - 1), chunked=st.booleans())
def test_error_names_the_row_of_the_data(work, family, row, chunked):
    with pytest.raises(RowError, match=f"^Column 'x', row {row}: "):
        WORK[work](family, frame(row, chunked))


def test_weighing_of_the_rest_is_as_if_bad_rows_were_not_there(tmp_path):
    model = Model.train({"x": Gaussian()}, {"x": NUMBERS[:, 0]}, LABELS)
    lines = [f"{x},{label}\n" for x, label in zip(NUMBERS[:, 0], LABELS, strict=True)]
    tmp_path.joinpath("bad.csv").write_text("x,y\n" + "".join([*lines[:20], "inf,p\n", *lines[21:]]))
    tmp_path.joinpath("rest.csv").write_text("x,y\n" + "".join([*lines[:20], *lines[21:]]))
    skipping = ReadOptions(skip_bad_rows=True)
    source = open_source(tmp_path / "bad.csv", skipping)
    assert weigh(model, source, "y") == weigh(model, open_source(tmp_path / "rest.csv"), "y")
    assert source.skipped == 1
    with pytest.raises(ValueError, match=r"bad.csv, line 22, column 'x': the value is infinite"):
        weigh(model, open_source(tmp_path / "bad.csv"), "y")
