"""The laws of families of numbers: single numbers, columns of a matrix, and drawn numbers."""

from __future__ import annotations

import numpy as np

from tallybayes.families import Family
from tallybayes.families.vectors.of_columns import for_matrix
from tallybayes.files import digest
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.testing.rows import Row, close, frame_of, train

FEW = 4  # rows that are each trained as a model


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
