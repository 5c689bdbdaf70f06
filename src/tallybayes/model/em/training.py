"""`Model.train` with rows that have no label: finds the rows and classes, and runs EM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Counts
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.inputs import is_stream
from tallybayes.data.labels import label_array, label_column, label_values
from tallybayes.data.row_source import RowSource
from tallybayes.data.soft_labels import SoftLabels
from tallybayes.families import Family
from tallybayes.model.batches import Given, labelled, labels_of
from tallybayes.model.em.fit import EMProblem, RowShares, Run, best_run, count_labelled, show, total_weights
from tallybayes.model.em.fitted import COMPLETE, NOTHING, Fitted
from tallybayes.model.em.folds import WeightChoice, choose_weight
from tallybayes.model.em.rows import AnyRows, FrameRows, RowBlock, SourceRows
from tallybayes.model.em.settings import CHOSEN, EM
from tallybayes.model.em.start import starts_of
from tallybayes.model.mixed_beliefs import MARK
from tallybayes.model.model import Model
from tallybayes.model.prepare import prepared_on
from tallybayes.model.sample import RowSample
from tallybayes.schema.schema import Schema

FEW = 5  # classes named in a message
HARDLY = 1e-3  # of all rows, and less than one


def train_unlabelled(
    schema: Schema | Mapping[Any, Family],
    given: Given,
    settings: Any,
    threads: int | None,
    sample: RowSample | None = None,
    mixed: bool = False,
) -> Model:
    """The model of rows of which some or all have no label."""
    if not isinstance(settings, EM):
        raise TypeError(f"unlabelled={settings!r}: give EM(), with the settings for rows without labels.")
    if settings.components > 1 and not mixed:
        raise ValueError(
            f"EM(components={settings.components}): classes with several components need a Mixture. Write "
            "Mixture.train(schema, data, labels, EM(components=…)), or use components=1."
        )
    schema, rows = rows_of(schema, given, settings)
    problem = problem_of(schema, rows, settings, threads)
    if sample is not None:
        show(problem, sample)
    if settings.weight != CHOSEN:
        return fitted_model(problem, settings)
    chosen = choose_weight(problem, settings)
    return fitted_model(replace(problem, weight=chosen.weight), settings, chosen)


def rows_of(schema: Schema | Mapping[Any, Family], given: Given, settings: EM) -> tuple[Schema, AnyRows]:
    """The rows as EM passes over them, and the schema with all that must be fixed before counting."""
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    _check_again(given.data)
    given = given._replace(labels=_labels(schema, given, settings))
    schema = _checked(prepared_on(given, schema))
    return schema, _rows(schema, given)


def fitted_model(problem: EMProblem, settings: EM, chosen: WeightChoice | None = None) -> Model:
    """The model of the best run."""
    with_labels, without = total_weights(problem)
    about: dict[str, Any] = {"weight": problem.weight, "labelled": with_labels, "unlabelled": without}
    about |= {"held_out": chosen.losses if chosen else {}, "classes": tuple(problem.labels)}
    notes = chosen.notes if chosen else ()
    if not without * problem.weight and problem.fixed is not None:
        model = problem.fixed.copy()
        about |= {"notes": notes, "counted": _labels_as_shares(problem) if problem.keeps else None}
        model.fitted = Fitted((), -np.inf, NOTHING if without else COMPLETE, **about)
        return model
    starts = starts_of(problem, settings)
    best = best_run(problem, starts, settings)
    model = best.counts
    counted = best.counted if problem.keeps else None
    about |= {"starts": len(starts), "notes": notes + _died(best, problem), "counted": counted}
    model.fitted = Fitted(tuple(best.curve), best.log_likelihood, best.ended, **about)
    return model


def _labels_as_shares(problem: EMProblem) -> RowShares:
    """Labelled rows in their class, and nothing of the others in any."""

    def shares(block: RowBlock) -> tuple[Counts, Rows]:
        weights = block.weights * (block.codes >= 0)
        return block.places, Rows(problem.keys, np.maximum(block.codes, 0), weights)

    return tuple(problem.rows.each(shares, problem.threads))


def problem_of(schema: Schema, rows: AnyRows, settings: EM, threads: int | None) -> EMProblem:
    """The problem to solve, with the labelled rows counted."""
    keys, label_type = _classes(rows, settings)
    labels = label_values(label_type, keys)
    weight = float(settings.weight) if isinstance(settings.weight, (int, float)) else 1.0
    _renumber(rows, keys)
    of_class = np.repeat(np.arange(len(keys)), settings.components)
    fixed: Model | None = None
    if settings.components == 1:
        fixed = count_labelled(schema, rows, keys, label_type, threads)
        fixed.label_type = label_type
    else:
        if isinstance(schema.prior, dict):
            raise ValueError("A prior by class does not apply to components; give another prior.")
        schema = schema.changed(components=label_type)
        written = _written(labels, label_type)
        names = [f"{written[of]}{MARK}{at % settings.components + 1}" for at, of in enumerate(of_class.tolist())]
        keys, labels, label_type = list[Key](names), list[Any](names), pa.string()
    keeps = isinstance(rows, FrameRows)
    return EMProblem(schema, schema, rows, keys, labels, of_class, weight, fixed, label_type, threads, keeps)


def _written(labels: list[Any], kind: pa.DataType) -> list[str]:
    """Labels as text that can be parsed again."""
    try:
        texts = pa.array(labels, kind).cast(pa.string())
        if texts.cast(kind).to_pylist() == labels:
            return list(texts.to_pylist())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    raise TypeError(f"Labels of type {kind} cannot name components; give strings, integers or booleans.")


def _checked(schema: Schema) -> Schema:
    plain = schema.believing({"weights": None}) if schema.weights is not None else schema
    plain.check_adds_up()
    return schema


def _labels(schema: Schema, given: Given, settings: EM) -> Any:
    if isinstance(given.labels, SoftLabels):
        raise TypeError("Soft labels already give every row its share of each class; leave out `unlabelled`.")
    known = labels_of(given, schema)
    if known is not None or (is_stream(given.data) and isinstance(next(iter(given.data)), tuple)):
        return known
    if settings.classes is None:
        raise ValueError(
            "No labels are given. Give one label per row, None if it is unknown; if all are unknown, give the number "
            "of clusters: EM(classes=3)."
        )
    return pa.scalar(None)


def _check_again(data: Any) -> None:
    if is_stream(data) and not isinstance(data, (list, tuple)):
        raise ValueError(
            "EM reads the rows once for every step, and a stream can be read only once. Give a frame, a list of "
            "frames, or files: open_source(paths)."
        )


def _rows(schema: Schema, given: Given) -> AnyRows:
    if isinstance(given.data, RowSource):
        is_small = given.data.is_sampled_whole()
        read = SourceRows(schema, given)
        return FrameRows(schema, read.batches()) if is_small else read
    return FrameRows(schema, labelled(given, schema, unlabelled=True))


def _classes(rows: AnyRows, settings: EM) -> tuple[list[Key], pa.DataType]:
    """All classes, seen or announced, and the type of their labels."""
    given = settings.classes
    if isinstance(given, int):
        if rows.keys and len(rows.keys) != given:
            named = ", ".join(map(repr, label_values(rows.label_type, rows.keys[:FEW])))
            raise ValueError(
                f"EM(classes={given}): there are rows of {len(rows.keys)} classes ({named}). Name all classes, as in "
                "EM(classes=['a', 'b', 'c'])."
            )
        return (rows.keys, rows.label_type) if rows.keys else (list(range(given)), pa.int64())
    if given is None:
        if not rows.keys:
            raise ValueError("No row has a label. Give the number of clusters: EM(classes=3).")
        return rows.keys, rows.label_type
    kind, keys, codes = label_column(label_array(list(given)), 0)
    if rows.keys and kind != rows.label_type:
        raise TypeError(f"EM(classes={given!r}): these are of type {kind}, the labels of rows of {rows.label_type}.")
    return sorted({*rows.keys, *(keys[code] for code in codes.tolist())}), kind


def _renumber(rows: AnyRows, keys: list[Key]) -> None:
    """Makes codes indices into all classes, including those without rows."""
    if rows.keys == keys:
        return
    place = np.append(places_of(rows.keys, keys), np.int32(-1))
    if isinstance(rows, FrameRows):
        rows.blocks = [block._replace(codes=place[block.codes]) for block in rows.blocks]
    rows.keys = keys


def _died(run: Run, problem: EMProblem) -> tuple[str, ...]:
    """Classes that EM has left without rows, or with hardly any."""
    left = dict(zip(run.counts.keys(), run.counts.rows_by_class().values(), strict=True))
    hardly = min(1.0, HARDLY * run.counts.n)
    return tuple(
        f"Class {label!r} has only {left[key]:.2g} rows left; there may be fewer classes, or a prior is too strong."
        if left.get(key)
        else f"Class {label!r} has no rows left and was dropped."
        for key, label in zip(problem.keys, problem.labels, strict=True)
        if left.get(key, 0.0) < hardly
    )
