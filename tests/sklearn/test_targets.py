"""Labels of every kind, and errors for invalid ones."""

import enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mixed_table import SCHEMA, table
from sklearn.exceptions import DataConversionWarning

from tallybayes import EM, Gaussian, NaiveBayes, digest

COLUMNS, LABELS = table(100)
FRAME = pd.DataFrame(COLUMNS)
NUMBERS = np.random.default_rng(0).normal(size=(20, 3))
BITS = np.arange(20) % 2


def test_mixed_label_types_are_an_error_that_shows_both():
    for labels in ([1, "a"], (1, "a"), np.array([1, "a"], object), pd.Series([1, "a"])):
        with pytest.raises(TypeError, match=r"The labels mix (int \(1\) and str \('a'\)|str \('a'\) and int \(1\))"):
            NaiveBayes().fit(NUMBERS[:2], labels)
    learned = NaiveBayes().fit(NUMBERS[:2], [0, 1])
    with pytest.raises(TypeError, match="labels are of type string; those already counted are of type int64"):
        learned.partial_fit(NUMBERS[:2], ["a", "b"])
    with pytest.raises(TypeError, match=r"classes are of type string .*'a'.* labels of type int64 .*0"):
        NaiveBayes().partial_fit(NUMBERS[:2], [0, 1], classes=["a", "b"])


@pytest.mark.parametrize("make", [list, tuple, lambda labels: np.array(labels, object), pd.Series])
@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_missing_label_among_texts_is_no_class(make, missing):
    with pytest.raises(ValueError, match="10 of 20 rows have no label, the first in row 1"):
        NaiveBayes().fit(NUMBERS, make(["a", missing] * 10))


def test_members_of_an_enum_are_their_texts():
    class Kind(str, enum.Enum):  # noqa: UP042  of which numpy makes "K"
        SPAM = "spam"
        HAM = "ham"

    kinds = [Kind.SPAM if bit else Kind.HAM for bit in BITS]
    for labels in (kinds, tuple(kinds), np.array(kinds, object)):
        learned = NaiveBayes(Gaussian()).fit(NUMBERS, labels)
        assert learned.model_.rows_by_class() == {"ham": 10, "spam": 10}


@pytest.mark.parametrize("labels", [BITS, BITS.astype(bool), np.array(["ham", "spam"])[BITS]])
def test_masked_labels_and_weights_are_missing(labels):
    masked = np.ma.array(labels, mask=np.arange(20) < 4)
    with pytest.raises(ValueError, match="4 of 20 rows have no label, the first in row 0"):
        NaiveBayes().fit(NUMBERS, masked)
    known = [None if i < 4 else label for i, label in enumerate(labels.tolist())]
    unlabelled, expected = (NaiveBayes(Gaussian(), unlabelled=EM()).fit(NUMBERS, y) for y in (masked, known))
    assert digest(unlabelled.model_) == digest(expected.model_)
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        NaiveBayes().fit(NUMBERS, labels, np.ma.array(np.ones(20), mask=np.arange(20) < 4))


def test_name_of_a_column_is_no_labels():
    with pytest.raises(ValueError, match=r"y is 'play'; give a label for every row, such as X\[name\] of a column"):
        NaiveBayes().fit({"x": [1.0, 2.0], "play": ["yes", "no"]}, "play")


def test_only_two_dimensional_labels_may_be_one_hot():
    rows = [[1.0], [2.0]]
    with pytest.raises(ValueError, match=r"shape \(2, 2\) instead; if the labels are one-hot"):
        NaiveBayes().fit(rows, [[0, 1], [1, 0]])


def test_column_vector_labels_get_sklearns_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        learned = NaiveBayes(Gaussian()).fit(NUMBERS, BITS[:, None])
    assert digest(learned.model_) == digest(NaiveBayes(Gaussian()).fit(NUMBERS, BITS).model_)
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(20, 2\) instead"):
        NaiveBayes().fit(NUMBERS, np.stack([BITS, BITS], axis=1))


@pytest.mark.parametrize("labels", [NUMBERS[:, 0], NUMBERS[:, 0].astype(object), NUMBERS[:, 0].tolist()])
def test_continuous_labels_are_refused(labels):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        NaiveBayes().fit(NUMBERS, labels)


def test_missing_labels_are_an_error():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        NaiveBayes().fit(NUMBERS, np.where(BITS, 1.0, np.nan))
    with pytest.raises(ValueError, match="1 of 20 rows have no label, the first in row 3"):
        NaiveBayes().fit(NUMBERS, np.array(["a"] * 3 + [None] + ["b"] * 16, object))
    with pytest.raises(ValueError, match="1 of 20 rows have no label, the first in row 0"):
        NaiveBayes().fit(NUMBERS, pd.Series([None] + ["b"] * 19))
    with pytest.raises(ValueError, match="requires y to be passed"):
        NaiveBayes().fit(NUMBERS, None)


@pytest.mark.parametrize(
    "make", [list, pd.Series, pd.Categorical, pl.Series, pa.array, lambda y: pd.Series(y, dtype="string")]
)
def test_labels_of_any_container(make):
    learned = NaiveBayes(SCHEMA).fit(FRAME, make(LABELS.tolist()))
    assert digest(learned.model_) == digest(NaiveBayes(SCHEMA).fit(FRAME, LABELS).model_)
    assert learned.classes_.tolist() == ["leaves", "moves", "stays"]


@pytest.mark.parametrize("kind", ["Int64", "int8", "boolean", "bool", "UInt16"])
def test_nullable_labels_do_not_become_floats(kind):
    learned = NaiveBayes(Gaussian()).fit(NUMBERS, pd.Series(BITS, dtype=kind))
    assert learned.classes_.tolist() == [0, 1]
    assert learned.classes_.dtype == kind.lower().replace("boolean", "bool")
    if kind in ("Int64", "boolean"):
        with pytest.raises(ValueError, match="1 of 20 rows have no label, the first in row 4"):
            NaiveBayes().fit(NUMBERS, pd.Series([*BITS[:4], None, *BITS[5:]], dtype=kind))


def test_forgetting_all_labels_forgets_their_type():
    learned = NaiveBayes(Gaussian()).fit(NUMBERS[:2], ["a", "b"]).forget(NUMBERS[:2], ["a", "b"])
    learned.partial_fit(NUMBERS, BITS)
    assert learned.classes_.tolist() == [0, 1]
    assert learned.predict(NUMBERS).dtype == BITS.dtype


def test_labels_unlike_the_announced_classes_change_nothing():
    learned = NaiveBayes(Gaussian()).partial_fit(NUMBERS[:2], ["a", "b"], classes=["a", "b", "c"])
    learned.forget(NUMBERS[:2], ["a", "b"])
    with pytest.raises(TypeError, match="labels are of type int64; the classes announced are of type string"):
        learned.partial_fit(NUMBERS, BITS)
    assert learned.classes_.tolist() == ["a", "b", "c"]


def test_signed_and_unsigned_integers_stay_integers():
    learned = NaiveBayes(Gaussian()).fit(NUMBERS[:2], np.array([1, 2], np.uint64))
    learned.partial_fit(NUMBERS[:2], np.array([-1, 2**60 + 1]))
    assert learned.classes_.tolist() == [-1, 1, 2, 2**60 + 1]
    assert learned.classes_.dtype == np.int64
