"""Models: learn, forget, merge, decay, believe, and errors."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bernoulli, Categorical, Density, Gamma, Gaussian, Histogram, Model, Poisson, Schema, digest

RNG = np.random.default_rng(3)
N = 300
FRAME = {
    "city": RNG.choice(["Paris", "Rome", "Oslo"], N).tolist(),
    "age": RNG.normal(40, 12, N),
    "calls": RNG.poisson(3, N),
    "paid": RNG.random(N) < 0.3,
    "income": RNG.lognormal(10, 1, N),
}
LABELS = RNG.choice(["stay", "leave"], N).tolist()
SCHEMA = Schema(
    {"city": Categorical(), "age": Gaussian(), "calls": Poisson(), "paid": Bernoulli(), "income": Histogram()}
)


def part(start, stop):
    return {name: values[start:stop] for name, values in FRAME.items()}, LABELS[start:stop]


def train(start=0, stop=N, schema=SCHEMA, **options):
    return Model.train(schema, *part(start, stop), **options)


@given(
    order=st.permutations(range(N)),
    kept=st.integers(1, N),
    cuts=st.sets(st.integers(1, N - 1), max_size=4),
    threads=st.integers(1, 3),
    weight=st.sampled_from([1.0, 3.0, 0.1]),
)
@settings(max_examples=some(20))
def test_rows_in_any_order_batches_and_threads_that_are_not_forgotten_are_all_there_is(
    order, kept, cuts, threads, weight
):
    def rows(at):
        frame = {name: [values[i] for i in at] for name, values in FRAME.items()}
        return Model.train(SCHEMA, frame, [LABELS[i] for i in at], weights=[weight] * len(at), threads=threads)

    model = sum(rows(batch) for batch in np.split(order, sorted(cuts)))
    if kept < N:
        model -= rows(order[kept:])
    assert digest(model) == digest(rows(sorted(order[:kept])))


def test_columns_are_in_the_order_of_the_schema():
    """Those of one family are counted together, wherever they are."""
    columns = {"income": Gaussian(), "city": Categorical(), "age": Gaussian()}
    for model in (train(schema=Schema(columns)), train(0, 1, Schema(columns))):
        assert list(model.columns) == list(columns)


def test_forgotten_class_was_never_there():
    extra = Model.train(SCHEMA, {name: values[:1] for name, values in FRAME.items()}, ["new"])
    model = train() + extra
    assert model.classes == ["leave", "new", "stay"]
    model -= extra
    assert digest(model) == digest(train())
    assert model.classes == ["leave", "stay"]


def test_operators_leave_their_operands_unchanged():
    one, other = train(0, 100), train(100, N)
    before = digest(one), digest(other)
    _ = one + other, (one + other) - other, one * 0.5, one.believing(alpha=0.1)
    assert (digest(one), digest(other)) == before


def test_beliefs_share_counts_until_one_model_learns():
    model = train(0, 100)
    other = model.believing(alpha=0.5)
    other += train(100, N, other.schema)
    assert digest(model) == digest(train(0, 100))
    assert other == train().believing(alpha=0.5)


def test_forgetting_unlearned_rows_is_refused_and_changes_nothing():
    model = train(0, 50)
    before = digest(model)
    stranger = Model.train(SCHEMA, {**part(0, 1)[0], "city": ["Lima"]}, LABELS[:1])
    with pytest.raises(ValueError, match="in column 'city' a count would be negative"):
        model -= stranger
    with pytest.raises(ValueError, match="a negative number of rows"):
        model -= train(0, 200)
    assert digest(model) == before
    numbers = Schema({"x": Gaussian()})
    model = Model.train(numbers, {"x": [1.0, 2.0, 3.0]}, ["a"] * 3)
    before = digest(model)
    with pytest.raises(ValueError, match="in column 'x' a variance would be negative"):
        model -= Model.train(numbers, {"x": [50.0]}, ["a"])
    with pytest.raises(ValueError, match="a sum would remain although its count is zero"):
        model -= Model.train(numbers, {"x": [1.0, 2.0, 4.0]}, ["a"] * 3)
    assert digest(model) == before


def test_adding_incompatible_models_is_refused():
    mine = Model.train(Schema({"x": Histogram(bits=12)}), {"x": [1.0]}, ["a"])
    with pytest.raises(ValueError, match=r"Column 'x' is counted by Histogram\(bits=12\) .* Histogram\(bits=8\)"):
        mine += Model.train(Schema({"x": Histogram(bits=8)}), {"x": [1.0]}, ["a"])
    with pytest.raises(ValueError, match=r"Histogram\(bits=12\) in one and by Gaussian\(\)"):
        mine += Model.train(Schema({"x": Gaussian()}), {"x": [1.0]}, ["a"])
    with pytest.raises(ValueError, match="The columns differ: only one has 'x', and only the other has 'y'"):
        mine += Model.train(Schema({"y": Gaussian()}), {"y": [1.0]}, ["a"])
    with pytest.raises(TypeError, match="type int64; those already counted are of type string"):
        mine += Model.train(Schema({"x": Histogram()}), {"x": [1.0]}, [1])
    with pytest.raises(TypeError, match="not with a value of type int"):
        mine += 1


def test_same_counts_under_another_prior():
    model = train()
    assert model.believing(alpha=0.25).estimates("city") == train(schema=SCHEMA.believing({"alpha": 0.25})).estimates(
        "city"
    )
    assert model.believing(city=Categorical(alpha=2.0)).schema.columns["city"] == Categorical(alpha=2.0)
    smooth = model.believing(income=Density())
    assert list(smooth.estimates("income")) == ["bandwidth"]
    assert smooth.counts("income") == model.counts("income")
    for changes, message in [
        ({"income": Gaussian()}, "these count differently"),
        ({"town": Categorical()}, "There is no column 'town'"),
        (
            {"beta": 0.5},
            "beta=0.5 is not a belief of this schema; give one of alpha, intervals, levels, m, mean, method, noise",
        ),
        ({"city": 3}, "city=3 is not a belief of this schema; give a family"),
        ({"bits": 3}, "these count differently"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.believing(**changes)


def test_decay():
    half = train() * 0.5
    assert half.n == N / 2
    np.testing.assert_allclose(
        half.believing(alpha=0.5).estimates("city")["Rome"]["stay"], train().estimates("city")["Rome"]["stay"]
    )
    assert digest(half * 2) == digest(train())
    for factor in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="from 0 to"):
            train() * factor


def test_invalid_weights_are_refused():
    for weights, message in [
        ([-1.0] * N, "The weight in row 0 is -1.0"),
        ([1.0] * (N - 1) + [float("nan")], f"row {N - 1} is nan"),
        ([1.0] * 3, "There are 3 weights"),
    ]:
        with pytest.raises(ValueError, match=message):
            train(weights=weights)


def test_list_of_structured_arrays_is_a_stream():
    rows = [(1.0, "a"), (2.0, "b"), (4.0, "b")]
    frame = np.array(rows, [("x", float), ("y", "U1")])
    expected = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 4.0]}, ["a", "b", "b"])
    assert Model.train({"x": Gaussian()}, [frame[:1], frame[1:]], "y") == expected
    assert Model.train({"x": Gaussian()}, [(frame[["x"]], ["a", "b", "b"])]) == expected


def test_streams_batches_and_names():
    table = pa.table({**FRAME, "label": LABELS, "w": np.ones(N)})
    expected = digest(train())
    assert digest(Model.train(SCHEMA, table, "label")) == expected
    assert digest(Model.train(SCHEMA, table, "label", weights="w")) == expected
    assert digest(Model.train(SCHEMA, table.to_reader(max_chunksize=7), "label")) == expected
    assert digest(Model.train(SCHEMA, (table.slice(i, 10) for i in range(0, N, 10)), "label")) == expected
    assert digest(Model.train(SCHEMA, [part(0, 90), part(90, N)])) == expected
    with pytest.raises(ValueError, match="With a stream of frames"):
        Model.train(SCHEMA, [table], LABELS)
    with pytest.raises(ValueError, match="Column 'city' holds the labels; drop it"):
        Model.train(SCHEMA, table, "city")
    with pytest.raises(ValueError, match="No labels are given"):
        Model.train(SCHEMA, table)


def test_threads_give_the_same_bytes():
    expected = digest(train(threads=1))
    joint = train().log_joint(FRAME, threads=1)
    for threads in (2, 3, 1000):
        assert digest(train(threads=threads)) == expected
        np.testing.assert_allclose(train().log_joint(FRAME, threads=threads), joint, rtol=1e-12)
    with pytest.raises(ValueError, match="threads=0"):
        train(threads=0)


def test_evidence_adds_up_to_the_joint():
    model = train()
    evidence = model.evidence(FRAME)
    np.testing.assert_allclose(evidence.total(), model.log_joint(FRAME), rtol=1e-12)
    posterior = np.exp(evidence.total())
    np.testing.assert_allclose(model.posterior(FRAME), posterior / posterior.sum(axis=1, keepdims=True), rtol=1e-9)
    assert "… and 297 more rows" in repr(evidence)


def test_missing_cells_and_unseen_levels_are_uninformative():
    model = train()
    empty = {
        "city": [None, "Atlantis"],
        "age": [None, np.nan],
        "calls": [None] * 2,
        "paid": [None] * 2,
        "income": [None] * 2,
    }
    np.testing.assert_allclose(model.posterior(empty), [list(model.prior().values())] * 2)


def test_reprs():
    assert repr(train()).splitlines() == [
        f"Model of 300 rows in 2 classes: leave {LABELS.count('leave')}, stay {LABELS.count('stay')}",
        "city     Categorical()",
        "age      Gaussian()",
        "calls    Poisson()",
        "paid     Bernoulli()",
        "income   Histogram()",
        "(class)  frequencies",
    ]
    assert repr(Model(SCHEMA)).startswith("Model of no rows")


def test_empty_model_raises():
    model = Model.train(SCHEMA, {name: [] for name in FRAME}, [])
    assert (model.n, model.classes) == (0.0, [])
    with pytest.raises(ValueError, match="has counted no rows"):
        model.posterior(FRAME)
    assert digest(model + train()) == digest(train())


def test_impossible_row_gets_the_prior_with_a_warning():
    schema = Schema({"x": Categorical(alpha=0.0), "y": Categorical(alpha=0.0)})
    model = Model.train(schema, {"x": ["u", "v", "v"], "y": ["s", "t", "t"]}, ["a", "b", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.posterior({"x": ["u"], "y": ["s"]}).tolist() == [[1.0, 0.0]]
        assert model.log_joint({"x": ["u"], "y": ["t"]}).tolist() == [[-np.inf, -np.inf]]
    with pytest.warns(UserWarning, match=r"Some rows \(1\) are impossible in every class"):
        assert model.posterior({"x": ["u"], "y": ["t"]})[0] == pytest.approx([1 / 3, 2 / 3])


def test_unknown_names_are_errors():
    model = train()
    for ask, message in [
        (lambda: model.estimates("town"), "There is no column 'town'; there are 'city'"),
        (lambda: model.counts("town"), "There is no column 'town'"),
        (
            lambda: model.parameters("city", "never"),
            "There is no class 'never'; the classes are 'leave', 'stay'",
        ),
        (lambda: model.decide(FRAME, costs={("stay", "go"): 1.0}), r"There is a cost for \('stay', 'go'\)"),
        (lambda: model.decide(FRAME, costs=[[0, 1]]), r"2 classes need 2 × 2"),
        (
            lambda: Model.train(Schema({"x": Gamma()}), {"x": [1.0]}, ["a"]).parameters("x", "a"),
            "no posterior",
        ),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            ask()
