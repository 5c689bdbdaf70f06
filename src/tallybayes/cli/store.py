"""`tallybayes store`: administration of a store that no service has open."""

from __future__ import annotations

from typing import Annotated

import typer

import tallybayes
from tallybayes.cli.exit_codes import NO
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import ModelFile, StoreFolder
from tallybayes.cli.progress import counting
from tallybayes.cli.terminal import say
from tallybayes.cli.train import summary
from tallybayes.report.blocks import how_many

NewStore = Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder.", show_default=False)]
ALL_DAYS = 999_999_999  # the longest duration
Days = Annotated[
    float, typer.Option("--older-than", metavar="DAYS", min=0, help="Forget rows learned more than this many days ago.")
]


def create(model: ModelFile, folder: NewStore) -> None:
    """Make a store that starts with a model.

    \b
    tallybayes store create spam.tally store/
    """
    with tallybayes.Store.create(folder, load_of_classes(model)) as made:
        say(f"{folder}: {summary(made.model())}")


def verify(store: StoreFolder) -> int | None:
    """Check that counts, journal and chain agree.

    It reads everything: each link of the chain, the counts of each row against their hash, and the model against the
    sum of its rows.

    \b
    tallybayes store verify store/
    """
    from tallybayes.store import DamagedStoreError

    try:
        with tallybayes.Store.open(store) as opened, counting("verifying") as progress:
            found = opened.verify(progress)
    except DamagedStoreError as error:
        say(error)
        return NO
    if not found:
        say(*found.problems)
        return NO
    print(f"{store}: {how_many(found.changes, 'change', 'changes')} and {how_many(found.rows)} with ids agree.")
    return None


def backup(store: StoreFolder, folder: NewStore) -> None:
    """Copy a store into a new folder.

    Whatever is forgotten later is still in the copy, so decide how long to keep copies.

    \b
    tallybayes store backup store/ copies/monday
    """
    with tallybayes.Store.open(store) as opened:
        opened.backup(folder)
    with tallybayes.Store.open(folder) as copy:
        say(f"{folder}: {summary(copy.model())}")


def expire(store: StoreFolder, older_than: Days) -> None:
    """Forget rows that are older than a number of days.

    \b
    tallybayes store expire store/ --older-than 90
    """
    from datetime import timedelta

    if older_than != older_than:
        raise ValueError("--older-than nan: give a number of days, at least 0.")
    with tallybayes.Store.open(store) as opened:
        gone = opened.expire(timedelta(days=min(older_than, ALL_DAYS)))
        say(f"{store}: forgot {how_many(len(gone))}, has {summary(opened.model())}")
