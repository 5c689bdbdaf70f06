"""Whatever reads rows twice gives the same result for frames of every library."""

from functools import cache

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallybayes import (
    EM,
    Model,
    NaiveBayes,
    Schema,
    SemiNaiveBayes,
    choose,
    cross_validate,
    digest,
    folds,
    left_out,
    weigh,
)

pytestmark = pytest.mark.slow

ROWS = 240  # enough for texts to be weighed
random = np.random.default_rng(0)
LABELS = random.choice(["no", "yes"], ROWS)
SHIFT = (LABELS == "yes").astype(int)
CITIES = np.array(["bonn", "köln", None, "trier"], object)
NOTES = [f"{word} {'late' if i % 5 else 'soon'} {i}" for i, word in enumerate(random.choice(["food", "bus"], ROWS))]
TABLE = pa.table(
    {
        "size": pa.array(random.normal(SHIFT, 1.0), mask=random.random(ROWS) < 0.1),
        "city": pa.array(CITIES[random.integers(0, 3, ROWS) + SHIFT], pa.string()),
        "note": pa.array(NOTES, pa.string()),
    }
)
TEXTS = ["city", "note"]


def typed(kind):
    """The table with its texts as this Arrow type."""
    return TABLE.cast(pa.schema([(f.name, kind if f.name in TEXTS else f.type) for f in TABLE.schema]))


def relation():
    connection = duckdb.connect()
    return connection.from_arrow(TABLE)


MAKES = {
    "a dictionary": lambda: TABLE.to_pydict(),
    "large strings": lambda: typed(pa.large_string()),
    "string views": lambda: typed(pa.string_view()),
    "a dictionary of strings": lambda: TABLE.set_column(1, "city", TABLE["city"].dictionary_encode()),
    "batches": lambda: pa.Table.from_batches(TABLE.to_batches(max_chunksize=7)),
    "pandas, objects": lambda: TABLE.to_pandas().astype(dict.fromkeys(TEXTS, object)),
    "pandas, Arrow": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, categories": lambda: TABLE.to_pandas().astype({"city": "category"}),
    "polars": lambda: pl.from_arrow(TABLE),
    "polars, categories": lambda: pl.from_arrow(TABLE).with_columns(pl.col("city").cast(pl.Categorical)),
    "DuckDB": relation,
}
SCHEMA = Schema.infer(TABLE)
COUNTED = Model.train(SCHEMA, TABLE, LABELS)
SOME = [None if i % 3 else label for i, label in enumerate(LABELS.tolist())]
VERBS = {
    "weigh": lambda frame: digest(weigh(COUNTED, frame, LABELS)),
    "left_out": lambda frame: left_out(COUNTED, frame, LABELS).total().tolist(),
    "cross_validate": lambda frame: cross_validate(SCHEMA, frame, LABELS, weigh=True).log_loss,
    "folds": lambda frame: [digest(fold) for fold in folds(SCHEMA, frame, LABELS).models],
    "choose": lambda frame: choose(COUNTED, frame, LABELS, {"alpha": [0.1, 1.0]}).log_loss,
    "EM": lambda frame: digest(Model.train(SCHEMA, frame, SOME, unlabelled=EM(iterations=3))),
    "suspects": lambda frame: str(COUNTED.suspects(frame, LABELS)),
    "influence": lambda frame: str(COUNTED.influence({"size": 0.3, "city": "bonn", "note": "bus"}, frame, LABELS)),
}


@cache
def expected(verb):
    return VERBS[verb](TABLE)


# A frame of any make is converted at the door: one verb meets them all, and each verb the makes that differ most.
MEETINGS = [
    (verb, make) for verb in VERBS for make in MAKES if verb == "weigh" or make in ("pandas, objects", "polars")
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("verb", "make"), MEETINGS)
def test_second_pass_reads_the_same_rows(verb, make):
    assert VERBS[verb](MAKES[make]()) == expected(verb)


@cache
def fitted(estimator):
    return estimator().fit(TABLE, LABELS)


@pytest.mark.parametrize("make", [make for make in MAKES if make != "DuckDB"])
@pytest.mark.parametrize("estimator", [NaiveBayes, SemiNaiveBayes])
def test_estimators_have_the_same_bytes(estimator, make):
    assert digest(estimator().fit(MAKES[make](), LABELS).model_) == digest(fitted(estimator).model_)


def test_pandas_intervals_are_weighed_like_their_texts():
    intervals = pd.DataFrame({"size": pd.cut(np.arange(ROWS) % 30, 3)})
    texts = intervals.astype(str)
    answers = NaiveBayes().fit(intervals, LABELS).predict_proba(intervals)
    np.testing.assert_array_equal(answers, NaiveBayes().fit(texts, LABELS).predict_proba(texts))
