"""A model with its journal on disk: acknowledged changes are never lost or doubled, and forgotten rows leave no trace.

`store` is the public class. Tasks are `waiting` for the `writer`, which groups changes into commits; `changes` makes
them, `state` is the model and how it is replayed, `settings` what else is kept, `journal` the database, `checksum` that
of its file when it is closed, `sealed` the counts in it, `folder` the model files next to it, `chain` the hashes that
link changes, `copying` makes consistent copies, and `verifying` and `receipts` check them. Leans on `files`
and `model`.
"""

from tallybayes.store.changes import Change
from tallybayes.store.errors import (
    DamagedStoreError,
    DifferentContentError,
    InDoubtError,
    NotWrittenError,
    StoreError,
    StoreInUseError,
    TooManyWaitError,
    UnknownRowError,
)
from tallybayes.store.receipts import Receipt, ReceiptError, check_receipt
from tallybayes.store.store import Store
from tallybayes.store.verifying import Verified

__all__ = [
    "Change",
    "DamagedStoreError",
    "DifferentContentError",
    "InDoubtError",
    "NotWrittenError",
    "Receipt",
    "ReceiptError",
    "Store",
    "StoreError",
    "StoreInUseError",
    "TooManyWaitError",
    "UnknownRowError",
    "Verified",
    "check_receipt",
]
