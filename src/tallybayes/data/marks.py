"""Texts that mark missing values: in any column of a file without types, and wherever a number is expected."""

from __future__ import annotations

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "\\N")
MISSING_NUMBERS = ("-", "--", ".", "None", "none")  # which may be proper values in text columns
MARKS = (*MISSING, *MISSING_NUMBERS)
