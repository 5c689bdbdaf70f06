"""The loops that touch every cell, in C++: exact sums by class, string lookup, counting, scoring.

Each has a slow, obviously right twin in ``tests/reference.py``. All release the interpreter lock; none starts
threads of its own.
"""

from tallybayes.kernels.compiled import (
    FULL_LOW,
    Groups,
    StringIndex,
    add_normal,
    add_student,
    add_table,
    count_codes,
    logarithm,
    normalise,
    sum_by_class,
    sum_products,
)

__all__ = [
    "FULL_LOW",
    "Groups",
    "StringIndex",
    "add_normal",
    "add_student",
    "add_table",
    "count_codes",
    "logarithm",
    "normalise",
    "sum_by_class",
    "sum_products",
]
