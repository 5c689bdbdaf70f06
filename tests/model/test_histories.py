"""Models with a history: decayed, emptied, relabelled, batched."""

from decimal import Decimal

import numpy as np
import pytest

from family_values import family_of, takes_whole_numbers
from one_column import train
from tallybayes import FAMILIES, Categorical, Gaussian, Model, digest, weigh
from tallybayes.files import from_bytes, to_bytes


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_decayed_model_loads_and_continues(name):
    values = [True, False, True] if name == "Bernoulli" else [0.1, 0.1, 3.0]
    if takes_whole_numbers(name):
        values = [1, 1, 3]
    if name in ("Words", "WordSequence"):
        values = ["one word", "one word", "three"]
    if FAMILIES[name].takes_vectors:
        values = [[value, 2.0] for value in values]
    model = train(family_of(name), values, ["a", "a", "b"])
    for factor in [0.9, 1 / 3, 0.7] * 9:
        model = model * factor
        assert from_bytes(to_bytes(model)) == model
    part = train(family_of(name), values[:1], ["a"])
    decayed = train(family_of(name), values, ["a", "a", "b"]) * 0.9
    decayed -= part * 0.9
    assert decayed.n == pytest.approx(1.8)
    assert np.isfinite(decayed.posterior({"x": values})).all()


def test_gamma_forgets_at_the_ends_of_the_range():
    for value, weight in ((1e308, 1.0), (1e-300, 1e-30)):
        model = train(FAMILIES["Gamma"](), [value] * 21, ["a"] * 21, weights=[weight] * 21)
        model -= train(FAMILIES["Gamma"](), [value], ["a"], weights=[weight])
        assert digest(model) == digest(train(FAMILIES["Gamma"](), [value] * 20, ["a"] * 20, weights=[weight] * 20))
        assert from_bytes(to_bytes(model)) == model


@pytest.mark.parametrize("first", [[True, False], [1, 0], [1.0, 0.0], ["x", "y"]])
@pytest.mark.parametrize("second", [[True, False], [1, 0], [1.0, 0.0], ["x", "y"]])
def test_emptied_model_accepts_another_label_type(first, second):
    model = train(Gaussian(), [1.0, 2.0], first)
    model -= train(Gaussian(), [1.0, 2.0], first)
    model += train(Gaussian(), [3.0, 5.0], second)
    fresh = train(Gaussian(), [3.0, 5.0], second)
    assert digest(model) == digest(fresh)
    assert [*map(type, model.classes)] == [*map(type, fresh.classes)]
    nothing = train(Gaussian(), [1.0], first[:1]) * 0
    assert digest(fresh + nothing) == digest(nothing + fresh) == digest(fresh)


def test_labels_do_not_depend_on_their_batch():
    prices = [Decimal("1.5"), Decimal("1.25"), Decimal("10")]
    together = train(Categorical(), ["u"] * 3, prices)
    assert digest(sum(train(Categorical(), ["u"], [p]) for p in prices)) == digest(together)
    assert list(map(str, together.classes)) == ["1.25", "1.5", "10"]
    with pytest.raises(ValueError, match="without nanoseconds"):
        train(Categorical(), ["u"], np.array(["2020-01-01T00:00:00.000000001"], "datetime64[ns]"))


def test_weights_do_not_depend_on_rows_that_were_forgotten():
    """Fractional rows that are gone leave no trace in how folds are left out. The table is symmetric, so an offset
    that is noise would show."""
    random = np.random.default_rng(444)
    size = int(random.integers(10, 60)) * 2
    labels = np.array(["a", "b"] * (size // 2))
    table = {f"c{i}": np.repeat(random.choice(list("uv"), size // 2), 2) for i in range(3)}
    table = {name: np.where(labels == "b", np.where(x == "u", "v", "u"), x) for name, x in table.items()}
    schema = {name: Categorical() for name in table}
    never, forgot = Model.train(schema, table, labels), Model.train(schema, table, labels)
    light = Model.train(schema, table, labels, weights=np.full(size, 0.3))
    forgot += light
    forgot -= light
    assert digest(weigh(never, table, labels)) == digest(weigh(forgot, table, labels))
