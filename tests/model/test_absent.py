"""Absent columns: an error, or missing cells with absent="missing"."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Bag, Bernoulli, Categorical, Gaussian, Model, NaiveBayes, Schema, Words, digest, evaluate

COLUMNS = {
    "city": ["Oslo", "Rome", "Oslo", None, "Rome", "Rome"],
    "age": [40.5, 12.5, None, 7.25, 33.0, 21.0],
    "paid": [True, None, False, True, True, False],
    "note": ["late again", "thanks", None, "very late", "thanks a lot", "good"],
    "bag": [[1.0, 0.0], [0.0, 2.0], [3.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 4.0]],
}
LABELS = ["a", "b", "a", "a", "b", "b"]
SCHEMA = Schema(
    {"city": Categorical(), "age": Gaussian(), "paid": Bernoulli(), "note": Words(), "bag": Bag(reading="bernoulli")}
)
MODEL = Model.train(SCHEMA, COLUMNS, LABELS)
TABLE = pa.table(COLUMNS)
MAKES = {
    "dictionary": lambda table: table.to_pydict(),
    "rows": lambda table: table.append_column("row", pa.array(range(len(table)))).to_pylist(),
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "lazy": lambda table: pl.from_arrow(table).lazy(),
    "arrow": lambda table: table,
}
ASKED = {
    "posterior": lambda data, **how: MODEL.posterior(data, **how),
    "log_joint": lambda data, **how: MODEL.log_joint(data, **how),
    "most_probable": lambda data, **how: MODEL.most_probable(data, **how),
    "evidence": lambda data, **how: MODEL.evidence(data, **how).total(),
    "decide": lambda data, **how: MODEL.decide(data, costs={("a", "b"): 3.0}, **how),
    "log_likelihood": lambda data, **how: MODEL.log_likelihood(data, LABELS[: len(data)], **how),
    "evaluate": lambda data, **how: evaluate(MODEL, data, LABELS[: len(data)], **how).log_loss,
}
some_columns = st.sets(st.sampled_from(list(COLUMNS)), min_size=1).map(sorted)


@pytest.mark.slow
@given(some_columns, st.sampled_from(list(MAKES)), st.sampled_from(list(ASKED)))
def test_absent_column_scores_like_missing_cells(kept, make, asked):
    here = TABLE.select(kept)
    blank = pa.table({name: TABLE[name] if name in kept else pa.nulls(len(TABLE)) for name in COLUMNS})
    found = ASKED[asked](MAKES[make](here) if asked not in ("log_likelihood", "evaluate") else here, absent="missing")
    np.testing.assert_array_equal(found, ASKED[asked](blank))


@pytest.mark.slow
@given(some_columns, st.sampled_from(list(MAKES)))
def test_absent_column_counts_like_missing_cells(kept, make):
    here = MAKES[make](TABLE.select(kept))
    blank = {name: cells if name in kept else [None] * len(LABELS) for name, cells in COLUMNS.items()}
    assert digest(Model.train(SCHEMA, here, LABELS, absent="missing")) == digest(Model.train(SCHEMA, blank, LABELS))


@given(some_columns, st.integers(0, 5))
def test_single_row_scores_like_a_batch(kept, at):
    among = MODEL.log_joint(TABLE.select(kept), absent="missing")[at]
    row = TABLE.select(kept).to_pylist()[at]
    alone = {name: np.array([cell]) if name == "bag" else cell for name, cell in row.items()}
    np.testing.assert_allclose(MODEL.log_joint(alone, absent="missing")[0], among, rtol=1e-12)


def test_row_without_any_column_gets_the_prior():
    for nothing in ({}, [{}], pd.DataFrame(index=[0])):
        np.testing.assert_allclose(MODEL.posterior(nothing, absent="missing"), [[0.5, 0.5]])
    assert MODEL.posterior([{}, {}], absent="missing").shape == (2, 2)
    assert MODEL.posterior([], absent="missing").shape == (0, 2)


@pytest.mark.parametrize("asked", ASKED)
def test_absent_column_is_an_error_that_says_what_to_do(asked):
    message = (
        r"The data has no column 'age'; it has 'city', 'Age'\. Rename .* treat it as missing with absent='missing'"
    )
    with pytest.raises(ValueError, match=message):
        ASKED[asked](pa.table({"city": ["Oslo"], "Age": [3.0]}))
    with pytest.raises(ValueError, match=message):
        MODEL.posterior({"city": "Oslo", "Age": 3.0})


@pytest.mark.parametrize("asked", ASKED)
def test_no_matching_column_is_always_an_error(asked):
    with pytest.raises(ValueError, match=r"has none of the columns 'city', .*; it has 'City', 'Age'\. Rename"):
        ASKED[asked](pa.table({"City": ["Oslo"], "Age": [3.0]}), absent="missing")
    with pytest.raises(ValueError, match=r"has none of the columns"):
        MODEL.posterior({"City": "Oslo"}, absent="missing")


def test_other_values_of_absent_are_errors():
    for asked in ASKED.values():
        with pytest.raises(ValueError, match="absent='ignore': give 'error', or 'missing'"):
            asked(TABLE, absent="ignore")
    with pytest.raises(ValueError, match="absent=None: give 'error'"):
        Model.train(SCHEMA, TABLE, LABELS, absent=None)


def test_estimator_has_the_same_setting():
    learned = NaiveBayes(SCHEMA, absent="missing").fit(COLUMNS, LABELS)
    np.testing.assert_array_equal(
        learned.predict_proba({"city": ["Oslo"], "age": [3.0]}),
        MODEL.posterior({"city": ["Oslo"], "age": [3.0]}, absent="missing"),
    )
