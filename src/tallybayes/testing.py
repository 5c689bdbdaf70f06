"""The laws that make a model its counts, as a function to run on any family: `check_family(family, values)`.

Whoever adds a family runs it, and with it: merging is adding; adding is an abelian group; weight two is twice; any
order, any batching, any number of threads give the same bytes; forgotten is never seen; missing is not counted; left
out is recounted without it; a file comes back the same; what the family says about all possible values adds up to
one. Needs hypothesis, which draws the rows: negative and fractional weights, missing cells and repeated values among
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families import Family
from tallybayes.files import digest, from_bytes, to_bytes
from tallybayes.model import Model
from tallybayes.schema import Schema

Row = tuple[Any, str, float]  # value (None is missing), class, weight
Points = tuple[Any, Floats]
Grid = Callable[[Sequence[Any]], Points]

WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.1, 0.75, -0.3, 0.0])


def check_family(
    family: Family, values: st.SearchStrategy[Any], *, total: Grid | None = None, examples: int = 30
) -> None:
    """Raises an AssertionError that names the law if the family breaks one on rows drawn from `values`.

    `total` gives the points, and what each stands for, over which the predictive distribution must add up to one:
    `over_levels`, `over_counts`, `over_line`, `over_half_line`, or your own.
    """
    rows = st.lists(st.tuples(st.none() | values, st.sampled_from("abc"), WEIGHTS), max_size=12)
    some = st.lists(st.tuples(values, st.sampled_from("abc"), st.just(1.0)), min_size=1, max_size=12)
    draw = settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))

    def check(law: Callable[..., None], *strategies: st.SearchStrategy[Any]) -> None:
        @draw
        @given(st.tuples(*strategies))
        def holds(drawn: tuple[Any, ...]) -> None:
            law(family, *drawn)

        holds()

    check(merging_is_adding, rows, rows, rows)
    check(adding_is_an_abelian_group, rows, rows, rows)
    check(weight_is_repetition, rows)
    check(missing_is_not_counted, rows)
    check(history_leaves_no_trace, some, some, st.randoms())
    check(forgotten_is_never_seen, some, some, st.randoms())
    check(files_come_back_the_same, some, some)
    check(scores_follow_the_counts, some, some)
    if total is not None:
        check(predictive_adds_up_to_one, some, st.just(total))


def tally(family: Family, rows: Sequence[Row]) -> Tally:
    """Counts rows, weights and all."""
    classes = ["a", "b", "c"]
    codes = np.array([classes.index(label) for _, label, _ in rows], np.int32)
    weights = np.array([weight for _, _, weight in rows], np.float64)
    cells = family.encode(_cells(rows))
    return family.tally(cells, Rows(classes, codes, None if np.all(weights == 1.0) else weights))


def merging_is_adding(family: Family, a: list[Row], b: list[Row], c: list[Row]) -> None:
    together = tally(family, a + b + c)
    assert together == tally(family, a) + tally(family, b) + tally(family, c), "merging is adding"
    assert together == tally(family, c + a[::-1] + b), "any order"


def adding_is_an_abelian_group(family: Family, a: list[Row], b: list[Row], c: list[Row]) -> None:
    x, y, z = tally(family, a), tally(family, b), tally(family, c)
    assert (x + y) + z == x + (y + z), "adding is associative"
    assert x + y == y + x, "adding is commutative"
    assert (x + y) - y == x, "subtracting undoes adding"
    assert x - x == tally(family, []), "what is taken away leaves nothing"
    assert -x + x == x - x, "negating is taking away"


def weight_is_repetition(family: Family, a: list[Row]) -> None:
    assert tally(family, [(v, k, 2 * w) for v, k, w in a]) == tally(family, a + a), "weight two is twice"
    assert tally(family, [(v, k, -w) for v, k, w in a]) == -tally(family, a), "a negative weight takes away"
    assert tally(family, a) * 3 == tally(family, a + a + a), "three times is three times"
    assert tally(family, a) * 0.5 + tally(family, a) * 0.5 == tally(family, a), "two halves are a whole"


def missing_is_not_counted(family: Family, a: list[Row]) -> None:
    assert tally(family, a) == tally(family, [row for row in a if row[0] is not None]), "missing is not counted"
    for i in range(len(a)):
        rest = a[:i] + a[i + 1 :]
        assert tally(family, a) - tally(family, a[i : i + 1]) == tally(family, rest), "left out is recounted without"


def history_leaves_no_trace(family: Family, a: list[Row], b: list[Row], random: Any) -> None:
    """One batch, rows one at a time in any order, batches of any size on any number of threads: the same bytes."""
    expected = digest(train(family, a + b))
    shuffled = random.sample(a + b, len(a + b))
    one_by_one = sum((train(family, [row]) for row in shuffled), Model(Schema({"x": family})))
    assert digest(one_by_one) == expected, "one row at a time"
    cut = random.randint(0, len(shuffled))
    pairs = [_frame(shuffled[:cut]), _frame(shuffled[cut:])]
    streamed = Model.train(Schema({"x": family}), pairs)
    assert digest(streamed) == expected, "any batching"
    assert digest(Model.train(Schema({"x": family}), *_frame(shuffled), threads=3)) == expected, "any threads"


def forgotten_is_never_seen(family: Family, a: list[Row], b: list[Row], random: Any) -> None:
    model = train(family, a)
    before = digest(model)
    model += train(family, b)
    model -= train(family, random.sample(b, len(b)))
    assert digest(model) == before, "forgotten is never seen"
    model -= train(family, random.sample(a, len(a)))
    assert digest(model) == digest(Model(model.schema)), "all forgotten is nothing seen"


def files_come_back_the_same(family: Family, a: list[Row], b: list[Row]) -> None:
    model = train(family, a)
    again = from_bytes(to_bytes(model))
    assert again == model, "a file comes back the same"
    assert to_bytes(again) == to_bytes(model), "a file comes back the same"
    assert np.array_equal(again.log_joint(_frame(b)[0]), model.log_joint(_frame(b)[0])), "a file answers the same"


def scores_follow_the_counts(family: Family, a: list[Row], b: list[Row]) -> None:
    model = train(family, a)
    frame = _frame(b)[0]
    joint = model.log_joint(frame)
    assert not np.isnan(joint).any(), "every answer is a number"
    assert _close(joint, model.evidence(frame).total()), "the evidence adds up to the answer"
    single = np.concatenate([model.log_joint(_frame([row])[0]) for row in b])
    assert _close(joint, single), "one row at a time says the same"
    missing = pa.record_batch({"x": pa.nulls(1, frame.column("x").type)})
    prior = np.log(list(model.prior().values()))
    assert _close(model.log_joint(missing)[0], prior), "a missing cell says nothing"


def predictive_adds_up_to_one(family: Family, a: list[Row], total: Grid) -> None:
    model = train(family, a)
    points, widths = total([value for value, _, _ in a])
    density = np.exp(model.evidence({"x": points})["x"])
    assert np.allclose(widths @ density, 1.0, atol=1e-3), "the predictive distribution adds up to one"


def over_levels(values: Sequence[Any]) -> Points:
    levels = sorted(set(values))
    return levels, np.ones(len(levels))


def over_counts(values: Sequence[Any]) -> Points:
    """0, 1, 2, …, far enough for tails that fall like 1/x²."""
    return np.arange(50_000.0), np.ones(50_000)


def over_line(values: Any) -> Points:
    """All real numbers: ever wider steps outward from each value, so that narrow peaks and long tails are both seen."""
    steps = np.logspace(-9.0, 18.0, 2_000)
    scale = float(np.ptp(values)) or abs(float(values[0])) or 1.0
    around = np.concatenate([-steps[::-1], [0.0], steps]) * scale
    x = np.unique(np.add.outer(np.unique(values), around))
    return x, np.gradient(x)


def over_half_line(values: Sequence[Any]) -> Points:
    """All positive numbers: the same on a logarithmic scale."""
    t, widths = over_line(np.append(np.log(values), 0.0))
    near = np.abs(t) < 700.0
    return np.exp(t[near]), np.exp(t[near]) * widths[near]


def train(family: Family, rows: Sequence[Row]) -> Model:
    return Model.train(Schema({"x": family}), *_frame(rows))


def _frame(rows: Sequence[Row]) -> tuple[Any, list[str]]:
    return pa.record_batch({"x": _cells(rows)}), [label for _, label, _ in rows]


def _close(a: Floats, b: Any) -> bool:
    """Equal but for the rounding of the last few digits."""
    return bool(np.allclose(a, b, rtol=1e-11, atol=1e-11))


def _cells(rows: Sequence[Row]) -> pa.Array:
    return pa.array([value for value, _, _ in rows])
