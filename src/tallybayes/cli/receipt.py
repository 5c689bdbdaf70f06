"""`tallybayes receipt`: proof of a change to a store, which others can keep and check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

import tallybayes
from tallybayes.cli.exit_codes import NO
from tallybayes.cli.options import StoreFolder
from tallybayes.cli.terminal import KEPT, say
from tallybayes.report.characters import clean


def show(
    store: StoreFolder,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The id of the row.", show_default=False)] = None,
    number: Annotated[
        int | None, typer.Option("--change", metavar="NUMBER", min=0, help="The number of a change, instead of an id.")
    ] = None,
) -> None:
    """Print the receipt of the last change to a row.

    With it, anyone can check later that the store still has the change, and that the history before it was not
    rewritten.

    \b
    tallybayes receipt show store/ m-17 > m-17.json
    """
    if (id is None) == (number is None):
        raise ValueError("Give the id of a row, or the number of a change with --change.")
    with tallybayes.Store.open(store) as found:
        print(found.receipt(id, number=number).text())


def check(
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="The receipt file.", show_default=False)],
    against: Annotated[
        str,
        typer.Argument(metavar="STORE_OR_MODEL", help="The folder of a store, or a model file.", show_default=False),
    ],
) -> int | None:
    """Check a receipt, without trusting its issuer.

    Against a store: is the change in its chain, and is the chain intact from there to the end? Against a model file: is
    it the model right before or right after the change? That needs a receipt with digests (a change made with "prove").

    \b
    tallybayes receipt check m-17.json store/
    tallybayes receipt check m-17.json retrained.tally
    """
    from tallybayes.store import ReceiptError

    text = Path(receipt).read_text(encoding="utf-8", errors="replace")
    if not os.path.exists(against):
        raise FileNotFoundError(f"There is no store and no model {against}.")
    try:
        print(clean(tallybayes.check_receipt(text, against), KEPT))
    except ReceiptError as error:
        say(f"tallybayes receipt check: {error}")
        return NO
    return None
