"""The laws, each a function that raises an AssertionError with its name."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data.soft_labels import SoftLabels
from tallybayes.families import FAMILIES, Family
from tallybayes.families.settings import settings_of
from tallybayes.files import RowCounts, digest, from_bytes, to_bytes
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.schema.family_text import family_from_text, family_to_text
from tallybayes.testing.grids import Grid
from tallybayes.testing.rows import Row, close, frame_of, schema_of, tally, train


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
