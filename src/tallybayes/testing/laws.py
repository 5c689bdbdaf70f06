"""The laws that make a model its counts, as a function to run on any family: `check_family(family, values)`.

Whoever adds a family runs it, and with it: its settings have one form, and texts and files bring it back; merging is
adding; adding is an abelian group; weight two is twice; any order, any batching, any number of threads give the same
bytes; forgotten is never seen; missing is not counted; a file comes back the same; a row by itself, and a column of a
matrix, say what they say among others; what is drawn can be counted; what the family says about all possible values
adds up to one. Needs hypothesis, which draws the rows: negative and fractional weights, missing cells and repeated
values among them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tallybayes.counts.exact import Floats
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Rows
from tallybayes.families import FAMILIES, Family
from tallybayes.families.settings import settings_of
from tallybayes.families.vectors.of_columns import for_matrix
from tallybayes.files import digest, from_bytes, to_bytes
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name, checked_name, joined
from tallybayes.schema.family_text import family_from_text, family_to_text

Row = tuple[Any, str, float]  # value (None is missing), class, weight
Points = tuple[Any, Floats]
Grid = Callable[[Sequence[Any]], Points]

FEW = 4  # rows, where each is a model of its own
WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.1, 0.75, -0.3, 0.0])


def check_family(
    family: Family,
    values: st.SearchStrategy[Any] | None = None,
    *,
    columns: tuple[str, ...] = ("x",),
    total: Grid | None = None,
    examples: int = 30,
) -> None:
    """Raises an AssertionError that names the law if the family breaks one on rows drawn from `values`; for a block of
    several `columns`, these are tuples with a cell for each.

    `total` gives the points, and what each stands for, over which the predictive distribution must add up to one:
    `over_levels`, `over_counts`, `over_line`, `over_half_line`, or your own. For a family of numbers, both follow from
    its support where no `values` are given.
    """
    it_can_be_written(family)
    its_settings_have_one_form(family)
    if values is None:
        values, total = values_of(family), total or grid_of(family)
    family = family.over(columns)
    rows = st.lists(st.tuples(st.none() | values, st.sampled_from("abc"), WEIGHTS), max_size=12)
    some = st.lists(st.tuples(values, st.sampled_from("abc"), st.just(1.0)), min_size=1, max_size=12)
    draw = settings(
        max_examples=min(examples, settings().max_examples),  # fewer, where the profile asks for fewer
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )

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
    if family.support is not None:
        check(numbers_are_taken_in_every_way, some)
    if total is not None:
        check(predictive_adds_up_to_one, some, st.just(total))


def tally(family: Family, rows: Sequence[Row]) -> AnyTally:
    """Counts rows, weights and all."""
    classes = ["a", "b", "c"]
    codes = np.array([classes.index(label) for _, label, _ in rows], np.int32)
    weights = np.array([weight for _, _, weight in rows], np.float64)
    frame, _ = _frame(family, rows)
    cells = family.encode(joined(_name(family), dict(zip(frame.schema.names, frame.columns, strict=True))))
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
    one_by_one = sum((train(family, [row]) for row in shuffled), Model(_schema(family)))
    assert digest(one_by_one) == expected, "one row at a time"
    cut = random.randint(0, len(shuffled))
    pairs = [_frame(family, shuffled[:cut]), _frame(family, shuffled[cut:])]
    streamed = Model.train(_schema(family), pairs)
    assert digest(streamed) == expected, "any batching"
    assert digest(Model.train(_schema(family), *_frame(family, shuffled), threads=3)) == expected, "any threads"


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
    asked = _frame(family, b)[0]
    assert np.array_equal(again.log_joint(asked), model.log_joint(asked)), "a file answers the same"


def scores_follow_the_counts(family: Family, a: list[Row], b: list[Row]) -> None:
    model = train(family, a)
    frame = _frame(family, b)[0]
    joint = model.log_joint(frame)
    assert not np.isnan(joint).any(), "every answer is a number"
    assert _close(joint, model.evidence(frame).total()), "the evidence adds up to the answer"
    single = np.concatenate([model.log_joint(_frame(family, [row])[0]) for row in b])
    assert _close(joint, single), "one row at a time says the same"
    missing = pa.record_batch({field.name: pa.nulls(1, field.type) for field in frame.schema})
    prior = np.log(list(model.prior().values()))
    assert _close(model.log_joint(missing)[0], prior), "a missing cell says nothing"


def predictive_adds_up_to_one(family: Family, a: list[Row], total: Grid) -> None:
    model = train(family, a)
    points, widths = total([value for value, _, _ in a])
    density = np.exp(model.evidence({"x": points})["x"])
    assert np.allclose(widths @ density, 1.0, atol=1e-3), "the predictive distribution adds up to one"


def it_can_be_written(family: Family) -> None:
    name = type(family).__name__
    assert FAMILIES.get(name) is type(family), f"it has a name: write FAMILIES[{name!r}] = {name}"
    assert not (type(family).__doc__ or f"{name}(").startswith(f"{name}("), "it says what it is: write a docstring"
    assert family_from_text(family_to_text(family)) == family, "a text brings it back"
    assert Family.from_json(json.loads(json.dumps(family.to_json()))) == family, "JSON brings it back"


def its_settings_have_one_form(family: Family) -> None:
    """What is equal is equal bytes, and what makes no sense is refused."""
    for name in settings_of(type(family)):
        with suppress(TypeError, ValueError):
            raise AssertionError(f"nonsense is refused, where {replace(family, **{name: object()})!r} was made")
        for one, same in ((1, 1.0), (0, -0.0), (True, np.True_)):
            with suppress(TypeError, ValueError):
                pair = [Model(Schema({"x": replace(family, **{name: value})})) for value in (one, same)]
                assert digest(pair[0]) == digest(pair[1]), f"{name}={one!r} and {name}={same!r} are the same bytes"


def values_of(family: Family) -> st.SearchStrategy[float]:
    """Numbers that a family takes."""
    if family.support is None:
        raise TypeError(f"{family!r} does not say which numbers it takes; give values for it.")
    if family.support.whole:
        return st.integers(0, 50).map(float)
    least = 1e-3 if family.support.lowest == 0.0 else -1e3
    return st.integers(1, 20).map(float) | st.floats(least, 1e3).map(lambda x: round(x, 6))


def grid_of(family: Family) -> Grid:
    """The points that its predictive distribution is spread over."""
    if family.support is not None and family.support.whole:
        return over_counts
    return over_half_line if family.support is not None and family.support.lowest == 0.0 else over_line


def numbers_are_taken_in_every_way(family: Family, a: list[Row]) -> None:
    """One by one, as columns of a matrix, and as they are drawn."""
    a = a[:FEW]
    a_number_by_itself_is_one_among_others(family, a)
    columns_of_a_matrix_are_columns(family, a)
    what_is_drawn_can_be_counted(family, a)


def a_number_by_itself_is_one_among_others(family: Family, a: list[Row]) -> None:
    model, schema = train(family, a), Schema({"x": family})
    together = model.log_joint(_frame(family, a)[0])
    learned = Model(schema)
    for (value, label, _), expected in zip(a, together, strict=True):
        assert _close(model.log_joint({"x": value})[0], expected), "a plain number says what it says in a batch"
        learned += Model.train(schema, {"x": value}, [label])
    assert digest(learned) == digest(model), "a plain number is counted as in a batch"


def columns_of_a_matrix_are_columns(family: Family, a: list[Row]) -> None:
    """All columns of a matrix are scored by one expression: the formulas must not mix them up."""
    try:
        vectors = for_matrix(family, 3)
    except TypeError:
        return
    labels = [label for _, label, _ in a]
    x = np.array([value for value, _, _ in a])
    matrix = np.stack([x, x[::-1], np.full(len(x), x[0])], axis=1)
    columns = {str(i): column for i, column in enumerate(matrix.T)}
    together = Model.train(Schema({"x": vectors}), matrix, labels).evidence(matrix)["x"]
    apart = Model.train(Schema(dict.fromkeys(columns, family)), columns, labels).evidence(columns)
    said = np.sum([apart[name] for name in columns], axis=0)
    assert _close(together, said), "a column of a matrix says what it says by itself"


def what_is_drawn_can_be_counted(family: Family, a: list[Row]) -> None:
    for plugin in (False, True):
        beliefs = family.changed({"plugin": plugin})
        model = train(beliefs, a)
        sample = model.sample(5, seed=1)
        assert not np.isinf(model.log_joint(sample.rows).max(axis=1)).any(), "what is drawn is possible"
        assert Model.train(Schema({"x": beliefs}), *sample).estimates("x"), "what is drawn can be counted"


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
    return Model.train(_schema(family), *_frame(family, rows))


def _name(family: Any) -> Name:
    """What the entry of a schema is called that has this family."""
    return checked_name(family.columns if family.takes_blocks else ("x",))


def _schema(family: Family) -> Schema:
    return Schema({_name(family): family})


def _frame(family: Family, rows: Sequence[Row]) -> tuple[pa.RecordBatch, list[str]]:
    name = _name(family)
    if isinstance(name, str):
        cells = {name: pa.array([value for value, _, _ in rows])}
    else:
        values = [(None,) * len(name) if value is None else value for value, _, _ in rows]
        cells = {column: pa.array([value[i] for value in values]) for i, column in enumerate(name)}
    return pa.record_batch(cells), [label for _, label, _ in rows]


def _close(a: Floats, b: Any) -> bool:
    """Equal but for the rounding of the last few digits."""
    return bool(np.allclose(a, b, rtol=1e-11, atol=1e-11))
