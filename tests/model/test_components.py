"""How many components the classes have."""

import numpy as np
import pytest

from tallybayes import EM, Categorical, Gaussian, Mixture, choose_components, digest

RANDOM = np.random.default_rng(0)
KIND = RANDOM.integers(0, 3, 240)
FRAME = {"x": RANDOM.normal(7.0 * KIND), "c": ["uvw"[k] if RANDOM.random() < 0.8 else "u" for k in KIND]}
OUTSIDE = [None if i % 3 == 0 else ["outside", "inside", "outside"][k] for i, k in enumerate(KIND)]
SCHEMA = {"x": Gaussian(m=0.5), "c": Categorical()}
SETTINGS = EM(restarts=2)


@pytest.mark.slow
def test_a_class_of_two_kinds_has_two_components():
    found = choose_components(SCHEMA, FRAME, OUTSIDE, np.array([3, 1, 2]), settings=SETTINGS)
    assert [each.components for each in found.tried] == [1, 2, 3]
    assert found.best.components == 2
    assert found.tried[0].log_loss > 2 * found.best.log_loss
    assert repr(found).splitlines()[1].endswith("←")
    worst, lowest = found.tried[0], min(each.log_loss for each in found.tried)
    above = f"{worst.log_loss:.4f}, {worst.log_loss - lowest:.4f} ± {worst.standard_error:.4f} above the lowest"
    assert repr(found).splitlines()[0].endswith(above)
    expected = Mixture.train(SCHEMA, FRAME, OUTSIDE, EM(components=2, restarts=2))
    assert digest(found.mixture.model) == digest(expected.model)


@pytest.mark.slow
def test_classes_of_one_kind_are_not_divided_in_any_order_of_the_rows():
    labels = ["abc"[k] for k in KIND]
    found = choose_components(SCHEMA, FRAME, labels, [1, 2], settings=SETTINGS)
    assert found.best.components == 1
    assert found.mixture.classes == ["a", "b", "c"]
    order = np.random.default_rng(1).permutation(len(KIND))
    shuffled = {name: [cells[i] for i in order] for name, cells in FRAME.items()}
    again = choose_components(SCHEMA, shuffled, [labels[i] for i in order], [1, 2], settings=SETTINGS, threads=2)
    assert [each.log_loss for each in again.tried] == [each.log_loss for each in found.tried]
    assert digest(again.mixture.model) == digest(found.mixture.model)


def test_the_loss_is_a_weighted_mean_whatever_the_unit_of_the_weights():
    labels, schema = ["abc"[k] for k in KIND], {"x": Gaussian(m=0.0, plugin=True)}
    single, double = (
        choose_components(schema, FRAME, labels, [1], weights=weights).best.log_loss
        for weights in (None, [2.0] * len(KIND))
    )
    assert double == pytest.approx(single, rel=1e-9)


def test_what_cannot_be_chosen_is_said():
    with pytest.raises(ValueError, match="no number of components to try"):
        choose_components(SCHEMA, FRAME, OUTSIDE, [])
    with pytest.raises(ValueError, match=r"EM\(components=0\): give a whole number of at least 1"):
        choose_components(SCHEMA, FRAME, OUTSIDE, [0])
    with pytest.raises(ValueError, match="is chosen for one weight of rows without labels; give a number"):
        choose_components(SCHEMA, FRAME, OUTSIDE, settings=EM(weight="chosen"))
    with pytest.raises(ValueError, match="Class 'b' has fewer than two labelled rows"):
        choose_components({"x": Gaussian()}, {"x": [0.0, 1.0, 2.0, 9.0]}, ["a", "a", None, "b"])
    with pytest.raises(ValueError, match=r"No row has a label"):
        choose_components({"x": Gaussian()}, {"x": [0.0, 1.0]}, [None, None])
