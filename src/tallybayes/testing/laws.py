"""The laws, each a function that raises an AssertionError with its name; and the rows that they draw, each a value, a
class and a weight: as a frame, a tally and a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Rows
from tallybayes.data.soft_labels import SoftLabels
from tallybayes.families import FAMILIES, Family
from tallybayes.families.settings import settings_of
from tallybayes.families.vectors.each import for_matrix
from tallybayes.files import RowCounts, digest, from_bytes, to_bytes
from tallybayes.model import Model
from tallybayes.model.evidence import Evidence
from tallybayes.model.left_out import left_out
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name, checked_name, joined
from tallybayes.schema.family_text import family_from_text, family_to_text
from tallybayes.testing.grids import Grid

FEW = 4  # rows that are each trained as a model
NEAR = 1e-9

Row = tuple[Any, str, float]  # value (None is missing), class, weight


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
    once = tally(family, a)
    assert tally(family, [(v, k, 2 * w) for v, k, w in a]) == tally(family, a + a), "weight two is twice"
    assert tally(family, [(v, k, -w) for v, k, w in a]) == -once, "a negative weight takes away"
    assert once * 3 == tally(family, a + a + a), "three times is three times"
    assert once * 0.5 + once * 0.5 == once, "two halves are a whole"


def shares_are_weights(family: Family, a: list[Row], shares: list[float]) -> None:
    """A row that is shared among classes is that row in each of them, with its share as its weight."""
    frame, _ = frame_of(family, a)
    given = np.resize(shares, (len(a), 2))
    apart = sum(
        Model.train(schema_of(family), frame, [label] * len(a), weights=given[:, at]) for at, label in enumerate("ab")
    )
    assert Model.train(schema_of(family), frame, SoftLabels(given, "ab")) == apart, "shares are weights"


def missing_is_not_counted(family: Family, a: list[Row]) -> None:
    whole = tally(family, a)
    assert whole == tally(family, [row for row in a if row[0] is not None]), "missing is not counted"
    for i in range(len(a)):
        rest = a[:i] + a[i + 1 :]
        assert whole - tally(family, a[i : i + 1]) == tally(family, rest), "left out is recounted without"


def history_leaves_no_trace(family: Family, a: list[Row], b: list[Row], random: Any) -> None:
    """One batch, rows one at a time in any order, batches of any size on any number of threads: the same bytes."""
    expected = digest(train(family, a + b))
    shuffled = random.sample(a + b, len(a + b))
    one_by_one = sum((train(family, [row]) for row in shuffled), Model(schema_of(family)))
    assert digest(one_by_one) == expected, "one row at a time"
    cut = random.randint(0, len(shuffled))
    pairs = [frame_of(family, shuffled[:cut]), frame_of(family, shuffled[cut:])]
    streamed = Model.train(schema_of(family), pairs)
    assert digest(streamed) == expected, "any batching"
    assert digest(Model.train(schema_of(family), *frame_of(family, shuffled), threads=3)) == expected, "any threads"


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
    content = to_bytes(model)
    again = from_bytes(content)
    assert again == model, "a file comes back the same"
    assert to_bytes(again) == content, "a file comes back the same"
    asked = frame_of(family, b)[0]
    assert np.array_equal(again.log_joint(asked), model.log_joint(asked)), "a file answers the same"
    rows = RowCounts(model.schema)
    kept = []
    for row in b:
        counted = train(family, [row])
        written = rows.write(counted)
        kept.append(written)
        assert rows.read(written) == counted, "what a row adds comes back the same"
        twice = counted + counted
        twice -= counted
        assert rows.write(twice) == rows.write(rows.read(written)) == written, "equal counts are equal bytes"
    assert rows.read_all(kept) == train(family, b), "what many rows add is read as their sum"


def scores_follow_the_counts(family: Family, a: list[Row], b: list[Row]) -> None:
    model = train(family, a)
    frame = frame_of(family, b)[0]
    joint = model.log_joint(frame)
    assert not np.isnan(joint).any(), "every answer is a number"
    assert close(joint, model.evidence(frame).total()), "the evidence adds up to the answer"
    single = np.concatenate([model.log_joint(frame_of(family, [row])[0]) for row in b])
    assert close(joint, single), "one row at a time says the same"
    missing = pa.record_batch({field.name: pa.nulls(1, field.type) for field in frame.schema})
    prior = np.log(list(model.prior().values()))
    assert close(model.log_joint(missing)[0], prior), "a missing cell says nothing"


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
    """Equal settings are equal bytes, and invalid ones are refused."""
    for name in settings_of(type(family)):
        with suppress(TypeError, ValueError):
            raise AssertionError(f"nonsense is refused, where {replace(family, **{name: object()})!r} was made")
        for one, same in ((1, 1.0), (0, -0.0), (True, np.True_)):
            with suppress(TypeError, ValueError):
                pair = [Model(Schema({"x": replace(family, **{name: value})})) for value in (one, same)]
                assert digest(pair[0]) == digest(pair[1]), f"{name}={one!r} and {name}={same!r} are the same bytes"


def numbers_are_taken_in_every_way(family: Family, a: list[Row]) -> None:
    """Single numbers, columns of a matrix, and drawn numbers."""
    a = a[:FEW]
    a_number_by_itself_is_one_among_others(family, a)
    columns_of_a_matrix_are_columns(family, a)
    what_is_drawn_can_be_counted(family, a)


def a_number_by_itself_is_one_among_others(family: Family, a: list[Row]) -> None:
    model, schema = train(family, a), Schema({"x": family})
    together = model.log_joint(frame_of(family, a)[0])
    learned = Model(schema)
    for (value, label, _), expected in zip(a, together, strict=True):
        assert close(model.log_joint({"x": value})[0], expected), "a plain number says what it says in a batch"
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
    assert close(together, said), "a column of a matrix says what it says by itself"


def what_is_drawn_can_be_counted(family: Family, a: list[Row]) -> None:
    for plugin in (False, True):
        beliefs = family.changed({"plugin": plugin})
        model = train(beliefs, a)
        sample = model.sample(5, seed=1)
        assert not np.isinf(model.log_joint(sample.rows).max(axis=1)).any(), "what is drawn is possible"
        assert Model.train(Schema({"x": beliefs}), *sample).estimates("x"), "what is drawn can be counted"


def left_out_is_trained_without(family: Family, rows: list[Row], weighted: bool) -> None:
    """Settings that a family chooses from all rows are chosen again."""
    model = _trained(family, rows, weighted)
    frame, labels = frame_of(family, rows)
    weights = [weight for _, _, weight in rows] if weighted else None
    again = left_out(model, frame, labels, weights=weights, choose_again=True)
    soon = left_out(model, frame, labels, weights=weights)
    assert not np.isnan(soon.total()).any(), "every answer about a row left out is a number"
    for row in range(len(rows)):
        _check_row(family, rows, row, weighted, again)
        if family.stays is None:
            _check_row(family, rows, row, weighted, soon)


def _trained(family: Family, rows: Sequence[Row], weighted: bool) -> Model:
    weights = [weight for _, _, weight in rows] if weighted else None
    return Model.train(schema_of(family), *frame_of(family, rows), weights=weights)


def _check_row(family: Family, rows: list[Row], row: int, weighted: bool, found: Evidence) -> None:
    without = _trained(family, rows[:row] + rows[row + 1 :], weighted)
    left = [found.classes.index(label) for label in without.classes]
    gone = np.delete(found.priors[row], left)
    assert np.isneginf(gone).all(), "a class of which the only row is left out is gone"
    if not left:
        return
    expected = without.evidence(frame_of(family, rows[row : row + 1])[0])
    assert _near(found.priors[row, left], expected.prior), "the prior is left out as if trained without"
    name = name_of(family)
    assert _near(found[name][row, left], expected[name][0]), "left out is trained without"


def _near(a: Floats, b: Floats) -> bool:
    return bool(np.allclose(a, b, rtol=NEAR, atol=NEAR))


def tally(family: Family, rows: Sequence[Row]) -> AnyTally:
    """Counts rows with their weights."""
    classes = ["a", "b", "c"]
    codes = np.array([classes.index(label) for _, label, _ in rows], np.int32)
    weights = np.array([weight for _, _, weight in rows], np.float64)
    frame, _ = frame_of(family, rows)
    cells = family.encode(joined(name_of(family), dict(zip(frame.schema.names, frame.columns, strict=True))))
    return family.tally(cells, Rows(classes, codes, None if np.all(weights == 1.0) else weights))


def train(family: Family, rows: Sequence[Row]) -> Model:
    return Model.train(schema_of(family), *frame_of(family, rows))


def name_of(family: Any) -> Name:
    """The name of the schema entry with this family."""
    return checked_name(family.columns if family.takes_blocks else ("x",))


def schema_of(family: Family) -> Schema:
    return Schema({name_of(family): family})


def frame_of(family: Family, rows: Sequence[Row]) -> tuple[pa.RecordBatch, list[str]]:
    name = name_of(family)
    if isinstance(name, str):
        cells = {name: pa.array([value for value, _, _ in rows])}
    else:
        values = [(None,) * len(name) if value is None else value for value, _, _ in rows]
        cells = {column: pa.array([value[i] for value in values]) for i, column in enumerate(name)}
    return pa.record_batch(cells), [label for _, label, _ in rows]


def close(a: Floats, b: Any) -> bool:
    """Equal up to rounding in the last digits."""
    return bool(np.allclose(a, b, rtol=1e-11, atol=1e-11))
