"""Odd matrices: very many categories, and lists whose cells are of several types."""

import numpy as np
import pytest
from scipy import sparse

from tallybayes import Bernoulli, Categorical
from tallybayes.sklearn import CategoricalNB, NaiveBayes


def test_many_categories_are_listed_in_one_pass():
    categories = np.arange(100_000)[:, None]
    learned = CategoricalNB().fit(categories, categories[:, 0] % 2)
    (table,) = learned.feature_log_prob_  # a search per category would take minutes
    np.testing.assert_allclose(np.exp(table).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("rows", "levels"),
    [
        ([[True, 0.5]], [["true"], ["0.5"]]),
        ([[True, 1], [False, 2]], [["false", "true"], ["1", "2"]]),
        ([[True, True]], [["true"], ["true"]]),
        ([[2**53 + 1, 0.5]], [[str(2**53 + 1)], ["0.5"]]),
        ([[2**53 + 1, 2]], [[str(2**53 + 1)], ["2"]]),
        ([[1, 2.5], [2, "x"]], [["1", "2"], ["2.5", "x"]]),
    ],
)
def test_cell_in_a_list_of_rows_does_not_depend_on_its_neighbours(rows, levels):
    learned = NaiveBayes({"0": Categorical(), "1": Categorical()}).fit(rows, ["a"] * len(rows))
    assert [learned.model_.counts(name).slots for name in ("0", "1")] == levels


def test_prior_for_booleans_is_kept_for_a_matrix():
    with pytest.raises(TypeError, match="for the columns of a matrix, give alpha as one number for true and false"):
        NaiveBayes(Bernoulli(alpha={1: 2, 0: 5})).fit(sparse.csr_array([[0, 1], [1, 1]]), ["a", "b"])
