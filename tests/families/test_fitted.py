"""Smoothing estimated from the counts, and the binary reading of texts."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import betaln, gammaln

import reference
from mails import ASKED, DOCUMENTS, LABELS
from tallybayes import Bernoulli, Categorical, Histogram, Model, Schema, Words, digest, kernels, load, save
from tallybayes.families.fitted import fitted, pseudo_of


def train(family, counts):
    """A model of one column in which level i occurs counts[i][j] times in class j."""
    cells = [(f"level {i}", f"class {j}") for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    values, labels = zip(*cells, strict=True)
    return Model.train({"x": family}, {"x": list(values)}, list(labels))


def test_fitted_alpha_is_the_mean_shrinkage_of_the_dirichlet_multinomial():
    counts = np.array([[12.0, 20.0, 3.0], [30.0, 21.0, 9.0], [8.0, 9.0, 18.0]])
    n = counts.sum(axis=0)
    profile = ((counts + 1) / (n + 3)).mean(axis=1)

    def likelihood(moved):
        m = n.mean() * moved / (1 - moved)
        a = m * profile[:, None]
        log = (gammaln(a + counts) - gammaln(a)).sum() - (gammaln(m + n) - gammaln(m)).sum()
        return np.exp(log + 400)

    whole = integrate.quad(likelihood, 0, 1)[0]
    moved = integrate.quad(lambda s: s * likelihood(s), 0, 1)[0] / whole
    m = n.mean() * moved / (1 - moved)
    np.testing.assert_allclose(fitted(counts), m * profile, rtol=0.05)  # the grid of m is in steps of four


def test_two_classes_of_two_levels_are_beta_binomials():
    counts = np.array([[7.0, 15.0], [33.0, 25.0]])
    profile = ((counts + 1) / 42).mean(axis=1)
    a, b = np.outer(profile, reference.WORTH)
    log = sum(betaln(a + x, b + y) - betaln(a, b) for x, y in counts.T)
    moved = reference.WORTH / (reference.WORTH + 40)
    weights = np.exp(log - log.max()) * moved * (1 - moved)
    moved = np.average(moved, weights=weights)
    np.testing.assert_allclose(fitted(counts), 40 * moved / (1 - moved) * profile, rtol=1e-9)


@given(
    st.integers(1, 5).flatmap(
        lambda classes: st.lists(st.lists(st.integers(0, 300), min_size=classes, max_size=classes), min_size=1)
    )
)
@example([[0, 0], [0, 0]])
@example([[]])
def test_kernel_equals_the_slow_reference(counts):
    table = np.array(counts, float)
    np.testing.assert_allclose(fitted(table), reference.fitted(table), rtol=1e-9)
    np.testing.assert_allclose(kernels.fit_strength(table), reference.strength(table), rtol=1e-6)


def test_rare_levels_are_drawn_towards_the_classes_shares():
    """Beta-binomials: of levels with four values each, too few for a profile, in two classes."""
    counts = np.array([[2.0, 2.0], [1.0, 3.0], [3.0, 1.0], [2.0, 2.0]] * 10)
    s = reference.WORTH
    log = sum(betaln(s / 2 + x, s / 2 + y) - betaln(s / 2, s / 2) for x, y in counts)
    moved = s / (s + 4)
    moved = np.average(moved, weights=np.exp(log) * moved * (1 - moved))
    strength = 4 * moved / (1 - moved)
    model = train(Categorical(alpha="fitted"), counts.astype(int).tolist())
    odds = np.exp(model.evidence({"x": "level 1"}).columns["x"] @ [1, -1])
    assert odds[0] == pytest.approx((1 + strength / 2) / (3 + strength / 2))


def test_many_rare_levels_are_drawn_to_the_shares_and_a_few_frequent_ones_to_the_profile():
    frequent = [[300, 60], [40, 200]]
    assert kernels.fit_strength(np.array(frequent, float)) == 0.0
    rare = np.array([*frequent, *[[1, 1], [2, 0], [1, 0], [0, 1]] * 10], float)
    assert pseudo_of("fitted", range(42), rare) == pytest.approx(
        np.tile(kernels.fit_strength(rare) * rare.sum(axis=0) / rare.sum(), (42, 1))
    )


def test_column_with_equal_classes_is_uninformative():
    chance = [[46, 54], [54, 46]]
    odds = [
        np.ptp(train(Categorical(alpha=a), chance).evidence({"x": "level 0"}).columns["x"]) for a in (1.0, "fitted")
    ]
    assert odds[0] > 0.15
    assert odds[1] < odds[0] / 2


def test_unseen_level_weighs_heavily_if_classes_differ():
    apart = [[200, 0], [0, 200], [200, 0], [0, 200]]
    odds = [np.ptp(train(Categorical(alpha=a), apart).evidence({"x": "level 0"}).columns["x"]) for a in (1.0, "fitted")]
    assert odds[1] > odds[0] + 1.0


@pytest.mark.parametrize("counts", [[[9, 0], [0, 9], [1, 0]], [[4, 1], [0, 3], [2, 2]], [[30], [10]], [[30, 20]]])
def test_too_few_values_give_laplace(counts):
    assert pseudo_of("fitted", range(len(counts)), np.array(counts, float)).tolist() == [[1.0]] * len(counts)


def test_class_without_values_has_the_common_profile():
    counts = np.array([[30.0, 10.0, 0.0], [10.0, 30.0, 0.0]])
    assert np.array_equal(fitted(counts), fitted(counts[:, :2]))
    schema = Schema({"x": Categorical(alpha="fitted")})
    model = Model.train(schema, {"x": ["u", "v"] * 20 + [None]}, ["a"] * 20 + ["b"] * 20 + ["c"])
    assert model.estimates("x")["u"]["c"] == pytest.approx(0.5)


def test_counts_of_any_size_can_be_fitted():
    for scale in (1e-3, 1.0, 1e6, 1e12):
        found = fitted(np.array([[30.0, 10.0], [10.0, 30.0]]) * scale * 1e3)
        assert np.isfinite(found).all()
        assert (found > 0).all()


def test_fitted_is_a_belief_and_is_saved(tmp_path):
    model = train(Categorical(), [[30, 10], [10, 30]])
    fit = model.believing(alpha="fitted")
    assert repr(fit.schema.columns["x"]) == "Categorical(alpha='fitted')"
    save(fit, tmp_path / "fit.tally")
    again = load(tmp_path / "fit.tally")
    assert again == fit
    assert digest(again) == digest(fit)
    assert again.estimates("x") == fit.estimates("x")
    assert fit.believing(alpha=1.0).estimates("x") == model.estimates("x")
    for family in (Bernoulli(alpha="fitted"), Histogram(alpha="fitted")):
        assert Model.train({"x": family}, {"x": [0, 1] * 30}, ["a", "b"] * 30).posterior({"x": [0]})[0, 0] > 0.9


def test_posterior_has_the_pseudo_counts_used_for_scoring():
    model = train(Categorical(alpha="fitted"), [[30, 10], [10, 30]])
    alpha = model.parameters("x", "class 0").alpha
    share = alpha["level 0"] / sum(alpha.values())
    assert model.estimates("x")["level 0"]["class 0"] == pytest.approx(share)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"Categorical\(alpha='fited'\)"):
        Categorical(alpha="fited")
    with pytest.raises(ValueError, match=r"Words\(alpha='fited'\)"):
        Words(alpha="fited")


def test_fitted_words_use_witten_bell():
    model = Model.train({"x": Words(alpha="fitted")}, {"x": ["aa bb bb", "aa cc", "dd"]}, ["k", "k", "l"])
    alpha = (3 + 1) / 2 / 4  # k has three distinct words and l has one, of four in all
    assert model.estimates("x") == model.believing(alpha=alpha).estimates("x")
    assert model.estimates("x")["aa"]["k"] == pytest.approx((2 + alpha) / (5 + 4 * alpha))
    assert Model.train({"x": Words(alpha="fitted")}, {"x": [""]}, ["k"]).posterior("aa").tolist() == [[1.0]]


@pytest.mark.parametrize("alpha", [0.0, 0.5, "fitted"])
def test_binary_reading_counts_each_word_once(alpha):
    once = Model.train({"x": Words(reading="binary", alpha=alpha)}, {"x": DOCUMENTS}, LABELS)
    counted = Model.train({"x": Words(presence=True, alpha=alpha)}, {"x": DOCUMENTS}, LABELS)
    asked = {"x": [*ASKED, "money money money"]}
    np.testing.assert_allclose(once.log_joint(asked), counted.log_joint(asked), rtol=1e-12)
    pooled = Model.train({"x": Words(alpha=alpha)}, {"x": DOCUMENTS}, LABELS)
    assert once.believing(reading="multinomial") == pooled  # nothing is lost
    with pytest.raises(TypeError, match="reading='binary'"):
        once.sample(3, seed=1)
