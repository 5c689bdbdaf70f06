"""`learn`, `forget` and `merge`: adding to and subtracting from a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tallybayes
from tallybayes.cli.option_values import class_of, near, new_class, row_of
from tallybayes.cli.options import Absent, Cells, Label, ModelFile, NewModel, Text, Threads
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import say, waiting_for
from tallybayes.cli.train import SHOWN, summary
from tallybayes.report.blocks import how_many
from tallybayes.report.plain import to_text

if TYPE_CHECKING:
    from tallybayes import Model

Class = Annotated[
    str | None, typer.Option("--class", metavar="CLASS", help="The class of all rows, if the data has no labels.")
]


def learn(
    model: ModelFile,
    how: Input,
    text: Text = None,
    cell: Cells = None,
    label: Label = None,
    class_: Class = None,
    absent: Absent = "error",
    threads: Threads = None,
) -> None:
    """Add rows to a model.

    The file is replaced atomically, and processes that learn at the same time wait for each other. A class that is
    new to the model is added, with a note.

    \b
    tallybayes learn spam.tally more.csv
    tallybayes learn spam.tally --class spam --input mail -
    """
    from tallybayes.files import load_version

    loaded = load_version(model)
    counted = _counted(loaded.model, how, (text, cell), label, class_, absent, threads, new_class)
    with tallybayes.changing(model, waiting_for(model), loaded) as old:
        known = old.classes
        old += counted
    _note_new(counted.classes, known)
    say(f"{model}: learned {how_many(counted.n)}, has {summary(old)}")


def forget(
    model: ModelFile,
    how: Input,
    text: Text = None,
    cell: Cells = None,
    label: Label = None,
    class_: Class = None,
    absent: Absent = "error",
    threads: Threads = None,
) -> None:
    """Take rows out of a model, without a trace.

    It becomes, byte for byte, the model that never saw them. If the rows cannot have been learned, that is an error and
    the model is left unchanged.

    \b
    tallybayes forget spam.tally wrong.csv
    """
    from tallybayes.files import load_version

    loaded = load_version(model)
    counted = _counted(loaded.model, how, (text, cell), label, class_, absent, threads, class_of)
    with tallybayes.changing(model, waiting_for(model), loaded) as old:
        old -= counted
    say(f"{model}: forgot {how_many(counted.n)}, has {summary(old)}")


def merge(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="The model files to merge.", show_default=False)
    ],
    output: NewModel,
) -> None:
    """Merge models by adding up their counts.

    The result equals a model trained on all their rows.

    \b
    tallybayes merge monday.tally tuesday.tally -o both.tally
    """
    total = tallybayes.load(models[0])
    for path in models[1:]:
        try:
            total += tallybayes.load(path)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} cannot be added to {models[0]}: {error}") from None
    tallybayes.save(total, output)
    say(f"{output}: {summary(total)}")


def _counted(
    model: Model,
    how: Input,
    row: tuple[str | None, list[str] | None],
    label: str | None,
    class_: str | None,
    absent: str,
    threads: int | None,
    class_named: Callable[[Model, str], Any],
) -> Model:
    """The rows as a model, counted before the file is touched."""
    import pyarrow as pa

    given = None if class_ is None else class_named(model, class_)
    if row != (None, None):
        if given is None or how.given:
            raise ValueError("--text and --cell describe one row: they need --class, and no other data.")
        return tallybayes.Model.train(model.schema, row_of(model.schema, *row), pa.array([given], model.label_type))
    source = how.open(or_row=True)
    name = model.schema.label if label is None else label
    if given is None and name is not None:
        try:
            source.require([name])
        except ValueError as error:
            raise ValueError(f"{error} If all rows are of one class, give it with --class.") from None
    labels = label if given is None else pa.scalar(given, model.label_type)
    with watching(source, "counting"):
        return tallybayes.Model.train(
            model.schema, source, labels, threads=threads, absent=absent, label_type=model.label_type
        )


def _note_new(classes: Sequence[Any], known: Sequence[Any]) -> None:
    """Notes classes that are new to the model: they may be typing errors."""
    met = set(known)
    for name in [to_text(label) for label in classes if met and label not in met][:SHOWN]:
        say(f"Note: {name!r} is a new class.{near(name, known)}")
