"""Opens the stores to be served, or creates them, and finds their names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tallybayes.files import load
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.schema.toml import schema_in
from tallybayes.store import Store
from tallybayes.store.folder import JOURNAL

NAME = "name"  # the setting of a store that names its model


@contextmanager
def opened_stores(
    paths: Sequence[str], *, schema: str | None = None, model: str | None = None, mail: bool = False
) -> Iterator[dict[str, Store]]:
    """Stores by the names of their models, closed at the end. A store that does not exist is created from a schema or
    model file. If they are for `mail`, a schema that is not is an error before anything is created."""
    if schema is not None and model is not None:
        raise ValueError("Give --schema or --from, not both: a store starts with a schema or with a model's counts.")
    if len(paths) > 1 and (schema is not None or model is not None):
        raise ValueError("--schema and --from create a single store. Create several one after the other.")
    found: dict[str, Store] = {}
    with ExitStack() as stack:
        for path in paths:
            store = stack.enter_context(opened_store(path, schema, model, mail))
            name = name_of(store)
            if name in found:
                raise ValueError(f"{found[name].path} and {store.path} are both called {name!r}. Serve one of them.")
            found[name] = store
        yield found


def is_store(path: str) -> bool:
    return Path(path, JOURNAL).is_file()


def opened_store(path: str, schema: str | None = None, model: str | None = None, mail: bool = False) -> Store:
    """The store in a folder. The schema or model is read only if there is none."""
    if is_store(path):
        return Store.open(path)
    if schema is None and model is None:
        raise ValueError(
            f"{path}: there is no store. Create one from a model with --from spam.tally, or an empty one from a schema "
            "with --schema schema.toml (`tallybayes schema` writes one)."
        )
    start = _start(schema, model)
    if mail:
        from tallybayes.filtering.in_memory import check_columns  # which needs lxml

        check_columns(start.schema if isinstance(start, Model) else start)
    store = Store.create(path, start)
    if model is not None:
        store.set(NAME, Path(model).stem)
    return store


def _start(schema: str | None, model: str | None) -> Schema | Model:
    if model is not None:
        return load(model)
    return schema_in(schema or "")


def name_of(store: Store) -> str:
    """The name of its model: the one given when the store was created, or else that of its folder. It has to be shown,
    and to be part of an address, where dots alone would mean a folder."""
    name = str(store.settings().get(NAME) or os.path.basename(os.path.normpath(store.path)))
    return "".join(each if each.isprintable() else "\ufffd" for each in name) if name.strip(".") else "model"
