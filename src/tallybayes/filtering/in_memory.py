"""Judges a mail by beliefs, for model files and stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes.filtering.base import Letter
from tallybayes.mail.row import COLUMNS
from tallybayes.model.scoring import Beliefs
from tallybayes.schema import Schema


def probabilities_of(beliefs: Beliefs, letter: Letter) -> Mapping[Any, float]:
    """The probability of every class."""
    return dict(zip(beliefs.labels, beliefs.posterior(letter.row)[0].tolist(), strict=True))


def check_columns(schema: Schema) -> None:
    """Raises an error if the model has a column that mails lack."""
    missing = [name for name in schema.by_column if name not in COLUMNS]
    if missing:
        has = ", ".join(map(repr, COLUMNS))
        raise ValueError(
            f"The model has the column {missing[0]!r}; a mail has {has}. "
            "Train a model on mail: tallybayes train --input mail."
        )
