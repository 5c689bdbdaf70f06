"""Receipts: proof of a change to a row, which others can check without trusting the issuer.

A receipt has the record of a change and its link in the chain. With it, anyone can check later that the store still has
the change, and that nothing before it was altered. If the change was made with `prove=True`, the receipt also has the
digests of the model before and after, to compare with a model file.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tallybayes.files import digest, load
from tallybayes.model import Model
from tallybayes.store.chain import GONE, START, Record, link, record_from
from tallybayes.store.errors import StoreError, UnknownRowError
from tallybayes.store.journal import Journal

if TYPE_CHECKING:
    from tallybayes.store.store import Store

FORMAT = 1
BITS = 63  # of a number in SQLite


class ReceiptError(StoreError):
    """A receipt is not valid."""


@dataclass(frozen=True)
class Receipt:
    """The record of a change and its place in the chain: the link is the hash of the record and the previous link."""

    record: Record
    previous: bytes
    link: bytes

    def text(self) -> str:
        """The receipt as JSON."""
        chain = {"previous": self.previous.hex(), "link": self.link.hex()}
        facts = {"receipt": FORMAT, "record": self.record.facts(), **chain}
        return json.dumps(facts, ensure_ascii=False, indent=1)

    @classmethod
    def read(cls, text: str) -> Self:
        """The inverse of `text`."""
        try:
            facts: dict[str, Any] = json.loads(text)
            if facts["receipt"] != FORMAT:
                raise ReceiptError(f"The receipt has format {facts['receipt']!r}; this version reads {FORMAT}.")
            text = Record(**facts["record"]).text()
            record = record_from(text.encode().decode())  # a `ValueError` for lone surrogates, which have no hash
            if type(record.number) is not int or record.number.bit_length() > BITS:
                raise ValueError("no number of a change")
            return cls(record, bytes.fromhex(facts["previous"]), bytes.fromhex(facts["link"]))
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            if isinstance(error, ReceiptError):
                raise
            raise ReceiptError(
                "This is not a receipt; `tallybayes receipt show`, or receipt(id).text(), writes one."
            ) from None


def receipt_of(journal: Journal, id: str | None, number: int | None) -> Receipt:
    """The receipt of a change by its number, or of the last change to a row."""
    if (id is None) == (number is None):
        raise ValueError("Give the id of a row or the number of a change: receipt('m-17') or receipt(number=17).")
    record = journal.record(number) if number is not None else journal.latest(id or "")
    if record is None:
        what = f"row {id!r} was never learned" if number is None else f"store has no change {number}"
        raise UnknownRowError(f"There is no receipt: the {what}.")
    found = "SELECT link FROM changes WHERE number = ?"
    previous = journal.one(found, record.number - 1)
    return Receipt(record, previous[0] if previous else START, journal.one(found, record.number)[0])


def check_receipt(receipt: Receipt | str, against: Store | Model | str | os.PathLike[str]) -> str:
    """Checks a receipt against a store (open or by its folder) or a model (or its file). Returns what it proves, as a
    sentence; raises a `ReceiptError` if it is not valid.

    >>> from tallybayes import Store, Words
    >>> with Store.create("spam", {"text": Words()}) as store:
    ...     change = store.learn("win a prize", "spam", id="m-1")
    ...     print(check_receipt(store.receipt("m-1").text(), store))
    The store has this change: change 1, learn 'm-1', ...Z; 0 changes since.
    """
    given = Receipt.read(receipt) if isinstance(receipt, str) else receipt
    if link(given.previous, given.record.text()) != given.link:
        raise ReceiptError("The receipt was altered: its record does not match its link.")
    if isinstance(against, Model):
        return _of_model(given.record, against)
    if not isinstance(against, (str, os.PathLike)):
        return against.check(given)
    if not Path(against).is_dir():
        return _of_model(given.record, load(against))
    from tallybayes.store.store import Store

    with Store.open(against) as store:
        return store.check(given)


def _of_model(record: Record, model: Model) -> str:
    done, shown = _described(record), model.copy()
    shown.schema = model.schema.without_reasons()  # a store does not keep these, since they depend on rows
    found = digest(shown)
    if record.after is None:
        raise ReceiptError(
            f"The receipt ({done}) has no digests, so it proves nothing about a model file. Check it against the "
            "store; changes made with prove=True have digests."
        )
    if found == record.after:
        return f"This is the model right after {done}."
    if found == record.before:
        return f"This is the model right before {done}."
    raise ReceiptError(
        f"The model has the digest {found}; right after this change ({done}) it was {record.after}. "
        "It has changed since, or is another model."
    )


def of_journal(receipt: Receipt, journal: Journal) -> str:
    """Checks that the chain has the change and is intact from there to its end."""
    record, done = receipt.record, _described(receipt.record)
    chain = journal.sql.execute("SELECT record, link FROM changes WHERE number >= ? ORDER BY number", (record.number,))
    previous, since = receipt.previous, -1
    for since, (text, linked) in enumerate(chain):
        if since == 0 and (text, linked) != (record.text(), receipt.link):
            raise ReceiptError(f"Change {record.number} of the store is not the one in the receipt ({done}).")
        if link(previous, text) != linked:
            raise ReceiptError(f"The chain of the store is broken at change {record.number + since}.")
        previous = linked
    if since < 0:
        raise ReceiptError(f"The store has no change {record.number}: it ends before the receipt ({done}).")
    there = record.id is not None and journal.entry(record.id) is not None
    gone = f" The row is {'in the store again' if there else 'not in the store'}." if record.what in GONE else ""
    return f"The store has this change: {done}; {since:,} change{'s' * (since != 1)} since.{gone}"


def _described(record: Record) -> str:
    row = "" if record.id is None else f" {record.id!r}"
    return f"change {record.number}, {record.what}{row}, {record.at}"
