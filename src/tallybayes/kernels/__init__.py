"""The loops that touch every cell, in C++: exact sums by class, words, counting, scoring.

One job per file; `*_module.cpp` has the Python bindings. Each is checked against a slow, obviously right twin in
`tests/reference.py`. All release the GIL, none starts threads. Leans on numpy and Arrow alone.
"""

from tallybayes.kernels.compiled import *  # noqa: F403
