"""Plotted values: lines are densities, bars are probabilities, and markers are where the numbers are."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from examples_drawn import EVALUATION, FITTED, FRAME, LABELS, MAILS, MODEL, ROW, SPAM, TREE

from tallybayes import (
    EM,
    Bernoulli,
    Categorical,
    Correlated,
    Model,
    Pairs,
    Schema,
    Several,
    Trees,
    Weights,
    cross_validate,
    evaluate,
    heaviest,
    plots,
)
from tallybayes.model.decision_regions import line
from tallybayes.model.shapes import shape
from tallybayes.plots.ranking import thresholds

WORDS = {"free": [True, True, False, False], "lunch": [False, True, True, True]}


def test_lines_are_densities_inside_their_bands():
    ax = plots.DensityDisplay.from_model(MODEL, "temp").plot().ax_
    found = shape(MODEL, "temp")
    for drawn, p in zip(ax.get_lines(), found.p, strict=True):
        np.testing.assert_array_equal(drawn.get_xdata(), found.x)
        np.testing.assert_array_equal(drawn.get_ydata(), p)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ill", "well"]
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(found.high[0].max())


def test_bars_are_probabilities():
    found = shape(MODEL, "calls")
    ax = plots.DensityDisplay.from_model(MODEL, "calls").plot().ax_
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, found.p.ravel())
    ax = plots.DensityDisplay.from_model(MODEL, "city").plot().ax_
    estimates = MODEL.estimates("city")
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, [estimates[level][label] for label in ("ill", "well") for level in estimates])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["Paris", "Rome"]


def test_background_histogram_of_the_rows_has_unit_area():
    ax = plots.DensityDisplay.from_model(MODEL, "temp", data=FRAME, labels=LABELS).plot().ax_
    stairs = [patch for patch in ax.patches if hasattr(patch, "get_data")]
    inside = shape(MODEL, "temp").x[[0, -1]]
    for drawn, label in zip(stairs, ("ill", "well"), strict=True):
        n, edges, _ = drawn.get_data()
        mine = FRAME["temp"][label == LABELS]
        assert np.dot(n, np.diff(edges)) == pytest.approx(np.mean((inside[0] <= mine) & (mine <= inside[1])))


def test_requested_classes_are_shown():
    display = plots.DensityDisplay.from_model(MODEL, "temp", classes=["well"])
    (drawn,) = display.plot().ax_.get_lines()
    np.testing.assert_array_equal(drawn.get_ydata(), shape(MODEL, "temp").p[1])


def test_decision_panels_are_likelihood_joint_and_posterior():
    display = plots.DecisionDisplay.from_model(MODEL.believing(prior={"ill": 2 / 3, "well": 1 / 3}), "temp").plot()
    found = display.line
    for ax, curves in zip(display.axes_, (found.shape.p, found.joint, found.posterior), strict=True):
        for drawn, p in zip(ax.get_lines(), curves, strict=False):
            np.testing.assert_array_equal(drawn.get_ydata(), p)
    assert f"P(error) = {found.error:.3f}" in [t.get_text() for t in display.axes_[1].get_legend().get_texts()]
    (shaded,) = (each for each in display.axes_[1].collections if each.get_hatch())
    assert shaded.get_paths()[0].vertices[:, 1].max() == pytest.approx(np.min(found.joint, axis=0).max())
    assert found.error == line(MODEL.believing(prior={"ill": 2 / 3, "well": 1 / 3}), "temp").error
    assert [region[0] for region in display.regions()] == [1, 0]


def test_decision_over_levels_is_refused():
    with pytest.raises(TypeError, match="Column 'city' has levels, not numbers; plot it with DensityDisplay"):
        plots.DecisionDisplay.from_model(MODEL, "city")
    with pytest.raises(ValueError, match=r"what=\('nothing',\): give some of 'likelihood', 'joint', 'posterior'"):
        plots.DecisionDisplay.from_model(MODEL, "temp", what=["nothing"])


def test_plane_is_coloured_by_the_most_probable_class():
    display = plots.BoundaryDisplay.from_model(MODEL, "temp", "calls").plot()
    (picture,) = display.ax_.get_images()
    colours = picture.get_array()
    first = colours[display.plane.decision == 0][:, :3]
    assert len({tuple(colour) for colour in first.tolist()}) == 1
    surest = display.plane.posterior.max(axis=0)
    order = np.argsort(surest.ravel())
    assert (np.diff(colours[..., 3].ravel()[order]) >= 0).all()
    named = {text.get_text(): text.get_position() for text in display.ax_.texts}
    for label, (x, y) in named.items():
        row = {"temp": x, "calls": round(y)}
        assert MODEL.classes[MODEL.most_probable(row, absent="missing")[0]] == label
    assert set(named) == {"ill", "well"}


def test_waterfall_leads_from_the_prior_to_the_answer():
    display = plots.WaterfallDisplay.from_model(MODEL, ROW).plot()
    bars = display.ax_.patches
    for one, other in pairwise(bars[:-1]):
        assert one.get_x() + one.get_width() == pytest.approx(other.get_x())
    joint = MODEL.log_joint(ROW)[0]
    assert bars[-1].get_width() == pytest.approx(abs(joint[0] - joint[1]))
    assert bars[-2].get_x() + bars[-2].get_width() == pytest.approx(bars[-1].get_width())
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [bar.title for bar in display.bars]
    assert {bar.title for bar in display.bars} == {"prior", "calls = 3", "temp = 38.2", "city = Paris", "all together"}


def test_waterfall_of_a_text_groups_minor_words():
    display = plots.WaterfallDisplay.from_model(SPAM, MAILS[0], top=2)
    titles = [bar.title for bar in display.bars]
    assert (titles[0], titles[1], titles[-2], titles[-1]) == ("prior", "free", "3 more", "all together")
    assert math.fsum(bar.log_odds for bar in display.bars[:-1]) == pytest.approx(display.bars[-1].log_odds)


def test_waterfall_tells_a_column_from_its_share_of_a_block():
    weights = Weights({"free": 0.5, "lunch": 0.5, ("free", "lunch"): 0.5}, prior=1.0)
    columns = {"free": Bernoulli(), "lunch": Bernoulli(), ("free", "lunch"): Trees(n=20)}
    model = Model.train(Schema(columns, weights=weights), WORDS, ["spam", "spam", "ham", "ham"])
    display = plots.WaterfallDisplay.from_model(model, {"free": True, "lunch": False})
    own, shared = {"free = True", "lunch = False"}, {"free = True (with others)", "lunch = False (with others)"}
    assert own | shared <= {bar.title for bar in display.bars}


def test_waterfall_of_a_block_adds_up_and_names_no_column_twice():
    weights = Weights(parts={("free", "lunch"): {"best mean of logs": 0.0, "best log of mean": 0.0, "Pairs": 1.0}})
    block = Several(members=(Trees(n=20), Pairs()))
    model = Model.train(Schema({("free", "lunch"): block}, weights=weights), WORDS, ["spam", "spam", "ham", "ham"])
    for row in ({"free": True, "lunch": False}, pd.DataFrame({"free": [True], "lunch": [False]})):
        display = plots.WaterfallDisplay.from_evidence(model.evidence(row))
        titles = [bar.title for bar in display.bars]
        assert len(set(titles)) == len(titles)
        assert math.fsum(bar.log_odds for bar in display.bars[:-1]) == pytest.approx(display.bars[-1].log_odds)


def test_rows_of_any_form_are_plotted_one_at_a_time():
    frame = pd.DataFrame([ROW, ROW])
    titles = [
        [bar.title for bar in plots.WaterfallDisplay.from_model(MODEL, row).bars]
        for row in (ROW, {name: [cell] for name, cell in ROW.items()}, frame.iloc[0], frame[:1])
    ]
    assert "city = Paris" in titles[0]
    assert all(each == titles[0] for each in titles)
    pieces = [
        plots.MarkedTextDisplay.from_model(SPAM, row).pieces for row in (MAILS[0], MAILS[:1], {"text": MAILS[:1]})
    ]
    assert all(each == pieces[0] for each in pieces)
    for display, row in ((plots.WaterfallDisplay, frame), (plots.MarkedTextDisplay, MAILS)):
        with pytest.raises(ValueError, match=f"one row is plotted, and {len(row)} are given"):
            display.from_model(MODEL if row is frame else SPAM, row)


def test_words_are_highlighted_in_place():
    display = plots.MarkedTextDisplay.from_model(SPAM, MAILS[0])
    assert "".join(piece.text for piece in display.pieces) == MAILS[0]
    said = {part.word: part.evidence for part in SPAM.evidence(MAILS[0]).words()}
    free = [piece.log_odds for piece in display.pieces if piece.text.lower() == "free"]
    assert free == pytest.approx([(said["free"][1] - said["free"][0]) / 2] * 2)
    assert all(piece.log_odds == 0 for piece in display.pieces if not piece.text.strip(" ,").isalpha())


def test_heaviest_words_of_two_classes_are_back_to_back():
    display = plots.HeaviestDisplay.from_model(SPAM, top=3).plot()
    widths = [bar.get_width() for bar in display.ax_.patches]
    ham, spam = ([each.log_odds for each in heaviest(SPAM, label, 3)] for label in ("ham", "spam"))
    assert widths == pytest.approx([-odds for odds in ham] + spam)
    names = [text.get_text() for text in display.ax_.texts]
    assert names == [each.value for label in ("ham", "spam") for each in heaviest(SPAM, label, 3)]


def test_binary_columns_are_spikes_with_the_highest_labelled():
    model = Model.train(dict.fromkeys(WORDS, Bernoulli(alpha=0)), WORDS, ["spam", "spam", "ham", "ham"])
    display = plots.WordProbabilityDisplay.from_model(model, spikes=1).plot()
    tops = [ax.get_lines()[0].get_ydata()[1::3].tolist() for ax in display.axes_]
    assert tops == [[0.0, 1.0], [1.0, 0.5]]
    assert [ax.texts[0].get_text() for ax in display.axes_] == ["lunch", "free"]


def test_reliability_has_intervals():
    display = plots.ReliabilityDisplay.from_evaluation(EVALUATION, mass=0.9).plot()
    points = display.ax_.containers[0]
    np.testing.assert_array_equal(points[0].get_ydata(), [each.accuracy for each in EVALUATION.calibration])
    spans = points[2][0].get_segments()
    for span, each in zip(spans, EVALUATION.calibration, strict=True):
        low, high = each.credible(0.9)
        assert span[:, 1].tolist() == pytest.approx([min(low, each.accuracy), max(high, each.accuracy)])
    assert [bar.get_height() for bar in display.axes_[1].patches] == [each.n for each in EVALUATION.calibration]


def test_confusion_matrix_has_every_number():
    display = plots.ConfusionDisplay.from_evaluation(evaluate(MODEL, FRAME, LABELS, reject=0.2)).plot()
    pairs = evaluate(MODEL, FRAME, LABELS, reject=0.2).pairs
    written = [int(text.get_text()) for text in display.ax_.texts]
    expected = [pairs.get((truth, decision), 0) for truth in ("ill", "well") for decision in ("ill", "well", None)]
    assert written == expected
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["ill", "well", "rejected"]


def test_confused_classes_are_connected():
    frame = {"x": list("uuvvwwww")}
    model = Model.train({"x": Categorical(alpha=0.1)}, frame, list("abababcc"))
    display = plots.ClassMapDisplay.from_evaluation(evaluate(model, frame, list("ababcccc")))
    assert display.classes == ["a", "b"]
    assert display.others == 1
    assert display.links == [(0, 1, 0.5)]


def test_curves_equal_the_thresholds():
    found = thresholds(EVALUATION, "well")
    roc, recall, cost = (
        kind.from_evaluation(EVALUATION, threshold=0.7).plot()
        for kind in (plots.RocDisplay, plots.PrecisionRecallDisplay, plots.CostCurveDisplay)
    )
    np.testing.assert_array_equal(roc.ax_.get_lines()[0].get_data(), (found.false_positive_rate, found.recall))
    np.testing.assert_array_equal(recall.ax_.get_lines()[0].get_data(), (found.recall, found.precision))
    x, y = cost.ax_.get_lines()[0].get_data()
    np.testing.assert_array_equal(y, found.costs(x))
    at = found.at(0.7)
    assert roc.ax_.get_lines()[1].get_data() == ([found.false_positive_rate[at]], [found.recall[at]])
    assert roc.ax_.get_legend().get_texts()[0].get_text() == f"well: {EVALUATION.roc_auc:.3f}"
    with pytest.raises(ValueError, match="threshold=2: give a probability from 0 to 1"):
        plots.RocDisplay.from_evaluation(EVALUATION, threshold=2)


def test_alpha_curve_equals_cross_validation():
    display = plots.SettingCurveDisplay.from_rows(
        {"city": Categorical()}, FRAME, LABELS, values=[0.1, 100.0], k=4
    ).plot()
    beliefs = {0.1: {"alpha": 0.1}, 100.0: {"alpha": 100.0}}
    found = cross_validate({"city": Categorical()}, FRAME, LABELS, beliefs=beliefs, k=4)
    loss, error = (ax.get_lines()[0].get_ydata().tolist() for ax in display.axes_)
    assert loss == [found[alpha].log_loss for alpha in beliefs]
    assert error == [found[alpha].pooled.error for alpha in beliefs]
    assert display.best == 0.1


def test_parameter_before_and_after():
    display = plots.ParameterDisplay.from_model(MODEL, "calls", "ill").plot()
    before, after = display.ax_.get_lines()
    x = after.get_xdata()
    known = MODEL.parameters("calls", "ill")
    np.testing.assert_allclose(after.get_ydata(), known.marginals()["rate"].pdf(x))
    np.testing.assert_allclose(before.get_ydata(), np.exp(-x))  # Gamma(1, 1)
    assert display.interval == known.interval()["rate"]
    with pytest.raises(ValueError, match="Column 'calls' has no parameter 'mean'; it has 'rate'"):
        plots.ParameterDisplay.from_model(MODEL, "calls", "ill", "mean")


def test_arrows_are_the_edges_of_the_graph():
    display = plots.GraphDisplay.from_model(TREE)
    assert sorted(display.edges) == sorted(edge for edge in TREE.graph().edges if edge[0] != "class")
    drawn = display.plot().ax_.texts
    assert len(drawn) == len(display.edges) + 3


def test_objective_is_the_recorded_em_curve():
    ax = plots.ObjectiveDisplay.from_model(FITTED).plot().ax_
    steps, objective = ax.get_lines()[0].get_data()
    assert tuple(objective) == FITTED.fitted.curve
    assert steps.tolist() == list(range(1, FITTED.fitted.steps + 1))
    assert (ax.get_title(loc="left") or ax.get_title()) == f"EM, {len(steps)} steps: converged"


def test_model_without_em_history_says_why():
    with pytest.raises(ValueError, match="has no record of EM: it was trained without"):
        plots.ObjectiveDisplay.from_model(MODEL)
    with pytest.raises(ValueError, match=r"EM took no step \(every row has a label\)"):
        plots.ObjectiveDisplay.from_model(Model.train(MODEL.schema, FRAME, LABELS, unlabelled=EM()))


def test_block_rows_are_at_their_coordinates():
    frame = {"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 1.0, 4.0, 3.5]}
    model = Model.train({("x", "y"): Correlated()}, frame, ["a", "a", "b", "b"])
    display = plots.BoundaryDisplay.from_model(model, "x", "y", data=frame, labels=["a", "a", "b", "b"])
    assert display.rows == [([1.0, 2.0], [2.0, 1.0]), ([3.0, 4.0], [4.0, 3.5])]
