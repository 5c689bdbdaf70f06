"""Choosing the weight of unlabelled rows by held-out labelled rows."""

import numpy as np
import pyarrow as pa
import pytest
from em_rows import mixed_rows, written

from tallybayes import EM, Categorical, Gaussian, Model, Poisson, Schema, digest
from tallybayes.model.em.folds import best_weight


@pytest.mark.long
def test_frame_and_source_of_many_batches_choose_the_same_weight(tmp_path):
    table, labels, _ = mixed_rows(300)
    schema = Schema({"level": Categorical(), "number": Gaussian()}, label="y")
    source = written(tmp_path / "large.csv", table, labels, "x" * 500, block_bytes=1 << 14)
    read = Model.train(schema, source, unlabelled=EM(weight="chosen"))
    assert list(read.fitted.held_out) == [0.0, 0.1, 0.3, 1.0]
    assert max(read.fitted.held_out.values()) < 5.0  # no class was held out entirely


def test_one_label_per_class_cannot_choose():
    frame, labels = {"x": [0.0, 1.0, 9.0]}, ["a", None, None]
    assert Model.train({"x": Gaussian()}, frame, labels, unlabelled=EM()).rows_by_class() == {"a": 3.0}
    with pytest.raises(ValueError, match="one labelled row is not enough to choose a weight; give a number"):
        Model.train({"x": Gaussian()}, frame, labels, unlabelled=EM(weight="chosen"))
    named = Model.train({"x": Gaussian()}, frame, labels, unlabelled=EM(classes=["a", "b"], restarts=2))
    assert named.n == 3.0


@pytest.mark.slow
def test_weight_minimises_the_held_out_loss():
    table, labels, _ = mixed_rows(400)
    schema = {"number": Gaussian(), "count": Poisson()}
    model = Model.train(schema, table, labels, unlabelled=EM(weight="chosen"))
    tried = model.fitted.held_out
    assert tried[model.fitted.weight] == min(tried.values())
    order = np.random.default_rng(2).permutation(400)
    again = Model.train(
        schema, table.take(pa.array(order)), [labels[i] for i in order], unlabelled=EM(weight="chosen"), threads=2
    )
    assert digest(again) == digest(model)
    with pytest.raises(ValueError, match="without labelled rows no weight can be chosen"):
        Model.train(schema, table, unlabelled=EM(weight="chosen", classes=2))


def test_class_with_one_labelled_row_gives_weight_zero_with_a_note():
    frame, labels = {"x": [0.0, 1.0, 9.0, 8.0, 0.5]}, ["a", "a", "b", None, None]
    fitted = Model.train({"x": Gaussian()}, frame, labels, unlabelled=EM(weight="chosen")).fitted
    assert (fitted.weight, fitted.held_out) == (0.0, {})
    assert fitted.notes == ("Class 'b' has one labelled row; choosing a weight takes two, so it is 0.",)
    weighed = Model.train({"x": Gaussian()}, frame, labels, weights=[1, 1, 2, 1, 1], unlabelled=EM(weight="chosen"))
    assert weighed.fitted.notes == fitted.notes
    with pytest.raises(ValueError, match="no row is labelled 'c', so none can be held out; give a number"):
        Model.train({"x": Gaussian()}, frame, labels, unlabelled=EM(weight="chosen", classes=["a", "b", "c"]))


def test_uninformative_unlabelled_rows_are_not_used():
    random = np.random.default_rng(3)
    labels = [*random.choice(["a", "b"], 40).tolist(), *[None] * 60]
    fitted = Model.train(
        {"x": Gaussian()}, {"x": random.normal(size=100)}, labels, unlabelled=EM(weight="chosen")
    ).fitted
    assert fitted.weight == 0.0
    assert fitted.notes == ("No weight clearly lowers the held-out log-loss, so it is 0.",)


def test_rows_without_labels_count_as_much_as_lowers_the_loss_most():
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 300)
    frame = {f"x{i}": random.normal(1.5 * truth) for i in range(4)}
    labels = [int(label) if row < 16 else None for row, label in enumerate(truth)]
    fitted = Model.train(dict.fromkeys(frame, Gaussian()), frame, labels, unlabelled=EM(weight="chosen")).fitted
    assert fitted.weight == 0.1
    assert fitted.held_out[0.1] == min(fitted.held_out.values()) < 0.75 * fitted.held_out[0.0]
    assert fitted.notes == ()


def test_of_the_weights_that_clearly_help_the_one_with_the_lowest_loss_is_taken():
    without = np.linspace(1.0, 2.0, 20)
    helps, helps_more = without - 0.5, without - 0.6
    assert best_weight({0.0: without, 0.1: helps_more, 0.3: helps, 1.0: helps}) == 0.1
    assert best_weight({0.0: without, 0.1: helps, 0.3: helps, 1.0: helps_more}) == 1.0
    assert best_weight({0.0: without, 0.1: without, 0.3: without + 0.1, 1.0: without + 0.1}) == 0.0


def test_a_gain_below_its_standard_error_is_no_gain():
    without = np.full(25, 2.0)
    apart = np.tile([-1.0, 1.0, 1.0, -1.0, 0.0], 5)  # of mean 0, deviation √0.8 and standard error √0.032
    error = np.sqrt(0.032)
    assert best_weight({0.0: without, 1.0: without - apart - 0.99 * error}) == 0.0
    assert best_weight({0.0: without, 1.0: without - apart - 1.01 * error}) == 1.0
