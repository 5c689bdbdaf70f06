"""Thresholds are chosen by counting, and are optimal."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Model, Words, open_source
from tallybayes.filtering.classes import Names
from tallybayes.filtering.scores import scored
from tallybayes.filtering.thresholds import LARGEST, Thresholds, choose_thresholds, score_of

scores = st.sampled_from([-1000.0, -7.5, -1.0, 0.0, 0.5, math.nextafter(0.5, 1), 3.0, 40.0, 1000.0])
rows = st.lists(st.tuples(scores, st.booleans()), min_size=2, max_size=12).filter(
    lambda rows: len({s for _, s in rows}) == 2
)
shares = st.sampled_from([0.0, 0.001, 0.1, 0.29, 0.5, 1.0])


@given(rows, shares, shares)
def test_no_more_than_a_share_is_lost_and_no_lower_threshold_qualifies(rows, positives, negatives):
    given_scores, are_spam = zip(*rows, strict=True)
    chosen = choose_thresholds(given_scores, are_spam, positives, negatives)
    good = [score for score, spam in rows if not spam]
    bad = [score for score, spam in rows if spam]
    assert chosen.lost == sum(score >= chosen.thresholds.spam for score in good) <= positives * len(good)
    assert chosen.missed == sum(score < chosen.thresholds.ham for score in bad) <= negatives * len(bad)
    assert chosen.thresholds.ham <= chosen.thresholds.spam
    assert (chosen.ham, chosen.spam) == (len(good), len(bad))
    caught = sum(score >= chosen.thresholds.spam for score in bad)
    for other in {*given_scores}:
        if sum(score >= other for score in good) <= positives * len(good):
            assert sum(score >= other for score in bad) <= caught


@given(rows)
def test_every_mail_is_spam_ham_or_unsure(rows):
    given_scores, are_spam = zip(*rows, strict=True)
    chosen = choose_thresholds(given_scores, are_spam, 0.1, 0.1)
    told = [chosen.thresholds.verdict(score) for score in given_scores]
    assert told.count("spam") + told.count("ham") + chosen.unsure == len(rows)


def test_share_is_decimal_and_not_its_binary_approximation():
    rows = [(float(i), False) for i in range(100)] + [(1000.0, True)]
    assert choose_thresholds(*zip(*rows, strict=True), 0.29).lost == 29  # 0.29 * 100 is 28.999999999999996


def test_ham_that_all_looks_like_spam_leaves_no_spam():
    chosen = choose_thresholds([LARGEST, LARGEST, -1.0], [False, True, True], 0.0, 0.0)
    assert chosen.thresholds.verdict(LARGEST) == "unsure"
    assert (chosen.lost, chosen.missed) == (0, 0)


@pytest.mark.parametrize(
    ("kept", "given", "expected"),
    [
        (None, {}, (4.6, 0.0)),
        ({"spam": 9.0, "ham": -2.0}, {}, (9.0, -2.0)),
        ({"spam": 9.0, "ham": -2.0}, {"spam": 3.0}, (3.0, -2.0)),
        (None, {"spam": -1.0}, (-1.0, -1.0)),
        (None, {"ham": 7.0}, (7.0, 7.0)),
        ({"spam": 3}, {"ham": -1.0}, (3.0, -1.0)),
    ],
)
def test_given_thresholds_override_stored_ones_and_defaults(kept, given, expected):
    assert Thresholds.of(kept, **given) == expected


@pytest.mark.parametrize(
    "kept", [[1, 2], "4.6", {"spam": "high"}, {"spam": True}, {"spam": math.nan}, {"spam": 1, "ham": 2}]
)
def test_invalid_thresholds_are_refused(kept):
    with pytest.raises(ValueError, match=r"threshold|between|overlap"):
        Thresholds.of(kept)


@pytest.mark.parametrize(
    ("are_spam", "share"), [([True, True], 0.1), ([False, False], 0.1), ([True, False], 2.0), ([True, False], math.nan)]
)
def test_thresholds_need_both_classes_and_a_share(are_spam, share):
    with pytest.raises(ValueError, match=r"some of both|a number from 0 to 1"):
        choose_thresholds([1.0, 2.0], are_spam, share)


def test_scores_are_finite_log_odds():
    assert score_of(0.99, 0.01) == pytest.approx(math.log(99))
    assert (score_of(1.0, 0.0), score_of(0.0, 1.0), score_of(0.0, 0.0)) == (LARGEST, -LARGEST, 0.0)
    assert score_of(1.0, 1e-20) == pytest.approx(20 * math.log(10))  # although 1 − 1e-20 is 1


@pytest.mark.parametrize("counted", [False, True])
def test_mail_that_no_class_can_explain_is_scored_by_the_prior_as_in_answers(tmp_path, counted):
    mails = {"subject": ["prize", "free prize", "free", "lunch", "lunch noon", "free noon"]}
    labels = ["spam", "spam", "spam", "ham", "ham", "ham"]
    model = Model.train({"subject": Words(alpha=0.0, reading="multinomial")}, mails, labels)
    lines = [f"{label},{text}" for label, text in zip(labels, mails["subject"], strict=True)]
    path = tmp_path / "mails.csv"
    path.write_text("\n".join(["class,subject", *lines, "" if counted else "ham,prize lunch\n"]))
    found = scored(model, open_source(path), "class", Names(), counted=counted)
    assert all(map(math.isfinite, found.scores))
    if not counted:
        assert found.scores[-1] == 0.0  # as many spams as hams
    assert math.isfinite(choose_thresholds(*found, 0.0, 0.0).thresholds.spam)
