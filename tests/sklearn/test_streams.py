"""`partial_fit` on streams: the first rows are not all rows, so a column may vary, or have cells, only later."""

import numpy as np
import pandas as pd
import pytest

from tallybayes import Model, NaiveBayes, SemiNaiveBayes, digest
from tallybayes.sklearn import GaussianNB

pytestmark = pytest.mark.filterwarnings("ignore:Column 'missing at first' has no values")

RANDOM = np.random.default_rng(0)
LABELS = np.sort(RANDOM.choice(["a", "b", "c"], 300))  # classes come one after the other
FRAME = pd.DataFrame(
    {
        "same at first": (LABELS != "a").astype(float) * RANDOM.integers(1, 5, 300),
        "missing at first": np.where(LABELS == "a", np.nan, RANDOM.normal(LABELS == "b")),
        "a level at first": np.where(LABELS == "a", "u", np.where(RANDOM.random(300) < 0.8, LABELS, "v")),
        "varies": RANDOM.normal(LABELS == "c"),
    }
)


def streamed(estimator, size):
    for start in range(0, len(LABELS), size):
        estimator.partial_fit(FRAME[start : start + size], LABELS[start : start + size])
    return estimator


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("kind", [NaiveBayes, SemiNaiveBayes])
def test_columns_that_do_not_vary_at_first_are_counted(kind, size):
    found = streamed(kind(), size)
    assert set(found.schema_.by_column) == set(FRAME.columns)
    assert found.score(FRAME, LABELS) > 0.7
    assert list(found.classes_) == ["a", "b", "c"]


@pytest.mark.parametrize("size", [1, 7, 50, 300])
def test_the_counts_are_those_of_all_rows_at_once(size):
    found = streamed(NaiveBayes(), size)
    assert digest(found.model_) == digest(Model.train(found.schema_, FRAME, LABELS))


def test_fit_leaves_out_what_never_varies():
    """There it is all rows that say so."""
    constant = FRAME.assign(constant=1.0, empty=np.nan)
    assert set(NaiveBayes().fit(constant, LABELS).schema_.by_column) == set(FRAME.columns)


def test_a_matrix_is_streamed_row_by_row():
    numbers = FRAME[["same at first", "varies"]].to_numpy()
    rows = GaussianNB()
    for row, label in zip(numbers, LABELS, strict=True):
        rows.partial_fit(row[None], [label])
    np.testing.assert_array_equal(rows.theta_, GaussianNB().fit(numbers, LABELS).theta_)


@pytest.mark.parametrize(("cells", "family"), [(np.nan, "Histogram"), (None, "Categorical")])
def test_a_column_without_values_at_first_is_pointed_out(cells, family):
    late = pd.Series([cells] * 4, dtype=float if cells else object)
    told = f"'late' has no values in the first rows, so its type alone makes it a {family}"
    with pytest.warns(UserWarning, match=told):
        NaiveBayes().partial_fit(pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], "late": late}), ["a", "b", "a", "b"])
