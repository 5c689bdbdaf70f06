"""Creates a store: a folder with its base model and an empty journal."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from tallybayes.families import Family
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.store.chain import CREATE, Record
from tallybayes.store.changes import moment
from tallybayes.store.copying import new_folder
from tallybayes.store.folder import BASE, JOURNAL, Folder
from tallybayes.store.journal import Journal


def make_store(path: str | os.PathLike[str], start: Schema | Mapping[Any, Family] | Model) -> None:
    model = _first_model(start)
    with new_folder(path) as made:
        base = Folder(made).write(BASE, 0, model)
        with closing(Journal(made / JOURNAL, new=True)) as journal:
            with journal.transaction():
                journal.tell("base", 0)
                journal.tell("base digest", base)
                now, name = moment(datetime.now(UTC)), secrets.token_hex(16)
                journal.append(Record(number=0, at=now, what=CREATE, id=name, base=base))
            journal.checksum.write()


def _first_model(start: Schema | Mapping[Any, Family] | Model) -> Model:
    """The base model, empty or given; an error if it cannot learn row by row."""
    model = start.copy() if isinstance(start, Model) else Model(start)
    model.schema = model.schema.without_reasons()  # which depend on rows
    if model.schema.components is not None:
        raise ValueError("A store cannot hold a mixture: labels do not say which component a row belongs to.")
    if not model.schema.is_prepared:
        raise ValueError(
            "Intervals, levels or questions must be chosen before rows are counted. Choose them on some rows with "
            "Store.create(path, prepare(schema, rows, labels))."
        )
    return model
