"""A model with its journal on disk: what is acknowledged is never lost, never doubled, and forgotten without a trace.

`store` is what a user opens. `writer` gathers changes into one commit, `changes` makes them, `state` is the model and
what it is replayed from, `journal` the database, `sealed` the counts in it, `folder` the model files beside it,
`chain` the hashes that link changes, `copying` a store as it is at one moment, `verifying` and `receipts` what can be
checked. Leans on `files` and `model`.
"""

from tallybayes.store.changes import Change
from tallybayes.store.errors import (
    DamagedStoreError,
    DifferentContentError,
    InDoubtError,
    NotWrittenError,
    StoreError,
    StoreInUseError,
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
    "UnknownRowError",
    "Verified",
    "check_receipt",
]
