"""`tallybayes train`: counts rows into a model file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

import tallybayes
from tallybayes.cli.option_values import parsed_columns
from tallybayes.cli.options import (
    Absent,
    ClassPrior,
    Columns,
    Dependence,
    Label,
    LabelAsText,
    NewModel,
    SchemaFile,
    Threads,
    keep_apart,
)
from tallybayes.cli.progress import counting, watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import say
from tallybayes.cli.unlabelled import Clusters, Components, Unlabelled, Weight, em_of, say_fitted
from tallybayes.cli.weigh import weighing_summary
from tallybayes.report.blocks import count, how_many
from tallybayes.report.characters import clean

if TYPE_CHECKING:
    from tallybayes import Family, Model, Schema
    from tallybayes.model.sample import RowSample
    from tallybayes.model.weigh import Weighing
    from tallybayes.schema.entries import Name
    from tallybayes.schema.infer import Choice
    from tallybayes.sources import Source

T = TypeVar("T")

MANY_CLASSES = 100  # with more distinct numbers, labels look like a regression
A_FEW = 1000  # rows to estimate what weighing would gain …
LITTLE = 20_000_000  # … for inputs of fewer bytes than this
NARROW = 1000  # … and no more columns or classes
ENOUGH = 200  # rows needed for that estimate
WORTHWHILE = 0.05  # of the log-loss
SHOWN = 12  # classes, and columns left out, that are listed


def train(
    how: Input,
    output: NewModel,
    label: Label = None,
    schema: SchemaFile = None,
    column: Columns = None,
    prior: ClassPrior = None,
    label_as_text: LabelAsText = False,
    weighed: Annotated[
        bool, typer.Option("--weigh", help="Fit the weight of each column's evidence on left-out rows.")
    ] = False,
    dependence: Dependence = "none",
    unlabelled: Unlabelled = False,
    unlabelled_weight: Weight = None,
    components: Components = 1,
    clusters: Clusters = None,
    absent: Absent = "error",
    threads: Threads = None,
) -> None:
    """Count rows, and save them as a model.

    A table needs --label; a folder per class, Maildir folders and an mbox per class do not. The family of each
    column is inferred from its values, unless --schema or --column says otherwise.

    \b
    tallybayes train mails.parquet --label class -o spam.tally
    tallybayes train mail/ -o spam.tally
    tallybayes train --database shop.db --query "SELECT * FROM orders" --label late -o late.tally
    """
    import numpy as np
    import pyarrow as pa

    from tallybayes.model.weigh import reweighed, sample_for

    keep_apart(output, *how.files(), schema)
    em = em_of(unlabelled, unlabelled_weight, components, clusters)
    if weighed and components > 1:
        raise ValueError("--weigh and --components: the evidence for components of classes cannot be weighed.")

    def schema_of(source: Source, misled: dict[Name, Family | None]) -> Schema:
        hints = misled | parsed_columns(column)
        return schema_for(source, label, schema, hints, prior, dependence, clusters is None)

    def count(schema: Schema, source: Source) -> tuple[Model, RowSample | None]:
        given: dict[str, Any] = {"threads": threads, "absent": absent, "unlabelled": em}
        given["label_type"] = pa.string() if label_as_text else None
        if components > 1:
            return tallybayes.Mixture.train(schema, source, **given).model, None
        sample = sample_for(schema) if weighed or schema.overlaps else _quick_sample(schema, source)
        return tallybayes.Model.train(schema, source, sample=sample, **given), sample

    source, (model, sample) = counted(how, schema_of, count)
    if not model.n:
        raise ValueError("There are no rows to learn from; no model was saved.")
    rows = model.rows_by_class()
    model.schema.log_prior(np.array([*rows.values()]), [*rows])  # raises an error if the prior names other classes
    weighed = weighed or model.schema.overlaps
    with counting("weighing"):
        enough = sample is not None and (weighed or (sample.seen >= ENOUGH and len(rows) <= NARROW))
        weighing = reweighed(model, sample.rows()) if sample is not None and enough else None
    model = weighing[0] if weighing is not None and weighed else model
    tallybayes.save(model, output)
    say(f"{output}: {summary(model)}")
    say_fitted(output, model.fitted)
    if weighing is not None:
        _tell_of(weighing[1], output, weighed)
    _tell_of_columns(model, source.place)


def _tell_of_columns(model: Model, place: Name | None) -> None:
    """Reports which columns are counted together, which are left out and why, and whether the labels look like
    classes."""
    from tallybayes.schema.entries import title

    for line in block_lines(model):
        say(line)
    if _looks_like_regression(model):
        say(
            f"Note: the labels in {model.schema.label!r} are {len(model.classes):,} different numbers, which looks "
            "like a regression; tallybayes only classifies. Cut the numbers into ranges, or give --label-as-text if "
            "they are names."
        )
    if _looks_like_names(model):
        say(
            f"Note: {how_many(model.n)} have {len(model.classes):,} different labels in {model.schema.label!r}, which "
            "looks like names of rows rather than classes. Is this the right --label?"
        )
    if not model.schema.columns:
        say("Note: no column is counted, so every answer is the prior. Give families with --column.")
    reasons = model.schema.reasons
    left_out = [name for name in reasons if name not in model.schema.columns and name != place]
    if left_out:
        named = "; ".join(f"{clean(title(name))} ({reasons[name]})" for name in left_out[:SHOWN])
        say(f"Left out: {named}" + f"; and {len(left_out) - SHOWN:,} more" * (len(left_out) > SHOWN))


def _tell_of(worth: Weighing, output: str, weighed: bool) -> None:
    """Reports what the weights gain, or would gain."""
    if weighed:
        say(f"{output}: {weighing_summary(worth)}")
    elif worth.rows >= ENOUGH and worth.weighed < (1.0 - WORTHWHILE) * worth.naive:
        found = f"from {worth.naive:.3g} to {worth.weighed:.3g}"
        say(f"Note: weighing the evidence (--weigh) would lower the log-loss of left-out rows {found}.")


def counted(
    how: Input,
    schema_of: Callable[[Source, dict[Name, Family | None]], Schema],
    count: Callable[[Schema, Source], T],
) -> tuple[Source, T]:
    """Counts all rows. If a cell does not fit the family inferred from a sample, and the data can be read again,
    counting starts over with the family that the column's cells get as texts, as if the sample had had this cell."""
    from tallybayes.data.frames import is_text
    from tallybayes.schema.infer import choose_as_texts
    from tallybayes.schema.schema import AS_GIVEN
    from tallybayes.sources import SourceError

    misled: dict[str, Choice] = {}
    while True:
        source = how.open()
        source.hold_texts(misled)
        schema = schema_of(source, {name: choice.family for name, choice in misled.items()})
        schema.reasons |= {name: choice.reason for name, choice in misled.items()}
        try:
            with watching(source, "counting"):
                return source, count(schema, source)
        except SourceError as error:
            name = error.column
            if name is not None and name == schema.label:
                raise SourceError(f"{error} If some classes are texts, give --label-as-text.") from None
            inferred = name in schema.columns and schema.reasons.get(name, AS_GIVEN) != AS_GIVEN
            if name is None or not inferred or not (how.query or how.can_be_read_again(source)):
                raise
            cells = how.open().sample().column(name)
            choice = choose_as_texts(cells)
            was_text = is_text(cells.type) and choice.family == schema.columns[name]
            if name in misled or was_text:  # texts, too, can have cells that do not fit
                raise
            misled[name] = choice
            say(f"Note: {error}", _starting_again(name, choice))


def _starting_again(name: str, choice: Choice) -> str:
    if choice.family is None:
        return f"Starting again without the column {name!r}: as texts, it has {choice.reason}."
    kind = "text" if choice.family.is_text else "a category"
    return f"Starting again with the column {name!r} as {kind}."


def _quick_sample(schema: Schema, source: Source) -> RowSample | None:
    """A few rows to estimate what weighing would gain, if that takes hardly any time."""
    from tallybayes.model.weigh import sample_for

    texts = any(family.is_text for family in schema.columns.values())
    if texts or len(schema.columns) > NARROW or (source.total or LITTLE) >= LITTLE:
        return None
    return sample_for(schema, A_FEW)


def schema_for(
    source: Source,
    label: str | None,
    file: str | None,
    hints: dict[Name, Family | None],
    prior: str | None,
    dependence: str = "none",
    needs_label: bool = True,
) -> Schema:
    """The schema given by a file and by columns, or else inferred."""
    if file is None:
        label = label or source.label
        if label is None and needs_label:
            names = ", ".join(map(repr, source.names))
            raise ValueError(f"Which column holds the classes? Give --label; there are {names}.")
        from tallybayes.schema.entries import members

        source.require([*([] if label is None else [label]), *(column for name in hints for column in members(name))])
        if label is not None and hints.get(label) is not None:
            raise ValueError(f"--column {label}=…: this column holds the classes, which need no family.")
        found = tallybayes.Schema.infer(source, label, hints=hints, dependence=dependence)
        if not needs_label:
            from tallybayes.schema.infer.inferred import for_clusters

            found = for_clusters(found, hints)
    else:
        if dependence != "none":
            raise ValueError("--dependence is for inferred schemas; a given schema has its own blocks.")
        found = _from_file(file, hints)
    chosen = found.prior if prior is None else _prior(prior)
    return tallybayes.Schema(
        found.columns, prior=chosen, label=label or found.label or source.label, reasons=found.reasons
    )


def _from_file(file: str, hints: dict[Name, Family | None]) -> Schema:
    from tallybayes.schema.entries import replaced
    from tallybayes.schema.schema import AS_GIVEN
    from tallybayes.schema.toml import schema_in

    found = schema_in(file)
    changed = replaced(found.columns, hints)
    columns = {name: family for name, family in changed.items() if family is not None}
    reasons = found.reasons | dict.fromkeys(hints, AS_GIVEN)
    return tallybayes.Schema(columns, prior=found.prior, label=found.label, reasons=reasons)


def _prior(text: str) -> Any:
    from tallybayes.schema.family_text import prior_from_text

    try:
        return float(text)
    except ValueError:
        return prior_from_text(text)


def _looks_like_names(model: Model) -> bool:
    """Whether labels are texts and hardly any of them is repeated."""
    return isinstance(model.classes[0], str) and len(model.classes) > SHOWN and 2 * len(model.classes) > model.n


def _looks_like_regression(model: Model) -> bool:
    """Whether labels are numbers, too many to be classes or hardly any of them repeated."""
    import pyarrow as pa

    kind, classes = model.label_type, len(model.classes)
    are_numbers = kind is not None and (pa.types.is_integer(kind) or pa.types.is_floating(kind))
    return are_numbers and (classes > MANY_CLASSES or (classes > SHOWN and 2 * classes > model.n))


def summary(model: Model) -> str:
    """A model in one line."""
    pairs = list(model.rows_by_class().items())
    listed = ", ".join(f"{clean(label)} {count(n)}" for label, n in pairs[:SHOWN]) + ", …" * (len(pairs) > SHOWN)
    return f"{how_many(model.n)} in {how_many(len(pairs), 'class', 'classes')}" + f": {listed}" * bool(pairs)


def block_lines(model: Model) -> list[str]:
    """Which columns are counted together, why, and the weight of their evidence."""
    from tallybayes.schema.entries import in_order, members

    schema, lines = model.schema, []
    for name, family in in_order(schema.columns):
        if len(members(name)) > 1:
            weights = {} if schema.weights is None else schema.weights.parts.get(name, {})
            parts = [
                schema.reasons.get(name, ""),
                *(f"{part} × {weight:.2g}" for part, weight in weights.items() if weight),
            ]
            lines.append(f"Together: {len(members(name))} columns by {family.brief}; {'; '.join(filter(None, parts))}")
    return lines
