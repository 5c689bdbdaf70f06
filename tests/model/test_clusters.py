"""Choosing the number of clusters."""

import numpy as np
import pytest
from scipy import stats

from tallybayes import EM, Categorical, Gaussian, Model, choose_clusters

RANDOM = np.random.default_rng(0)
KIND = RANDOM.integers(0, 3, 150)
FRAME = {"x": RANDOM.normal(8.0 * KIND), "c": ["uvw"[k] if RANDOM.random() < 0.9 else "u" for k in KIND]}
SCHEMA = {"x": Gaussian(), "c": Categorical()}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["bic", "held-out"])
def test_finds_the_number_of_clusters(by):
    found = choose_clusters(SCHEMA, FRAME, range(1, 5), by=by, settings=EM(restarts=3, iterations=60))
    assert found.best.clusters == 3
    assert [each.clusters for each in found.tried] == [1, 2, 3, 4]
    assert repr(found).splitlines()[2].endswith("←")
    assert found.model == Model.train(SCHEMA, FRAME, unlabelled=EM(classes=3, restarts=3, iterations=60))


def test_bic_equals_schwarz_formula():
    found = choose_clusters(SCHEMA, FRAME, [2], settings=EM(restarts=1))
    (two,) = found.tried
    free = 1 + 2 * (2 + 2)  # a share, and per cluster a mean, a variance and two free levels
    assert two.parameters == free
    assert two.bic == pytest.approx(-2 * two.log_likelihood + free * np.log(150))


def test_a_strong_prior_leaves_a_cluster_with_hardly_any_rows_and_a_note():
    middle = stats.norm.ppf((np.arange(40) + 0.5) / 40)
    frame = {"x": np.concatenate([middle, middle + 4.0, middle + 8.0])}
    em = EM(classes=3, iterations=500)
    strong, weak = (Model.train({"x": Gaussian(m=m)}, frame, unlabelled=em) for m in (1.0, 0.1))
    assert len(strong.fitted.notes) == 1
    assert strong.fitted.notes[0].endswith("rows left; there may be fewer classes, or a prior is too strong.")
    assert weak.fitted.notes == ()
    np.testing.assert_allclose(list(weak.rows_by_class().values()), 40.0, atol=1.0)


def test_numbers_of_numpy_are_numbers_of_clusters():
    found, same = (choose_clusters(SCHEMA, FRAME, k, settings=EM(restarts=1)) for k in (np.arange(1, 3), [1, 2]))
    assert repr(found) == repr(same)


def test_invalid_choices_are_errors():
    with pytest.raises(ValueError, match="give 'bic' or 'held-out'"):
        choose_clusters(SCHEMA, FRAME, by="aic")
    with pytest.raises(ValueError, match="no numbers of clusters to try"):
        choose_clusters(SCHEMA, FRAME, [])
